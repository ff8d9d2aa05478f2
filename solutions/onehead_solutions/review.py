"""The review: 25 questions in six groups, each with its reason and the lesson to reread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from onehead.model import Case, Exercise, Family, Misconception, Part, Pointer
from onehead_solutions.answers import choices

POINTS = 0.4

# --- answers -----------------------------------------------------------------------------

EQUATION_CHAIN = {"step 1": "C", "step 2": "D", "step 3": "E", "step 4": "A", "step 5": "F"}
DISTINCTIONS = {
    "translation": "cross",
    "causal-writer": "self",
    "reads-later": "mask",
    "reads-wrong-text": "source",
    "zeroed-value": "effect",
    "share-of-row": "weight",
}
ABLATIONS = {
    "W_Q zero": "even weights",
    "W_V doubled": "context doubled",
    "W_Q doubled, W_K halved": "same scores",
}
COSTS = {"scores factor": 9, "causal scores": 144, "convolution layers": 10}
LIMITATIONS = {"reversed": "b", "one by one": "c", "large weight": "a"}
CHECKLIST = {"step 1": "C", "step 2": "E", "step 3": "A", "step 4": "D", "step 5": "B"}

# --- why, and where to read again --------------------------------------------------------

Explanation = tuple[str, str]  # the reason in a sentence, the lesson

EXPLANATIONS: Mapping[str, Mapping[str, Explanation]] = {
    "EQUATION_CHAIN": {
        "step 1": (
            "Queries, keys and values are made from X before anything is compared.",
            "lesson-03",
        ),
        "step 2": ("The scale belongs to d_k, the width in which queries meet keys.", "lesson-04"),
        "step 3": (
            "Each query shares out one unit of weight over the keys that it may read.",
            "lesson-04",
        ),
        "step 4": (
            "The weights mix the values, and a value has a projection of its own.",
            "lesson-04",
        ),
        "step 5": ("W_O brings the context from d_v back to d_model.", "lesson-05"),
    },
    "DISTINCTIONS": {
        "translation": ("One sequence asks, another one supplies keys and values.", "lesson-02"),
        "causal-writer": ("One sequence supplies all three; a mask is no source.", "lesson-02"),
        "reads-later": ("Which keys a query may read is said by the mask.", "lesson-02"),
        "reads-wrong-text": (
            "Which sequence keys and values are made from is the choice of their source.",
            "lesson-02",
        ),
        "zeroed-value": ("Something was changed and the output was watched.", "lesson-07"),
        "share-of-row": (
            "The factor of V[2] in row 6 is weights[6, 2], and nothing more.",
            "lesson-07",
        ),
    },
    "ABLATIONS": {
        "W_Q zero": (
            "All scores are 0, and the softmax of equal scores is even over the visible keys.",
            "lesson-03",
        ),
        "W_V doubled": (
            "W_V enters the values only, and a mean of doubled values doubles.",
            "lesson-03",
        ),
        "W_Q doubled, W_K halved": (
            "In every product of Q and K the 2 and the 1/2 cancel.",
            "lesson-03",
        ),
    },
    "COSTS": {
        "scores factor": ("Every query meets every key: 3 times 3.", "lesson-07"),
        "causal scores": (
            "6 queries meet 6 keys in 4 products each; a mask saves nothing in the dense cost.",
            "lesson-07",
        ),
        "convolution layers": (
            "9 layers reach 36 tokens back, so the tenth is needed.",
            "lesson-07",
        ),
    },
    "LIMITATIONS": {
        "reversed": (
            "Each row asks the same keys as before: the layer is equivariant, not invariant.",
            "lesson-01",
        ),
        "one by one": (
            "In training the whole text is there, and the mask keeps positions honest in one pass.",
            "lesson-07",
        ),
        "large weight": (
            "A weight is a factor in a mixture; an effect needs the values, W_O and an experiment.",
            "lesson-07",
        ),
    },
    "CHECKLIST": {
        "step 1": ("Entries can't be compared before their shapes are right.", "lesson-08"),
        "step 2": (
            "Which keys count has to be known before a softmax can be checked.",
            "lesson-08",
        ),
        "step 3": ("The weights are checked on the keys that are visible.", "lesson-08"),
        "step 4": (
            "Context and output are made from weights that are known to be right.",
            "lesson-08",
        ),
        "step 5": ("Whole results are compared last, when each is known to be right.", "lesson-08"),
    },
}

# --- known mistakes ----------------------------------------------------------------------

Known = tuple[str, str, Any, str]  # name, question, wrong answer, what is wrong

MISTAKES: Mapping[str, tuple[Known, ...]] = {
    "EQUATION_CHAIN": (
        ("scale-by-dmodel", "step 2", "B", "The scale comes from the model width."),
        ("mask-after-softmax", "step 3", "G", "What is left after the mask no longer sums to 1."),
        ("softmax-over-queries", "step 3", "I", "The softmax runs along the wrong axis."),
        ("values-from-input", "step 4", "H", "The input itself is used as values."),
    ),
    "DISTINCTIONS": (
        ("cross-as-self", "translation", "self", "Two sequences take part."),
        ("mask-as-source", "causal-writer", "cross", "A mask does not make another source."),
        ("source-for-mask", "reads-later", "source", "The sequence is the right one."),
        ("mask-for-source", "reads-wrong-text", "mask", "No mask turns one text into another."),
        ("effect-as-weight", "zeroed-value", "weight", "An experiment was made here."),
        ("weight-as-effect", "share-of-row", "effect", "Nothing was changed here."),
    ),
    "ABLATIONS": (
        ("zero-scores-zero-weights", "W_Q zero", "all weights zero", "A row still sums to 1."),
        ("values-in-scores", "W_V doubled", "sharper weights", "Values take no part in scores."),
        (
            "projections-apart",
            "W_Q doubled, W_K halved",
            "sharper weights",
            "Scores depend on both matrices together.",
        ),
    ),
    "COSTS": (
        ("cost-linear", "scores factor", 3, "Keys grow in number as well as queries."),
        ("cost-causal-discount", "causal scores", 84, "The dense cost counts hidden pairs, too."),
        ("cost-causal-discount", "causal scores", 72, "The dense cost counts hidden pairs, too."),
        ("cost-flops", "causal scores", 288, "A multiply-add counts once."),
        ("cost-linear", "causal scores", 24, "Each query meets every key."),
        ("kernel-as-reach", "convolution layers", 8, "A kernel of 5 reaches 4 tokens back."),
        ("layers-in-part", "convolution layers", 9, "A part of a layer is a whole one."),
        ("path-of-attention", "convolution layers", 1, "A convolution reaches a few tokens."),
    ),
    "LIMITATIONS": (
        ("order-invariant", "reversed", "a", "The rows move along with their tokens."),
        ("order-noticed", "reversed", "c", "Nothing in the equations knows a row's place."),
        ("training-one-by-one", "one by one", "a", "In training the whole text is there."),
        ("training-one-by-one", "one by one", "b", "In training the whole text is there."),
        ("weight-as-effect", "large weight", "b", "An effect depends on values and W_O, too."),
        ("weight-as-reason", "large weight", "c", "One layer's map is no experiment."),
    ),
    "CHECKLIST": tuple(
        (name, f"step {step}", letter, says)
        for step in range(1, 6)
        for name, letter, says in (
            ("trains-so-right", "F", "A wrong layer learns as well."),
            ("plausible-so-right", "G", "A wrong layer can look sensible."),
        )
    ),
}

# --- checks ------------------------------------------------------------------------------


def _known(part: str, name: str, question: str, answer: Any, says: str) -> Misconception:
    _, lesson = EXPLANATIONS[part][question]
    return Misconception(name, {question: lambda i, e: answer}, says, lesson)


def _pointers(part: str) -> Iterator[Pointer]:
    """A pointer a question; two-way questions by pairs."""
    lessons = {question: lesson for question, (_, lesson) in EXPLANATIONS[part].items()}
    questions = list(lessons)
    size = 2 if part == "DISTINCTIONS" else 1
    for k in range(0, len(questions), size):
        yield Pointer(tuple(questions[k : k + size]), lessons[questions[k]])


def _part(name: str, family: Family, answers: Mapping[str, Any]) -> Part:
    return Part(
        name,
        round(POINTS * len(answers), 1),
        choices(family, answers),
        (Case(name),),
        "value",
        "dict",
        misconceptions=tuple(_known(name, *each) for each in MISTAKES[name]),
        reasons=lambda value: {question: why for question, (why, _) in EXPLANATIONS[name].items()},
        pointers=tuple(_pointers(name)),
    )


PARTS = (
    _part("EQUATION_CHAIN", "projection", EQUATION_CHAIN),
    _part("DISTINCTIONS", "interpretation", DISTINCTIONS),
    _part("ABLATIONS", "projection", ABLATIONS),
    _part("COSTS", "cost", COSTS),
    _part("LIMITATIONS", "interpretation", LIMITATIONS),
    _part("CHECKLIST", "audit", CHECKLIST),
)
EXERCISE = Exercise("review", "09_review", "Review", PARTS)
