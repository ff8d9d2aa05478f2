"""Graded classes for tests: drawn ones, and a small one written out."""

from __future__ import annotations

from hypothesis import strategies as st

from onehead.model import ExerciseResult, Finding, Graded, PartResult, Result

NASTY = (
    "::error::forged",
    "a\n::set-output name=x::y",
    "<script>alert(1)</script>",
    "| a | [b](https://example.org) |",
    "![x](https://example.org/x.png) @everyone #1 `code`",
    "=cmd|' /C calc'!A0",
    "\x1b[31mred\x00\u202e",
    "\x9b31mred\x1b]8;;https://example.org\x07link",
    "##vso[task.setvariable variable=x]y",
    "a;=1+1|+1",
    " \uff1d1+1",
    "```\n# head",
    "]]>&amp;<![CDATA[",
)


def finding(message: str, misconception: str | None = None, check: str = "weights") -> Finding:
    return Finding(check, "masking", check, "wrong", message, misconception)


def part(name: str, score: float, max_score: float, *findings: Finding) -> PartResult:
    return PartResult(name, "graded", score, max_score, ("weights", "context"), findings)


def small() -> Graded:
    """Ada has everything, Ben a mistake and a file that is missing; the grader failed on Cy."""
    mask = finding("row 0 of the weights sums to 0.5, not 1", "mask-after-softmax")
    four = (part("causal_mask", 1.0, 1.0), part("self_attention", 4.0, 4.0))
    ada = Result(
        "Ada Lovelace_101",
        (
            ExerciseResult("lesson-04", "graded", 5.0, four),
            ExerciseResult("lesson-05", "graded", 3.0, (part("output_projection", 3.0, 3.0),)),
        ),
    )
    ben = Result(
        "Ben Ng_102",
        (
            ExerciseResult(
                "lesson-04", "graded", 5.0, (four[0], part("self_attention", 2.5, 4.0, mask))
            ),
            ExerciseResult(
                "lesson-05",
                "missing",
                3.0,
                (PartResult("output_projection", "missing", 0.0, 3.0, ("weights", "context")),),
            ),
        ),
    )
    return Graded((ada, ben), {"Cy Young_103": "RuntimeError: a fault"}, ("lesson-04", "lesson-05"))


# --- drawn classes -----------------------------------------------------------------------

texts = st.one_of(st.sampled_from(NASTY), st.text(max_size=20))


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    name = draw(st.sampled_from([None, "scale-missing", "mask-missing"]))
    return finding(draw(texts) or "wrong", name, draw(st.sampled_from(["weights", "context"])))


@st.composite
def parts(draw: st.DrawFn, name: str) -> PartResult:
    status = draw(st.sampled_from(["graded", "graded", "missing", "unfinished", "raised"]))
    points = draw(st.integers(1, 500)) / 100
    told = draw(st.lists(findings(), max_size=2, unique_by=lambda f: f.check))
    share = (2 - len(told)) / 2 if status == "graded" else 0.0
    return PartResult(
        name, status, round(points * share, 2), points, ("weights", "context"), tuple(told)
    )


@st.composite
def graded_classes(draw: st.DrawFn) -> Graded:
    """A class with odd names; each ends in the number that an LMS gives its learner."""
    count = draw(st.integers(0, 4))
    names = [f"{draw(texts)}_{100 + k}" for k in range(count)]
    failed = {f"{draw(texts)}_{200 + k}": draw(texts) for k in range(draw(st.integers(0, 2)))}
    shape = [(f"lesson-0{k}", draw(st.integers(1, 3))) for k in range(1, draw(st.integers(2, 4)))]
    results = []
    for name in names:
        exercises = []
        for id, size in shape:
            asked = tuple(draw(parts(f"part_{k}")) for k in range(size))
            status = draw(st.sampled_from(["graded", "graded", "crashed"]))
            if status != "graded":
                asked = tuple(
                    PartResult(p.name, "crashed", 0.0, p.max_score, p.checks) for p in asked
                )
            total = round(sum(p.max_score for p in asked), 2)
            exercises.append(ExerciseResult(id, status, total, asked, draw(texts)))
        results.append(Result(name, tuple(exercises)))
    results.sort(key=lambda result: result.submission)
    return Graded(tuple(results), failed, tuple(id for id, _ in shape))
