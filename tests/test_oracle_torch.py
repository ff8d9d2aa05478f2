"""The contract's functions agree with torch, with its frozen answers and, if it is here, live.

``tests/make_torch_answers.py`` wrote the frozen ones. Two right ways of computing may each be off
by the bound, so twice that lies between them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Any, get_args

import numpy as np
import pytest
from tests.make_torch_answers import PATH
from tests.oracles.bounds import Allowed, furthest, layer_bound
from tests.oracles.fixed_set import COST, COUNTED, QUESTIONS, Mask, Question

from onehead.compare import FLOAT32, FLOAT64
from onehead.model import Array, Case, Outcome, Part
from onehead.stages import judge
from onehead_solutions.audit import SelfAttention
from onehead_solutions.batch_axis import BATCHED, batched_self_attention
from onehead_solutions.costs import OBSERVED, attention_cost, observed_and_causal
from onehead_solutions.draw import Draw
from onehead_solutions.matrix_form import self_attention
from onehead_solutions.one_reading import attention_reading
from onehead_solutions.output_projection import output_projection, parameter_count
from onehead_solutions.projections import attend
from onehead_solutions.sources import project_sources

FROZEN: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
each_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.title)


def between(question: Question) -> Allowed:
    """What may lie between two right ways of computing a question's layer."""
    r = FLOAT32 if question.dtype is np.float32 else FLOAT64
    bound = layer_bound(**question.inputs(), visible=question.visible(), r=r)
    return Allowed(*(2 * part for part in bound))


def frozen(question: Question, name: str) -> Array:
    return np.array(FROZEN["layers"][question.title][name], dtype=question.dtype)


# --- frozen answers ----------------------------------------------------------------------


def test_the_frozen_set_is_the_fixed_one() -> None:
    assert list(FROZEN["layers"]) == [question.title for question in QUESTIONS]
    assert {question.mask for question in QUESTIONS} == set(get_args(Mask))
    sizes = [(q.B, q.T, q.d_model, q.d_k, q.d_v) for q in QUESTIONS]
    assert sum(len(set(five)) == 5 for five in sizes) >= 5
    assert any((~question.visible()).all(-1).any() for question in QUESTIONS)


@each_question
def test_a_batch(question: Question) -> None:
    visible = None if question.mask == "none" else question.visible()
    trace = batched_self_attention(**question.inputs(), visible=visible)
    allowed = between(question)
    for name in ("weights", "context", "output"):
        assert trace[name].dtype == question.dtype
        assert furthest(trace[name], frozen(question, name), getattr(allowed, name)) <= 1, name
    assert furthest(trace["output"], frozen(question, "multihead output"), allowed.output) <= 1


@each_question
def test_the_layer(question: Question) -> None:
    X, *matrices = question.inputs().values()
    layer, due, allowed = SelfAttention(*matrices), frozen(question, "output"), between(question)
    causal = question.mask == "causal"
    visible = None if causal or question.mask == "none" else question.visible()
    assert furthest(layer(X, visible, causal=causal), due, allowed.output) <= 1
    for b in range(question.B):
        mask = None if visible is None else visible[b]
        assert furthest(layer(X[b], mask, causal=causal), due[b], allowed.output[b]) <= 1


@each_question
def test_each_row_as_one_reading(question: Question) -> None:
    X, W_Q, W_K, W_V, W_O = question.inputs().values()
    visible, allowed = question.visible(), between(question)
    for b, i in np.ndindex(question.B, question.T):
        Q, K, V = project_sources(X[b, i : i + 1], W_Q, W_K, W_V, context=X[b])
        weights, reading = attention_reading(Q[0], K, V, visible[b, i])
        output = output_projection(reading, W_O)
        for name, got in (("weights", weights), ("context", reading), ("output", output)):
            due = frozen(question, name)[b, i]
            assert furthest(got, due, getattr(allowed, name)[b, i]) <= 1, name


@pytest.mark.parametrize(
    "question", [q for q in QUESTIONS if q.mask in ("none", "causal")], ids=lambda q: q.title
)
def test_the_matrix_form(question: Question) -> None:
    X, W_Q, W_K, W_V, _ = question.inputs().values()
    causal = question.mask == "causal"
    allowed = between(question)
    for b in range(question.B):
        traces = [self_attention(X[b], W_Q, W_K, W_V, causal=causal)]
        traces += [attend(X[b], W_Q, W_K, W_V)] if causal else []
        for trace in traces:
            for name in ("weights", "context"):
                due = frozen(question, name)[b]
                assert furthest(trace[name], due, getattr(allowed, name)[b]) <= 1, name


def _item(question: Question, b: int, target: int) -> dict[str, Any]:
    inputs: dict[str, Any] = question.inputs()
    return inputs | {"X": inputs["X"][b], "target": target}


def _all_right(part: Part, inputs: dict[str, Any], answer: Any) -> bool:
    """Whether the grader finds an answer right in every stage."""
    judged = judge(part, Case("torch", inputs), Outcome("returned", answer))
    assert judged.form is None
    assert len(judged.comparisons) == len(part.stages)
    return all(comparison.kind == "ok" for comparison in judged.comparisons)


@pytest.mark.parametrize(
    "question", [q for q in QUESTIONS if q.mask == "causal"], ids=lambda q: q.title
)
def test_effects_of_value_vectors(question: Question) -> None:
    """As the grader judges them: torch is right, and so are we."""
    target = question.T - 1
    effects = frozen(question, "effects")
    for b in range(question.B):
        inputs = _item(question, b, target)
        weights = frozen(question, "weights")[b, target]
        assert _all_right(OBSERVED, inputs, (weights, effects[b]))
        assert _all_right(OBSERVED, inputs, observed_and_causal(**inputs))
        assert not _all_right(OBSERVED, inputs, (weights, effects[b] * 1.001))


def test_parameters_and_cost() -> None:
    ours = [parameter_count(width, width, width, bias)["total"] for width, bias in COUNTED]
    assert ours == FROZEN["parameters"]
    assert attention_cost(**COST) == FROZEN["cost"]


def test_the_frozen_answers_can_tell() -> None:
    """A missing scale, an inverted mask, swapped queries and keys are refused where they show."""
    refused: Counter[str] = Counter()
    for question in QUESTIONS:
        inputs, visible = question.inputs(), question.visible()
        keys_ask = {**inputs, "W_Q": inputs["W_K"], "W_K": inputs["W_Q"]}
        unscaled = {**inputs, "W_Q": inputs["W_Q"] * np.sqrt(question.dtype(question.d_k))}
        wrong = {
            "swapped": batched_self_attention(**keys_ask, visible=visible),
            "unscaled": batched_self_attention(**unscaled, visible=visible),
            "inverted": batched_self_attention(**inputs, visible=~visible),
        }
        for name, trace in wrong.items():
            far = furthest(trace["output"], frozen(question, "output"), between(question).output)
            refused[name] += far > 100
    assert refused["swapped"] >= 9
    assert refused["unscaled"] >= 8
    assert refused["inverted"] == 10


# --- torch itself ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def layers() -> ModuleType:
    pytest.importorskip(
        "torch", reason="torch is not installed, so only its frozen answers were checked"
    )
    from tests.oracles import torch_layers

    return torch_layers


def random_questions(count: int) -> Iterator[Question]:
    """Shapes whose five sizes all differ; d_model and d_v fit into 4 d_k, for torch's one width."""
    draw = Draw("torch shapes")
    masks: tuple[Mask, ...] = get_args(Mask)
    made = 0
    while made < count:
        B, T, d_model, d_k, d_v = (int(n) for n in draw.integers(1, 9, 5))
        if len({B, T, d_model, d_k, d_v}) < 5 or T < 2 or max(d_model, d_v) > 4 * d_k:
            continue
        dtype = np.float32 if made % 4 == 3 else np.float64
        scale = (1.0, 2.5, 12.0)[made % 3]
        yield Question(B, T, d_model, d_k, d_v, masks[made % 5], dtype, scale, f"random {made}")
        made += 1


def test_torch_still_answers_as_it_did(layers: ModuleType) -> None:
    from tests.make_torch_answers import answers

    made = answers()
    assert made["parameters"] == FROZEN["parameters"]
    assert made["cost"] == FROZEN["cost"]
    for question in QUESTIONS:
        allowed = between(question)._asdict() | {"multihead output": between(question).output}
        answer = made["layers"][question.title]
        assert list(answer) == list(FROZEN["layers"][question.title])
        for name in allowed:
            got = np.array(answer[name], dtype=question.dtype)
            assert furthest(got, frozen(question, name), allowed[name]) <= 1, name


def test_scaled_dot_product_attention_on_random_shapes(layers: ModuleType) -> None:
    """torch agrees with us; of a trace made with torch, the grader finds every stage right."""
    for question in random_questions(60):
        inputs, visible = question.inputs(), question.visible()
        theirs = layers.sdpa_answer(inputs, visible)
        ours = batched_self_attention(**inputs, visible=visible)
        allowed = between(question)
        for name in ("weights", "context", "output"):
            far = furthest(ours[name], theirs[name], getattr(allowed, name))
            assert far <= 1, (question.title, name)
        trace = layers.trace(inputs, visible)
        assert _all_right(BATCHED, {**inputs, "visible": visible}, trace), question.title


def test_causal_flag_of_torch(layers: ModuleType) -> None:
    for question in random_questions(20):
        X, *matrices = question.inputs().values()
        theirs = layers.sdpa_answer(question.inputs(), None)
        r = FLOAT32 if question.dtype is np.float32 else FLOAT64
        visible = np.tri(question.T, dtype=bool)
        allowed = layer_bound(**question.inputs(), visible=visible, r=r)
        ours = SelfAttention(*matrices)(X)
        assert furthest(ours, theirs["output"], 2 * allowed.output) <= 1, question.title


def test_multihead_attention_of_one_head(layers: ModuleType) -> None:
    """Its mask says what is blocked; with weights asked for, its empty rows are NaN: not asked."""
    shown = 0
    for question in random_questions(60):
        inputs, visible = question.inputs(), question.visible()
        need_weights = question.mask != "empty rows"
        output, weights = layers.multihead_answer(inputs, visible, need_weights)
        ours, allowed = batched_self_attention(**inputs, visible=visible), between(question)
        assert furthest(ours["output"], output, allowed.output) <= 1, question.title
        if weights is not None:
            shown += 1
            assert furthest(ours["weights"], weights, allowed.weights) <= 1, question.title
    assert shown == 48


def test_effects_on_random_shapes(layers: ModuleType) -> None:
    for question in random_questions(20):
        weights = layers.sdpa_answer(question.inputs(), None)["weights"]
        for target in {0, question.T // 2, question.T - 1}:
            effects = layers.effects(question.inputs(), target)
            for b in range(question.B):
                answer = (weights[b, target], effects[b])
                assert _all_right(OBSERVED, _item(question, b, target), answer), question.title


def test_cost_on_random_sizes(layers: ModuleType) -> None:
    for question in random_questions(20):
        sizes = {"T": question.T, "d_model": question.d_model, "d_k": question.d_k}
        sizes |= {"d_v": question.d_v, "batch": question.B}
        assert attention_cost(**sizes) == layers.cost(**sizes)
