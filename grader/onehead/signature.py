"""What a wrong value says about itself, held against what was due: mistakes without a definition.

Lost precision, a number added to a sum, a factor that does not belong: each leaves a mark in the
values that no rounding leaves (``numerics``: size alone cannot tell a small error of the formula
from lost precision).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from onehead.compare import allowed_error, as_array, is_float32, plain_equal
from onehead.model import Array, Comparison, Misconception, Names, NotReached, Stage
from onehead.stages import Judged

_SLACK = 64.0  # a mistake rounds in an order of its own: its bound is not the right formula's


def _general(name: str, says: str, verdict: Any = None) -> tuple[str, Misconception]:
    return name, Misconception(name, {}, says, verdict=verdict)


# What a call of any part can show, in any course: a part's ``rereads`` say where it is taught.
GENERAL = dict(
    (
        _general(
            "input-mutated",
            "The call changes its arguments: whoever made the call goes on with other numbers.",
        ),
        _general(
            "memory-shared",
            "A result and another array are one memory: who writes to one changes the other.",
        ),
        _general(
            "hidden-state",
            "Something is kept from one call to the next, so that the answer depends on the past.",
        ),
        _general(
            "low-precision",
            "Part of the work is done in a lower precision than that of the inputs.",
            "near-miss",
        ),
        _general(
            "integer-truncation",
            "Fractions are written into integers and lose their decimals.",
        ),
        _general(
            "rounded",
            "The numbers are rounded to a few decimals: what is made from them inherits the error.",
            "near-miss",
        ),
        _general(
            "softmax-epsilon",
            "Something small is added to the sum of the exponentials: no row sums to 1 any more. "
            "Only a row in which nothing is seen needs care.",
            "wrong",
        ),
        _general(
            "scale-other",
            "All scores are off by one factor: the scale comes from the width in which queries "
            "meet keys, and from nothing else.",
            "wrong",
        ),
        _general(
            "constant-added",
            "Every entry is off by the same amount: something was added that is not in the "
            "equation.",
            "wrong",
        ),
    )
)


@dataclass(frozen=True)
class Sight:
    """One case's value of one stage, to be held against what a mistake computes there."""

    stage: Stage
    judged: Judged
    comparison: Comparison
    computed: dict[int, Any] = field(default_factory=dict, compare=False)  # by known mistakes

    @staticmethod
    def of(stage: Stage, judged: Judged) -> Sight | None:
        comparison = judged.stage(stage.name)
        return None if comparison is None else Sight(stage, judged, comparison)

    @staticmethod
    def unjudged(stage: Stage, judged: Judged, value: Any) -> Sight:
        """Of an answer where none is due."""
        array = as_array(value)
        got = value if array is None else array
        return Sight(stage, judged, Comparison(stage.name, "value", got=got))

    @cached_property
    def inputs(self) -> Names:
        return Names(self.judged.case.inputs)

    @property
    def right(self) -> bool:
        return self.comparison.kind == "ok"

    @cached_property
    def plain(self) -> bool:
        """Whether the case shows the formula alone: ordinary numbers, in float64.

        Integers beside them are names or lengths.
        """
        numbers = [x.dtype for x in self.inputs.values() if isinstance(x, np.ndarray)]
        floats = [dtype for dtype in numbers if dtype.kind == "f"]
        integers = any(dtype.kind in "iu" for dtype in numbers)
        return (
            not self.judged.case.extreme
            and all(dtype == np.float64 for dtype in floats)
            and (bool(floats) or not integers)
        )

    @cached_property
    def got(self) -> Array | None:
        array = as_array(self.comparison.got)
        return array if array is None or array.dtype == bool else array.astype(np.float64)

    @cached_property
    def want(self) -> Array:
        return np.asarray(self.comparison.want)

    @property
    def has_empty_row(self) -> bool:
        return bool(np.any(_empty(self.want)))

    @cached_property
    def single(self) -> bool:
        return is_float32(self.inputs)

    @cached_property
    def _allowed(self) -> Array | float:
        return np.asarray(allowed_error(self.stage, self.inputs, self.judged.earlier))

    def near(self, value: Array, loosely: float = 0.0) -> Array:
        """The entries that are a mistake's, within what rounding may change."""
        assert self.got is not None
        value = value.astype(np.float64)
        unit = 2.0**-20 if self.single else 2.0**-46
        allowed: Array | float = 0.0
        if self.stage.allow is not None and self.want.shape == value.shape:
            allowed = self._allowed * (1.0 if self.stage.by_hand else _SLACK)
        elif self.stage.allow is not None and self.stage.by_hand:  # as many decimals in any shape
            allowed = float(np.max(self._allowed))
        with np.errstate(all="ignore"):
            size = max(unit, loosely) * (np.abs(value) + 1e-6)
            return np.asarray(np.abs(self.got - value) <= np.maximum(allowed, size))

    def is_(self, value: Any) -> bool:
        """Whether the learner's value is the one that a mistake computes."""
        if not isinstance(value, np.ndarray):
            return plain_equal(self.comparison.got, value)
        if self.got is None or self.got.shape != value.shape or value.dtype.kind not in "biuf":
            return False
        if self.got.dtype == bool or value.dtype == bool:
            return bool(np.array_equal(self.got, value))
        return bool(np.all(self._alike(value)))

    def _alike(self, value: Array) -> Array:
        """The entries that are a mistake's, or lost in a row that it loses as well."""
        near = self.near(value)
        if near.all():
            return near
        assert self.got is not None
        lost = _spoiled(self.got)
        if self.judged.case.extreme:  # somebody may have put zeros in the place of what was lost
            lost = lost | _empty(self.got)
        elif self.want.shape == value.shape:
            lost = lost | (_empty(self.got) & _empty(self.want))
        return near | (lost & _spoiled(value))

    def agreeing(self, value: Any) -> int | None:
        """How many wrong entries a mistake explains, or None where it explains not all.

        A row in which nothing is seen, by the equation or by the mistake, may hold anything.
        """
        if not _numeric(value) or not _numeric(self.got):
            return int(not self.right) if self.is_(value) else None
        assert self.got is not None
        if self.got.shape != value.shape:
            return None
        free = _empty(value) | (_empty(self.want) if self.want.shape == value.shape else False)
        if not np.all(self._alike(value) | free):
            return None
        if self.want.shape != value.shape:
            return int(value.size)
        return int(np.count_nonzero(~free & ~self.near(self.want.astype(np.float64))))


def _numeric(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype.kind in "iuf"


def _spoiled(x: Array) -> Array:
    """The rows with a NaN or an infinity: which of their entries it is depends on style."""
    bad = ~np.isfinite(x)
    return bad if x.ndim == 0 else np.broadcast_to(bad.any(axis=-1, keepdims=True), x.shape)


def _empty(x: Array) -> Array:
    """The rows that hold nothing but zeros."""
    if x.ndim == 0:
        return np.zeros(x.shape, dtype=bool)
    return np.broadcast_to((x == 0).all(axis=-1, keepdims=True), x.shape)


# --- signatures --------------------------------------------------------------------------


def read(sights: Sequence[Sight]) -> Misconception | None:
    """The signature that every wrong value of a stage bears, or None."""
    wrong = [sight for sight in sights if not sight.right]
    if any(s.got is None or s.got.shape != s.want.shape or s.want.dtype.kind != "f" for s in wrong):
        return None
    if _kept_as_integers(sights):
        return GENERAL["integer-truncation"]
    with np.errstate(all="ignore"):
        for name, bears in _SIGNATURES.items():
            if bears(wrong):
                return GENERAL[name]
    return None


def _each(bears: Callable[[Sight], bool]) -> Callable[[Sequence[Sight]], bool]:
    return lambda sights: all(map(bears, sights))


def _truncated(sights: Sequence[Sight]) -> bool:
    """What is due came out with its decimals cut off, by ``//`` or by a cast.

    Zeros are what is left of small numbers, but of any mistake's too: where no integers went in,
    other numbers have to show it.
    """
    cut = all(_cut(s) for s in sights)
    telling = sum(int(np.count_nonzero(s.got)) for s in sights if s.got is not None)
    return cut and (telling >= 4 or all(_whole(s) for s in sights))


def _whole(sight: Sight) -> bool:
    """Whether integers went in."""
    numbers = [x for x in sight.inputs.values() if isinstance(x, np.ndarray) and x.dtype != bool]
    return all(x.dtype.kind in "iu" for x in numbers)


def _cut(sight: Sight) -> bool:
    slack = 0.0 if sight.stage.allow is None else sight._allowed
    below, above = sight.want - slack, sight.want + slack
    return any(
        bool(np.all((sight.got == cut(below)) | (sight.got == cut(above))))
        for cut in (np.trunc, np.floor)
    )


def _kept_as_integers(sights: Sequence[Sight]) -> bool:
    """Right but for integers, of which integers come: each step may have lost its decimals."""
    wrong = [sight for sight in sights if not sight.right]
    kinds = [as_array(s.comparison.got) for s in wrong]
    integers = all(x is not None and x.dtype.kind in "iu" for x in kinds)
    right = any(s.right and s.plain for s in sights)
    return right and integers and all(map(_whole, wrong))


def _lower(sight: Sight) -> bool:
    """The value survives a lower precision, or is what inputs of that precision give."""
    got, want = sight.got, sight.want
    assert got is not None
    size = np.maximum(np.abs(want), 0.1 * np.max(np.abs(want), initial=0.0))
    lower = ((np.float16, 2.0**-10),) if sight.single else _LOWER
    for dtype, unit in lower:
        with np.errstate(all="ignore"):
            survives = np.array_equal(got, got.astype(dtype).astype(np.float64))
        if survives and np.all(np.abs(got - want) <= 32 * unit * size):
            return True
        if _product_survives(sight, dtype) and np.all(np.abs(got - want) <= 32 * unit * size):
            return True
    return not sight.single and any(sight.near(value).all() for value in _from_float32(sight))


def _product_survives(sight: Sight, dtype: type) -> bool:
    """Whether scores are products in a lower precision that were scaled afterwards."""
    K = sight.judged.earlier.get("K")
    if sight.stage.name != "scores" or K is None or sight.got is None:
        return False
    products = sight.got * np.sqrt(np.shape(K)[-1])
    lower = products.astype(dtype).astype(np.float64)
    return bool(np.all(np.abs(products - lower) <= 2.0**-50 * np.abs(products)))


_LOWER = ((np.float32, 2.0**-23), (np.float16, 2.0**-10))


def _from_float32(sight: Sight) -> Iterator[Array]:
    """What is due from inputs, or from earlier stages, that went through float32."""
    want, earlier = sight.stage.want, Names(sight.judged.earlier)
    earlier.pop(sight.stage.name, None)
    if want is None:
        return
    for inputs, before in (
        (_cast(sight.inputs), earlier),
        (sight.inputs, _cast(earlier)),
        (_cast(sight.inputs), _cast(earlier)),
        *((_cast(sight.inputs, name), earlier) for name in sight.inputs),
        *((sight.inputs, _cast(earlier, name)) for name in earlier),
    ):
        try:
            yield np.asarray(want(inputs, before), dtype=np.float64)
        except (NotReached, ValueError, TypeError):
            continue


def _cast(values: Names, only: str | None = None) -> Names:
    return Names(
        {
            name: x.astype(np.float32).astype(np.float64)
            if isinstance(x, np.ndarray) and x.dtype.kind == "f" and only in (None, name)
            else x
            for name, x in values.items()
        }
    )


def _few_decimals(sights: Sequence[Sight]) -> bool:
    """The values are what is due to a number of decimals, the same in every case."""
    return any(all(_rounded(sight, digits) for sight in sights) for digits in range(1, 13))


def _rounded(sight: Sight, digits: int) -> bool:
    assert sight.got is not None
    return (
        bool(np.any(sight.got != 0))
        and np.array_equal(sight.got, np.round(sight.got.astype(np.float64), digits))
        and bool(np.all(np.abs(sight.got - sight.want) <= 0.51 * 10.0**-digits))
    )


def _denominator(sight: Sight) -> bool:
    """Each row falls short of 1 by what a constant in its denominator takes."""
    scores = sight.judged.earlier.get("scores")
    got, want = sight.got, sight.want
    assert got is not None
    if sight.stage.name != "weights" or want.ndim == 0:
        return False
    seen = np.asarray(want.sum(axis=-1) > 0.5)
    if not np.any(seen) or not np.isfinite(got).all():
        return False
    short = 1 - got.sum(axis=-1)[seen]
    shared = want[seen] * (1 - short[..., None])
    if np.any(short <= 0) or np.any(short > 0.05) or not np.all(got[~seen] == 0):
        return False
    unit = 2.0**-18 if sight.single else 2.0**-44
    if np.any(np.abs(got[seen] - shared) > unit * (want[seen] + 1e-3)):
        return False
    if scores is None or scores.shape != want.shape:
        return True
    return any(_alike(short / (1 - short) * sums) for sums in _sums(scores[seen], want[seen] > 0))


def _sums(scores: Array, seen: Array) -> Iterator[Array]:
    """The sums of the exponentials that weights are divided by: shifted, and as they are."""
    among = np.where(seen, scores, -np.inf)
    with np.errstate(all="ignore"):
        yield np.exp(among - among.max(axis=-1, keepdims=True)).sum(axis=-1)
        yield np.exp(among).sum(axis=-1)


def _alike(x: Array) -> bool:
    """Whether numbers are one number, to a fifth: each is a small difference of large ones."""
    return bool(np.isfinite(x).all() and np.max(x) <= 1.2 * np.min(x))


def _factor(sight: Sight) -> bool:
    """All scores are the right ones times one number."""
    got, want = sight.got, sight.want
    assert got is not None
    size = float(np.sum(want * want))
    if sight.stage.name not in ("scores", "W_QK") or want.size < 4 or size == 0:
        return False
    factor = float(np.sum(got * want)) / size
    return abs(factor) > 1e-12 and bool(sight.near(want.astype(np.float64) * factor).all())


def _constant(sight: Sight) -> bool:
    got, want = sight.got, sight.want
    assert got is not None
    if want.size < 4:
        return False
    shift = float(np.median(got - want))
    return shift != 0 and bool(sight.near(want + shift).all())


_SIGNATURES = {
    "integer-truncation": _truncated,
    "low-precision": _each(_lower),
    "rounded": _few_decimals,
    "softmax-epsilon": _each(_denominator),
    "scale-other": _each(_factor),
    "constant-added": _each(_constant),
}
