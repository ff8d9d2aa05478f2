"""Known mistakes of an audit, by the hidden layers that it judges wrong and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from onehead.model import Misconception
from onehead_solutions.layers import HIDDEN_LAYERS, INVARIANTS
from onehead_solutions.wrong.names import fitting

Answers = Mapping[str, Any]  # by hidden layer
Failed = frozenset[str]

_BROKEN = {hidden.name: hidden.broken for hidden in HIDDEN_LAYERS if hidden.broken}
_RIGHT = frozenset(hidden.name for hidden in HIDDEN_LAYERS if not hidden.broken)
_OTHER = {hidden.name: hidden.other for hidden in HIDDEN_LAYERS}
_ALSO = {hidden.name: hidden.also for hidden in HIDDEN_LAYERS}

_CUT = "scores cut off at 1500"  # in a row, two scores have to be so large
_HIDDEN_PEAK = "masked after softmax and renormalised"  # in a row, a hidden one has to be larger
_LARGE = {"exponentials overflow", "one maximum for all rows", _HIDDEN_PEAK, _CUT}
_CALLS = {"a call ignores visible", "a call ignores causal"}
_MORE_CALLS = {*_CALLS, "a call is never causal", "a call adds the batch's mean"}
_COUNTS = {"the count leaves out W_O", "the count adds biases"}
# What shows only where a layer is given a mask, or a batch.
_GIVEN = {
    "visible ignored",
    "visible and causal combined by or",
    "the first item's mask for all",
    "padding hides queries",
    "the causal mask alone is shown",
    "filled with -1e9",
    "NaN where nothing is seen",
    "a call ignores visible",
    "a masked context divided by the items",
    _HIDDEN_PEAK,
}
_BATCHED = {name for name, invariant in _BROKEN.items() if invariant == "batching"} | {
    "one visible for the batch",
    "one set of weights for the batch, causal ignored",
    "the first item's scores alone",
    "the first item's mask for all",
    "padding hides queries",
    "scores shown without the scale in a batch",
    "a call ignores causal",
}


def _of(invariant: str) -> Failed:
    return frozenset(name for name, broken in _BROKEN.items() if broken == invariant)


def _named(answers: Answers) -> set[str]:
    """Every invariant that is named of some layer."""
    return {name for answer in answers.values() for name in answer}


def _overlooks(*layers: str) -> Callable[[Answers, Failed], bool]:
    """Nothing is found in just these layers."""

    def fits(answers: Answers, failed: Failed) -> bool:
        return failed == set(layers) and all(not answers[name] for name in failed)

    return fits


def _silent_on(invariant: str) -> Callable[[Answers, Failed], bool]:
    """An invariant is named of no layer, though much else is."""

    def fits(answers: Answers, failed: Failed) -> bool:
        missed = {name for name in _of(invariant) if _OTHER[name] not in answers[name]}
        return failed == missed and invariant not in _named(answers)

    return fits


def _blames(answers: Answers, failed: Failed) -> bool:
    """Of broken layers, the one that is meant is named, and some that the layer keeps."""
    return failed <= _BROKEN.keys() and all(
        _BROKEN[name] in answers[name] and not set(answers[name]) <= {_BROKEN[name]} | _ALSO[name]
        for name in failed
    )


def _first_only(answers: Answers, failed: Failed) -> bool:
    """One name at most, and where it is the wrong one, it is one of those that may be named."""
    return all(len(answer) <= 1 for answer in answers.values()) and all(
        set(answers[name]) <= _ALSO[name] and answers[name] for name in failed
    )


def _within(some: str, layers: set[str]) -> Callable[[Answers, Failed], bool]:
    return lambda answers, failed: some in failed and failed <= layers


# A layer that makes a mistake, and what right layers break for an audit that makes it.
_MADE_BY: Mapping[str, tuple[str, str]] = {
    "scale-missing": ("scale missing", "numerical"),
    "scale-by-dk": ("scaled by d_k", "numerical"),
    "scale-by-dmodel": ("scaled by sqrt(d_model)", "numerical"),
    "scale-inverted": ("scores multiplied by the scale's inverse", "numerical"),
    "qk-swapped": ("K times Q", "numerical"),
    "softmax-over-queries": ("softmax over queries", "numerical"),
    "mask-after-softmax": ("masked after softmax", "numerical"),
    "mask-transposed": ("the future instead of the past", "mask"),
    "mask-excludes-self": ("a token does not see itself", "mask"),
    "mask-off-by-one": ("one token ahead", "mask"),
    "mask-missing": ("causal ignored", "mask"),
    "masks-joined-by-or": ("visible and causal combined by or", "mask"),
    "output-skipped": ("W_O skipped", "output"),
    "output-transposed": ("W_O transposed", "output"),
    "values-from-keys": ("V from W_K", "output"),
    "values-from-input": ("context from X", "output"),
    "count-output-missing": ("the count leaves out W_O", "output"),
    "count-bias-always": ("the count adds biases", "output"),
}
# A right layer whose widths all differ: no mistake is right on it by accident.
_PLAIN = "plain"


def _expects(layer: str, invariant: str) -> Callable[[Answers, Failed], bool]:
    """Right layers are blamed, and the one layer that makes the audit's own mistake is not."""

    def fits(answers: Answers, failed: Failed) -> bool:
        innocent = [
            name for name, broken in _BROKEN.items() if broken == invariant and not answers[name]
        ]
        return _PLAIN in failed and list(answers[_PLAIN]) == [invariant] and innocent == [layer]

    return fits


def _known() -> Iterator[tuple[str, Callable[[Answers, Failed], bool]]]:
    yield "audit-never-finds", lambda answers, failed: not _named(answers)
    yield (
        "audit-always-finds",
        lambda answers, failed: (
            failed >= _RIGHT and len({tuple(answer) for answer in answers.values()}) == 1
        ),
    )
    yield "audit-shapes-only", lambda answers, failed: _named(answers) == {"shape"}
    yield "audit-large-scores-unseen", _overlooks(*_LARGE)
    yield "audit-large-scores-unseen", _overlooks(_CUT)
    yield "audit-large-scores-unseen", _overlooks(_CUT, _HIDDEN_PEAK)
    yield "audit-count-unseen", _overlooks(*_COUNTS)
    yield (
        "audit-call-unseen",
        lambda answers, failed: _CALLS <= failed <= _MORE_CALLS,
    )
    yield "audit-items-unseen", _silent_on("batching")
    yield "audit-mask-unseen", _silent_on("mask")
    yield "audit-masks-untried", _within("visible ignored", _GIVEN)
    yield (
        "audit-one-sequence",
        _within("the first item's output for all", _BATCHED - {"softmax over the batch"}),
    )
    yield from ((name, _expects(*made)) for name, made in _MADE_BY.items())
    yield "audit-exact", lambda answers, failed: failed <= _RIGHT and "plain" not in failed
    yield "audit-blames-followers", _blames
    yield "audit-first-finding-only", _first_only


def _well_formed(fits: Callable[[Answers, Failed], bool]) -> Callable[[Answers, Failed], bool]:
    def checked(answers: Answers, failed: Failed) -> bool:
        well = all(
            isinstance(answer, list | tuple)
            and all(isinstance(name, str) for name in answer)
            and list(answer) == [name for name in INVARIANTS if name in answer]
            for answer in answers.values()
        )
        return well and answers.keys() >= _BROKEN.keys() and fits(answers, failed)

    return checked


AUDITS: tuple[Misconception, ...] = tuple(
    fitting(name, _well_formed(fits)) for name, fits in _known()
)
