"""The hidden layers break what they claim to, measured by a judge of its own."""

from __future__ import annotations

import functools
import inspect
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from onehead.compare import allowed_error, compare_arrays
from onehead.model import Array, Case, Names
from onehead_solutions import attention, audit
from onehead_solutions.audit import AUDIT, SELF_ATTENTION, SelfAttention
from onehead_solutions.draw import Draw
from onehead_solutions.layers import (
    HIDDEN_LAYERS,
    INVARIANTS,
    KINDS,
    STAGES,
    HiddenLayer,
    Layer,
)

Question = tuple[Array, Array | None, bool]

# --- the oracle --------------------------------------------------------------------------


def masks_for(lead: tuple[int, ...], T: int) -> Iterator[Array | None]:
    """No mask, own and shared ones, padding, and rows that see nothing."""
    draw = Draw(f"oracle masks {lead} {T}")
    yield None
    square = draw.booleans(T, T)
    yield square
    if lead:
        yield draw.booleans(*lead, T, T) | np.eye(T, dtype=bool)
        yield draw.booleans(1, T, T)
        yield np.arange(T) < draw.integers(0, T, *lead)[:, None, None]
    yield square & (np.arange(T) % 2 == 0)[:, None]


def all_questions(layer: Layer) -> Iterator[Question]:
    d_model, d_k = layer.W_Q.shape
    for lead, T in itertools.product(((), (1,), (3,)), (1, 3, 5)):
        X = Draw(f"oracle X {lead} {T} {d_model}").reals(*lead, T, d_model, scale=1.5)
        scores = np.abs((X @ layer.W_Q) @ (X @ layer.W_K).swapaxes(-1, -2)) / math.sqrt(d_k)
        large = math.sqrt(1e4 / max(float(scores.max()), 1e-6)) if scores.any() else 1.0
        for visible, causal in itertools.product(masks_for(lead, T), (True, False)):
            yield X, visible, causal
            yield X * large, visible, causal


def may_read(question: Question, lead: tuple[int, ...], T: int) -> Array:
    _, visible, causal = question
    due = np.ones((*lead, T, T), dtype=bool)
    if visible is not None:
        due = due & visible
    if causal:
        due = due & (np.arange(T)[:, None] >= np.arange(T))
    return due


def differs(got: Array, due: Array, size: Array | float) -> bool:
    """By more than a thousand roundings of what an entry was made from; NaN is equal to NaN."""
    error = np.abs(got - due)
    return bool(np.any((error > 1e-12 * (size + np.abs(due))) | (np.isnan(got) != np.isnan(due))))


def row_softmax(scores: Array, seen: Array) -> Array:
    weights = np.zeros(scores.shape)
    for row in np.ndindex(scores.shape[:-1]):
        visible = scores[row][seen[row]]
        if visible.size:
            exp = [math.exp(s - max(visible)) for s in visible]
            weights[row][seen[row]] = np.array(exp) / math.fsum(exp)
    return weights


def judge_trace(layer: Layer, question: Question) -> set[str]:
    """The equations, each on the trace's own earlier stages."""
    X, visible, causal = question
    lead, T = X.shape[:-2], X.shape[-2]
    trace, call = layer.trace(*question), layer(X, visible, causal)
    widths = [layer.W_Q.shape[1]] * 2 + [
        layer.W_V.shape[1],
        T,
        T,
        T,
        layer.W_V.shape[1],
        X.shape[-1],
    ]
    if list(trace) != list(STAGES) or any(
        trace[stage].shape != (*lead, T, width) for stage, width in zip(STAGES, widths, strict=True)
    ):
        return {"shape"}
    t, due, broken = Names(trace), may_read(question, lead, T), set()
    if bool((t.visible != due).any()) or bool(np.any(np.nan_to_num(t.weights)[~due] != 0)):
        broken.add("mask")
    if any(
        differs(t[stage], X @ W, np.abs(X) @ np.abs(W))
        for stage, W in (("Q", layer.W_Q), ("K", layer.W_K))
    ):
        broken.add("numerical")
    chain = (np.abs(X) @ np.abs(layer.W_Q)) @ (np.abs(X) @ np.abs(layer.W_K)).swapaxes(-1, -2)
    if differs(t.scores, np.einsum("...qd,...kd->...qk", t.Q, t.K) / widths[0] ** 0.5, chain):
        broken.add("numerical")
    if not np.isfinite(t.weights).all() or differs(
        t.weights, row_softmax(t.scores, t.visible), 1.0
    ):
        broken.add("numerical")
    size = np.abs(X) @ np.abs(layer.W_V)
    if differs(t.V, X @ layer.W_V, size):
        broken.add("output")
    read = np.abs(np.nan_to_num(t.weights)) @ np.maximum(size, np.abs(t.V))
    through = read @ np.abs(layer.W_O)
    if np.isfinite(t.weights).all() and (
        differs(t.context, np.einsum("...qk,...kv->...qv", t.weights, t.V), read)
        or differs(t.output, np.einsum("...qv,vd->...qd", t.context, layer.W_O), through)
    ):
        broken.add("output")
    if call.shape != t.output.shape or differs(call, t.output, through):
        broken.add("output")
    return broken


def reads_hidden(layer: Layer, question: Question) -> bool:
    """Whether a token, changed, moves the output of another one that may not read it."""
    X, visible, causal = question
    due = may_read(question, X.shape[:-2], X.shape[-2])
    before = {"call": layer(*question), "output": layer.trace(*question)["output"]}
    for k in range(X.shape[-2]):
        changed = X.copy()
        changed[..., k, :] = -2 * changed[..., k, :] + 0.5
        after = {
            "call": layer(changed, visible, causal),
            "output": layer.trace(changed, visible, causal)["output"],
        }
        others = ~due[..., k] & (np.arange(X.shape[-2]) != k)
        for name, old in before.items():
            if old.shape != X.shape or after[name].shape != X.shape:
                continue
            if differs(
                after[name][others], old[others], 1e3 * float(np.abs(np.nan_to_num(old)).max())
            ):
                return True
    return False


def items_mix(layer: Layer, question: Question) -> bool:
    """Whether an item's result is another one alone, as a sequence or as a batch of one."""
    X, visible, causal = question
    whole = layer.trace(*question) | {"call": layer(*question)}
    for b in range(len(X)):
        own = None if visible is None else np.broadcast_to(visible, (len(X), *X.shape[1:2] * 2))[b]
        for x in (X[b], X[b : b + 1]):
            alone = layer.trace(x, own, causal) | {"call": layer(x, own, causal)}
            for name, entry in alone.items():
                item, due = entry.reshape(entry.shape[x.ndim - 2 :]), whole[name][b]
                if item.shape != due.shape or differs(
                    item * 1.0, due * 1.0, 1e3 * float(np.abs(np.nan_to_num(due * 1.0)).max())
                ):
                    return True
    return False


def oracle(layer: Layer) -> set[str]:
    """What a layer breaks, measured on every question. Behind a wrong shape nothing is judged."""
    broken: set[str] = set()
    questions = list(all_questions(layer))
    for question in questions:
        broken |= judge_trace(layer, question)
    if layer.num_parameters != sum(W.size for W in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O)):
        broken.add("output")
    if "shape" in broken:
        return broken
    natural = questions[::2]
    if any(reads_hidden(layer, question) for question in natural if question[0].shape[-2] > 1):
        broken.add("mask")
    if any(items_mix(layer, question) for question in natural if question[0].ndim == 3):
        broken.add("batching")
    return broken


# --- what is measured --------------------------------------------------------------------

BY_NAME = {hidden.name: hidden for hidden in HIDDEN_LAYERS}
CASE_OF = {case.name: case for case in AUDIT.cases}
every_layer = pytest.mark.parametrize("hidden", HIDDEN_LAYERS, ids=list(BY_NAME))


@every_layer
def test_layer_breaks_what_it_says_and_keeps_the_rest(hidden: HiddenLayer) -> None:
    broken = oracle(hidden.layer)
    if hidden.broken is None:
        assert broken == set()
    else:
        assert hidden.broken in broken
        assert broken <= {hidden.broken} | hidden.also
        assert hidden.other is None or hidden.other in broken | hidden.also


@every_layer
def test_layer_keeps_nothing_and_shares_nothing(hidden: HiddenLayer) -> None:
    X, mask = Draw("kept").reals(2, 4, len(hidden.layer.W_Q)), Draw("kept mask").booleans(2, 4, 4)
    kept, kept_mask = X.copy(), mask.copy()
    first = hidden.layer.trace(X, mask)
    expected = {stage: entry.copy() for stage, entry in first.items()}
    for entry in first.values():
        if entry.flags.writeable:
            entry[...] = 1
    hidden.layer(X * 3, mask)
    again = hidden.layer.trace(X, mask)
    assert all(np.array_equal(again[stage], expected[stage], equal_nan=True) for stage in STAGES)
    assert np.array_equal(X, kept)
    assert np.array_equal(mask, kept_mask)


def test_layers_are_many_and_have_different_names() -> None:
    assert len(BY_NAME) == len(HIDDEN_LAYERS)
    for broken, at_least in ((None, 8), *((invariant, 6) for invariant in INVARIANTS)):
        own = [hidden for hidden in HIDDEN_LAYERS if hidden.broken == broken and not hidden.public]
        assert len(own) >= at_least
        assert all(broken not in hidden.also for hidden in own)


def test_right_layers_answer_in_float64_for_integers_and_float32() -> None:
    for hidden in HIDDEN_LAYERS:
        if hidden.broken is None:
            for dtype in (np.int64, np.float32):
                X = Draw("dtypes").integers(-2, 2, 3, len(hidden.layer.W_Q)).astype(dtype)
                assert hidden.layer(X).dtype == np.float64
                assert np.array_equal(hidden.layer(X), hidden.layer(X.astype(np.float64)))


# --- the reference audit and its judge ---------------------------------------------------


def says(case: Case, value: Any) -> str | None:
    judge = AUDIT.stages[0].judge
    assert judge is not None
    return judge(Names(case.inputs), value)


class Counted:
    """A layer as the learner's process sees it: plain copies, and every call counted."""

    def __init__(self, layer: Layer) -> None:
        self.layer, self.calls = layer, 0
        for name in layer.proxy_attributes:
            setattr(self, name, getattr(layer, name))

    def trace(self, *question: Any) -> dict[str, Array]:
        self.calls += 1
        return self.layer.trace(*question)

    def __call__(self, *question: Any) -> Array:
        self.calls += 1
        return self.layer(*question)


@pytest.mark.parametrize("case", AUDIT.cases, ids=lambda case: case.name)
def test_reference_audit_is_right_on_every_layer(case: Case) -> None:
    counted = Counted(case.inputs["layer"])
    assert says(case, audit.audit(counted)) is None  # type: ignore[arg-type]
    assert counted.calls <= 200


def test_reference_audit_finds_nothing_in_the_reference_layer() -> None:
    draw = Draw("audit of the reference")
    W_Q, W_K, W_V, W_O = (draw.reals(*shape) for shape in ((4, 3), (4, 3), (4, 2), (2, 4)))
    assert audit.audit(SelfAttention(W_Q, W_K, W_V, W_O)) == []


@functools.cache
def reference(layer: Layer) -> list[str]:
    return audit.audit(layer)  # type: ignore[arg-type]


def failed_checks(answer: Any) -> set[str]:
    """The checks that fail for ``answer(layer)``."""
    return {str(case.check) for case in AUDIT.cases if says(case, answer(case.inputs["layer"]))}


def test_audit_has_six_checks_and_public_cases_of_both_kinds() -> None:
    assert {case.check for case in AUDIT.cases} == {"right layers", *INVARIANTS}
    assert {case.check for case in AUDIT.cases if case.public} == {
        "right layers",
        "mask",
        "numerical",
    }


def test_lazy_audits_are_caught() -> None:
    assert failed_checks(lambda layer: []) == set(INVARIANTS)
    # Behind a wrong shape every other name can be argued for.
    assert failed_checks(lambda layer: list(INVARIANTS)) == {"right layers", *INVARIANTS} - {
        "shape"
    }


@pytest.mark.parametrize("lacking", INVARIANTS)
def test_audit_that_lacks_an_invariant_is_caught(lacking: str) -> None:
    def lacks(layer: Any) -> list[str]:
        return [name for name in reference(layer) if name != lacking]

    assert failed_checks(lacks) == {lacking}


@pytest.mark.parametrize("always", INVARIANTS)
def test_audit_that_always_names_an_invariant_is_caught(always: str) -> None:
    def names(layer: Any) -> list[str]:
        return [name for name in INVARIANTS if name == always or name in reference(layer)]

    assert "right layers" in failed_checks(names)


@pytest.mark.parametrize(
    ("function", "step", "instead", "misses"),
    [
        (audit.questions, "np.sqrt(1e4 /", "np.sqrt(1e3 /", "scores cut off at 1500"),
        (
            audit.breaks_stage,
            "close(weights, visible_softmax(scores, seen.astype(bool)))",
            "close(weights.sum(-1), seen.any(-1) * 1.0)",
            "weights of scores that are a little too large",
        ),
    ],
    ids=("scores of a thousand", "row sums"),
)
def test_audit_that_saves_a_step_misses_a_layer(
    function: Callable[..., Any],
    step: str,
    instead: str,
    misses: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = inspect.getsource(function)
    assert source.count(step) == 1
    spare = dict(vars(audit))
    exec("from __future__ import annotations\n" + source.replace(step, instead), spare)
    assert says(CASE_OF[misses], reference(BY_NAME[misses].layer)) is None
    monkeypatch.setattr(audit, function.__name__, spare[function.__name__])
    assert says(CASE_OF[misses], audit.audit(BY_NAME[misses].layer)) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (None, "an audit returns a list of names, not a NoneType"),
        ("mask", "an audit returns a list of names, not a str"),
        ({"mask"}, "an audit returns a list of names, not a set"),
        (["masks"], "'masks' is none of the names shape, mask, numerical, output, batching"),
        ([np.zeros(2)], "'[0. 0.]' is none of the names shape, mask, numerical, output, batching"),
        (
            ["numerical", "mask"],
            "each name stands once, in the order shape, mask, numerical, output, batching",
        ),
        (
            ["mask", "mask"],
            "each name stands once, in the order shape, mask, numerical, output, batching",
        ),
        (["numerical"], "a layer whose causal mask is wrong was not found to break `mask`"),
        (["shape", "mask"], "an invariant that the layer keeps was named"),
        (("mask", "numerical"), None),
        (["mask"], None),
    ],
)
def test_judge_says_what_is_wrong_with_an_answer(value: Any, sentence: str | None) -> None:
    case = next(case for case in AUDIT.cases if case.name == "two tokens ahead")
    assert says(case, value) == sentence


def test_judge_says_when_a_right_layer_is_called_broken() -> None:
    case = next(case for case in AUDIT.cases if case.name == "plain")
    assert says(case, ["batching"]) == "a right layer was called broken"
    assert says(case, []) is None


def test_references_stand_alone_with_numpy_and_math() -> None:
    """A solved notebook's cell: the functions' sources and nothing else."""
    names = (
        "tokens",
        "some_keys",
        "due_visible",
        "close",
        "questions",
        "breaks_stage",
        "reads_hidden",
        "call_differs",
    )
    cell: dict[str, Any] = {"np": np, "math": math}
    pieces = [getattr(attention, name) for name in ("floats", "scaled_scores", "visible_softmax")]
    pieces += [getattr(audit, name) for name in (*names, "items_mix", "SelfAttention", "audit")]
    exec("from __future__ import annotations\n" + "\n".join(map(inspect.getsource, pieces)), cell)
    assert cell["audit"](BY_NAME["plain"].layer) == []
    assert cell["audit"](BY_NAME["scale missing"].layer) == ["numerical"]


# --- SelfAttention -----------------------------------------------------------------------


def made(case: Case) -> tuple[SelfAttention, list[Any]]:
    inputs = dict(case.inputs)
    matrices = [inputs.pop(W) for W in SELF_ATTENTION.init]
    return SelfAttention(*matrices), list(inputs.values())


@pytest.mark.parametrize("case", SELF_ATTENTION.cases, ids=lambda case: case.name)
def test_reference_layer_is_right_on_every_case(case: Case) -> None:
    if case.raises:
        with pytest.raises(ValueError) as raised:
            made(case)
        assert all(word in str(raised.value) for word in case.raises)
        return
    layer, rest = made(case)
    answer = Names(layer.trace(*rest), call=layer(*rest), num_parameters=layer.num_parameters)
    assert list(answer) == [stage.name for stage in SELF_ATTENTION.stages]
    inputs = Names(case.inputs)
    for stage in SELF_ATTENTION.stages:
        assert stage.want is not None
        want = stage.want(inputs, answer)
        compared = compare_arrays(
            stage, answer[stage.name], want, allowed_error(stage, inputs, answer)
        )
        assert compared.kind == "ok", (stage.name, compared.kind)


def test_rest_of_the_inputs_comes_in_the_order_of_the_methods() -> None:
    for case in SELF_ATTENTION.cases:
        rest = [name for name in case.inputs if name not in SELF_ATTENTION.init]
        assert rest == ([] if case.raises else ["X", "visible", "causal"][: len(rest)])


def test_cases_ask_for_every_kind_of_mask() -> None:
    asked = {
        (
            np.ndim(case.inputs["X"]),
            case.inputs.get("visible") is not None,
            case.inputs.get("causal"),
        )
        for case in SELF_ATTENTION.cases
        if not case.raises
    }
    assert asked == set(itertools.product((2, 3), (True, False), (None, True, False))) - {
        (2, False, True),  # the default, asked for as such
        (3, False, True),
    }
    assert sum(case.public for case in SELF_ATTENTION.cases) >= 4


def test_every_broken_layer_has_a_kind_that_does_not_say_which_it_is() -> None:
    kinds = [hidden.kind for hidden in HIDDEN_LAYERS if hidden.broken]
    assert not any(kind.startswith("that breaks `") for kind in kinds)
    named = {name for names in KINDS.values() for name in names}
    assert named == {hidden.name for hidden in HIDDEN_LAYERS if hidden.broken}
