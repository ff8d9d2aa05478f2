"""Inputs untouched, memory of one's own, no state, and the dtype of the inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from onehead.families import Example, returned
from onehead.model import BEHAVIOUR, Case, Family, Finding, Outcome, Part, Stage
from onehead.stages import Judged, judge, wrong_dtype
from onehead.wording import quoted

FAMILY: Family = "purity"


_LATER, _OTHERS = "asked again at the end", "other entries"


def plan(part: Part) -> tuple[Case, ...]:
    """Twins of earlier cases, after all others: what was left must not change an answer.

    Arrays have other kinds of number and lie in another order of memory. A switch goes the other
    way and back; what may be left out is, after calls that gave it; arrays and lists of the same
    shapes have other entries, so that who keeps what belongs to a shape answers with old numbers.
    These are judged as any case is.
    """
    first = part.cases[0]
    if first.raises or part.probe == "value":
        return ()
    others = {name: _with_other_entries(value) for name, value in first.inputs.items()}
    planned = _switched(part) + _left_out_again(part) + _in_other_kinds(part)
    if not any(map(callable, first.inputs.values())):
        planned += _in_other_memory(first)
    if part.turns and any(others[name] is not value for name, value in first.inputs.items()):
        name = f"{first.name}, {_OTHERS}"
        planned += (replace(first, name=name, inputs=others),)
    if part.behaviour:
        name = f"{first.name}, {_LATER}"
        planned += (replace(first, name=name, check=BEHAVIOUR, twin=first.name),)
    return planned


def _in_other_memory(case: Case) -> tuple[Case, ...]:
    """A twin whose arrays lie in another order: columns first, a vector with gaps."""
    arrays = {
        name: x.copy(order="F") if x.ndim > 1 else x.repeat(2)[::2]
        for name, x in case.inputs.items()
        if isinstance(x, np.ndarray) and x.ndim
    }
    return (_hidden(case, f"{case.name}, in another order of memory", arrays),) if arrays else ()


def _switched(part: Part) -> tuple[Case, ...]:
    """A case with a switch, once the other way and once as it is: all else stays as it was."""
    for case in part.cases:
        switches = [name for name, value in case.inputs.items() if isinstance(value, bool)]
        if switches and case.check is None and not case.raises:
            inputs = {**case.inputs, switches[-1]: not case.inputs[switches[-1]]}
            other = replace(case, name=f"{case.name}, {switches[-1]} switched", inputs=inputs)
            return (other, replace(case, name=f"{case.name}, switched back"))
    return ()


def _left_out_again(part: Part) -> tuple[Case, ...]:
    """Cases without an argument, where none comes after those that give it: none may be kept."""
    cases = [case for case in part.cases if not case.raises]
    again: set[int] = set()
    for name in {name for case in cases for name in case.inputs}:
        without = [k for k, case in enumerate(cases) if case.inputs.get(name) is None]
        if without and without[-1] < len(cases) - 1:
            again.add(without[-1])
    return tuple(replace(cases[k], name=f"{cases[k].name}, once more") for k in sorted(again))


def _in_other_kinds(part: Part) -> tuple[Case, ...]:
    """Twins in float32 and in integers, as few as show each trait that no case of that kind has.

    And one float32 case in float64.

    A way of its own may make its own arrays. Kinds that the part itself asks nowhere are left out.
    """
    if not _keeps_rules(part):
        return ()
    ordinary = [case for case in part.cases if not (case.extreme or case.raises)]
    single = [case for case in ordinary if _kind(case) == "float32"]
    planned = [_as_float64(case) for case in single[:1]]
    for kind, convert in (("float32", _as_float32), ("integers", _as_integers)):
        asked = [_traits(case) for case in ordinary if _kind(case) == kind]
        if not asked:
            continue
        twins = [twin for case in ordinary if _kind(case) == "float64" and (twin := convert(case))]
        traits = {twin.name: _traits(twin) for twin in twins}
        due = set().union(*traits.values()).difference(*asked)
        while due:
            most = max(twins, key=lambda twin: len(due & traits[twin.name]))
            planned.append(most)
            due -= traits[most.name]
    return tuple(planned)


def _keeps_rules(part: Part) -> bool:
    """Whether dtype and state are asked of a part.

    Code that is handed over keeps these rules already: that earns nothing, and to break them costs
    the check that the case feeds.
    """
    return part.behaviour or part.handed_over is not None


def _numbers(case: Case) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of real numbers, or, where there are none, of integers."""
    arrays = {name: x for name, x in case.inputs.items() if isinstance(x, np.ndarray)}
    floats = {name: x for name, x in arrays.items() if x.dtype.kind == "f"}
    return floats or {name: x for name, x in arrays.items() if x.dtype.kind == "i"}


def _kind(case: Case) -> str | None:
    """What kind of number a case's arrays hold: the arrays of one call share one."""
    for x in _numbers(case).values():
        return x.dtype.name if x.dtype.kind == "f" else "integers"
    return None


def _traits(case: Case) -> frozenset[Any]:
    """What may take a way of its own: ranks, axes of 1, switches, names, what is hidden."""
    kinds = {x.dtype.name for x in _numbers(case).values()}
    given = {(name, trait) for name, x in case.inputs.items() for trait in _traits_of(x)}
    ranks = tuple(x.ndim for x in case.inputs.values() if isinstance(x, np.ndarray))
    return frozenset(kinds | given | {len(case.inputs), ranks})


def _traits_of(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield value.ndim
        yield from (("one", axis - value.ndim) for axis, n in enumerate(value.shape) if n == 1)
        hidden = ~value if value.dtype == bool else np.isneginf(value)
        if value.dtype != bool and hidden.any():
            yield "-inf"
        if any(hidden.all(axis).any() for axis in range(hidden.ndim)):
            yield "nothing visible"
        if hidden.all():
            yield "nothing visible anywhere"
    elif isinstance(value, list):
        yield 0 in value
    else:
        yield value if value is None or isinstance(value, bool | str) else type(value)


def _as_float32(case: Case) -> Case:
    arrays = {name: x.astype(np.float32) for name, x in _numbers(case).items()}
    return _hidden(case, f"{case.name}, in float32", arrays)


def _as_float64(case: Case) -> Case:
    """The same values as before: an answer that is kept by them alone has the other dtype."""
    arrays = {name: x.astype(np.float64) for name, x in _numbers(case).items()}
    return _hidden(case, f"{case.name}, in float64", arrays)


def _as_integers(case: Case) -> Case | None:
    """Rounded; in int32, since a part's own integers are int64. None where nothing is left."""
    numbers = _numbers(case)
    if not all(np.isfinite(x).all() and np.rint(x).any() for x in numbers.values()):
        return None
    arrays = {name: np.rint(x).astype(np.int32) for name, x in numbers.items()}
    return _hidden(case, f"{case.name}, in integers", arrays)


def _hidden(case: Case, name: str, arrays: Mapping[str, Any]) -> Case:
    """Never public, even if the case is: of its numbers an answer may be asked for."""
    return replace(case, name=name, inputs={**case.inputs, **arrays}, public=False)


def array_in(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(array_in, value.values()))
    if isinstance(value, list | tuple):
        return any(map(array_in, value))
    return isinstance(value, np.ndarray)


def _with_other_entries(value: Any) -> Any:
    """Arrays turned round along their first axis, lists of them or of ints too; else as it is."""
    if isinstance(value, Mapping) and array_in(value):
        return {key: _with_other_entries(item) for key, item in value.items()}
    if isinstance(value, list | tuple) and array_in(value):
        return type(value)(_with_other_entries(item) for item in reversed(value))
    if isinstance(value, list) and value and all(type(item) is int for item in value):
        return value[::-1]
    if not isinstance(value, np.ndarray):
        return value
    turned = value[::-1].copy()
    if not np.array_equal(turned, value):
        return turned
    return ~value if value.dtype == bool else -value


def check(part: Part, judged: Judged, answers: Mapping[str, Judged]) -> Iterator[Finding]:
    notes = judged.outcome.notes
    # A part without a check of behaviour loses the check that the case feeds.
    check = BEHAVIOUR if part.behaviour else judged.case.check or part.stages[0].name
    if _keeps_rules(part) and (dtype := wrong_dtype(part, judged)) is not None:
        yield _of_dtype(check, judged, *dtype)
    if notes.changed:
        message = f"the call changes {quoted(notes.changed)} in place"
        yield _found(check, "input-mutated", message)
    elif notes.shares_input:
        message = (
            f"the result shares writable memory with {quoted(notes.shares_input)}: who writes to "
            f"one changes the other"
        )
        yield _found(check, "memory-shared", message)
    elif notes.shares_earlier:
        message = (
            "a later call changes an earlier result, or gives it out again: each call needs "
            "memory of its own"
        )
        yield _found(check, "memory-shared", message)
    elif (
        _keeps_rules(part)
        and not any(other.outcome.notes.shares_earlier for other in answers.values())
        and (_drifts(part, judged) or _changed_since(part, judged, answers))
    ):
        message = "the same question, asked again, is answered differently"
        yield _found(check, "hidden-state", message)


def _of_dtype(check: str, judged: Judged, stage: Stage, got: str, due: str) -> Finding:
    taught = "lesson-02" if due == "bool" else "lesson-01"  # masks, kinds of number
    text = f"{stage.name} is {got}, should be {due}: {_rule(due, judged.case)}"
    return Finding(check, FAMILY, stage.name, "wrong", text, expected=due, got=got, reread=taught)


def _rule(due: str, case: Case) -> str:
    """The chapter's rule on kinds of numbers, as it applies to a case."""
    if due == "bool":
        return "a mask is always bool"
    arrays = (value for value in case.inputs.values() if isinstance(value, np.ndarray))
    if any(array.dtype.kind == "f" for array in arrays):
        return "the dtype of the inputs is kept"
    return "integers give float64"


def _found(check: str, name: str, message: str) -> Finding:
    return Finding(check, FAMILY, None, "wrong", message, misconception=name)


def _drifts(part: Part, judged: Judged) -> bool:
    """Whether an answer that was right, or wrong, at first is something else when asked again."""
    first = [comparison.kind == "ok" for comparison in judged.comparisons]
    for value in judged.outcome.again:
        later = judge(part, judged.case, replace(judged.outcome, value=value, again=()))
        same = all(_close(judged, later, stage) for stage in part.stages)
        if [comparison.kind == "ok" for comparison in later.comparisons] != first or not same:
            return True
    return False


def _changed_since(part: Part, judged: Judged, answers: Mapping[str, Judged]) -> bool:
    """Whether the same question, after all the others, got another answer."""
    first = answers.get(judged.case.twin or "")  # a case may be asked on its own
    if first is None or not judged.case.name.endswith(_LATER):
        return False
    return not all(_close(first, judged, stage) for stage in part.stages)


def _close(a: Judged, b: Judged, stage: Stage) -> bool:
    x, y = a.value(stage.name), b.value(stage.name)
    if x is None or y is None:
        return (x is None) == (y is None)
    return x.shape == y.shape and bool(
        np.all(np.abs(x * 1.0 - y * 1.0) <= 1e-6 * (1 + np.abs(x * 1.0)))
    )


_SAME = Part(
    "same",
    1,
    (
        Stage(
            "value", "numerical", want=lambda i, e: i.x * 1.0, allow=lambda i, e, r: r.of(1) * i.x
        ),
    ),
    (Case("ones", {"x": np.ones(2)}),),
    behaviour=True,
)
_PLAIN = replace(_SAME, behaviour=False)
EXAMPLES = (
    Example(
        _PLAIN, {"ones": returned(np.ones(2), changed=("x",))}, ("the call changes x in place",)
    ),
    Example(_SAME, {"ones": returned(np.ones(2))}),
    Example(
        _SAME,
        {"ones": returned(np.ones(2, dtype=np.float32))},
        ("value is float32, should be float64: the dtype of the inputs is kept",),
    ),
    Example(
        replace(_SAME, cases=(Case("ones", {"x": np.ones(2, dtype=np.int64)}),)),
        {"ones": returned(np.ones(2, dtype=np.int64))},
        ("value is int64, should be float64: integers give float64",),
    ),
    Example(
        replace(_PLAIN, handed_over=np.negative),
        {"ones": returned(np.ones(2, dtype=np.float32))},
        ("value is float32, should be float64: the dtype of the inputs is kept",),
    ),
    Example(
        _SAME, {"ones": returned(np.ones(2), changed=("x",))}, ("the call changes x in place",)
    ),
    Example(
        _SAME,
        {"ones": returned(np.ones(2), shares_input=("x",))},
        ("the result shares writable memory with x: who writes to one changes the other",),
    ),
    Example(
        _SAME,
        {"ones": returned(np.ones(2), shares_earlier=True)},
        (
            "a later call changes an earlier result, or gives it out again: each call needs "
            "memory of its own",
        ),
    ),
    Example(
        _SAME,
        {"ones": Outcome("returned", np.ones(2), again=(np.full(2, 2.0),))},
        ("the same question, asked again, is answered differently",),
    ),
)
