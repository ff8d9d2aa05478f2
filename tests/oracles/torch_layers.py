"""torch's attention as the layer of a question. Import it where torch is installed only."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch.nn.functional import linear, scaled_dot_product_attention
from torch.utils.flop_counter import FlopCounterMode

from onehead.model import Array

torch.set_num_threads(1)  # the layers are small


def version() -> str:
    """Without the name of the build."""
    return str(torch.__version__).split("+")[0]


def as_tensors(inputs: Mapping[str, Array]) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(x.copy()) for name, x in inputs.items()}


def sdpa_answer(inputs: Mapping[str, Array], visible: Array | None) -> dict[str, Array]:
    """The layer by scaled_dot_product_attention; with the identity for values it shows the weights.

    ``visible`` None asks for torch's own causal mask.
    """
    t = as_tensors(inputs)
    Q, K, V = (linear(t["X"], t[W].T) for W in ("W_Q", "W_K", "W_V"))
    mask = None if visible is None else torch.from_numpy(visible.copy())
    T = Q.shape[-2]
    identity = torch.eye(T, dtype=Q.dtype).expand(*Q.shape[:-2], T, T)
    weights, context = (
        scaled_dot_product_attention(Q, K, values, attn_mask=mask, is_causal=mask is None)
        for values in (identity, V)
    )
    answer = {"weights": weights, "context": context, "output": linear(context, t["W_O"].T)}
    return {name: x.numpy() for name, x in answer.items()}


def trace(inputs: Mapping[str, Array], visible: Array) -> dict[str, Array]:
    """The layer stage by stage, each made from those before it, as a learner's trace is."""
    t = as_tensors(inputs)
    Q, K, V = (linear(t["X"], t[W].T) for W in ("W_Q", "W_K", "W_V"))
    scores = torch.baddbmm(
        torch.zeros((), dtype=Q.dtype), Q, K.mT, beta=0, alpha=Q.shape[-1] ** -0.5
    )
    seen = torch.from_numpy(visible.copy())
    weights = torch.softmax(scores.masked_fill(~seen, -torch.inf), dim=-1)
    weights = weights.masked_fill(~seen.any(dim=-1, keepdim=True), 0)  # NaN in torch
    context = torch.bmm(weights, V)
    stages = {"Q": Q, "K": K, "V": V, "scores": scores, "visible": seen, "weights": weights}
    stages |= {"context": context, "output": torch.matmul(context, t["W_O"])}
    return {name: x.numpy() for name, x in stages.items()}


def multihead(inputs: Mapping[str, Array]) -> torch.nn.MultiheadAttention:
    """A MultiheadAttention of one head with the question's matrices.

    It has one width for all, so each matrix is padded with zeros to 4 d_k: a head of that width
    divides by sqrt(4 d_k), and W_Q times 2 makes up for it exactly.
    """
    d_model, d_k = inputs["W_Q"].shape
    d_v = inputs["W_V"].shape[1]
    width = 4 * d_k
    if max(d_model, d_v) > width:
        raise ValueError(f"d_model {d_model} and d_v {d_v} have to fit into 4 d_k = {width}")
    matrices = [2 * inputs["W_Q"], inputs["W_K"], inputs["W_V"], inputs["W_O"]]
    padded = [_padded(W.T, width, width) for W in matrices]
    head = torch.nn.MultiheadAttention(width, 1, bias=False, batch_first=True)
    head = head.to(torch.from_numpy(inputs["X"]).dtype)
    with torch.no_grad():
        head.in_proj_weight.copy_(torch.from_numpy(np.concatenate(padded[:3])))
        head.out_proj.weight.copy_(torch.from_numpy(padded[3]))
    return head


def _padded(x: Array, rows: int, columns: int) -> Array:
    return np.pad(x, [(0, rows - x.shape[0]), (0, columns - x.shape[1])])


def multihead_answer(
    inputs: Mapping[str, Array], visible: Array, need_weights: bool
) -> tuple[Array, Array | None]:
    """Output and weights. In torch's mask True is *blocked*, the opposite of the contract."""
    head = multihead(inputs)
    X = inputs["X"]
    more = head.embed_dim - X.shape[-1]
    tokens = torch.from_numpy(np.pad(X, [(0, 0), (0, 0), (0, more)]))
    blocked = torch.from_numpy(~visible)
    with torch.no_grad():
        output, weights = head(tokens, tokens, tokens, attn_mask=blocked, need_weights=need_weights)
    return output[..., : X.shape[-1]].numpy(), None if weights is None else weights.numpy()


def effects(inputs: Mapping[str, Array], target: int) -> Array:
    """L2 norms of the change in each item's output[target] with one value vector set to zero."""
    t = as_tensors(inputs)
    Q, K, V = (t["X"] @ t[W] for W in ("W_Q", "W_K", "W_V"))

    def output(values: torch.Tensor) -> torch.Tensor:
        context = scaled_dot_product_attention(Q, K, values, is_causal=True)
        return (context @ t["W_O"])[..., target, :]

    whole, norms = output(V), []
    for k in range(V.shape[-2]):
        without = V.clone()
        without[..., k, :] = 0
        norms.append(torch.linalg.vector_norm(output(without) - whole, dim=-1))
    return np.asarray(torch.stack(norms, dim=-1).numpy())


def parameters(width: int, bias: bool) -> int:
    """Parameters of a MultiheadAttention of one head."""
    return sum(p.numel() for p in torch.nn.MultiheadAttention(width, 1, bias=bias).parameters())


def cost(T: int, d_model: int, d_k: int, d_v: int, batch: int) -> dict[str, int]:
    """Multiply-adds as torch counts them: half of its floating-point operations."""
    X = torch.zeros(batch, T, d_model)
    W_Q, W_K, W_V = (torch.zeros(d_model, width) for width in (d_k, d_k, d_v))
    counted = {}

    def count(name: str, *products: tuple[torch.Tensor, torch.Tensor]) -> list[torch.Tensor]:
        with FlopCounterMode(display=False) as counter:
            made = [torch.matmul(a, b) for a, b in products]
        counted[name] = counter.get_total_flops() // 2
        return made

    Q, K, V = count("projections", (X, W_Q), (X, W_K), (X, W_V))
    (scores,) = count("scores", (Q, K.mT))
    (context,) = count("weighted_sum", (scores.softmax(-1), V))
    count("output_projection", (context, torch.zeros(d_v, d_model)))
    return counted | {"total": sum(counted.values()), "score_entries": scores.numel()}
