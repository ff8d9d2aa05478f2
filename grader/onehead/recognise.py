"""One name for a mistake, or none: a mistake is recognised by what it computes.

A known mistake is named where, on the cases that reach a stage, the learner's value is what the
mistake computes from the same inputs and the learner's own earlier stages, and is wrong on some of
them. A call that raises is held against what the mistake would have done: two sizes that clash,
numbers that overflow. Where two different mistakes fit, nothing is named: a wrong name is worse
than none.

Rounds follow one another, each only where the one before it names nothing. First every case has to
agree. Then plain cases alone: not the huge numbers, not float32 or integers, not the rows in which
nothing is seen, since a second habit (a guard, a fill) shows there; all cases but for those rows,
where the plain ones are right. Then signatures that need no
definition (``signature.py``). Last, the wrong cases alone: a mistake may be made in some cases
only, such as in batches or where there is no mask. State is never guessed: ``afresh.py`` asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from onehead.model import (
    BEHAVIOUR,
    Array,
    Case,
    Error,
    Finding,
    Misconception,
    Names,
    NotReached,
    Part,
    Stage,
)
from onehead.signature import GENERAL, Sight, read
from onehead.stages import Judged

__all__ = ["GENERAL", "recognise"]

_NOTHING_TO_SAY = (NotReached, AttributeError)
_CLASHES = ("ValueError", "IndexError")  # numpy's two ways to say that sizes do not fit
_OVERFLOWS = ("OverflowError", "FloatingPointError", "ZeroDivisionError", "RuntimeWarning")


def recognise(part: Part, finding: Finding, judged: Sequence[Judged]) -> Misconception | None:
    """The one known mistake that explains a finding, or None."""
    fed = [j for j in judged if _feeds(j.case, finding.check)]
    if any(j.case.raises for j in fed):
        return _one(m for m in part.misconceptions if _lets_pass(part, m, fed))
    stage = next((stage for stage in part.stages if stage.name == finding.stage), None)
    if stage is None:
        raising = [m for m in part.misconceptions if _raises_too(part, m, judged)]
        return _best(part, raising, judged)
    if stage.judge is not None:
        return _one(m for m in part.misconceptions if _fits(m, judged))
    if _spoiled_later(stage, judged):
        return GENERAL["memory-shared"]
    # One mistake in all cases of a stage, else one in those of this check.
    first = [j for j in judged if not j.case.raises and j.case.check != BEHAVIOUR]
    found = _by_value(part, stage, first)
    if found is None and (found := _by_value(part, stage, fed)) is not None:
        # What is wrong elsewhere in another way is another mistake, and so it may be here.
        others = [j for j in first if not _feeds(j.case, finding.check)]
        wrong = [sight for sight in _sights(stage, others) if not sight.right]
        if stage.name in found.wrong and any(_agrees(found, s) is False for s in wrong):
            return None
    return found


def _spoiled_later(stage: Stage, judged: Sequence[Judged]) -> bool:
    """Whether a stage went wrong only once somebody had written into an earlier result."""
    shared = [j.outcome.notes.shares_earlier for j in judged]
    if True not in shared:
        return False
    until = shared.index(True) + 1
    wrong = [s for s in _sights(stage, judged[until:]) if not s.right]
    ordinary = any(not s.judged.case.extreme for s in wrong)
    return ordinary and all(s.right for s in _sights(stage, judged[:until]))


def _feeds(case: Case, check: str) -> bool:
    return case.check in (None, check)


def _one(found: Iterable[Misconception]) -> Misconception | None:
    """The mistake that was found; none where several with different names were."""
    by_name: dict[str, Misconception] = {}
    for mistake in found:
        by_name.setdefault(mistake.name, mistake)
    return next(iter(by_name.values())) if len(by_name) == 1 else None


def _best(
    part: Part, found: Sequence[Misconception], judged: Sequence[Judged]
) -> Misconception | None:
    """Of several mistakes, the one that explains most stages, and computes none of them wrongly."""
    if len({m.name for m in found}) <= 1:
        return _one(found)
    explained = {id(m): _explained(part, m, judged) for m in found}
    most = max(explained.values())
    return _one(m for m in found if explained[id(m)] == most > 0)


def _explained(part: Part, mistake: Misconception, judged: Sequence[Judged]) -> int:
    """How many stages a mistake explains; 0 where it computes one that is not the learner's."""
    count = 0
    for stage in part.stages:
        sights = _sights(stage, judged) if stage.name in mistake.wrong else []
        explained = [_agrees(mistake, sight) for sight in sights]
        if False in explained:
            return 0
        count += any(not sight.right for sight in sights)
    return count


def _agrees(mistake: Misconception, sight: Sight) -> bool | None:
    """Whether a value is the mistake's; None where the mistake has nothing to say."""
    value = _computed(mistake, sight)
    return None if value is None else not isinstance(value, Exception) and sight.is_(value)


def _sights(stage: Stage, judged: Sequence[Judged]) -> list[Sight]:
    return [sight for j in judged if (sight := Sight.of(stage, j)) is not None]


# --- by value ----------------------------------------------------------------------------


def _by_value(part: Part, stage: Stage, judged: Sequence[Judged]) -> Misconception | None:
    wrong_first = sorted(_sights(stage, judged), key=lambda sight: sight.right)
    if not wrong_first or wrong_first[0].right or _right_by_itself(part, stage, wrong_first):
        return None
    candidates = [m for m in part.misconceptions if stage.name in m.wrong]
    found = [m for m in candidates if _explains(m, wrong_first)]
    if not found:
        plain = [sight for sight in wrong_first if sight.plain]
        found = [m for m in candidates if _explains_plain(m, plain)]
        if all(sight.right for sight in plain):  # it shows among huge numbers alone
            found = [m for m in candidates if _explains_plain(m, wrong_first)]
    if found:
        return _best(part, found, judged)
    general = read(wrong_first)
    # A factor of each case's own says less than a known scale that some of the cases have.
    if general is None or general.name == "scale-other":
        return _made_partly(part, candidates, wrong_first) or general
    return general


def _made_partly(
    part: Part, candidates: Iterable[Misconception], sights: Sequence[Sight]
) -> Misconception | None:
    wrong = [sight for sight in sights if not sight.right]
    return _one(
        m
        for m in candidates
        if _explains_partly(m, wrong) and not _contradicts(part, m, [s.judged for s in wrong])
    )


def _right_by_itself(part: Part, stage: Stage, sights: Sequence[Sight]) -> bool:
    """Whether a stage is what the inputs give: then only what was shown before it is wrong."""
    return all(
        sight.right or (isinstance(due := _due(part, stage, sight), np.ndarray) and sight.is_(due))
        for sight in sights
    )


def _due(part: Part, stage: Stage, sight: Sight) -> Any:
    """What the inputs give, whatever the stages before were."""
    if not sight.judged.earlier or part.answer == "dict":
        return None
    earlier = Names()
    for before in part.stages:
        if before.want is None:
            return None
        try:
            with np.errstate(all="ignore"):
                value = before.want(sight.inputs, earlier)
        except _NOTHING_TO_SAY:
            return None
        if before is stage:
            return value
        earlier[before.name] = value
    return None


def _explains(mistake: Misconception, sights: Sequence[Sight]) -> bool:
    """Whether a mistake computes the learner's value on each case, and a wrong one on some."""
    seen_wrong = False
    for sight in sights:
        value = _computed(mistake, sight)
        if value is None:
            if sight.right:
                continue  # a case that the mistake has nothing to say on
            return False
        if isinstance(value, Exception) or not sight.is_(value):
            return False
        seen_wrong = seen_wrong or not sight.right
    return seen_wrong


def _explains_plain(mistake: Misconception, sights: Sequence[Sight]) -> bool:
    """The same for plain cases, but for rows in which nothing is seen.

    Where the mistake's sizes clash, somebody who made it has found a way round, and that is theirs.
    """
    cases = entries = 0
    for sight in sights:
        value = _computed(mistake, sight)
        if isinstance(value, Exception) and not sight.right:
            continue
        if value is None and sight.right:
            continue
        if value is None or isinstance(value, Exception):
            return False
        agreeing = sight.agreeing(value)
        if agreeing is None:
            return False
        cases += agreeing > 0
        entries += agreeing
    return cases >= 2 or entries >= 4


def _explains_partly(mistake: Misconception, wrong: Sequence[Sight]) -> bool:
    """Whether a mistake computes every wrong value, though it is not made in each case.

    Right values say nothing of it, so that the wrong ones have to say the more: numbers that no
    accident gives, or masks in several cases.
    """
    entries = cases = 0
    for sight in [s for s in wrong if s.plain] or wrong:
        value = _computed(mistake, sight)
        if not isinstance(value, np.ndarray) or sight.got is None:
            return False
        agreeing = sight.agreeing(value) if value.dtype.kind == "f" else sight.is_(value)
        if not agreeing:
            return False
        entries += _telling(value)
        cases += 1
    return entries >= 4 or cases >= 2


def _telling(value: Array) -> int:
    """How many different numbers a value holds that no guard and no fill gives.

    >>> _telling(np.array([0.0, 1.0, np.nan, 0.25, 0.25, 0.75]))
    2
    """
    if value.dtype.kind != "f":
        return 0
    numbers = np.unique(value[np.isfinite(value)])
    return int(np.count_nonzero((numbers != 0) & (numbers != 1)))


def _computed(mistake: Misconception, sight: Sight) -> Any:
    """What a mistake computes in one case, what it raises, or None: it has nothing to say."""
    if id(mistake) not in sight.computed:
        try:
            with np.errstate(all="ignore"):
                value = mistake.wrong[sight.stage.name](sight.inputs, sight.judged.earlier)
        except _NOTHING_TO_SAY:
            value = None
        except Exception as error:
            value = error
        sight.computed[id(mistake)] = value
    return sight.computed[id(mistake)]


# --- by what is raised, let pass, or failed ----------------------------------------------


def _raises_too(part: Part, mistake: Misconception, judged: Sequence[Judged]) -> bool:
    """Whether a mistake raises where the learner's code does, and explains what came back else."""
    asked = [j for j in judged if not j.case.raises and j.case.twin is None]
    raised = [j for j in asked if j.lost]
    returned = [j for j in asked if not j.lost and j.outcome.status == "returned"]
    overflowed = True
    for j in raised:
        assert j.outcome.error is not None
        made = _simulated(part, mistake, j.case)
        if isinstance(made, Exception):
            overflowed = False
            if not _alike(made, j.outcome.error):
                return False
        elif not (_overflows(made) and set(_OVERFLOWS) & set(j.outcome.error.bases)):
            return False
    if not raised:
        return False
    telling = []
    for j in returned:
        made = _simulated(part, mistake, j.case)
        if type(made).__name__ in _CLASHES and _has_axis_of_one(j.case):
            continue  # a product by einsum stretches an axis of 1 where one by matmul raises
        if isinstance(made, Exception) or (overflowed and _overflows(made, _nothing_due(part, j))):
            return False
        telling.append(j)
    explained = _explained(part, mistake, telling)
    return explained > 0 or (overflowed and not _contradicts(part, mistake, telling))


def _has_axis_of_one(case: Case) -> bool:
    return any(1 in np.shape(x) for x in case.inputs.values() if isinstance(x, np.ndarray))


def _contradicts(part: Part, mistake: Misconception, judged: Sequence[Judged]) -> bool:
    """Whether a mistake computes something else than the learner's code in one of these cases."""
    stages = (stage for stage in part.stages if stage.name in mistake.wrong)
    return any(
        _agrees(mistake, sight) is False for stage in stages for sight in _sights(stage, judged)
    )


def _alike(made: Exception, error: Error) -> bool:
    own = type(made).__name__
    return own in error.bases or (own in _CLASHES and bool(set(_CLASHES) & set(error.bases)))


def _overflows(made: Names, nothing_due: frozenset[str] = frozenset()) -> bool:
    return any(
        x.dtype.kind == "f" and not np.isfinite(x).all()
        for name, x in made.items()
        if name not in nothing_due
    )


def _nothing_due(part: Part, judged: Judged) -> frozenset[str]:
    """The stages with a row in which nothing is seen: somebody may have put zeros there."""
    sights = (s for stage in part.stages if (s := Sight.of(stage, judged)) is not None)
    return frozenset(s.stage.name for s in sights if s.right and s.has_empty_row)


def _simulated(part: Part, mistake: Misconception, case: Case) -> Names | Exception:
    """The arrays of a part's answer with one mistake in it, or what the mistake raises."""
    inputs, earlier = Names(case.inputs), Names()
    for stage in part.stages:
        formula: Callable[[Names, Names], Any] | None = mistake.wrong.get(stage.name, stage.want)
        if formula is None:
            continue
        try:
            with np.errstate(all="ignore"):
                value = formula(inputs, earlier)
        except _NOTHING_TO_SAY:
            continue
        except Exception as error:
            return error
        if isinstance(value, np.ndarray):
            earlier[stage.name] = value if value.dtype == bool else value.astype(np.float64)
    return earlier


def _lets_pass(part: Part, mistake: Misconception, judged: Sequence[Judged]) -> bool:
    """Whether what should be refused is answered, each time as the mistake answers it."""
    answered = [j for j in judged if j.case.raises and j.outcome.status == "returned"]
    if mistake.instead is None or not answered:
        return False
    stage = part.stages[0]
    sights = [Sight.unjudged(stage, j, j.outcome.value) for j in answered]
    return all(sight.is_(_instead(mistake, sight)) for sight in sights)


def _instead(mistake: Misconception, sight: Sight) -> Any:
    assert mistake.instead is not None
    try:
        return mistake.instead(sight.inputs)
    except Exception:
        return np.zeros(0)  # the mistake itself fails here


def _fits(mistake: Misconception, judged: Sequence[Judged]) -> bool:
    """Whether a mistake explains which of the judged cases failed, and how."""
    asked = [j for j in judged if j.comparisons]
    failed = frozenset(j.case.name for j in asked if any(c.kind != "ok" for c in j.comparisons))
    answers = {j.case.name: j.outcome.value for j in asked}
    return mistake.fits is not None and bool(failed) and mistake.fits(answers, failed)
