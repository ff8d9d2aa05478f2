"""What a learner's package may know: public cases with their due values, frozen as plain data."""

from __future__ import annotations

import copy
import hashlib
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from onehead import frozen, sealed
from onehead.model import (
    Array,
    Case,
    Exercise,
    Misconception,
    Names,
    NotReached,
    Part,
    Pointer,
    Stage,
)
from onehead.shrink import shows
from onehead_release.chapter import chapter
from onehead_release.public_cases import (
    due_values,
    holds_numbers_asked_for,
    planned,
    shown,
    with_due_values,
)


def _own(table: str) -> Mapping[tuple[str, str], Any]:
    """A table of the chapter's module ``stand_ins``, by exercise and part; it need not have one."""
    name = f"{chapter().package}.stand_ins"
    if find_spec(name) is None:
        return {}
    found: Mapping[tuple[str, str], Any] = getattr(importlib.import_module(name), table)
    return found


def public_data(exercises: Sequence[Exercise]) -> str:
    """The text of the learner's data file: every exercise and part, with its public cases."""
    asked = [row for exercise in exercises for row in numbers_asked_for(exercise)]
    return frozen.write([_exercise(exercise, asked) for exercise in exercises])


def numbers_asked_for(exercise: Exercise) -> list[Array]:
    """The lists of numbers that are themselves answers: no frozen value may give them away."""
    return [
        np.asarray(want, dtype=np.float64)
        for part in exercise.parts
        if part.probe == "value"
        for want in _wants(part).values()
        if isinstance(want, list | tuple | np.ndarray) and _telling(want)
    ]


def _telling(want: Any) -> bool:
    """Whether a list of numbers is not met by chance: not all of it whole."""
    if not all(isinstance(x, int | float | np.number) for x in want):
        return False
    numbers = np.asarray(want, dtype=np.float64)
    return bool(numbers.size > 1 and np.any(numbers != np.round(numbers)))


def _wants(part: Part) -> dict[str, Any]:
    """The answers of a part that asks for a value; of drawn ones, nobody's in particular."""
    drawn = Names(LEARNER="")
    return {s.name: s.want(drawn, Names()) for s in part.stages if s.want is not None}


# --- an exercise -------------------------------------------------------------------------


def _exercise(exercise: Exercise, asked: Sequence[Array]) -> dict[str, Any]:
    return {
        "id": exercise.id,
        "stem": exercise.stem,
        "title": exercise.title,
        "draws": exercise.draws,
        "parts": [_part(exercise, part, asked) for part in exercise.parts],
    }


def _part(exercise: Exercise, part: Part, asked: Sequence[Array]) -> dict[str, Any]:
    key = (exercise.id, part.name)
    judged = _judged(exercise, part)
    if judged is not None:
        cases: tuple[Case, ...] = (Case("your answer", public=True),)
        frozen_part = replace(part, cases=cases)
        due: dict[str, Any] = {}
    else:
        cases = _own("CASES").get(key) or tuple(filter(_may_be_frozen, part.cases))
        frozen_part, due = with_due_values(
            replace(part, cases=cases), _own("ANSWERS").get(key), asked
        )
    return {
        "name": part.name,
        "target": part.target,
        "points": float(part.points),
        "probe": part.probe,
        "answer": part.answer,
        "behaviour": part.behaviour,
        "init": tuple(part.init),
        "rereads": dict(part.rereads),
        "turns": part.turns,
        "judged": judged,
        "stages": [_stage(stage) for stage in part.stages],
        "cases": [_case(case) for case in frozen_part.cases],
        "small": [] if judged else [_case(case) for case in frozen_part.small],
        "due": due,
        "mistakes": [] if judged else _mistakes(frozen_part, asked),
        "handed_over": None if judged else _handed_over(frozen_part),
    }


def _may_be_frozen(case: Case) -> bool:
    """Whether a case is public, and plain data: code would be a solution's."""
    return case.public and not any(callable(value) for value in case.inputs.values())


def _stage(stage: Stage) -> dict[str, Any]:
    return {
        "name": stage.name,
        "family": stage.family,
        "axes": tuple(stage.axes),
        "secret": stage.secret,
        "rounds": stage.allow is not None,
    }


def _case(case: Case) -> dict[str, Any]:
    names = {id(layer): name for name, layer in frozen.LAYERS.items()}
    inputs = {
        name: {"layer": names[id(value)]} if callable(value) else value
        for name, value in case.inputs.items()
    }
    return {
        "name": case.name,
        "inputs": inputs,
        "check": case.check,
        "raises": tuple(case.raises),
        "ranks": tuple(case.ranks),
        "family": case.family,
        "extreme": case.extreme,
    }


def _judged(exercise: Exercise, part: Part) -> dict[str, Any] | None:
    """How answers are checked that are no computation: by slow hashes, or by their form."""
    if (length := _own("FORMS").get((exercise.id, part.name))) is not None:
        return {"keys": None, "lengths": [length], "sealed": []}
    if part.probe != "value":
        return None
    wants = _wants(part)
    keys = list(wants) if part.answer == "dict" else None
    several = (list, tuple, np.ndarray)
    lengths = [len(want) if isinstance(want, several) else None for want in wants.values()]
    chosen = not exercise.draws and all(_is_choice(want) for want in wants.values())
    told = part.pointers or ((None,) if chosen else ())
    hashes = [_sealed(exercise, part, wants, pointer, chosen) for pointer in told]
    return {"keys": keys, "lengths": lengths, "sealed": hashes}


def _sealed(
    exercise: Exercise, part: Part, wants: Mapping[str, Any], pointer: Pointer | None, chosen: bool
) -> dict[str, Any]:
    """A pointer, or all of a part: of answers that are chosen a hash, and what they open."""
    asked = pointer.questions if pointer else tuple(wants)
    form = {
        "questions": asked if part.answer == "dict" else None,
        "lesson": pointer.lesson if pointer else "",
        "salt": "",
        "hash": "",
        "reasons": "",
    }
    if not chosen:
        return form
    answer = {question: wants[question] for question in asked}
    due = answer if part.answer == "dict" else next(iter(wants.values()))
    # The same salt in each build: a release is the same bytes each time.
    name = " ".join([exercise.id, part.name, *(pointer.questions if pointer else ())])
    salt = hashlib.sha256(name.encode()).hexdigest()[:16]
    form |= {"salt": salt, "hash": sealed.answers_hash(due, salt)}
    if part.reasons is not None:
        why = part.reasons(wants)
        form["reasons"] = sealed.seal({question: why[question] for question in asked}, due, salt)
    return form


def _is_choice(want: Any) -> bool:
    if isinstance(want, list | tuple):
        return all(isinstance(entry, str) for entry in want)
    return isinstance(want, str | bool)


# --- known mistakes ----------------------------------------------------------------------


def _mistakes(part: Part, asked: Sequence[Array]) -> list[dict[str, Any]]:
    """What each known mistake computes in the public cases, given right earlier stages.

    Of several ways to one mistake that compute the same there, one is kept. Of the small cases the
    first one in which a mistake shows is all that is needed. Values that hold numbers which are
    asked for, be it by chance, are left out.
    """
    found: dict[str, dict[str, Any]] = {}
    dues = {case.name: due_values(part, case, None) for case in shown(part)}
    for mistake in part.misconceptions:
        wrong = {
            stage: _without(asked, _wrong_values(part, mistake, stage, dues))
            for stage in mistake.wrong
        }
        wrong = {stage: values for stage, values in wrong.items() if values}
        key = frozen.question([mistake.name, wrong])
        if wrong and key not in found:
            small = {
                stage: _without(asked, _smallest(part, mistake, stage, dues)) for stage in wrong
            }
            found[key] = {
                "name": mistake.name,
                "says": mistake.says,
                "reread": mistake.reread,
                "hints": mistake.hints or (),
                "wrong": {stage: {**values, **small[stage]} for stage, values in wrong.items()},
            }
    return list(found.values())


def _without(asked: Sequence[Array], values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        question: value
        for question, value in values.items()
        if not holds_numbers_asked_for(value, asked)
    }


Dues = Mapping[str, Mapping[str, Mapping[str, Any]]]  # case -> stage -> what is due


def _wrong_values(part: Part, mistake: Misconception, stage: str, dues: Dues) -> dict[str, Any]:
    """By question: the mistake's values; {} where it is right in each, or has nothing to say."""
    values: dict[str, Any] = {}
    shows = False
    for case in planned(part):
        due = dues[case.name]
        if stage not in due:
            continue
        value = _wrong_value(mistake, stage, case, due)
        if value is not None:
            values[frozen.asked(case.inputs)] = value
            shows = shows or not _same(value, due[stage]["want"])
    return values if shows else {}


def _smallest(part: Part, mistake: Misconception, stage: str, dues: Dues) -> dict[str, Any]:
    """The mistake's value in the first small case in which it shows."""
    for case in part.small:
        if not case.raises and shows(part, mistake, stage, case):
            return {frozen.asked(case.inputs): _wrong_value(mistake, stage, case, dues[case.name])}
    return {}


def _wrong_value(
    mistake: Misconception, stage: str, case: Case, due: Mapping[str, Mapping[str, Any]]
) -> Any:
    """What a mistake computes, or the error that it ends in; None where it has nothing to say."""
    earlier = Names()
    for name, entry in due.items():
        if name == stage:
            break
        if isinstance(entry["want"], np.ndarray):
            earlier[name] = entry["want"]
    try:
        with np.errstate(all="ignore"):
            value = mistake.wrong[stage](Names(case.inputs), earlier)
    except NotReached:
        return None
    except Exception as error:
        return {"error": type(error).__name__}
    plain = not isinstance(value, np.ndarray) or value.dtype.kind in "biuf"
    return value if plain else None


def _same(value: Any, want: Any) -> bool:
    if isinstance(value, np.ndarray) and isinstance(want, np.ndarray):
        return np.array_equal(value, want)
    return type(value) is type(want) and bool(value == want)


def _handed_over(part: Part) -> dict[str, Any] | None:
    """What the code that a learner is to repair answers in the public cases."""
    if part.handed_over is None:
        return None
    answers = {}
    for case in planned(part):
        arguments = [copy.deepcopy(v) for name, v in case.inputs.items() if name != "LEARNER"]
        try:
            with np.errstate(all="ignore"):
                answer = {"value": part.handed_over(*arguments)}
        except Exception as error:
            answer = {"error": type(error).__name__}
        answers[frozen.asked(case.inputs)] = answer
    return answers
