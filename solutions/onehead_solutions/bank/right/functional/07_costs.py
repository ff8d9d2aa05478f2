from typing import Final

import numpy as np

PATHS: Final = {
    "self-attention": lambda distance, reach: 1,
    "recurrent": lambda distance, reach: distance,
    "convolution": lambda distance, reach: len(range(0, distance, reach)),
}


def path_length(architecture: str, distance: int, kernel: int = 3) -> int:
    if architecture not in PATHS:
        raise ValueError(f"{architecture=}")
    return PATHS[architecture](distance, kernel - 1)


def sequential_passes(tokens: int, mode: str) -> int:
    if mode == "generation":
        return sum(1 for _ in range(tokens))
    if mode != "training":
        raise ValueError(f"{mode=}, expected generation or training")
    return 1


def attention_cost(T, d_model, d_k, d_v, batch=1):
    def matmul(*sizes: int) -> int:
        return int(np.prod([batch, *sizes], dtype=object))

    steps = dict(
        projections=sum(matmul(T, d_model, width) for width in (d_k, d_k, d_v)),
        scores=matmul(T, d_k, T),
        weighted_sum=matmul(T, T, d_v),
        output_projection=matmul(T, d_v, d_model),
    )
    return {**steps, "total": sum(steps.values()), "score_entries": matmul(T, T)}


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    W_Q, W_K, W_V, W_O = (W * 1.0 for W in (W_Q, W_K, W_V, W_O))
    V = X @ W_V

    def row():
        scores = X @ W_K @ (X[target] @ W_Q) / W_Q.shape[1] ** 0.5
        seen = scores[: target + 1]
        e = np.exp(seen - seen.max())
        return np.append(e / e.sum(), np.zeros(len(X) - target - 1, dtype=e.dtype))

    def output(values):
        return row() @ values @ W_O

    def silenced(k):
        return np.concatenate([V[:k], V[k : k + 1] * 0, V[k + 1 :]])

    effects = [np.linalg.norm(output(V) - output(silenced(k))) for k in range(len(X))]
    return row(), np.asarray(effects, dtype=V.dtype)
