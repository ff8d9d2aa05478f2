"""Published parameter counts, and torch's count of multiply-adds."""

from __future__ import annotations

import pytest

from onehead_solutions.costs import attention_cost
from onehead_solutions.output_projection import parameter_count

# Heads beside one another have the parameters of one head that is as wide as all of them.
PUBLISHED = {
    "Transformer base": (512, 512, False, 1_048_576),
    "Transformer base, one of its 8 heads": (512, 64, False, 131_072),
    "GPT-2 small": (768, 768, True, 2_362_368),
    "GPT-2 medium": (1024, 1024, True, 4_198_400),
    "GPT-2 XL": (1600, 1600, True, 10_246_400),
    "BERT base": (768, 768, True, 2_362_368),
    "LLaMA 7B": (4096, 4096, False, 67_108_864),
    "GPT-3, weights": (12288, 12288, False, 603_979_776),
    "T5 11B, 128 heads of width 128": (1024, 128 * 128, False, 67_108_864),
}


@pytest.mark.parametrize(("d_model", "inner", "bias", "total"), PUBLISHED.values(), ids=PUBLISHED)
def test_parameters_of_a_published_layer(d_model: int, inner: int, bias: bool, total: int) -> None:
    assert parameter_count(d_model, inner, inner, bias)["total"] == total


def test_gpt2_small_as_a_whole() -> None:
    """124,439,808: embeddings, twelve blocks, and the last norm."""
    d, vocabulary, positions, blocks = 768, 50_257, 1024, 12
    norm = 2 * d
    feed_forward = d * 4 * d + 4 * d + 4 * d * d + d
    block = parameter_count(d, d, d, bias=True)["total"] + feed_forward + 2 * norm
    assert (vocabulary + positions) * d + blocks * block + norm == 124_439_808


def test_each_projection_of_a_published_layer() -> None:
    """T5 11B's inner width is 16 times its model width, BERT's biases are those of its columns."""
    each = dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), 16_777_216)
    assert parameter_count(1024, 16_384, 16_384) == each | {"total": 67_108_864}
    each = dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), 590_592)
    assert parameter_count(768, 768, 768, bias=True) == each | {"total": 2_362_368}


def test_multiply_adds_as_torch_counts_them() -> None:
    """Half of FlopCounterMode's operations, asked for stage by stage."""
    assert attention_cost(T=10, d_model=6, d_k=4, d_v=3, batch=2) == {
        "projections": 1320,
        "scores": 800,
        "weighted_sum": 600,
        "output_projection": 360,
        "total": 3080,
        "score_entries": 200,
    }
