"""The contract's functions answer the test cases of ONNX's Attention operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from tests.oracles import onnx_attention
from tests.oracles.bounds import furthest
from tests.oracles.onnx_attention import HeadCase, Layer, as_layer

from onehead.model import Array
from onehead_solutions.audit import SelfAttention
from onehead_solutions.batch_axis import batched_self_attention
from onehead_solutions.matrix_form import self_attention, stable_softmax
from onehead_solutions.one_reading import attention_reading
from onehead_solutions.projections import attend

pytest.importorskip("onnx", reason="onnx is not installed: pip install -e '.[dev]' brings it")


@pytest.fixture(scope="session")
def cases() -> tuple[HeadCase, ...]:
    return onnx_attention.load()


@pytest.fixture(scope="session")
def layers(cases: tuple[HeadCase, ...]) -> tuple[tuple[HeadCase, Layer], ...]:
    return tuple((case, as_layer(case)) for case in cases)


def far(case: HeadCase, context: Array, ways: int = 1) -> bool:
    """Whether a context is not ONNX's; ``ways`` is how many sides computed in the case's dtype."""
    return furthest(context, case.output, ways * case.allowed()[2]) > 1


def names(failed: Iterator[HeadCase]) -> list[str]:
    return [case.name for case in failed]


def test_there_are_enough_cases_of_every_kind(cases: tuple[HeadCase, ...]) -> None:
    assert len(cases) >= 80
    assert len({case.name for case in cases}) == len(cases)
    traits = Counter(trait for case in cases for trait in case.traits)
    assert traits["additive mask"] >= 38
    assert traits["boolean mask"] >= 9
    assert traits["causal"] >= 31
    assert traits["custom scale"] >= 6
    assert traits["other value width"] >= 14
    assert traits["cache"] >= 20
    assert traits["grouped heads"] >= 14
    assert traits["padding"] >= 13
    assert traits["window"] >= 9
    assert sum(case.query.shape[1] != case.keys.shape[1] for case in cases) >= 74
    assert sum(bool((~case.visible).all(-1).any()) for case in cases) >= 7


def test_stable_softmax(cases: tuple[HeadCase, ...]) -> None:
    assert not names(
        case
        for case in cases
        if far(case, stable_softmax(case.scores + case.bias - case.finite_bias) @ case.values)
    )


def test_batched_self_attention(layers: tuple[tuple[HeadCase, Layer], ...]) -> None:
    assert not names(
        case
        for case, layer in layers
        if far(
            case,
            layer.context_of(
                batched_self_attention(layer.X, *layer.matrices, visible=layer.visible)["output"]
            ),
        )
    )


def test_a_layer_asked_for_one_slice_at_a_time(
    layers: tuple[tuple[HeadCase, Layer], ...],
) -> None:
    """The part of a mask that is causal is left to the layer where it can be."""
    by_cause = 0
    for case, layer in layers:
        future = ~np.tri(layer.X.shape[1], dtype=bool)
        causal = not (layer.visible & future).any()
        by_cause += causal
        visible = layer.visible | future if causal else layer.visible
        head = SelfAttention(*layer.matrices)
        slices = [head(x, seen, causal=causal) for x, seen in zip(layer.X, visible, strict=True)]
        assert not far(case, layer.context_of(np.stack(slices))), case.name
        whole = head(layer.X, visible=visible, causal=causal)
        assert not far(case, layer.context_of(whole)), case.name
    assert by_cause >= 20


def test_the_layers_keep_float32(layers: tuple[tuple[HeadCase, Layer], ...]) -> None:
    tried = 0
    for case, layer in layers:
        if case.dtype == "float32":
            tried += 1
            X, *matrices = (x.astype(np.float32) for x in (layer.X, *layer.matrices))
            output = SelfAttention(*matrices)(X, layer.visible, causal=False)
            assert output.dtype == np.float32
            assert not far(case, layer.context_of(output), ways=2), case.name
    assert tried >= 60


def test_every_row_as_one_reading(cases: tuple[HeadCase, ...]) -> None:
    """A finite bias, which a reading does not know, is put into the query and the keys."""
    for case in cases:
        layer = as_layer(case)
        Q, K, V = (layer.X @ W for W in (layer.W_Q, layer.W_K, layer.W_V))
        context = np.stack(
            [
                [
                    attention_reading(Q[n, i], K[n], V[n], layer.visible[n, i])[1]
                    for i in range(layer.queries)
                ]
                for n in range(len(Q))
            ]
        )
        assert not far(case, context), case.name


def test_causal_and_unmasked_cases_by_the_matrix_form(
    layers: tuple[tuple[HeadCase, Layer], ...],
) -> None:
    asked: Counter[bool] = Counter()
    for case, layer in layers:
        causal = onnx_attention.is_causal_alone(layer)
        if not causal and not onnx_attention.is_all_visible(layer):
            continue
        asked[causal] += 1
        for x, due, allowed in zip(layer.X, case.output, case.allowed()[2], strict=True):
            W = layer.matrices[:3]
            traces = [self_attention(x, *W, causal=causal)] + ([attend(x, *W)] if causal else [])
            for trace in traces:
                context = trace["context"][: layer.queries]
                assert furthest(context, due, allowed) <= 1, case.name
    assert asked[True] >= 12
    assert asked[False] >= 44


def test_scores_and_weights_that_a_case_shows(
    layers: tuple[tuple[HeadCase, Layer], ...],
) -> None:
    shown: Counter[str] = Counter()
    for case, layer in layers:
        if case.inside is None:
            continue
        shown[case.shown] += 1
        trace = batched_self_attention(layer.X, *layer.matrices, visible=layer.visible)
        T_q, T_k = case.bias.shape[1:]
        scores_allowed, weights_allowed, _ = case.allowed()
        if case.shown == "weights":
            got, due, allowed = trace["weights"][:, :T_q, :T_k], case.inside, weights_allowed
        else:
            bias = case.finite_bias if case.shown == "scores" else 0.0
            got = np.where(case.visible, trace["scores"][:, :T_q, :T_k], 0.0)
            due = np.where(case.visible, case.inside + bias, 0.0)
            allowed = scores_allowed
        assert furthest(got, due, allowed) <= 1, case.name
    assert shown["scores"] >= 3
    assert shown["biased scores"] >= 7
    assert shown["weights"] >= 5


# --- the cases can tell ------------------------------------------------------------------


def _without_scale(case: HeadCase) -> Array:
    return stable_softmax(case.query @ case.keys.swapaxes(-1, -2) + case.bias)


def _without_mask(case: HeadCase) -> Array:
    return stable_softmax(case.scores - case.finite_bias)


def _filled(fill: float) -> Callable[[HeadCase], Array]:
    return lambda case: stable_softmax(np.where(case.visible, case.scores, fill))


def _nan_in_empty_rows(case: HeadCase) -> Array:
    exp = np.exp(np.where(case.visible, case.scores, -np.inf))
    with np.errstate(invalid="ignore"):
        return np.asarray(exp / exp.sum(axis=-1, keepdims=True))


def _over_queries(case: HeadCase) -> Array:
    return stable_softmax(np.where(case.visible, case.scores, -np.inf), axis=-2)


@pytest.mark.parametrize(
    ("broken", "least"),
    [
        (_without_scale, 74),
        (_without_mask, 63),
        (_filled(-1e9), 7),
        (_filled(-1e4), 7),
        (_filled(0.0), 37),
        (_nan_in_empty_rows, 7),
        (_over_queries, 75),
    ],
    ids=["scale", "mask", "fill -1e9", "fill -1e4", "fill 0", "nan", "over queries"],
)
def test_broken_ways_are_refused(
    broken: Callable[[HeadCase], Array], least: int, cases: tuple[HeadCase, ...]
) -> None:
    refused = [case for case in cases if far(case, broken(case) @ case.values)]
    assert len(refused) >= least
