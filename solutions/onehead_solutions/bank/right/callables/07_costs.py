import math

import numpy as np


class Cost:
    def __call__(self, T, d_model, d_k, d_v, batch=1):
        matmul = lambda n, m, p: batch * n * m * p
        cost = {"projections": 2 * matmul(T, d_model, d_k) + matmul(T, d_model, d_v)}
        cost |= {"scores": matmul(T, d_k, T), "weighted_sum": matmul(T, T, d_v)}
        cost |= {"output_projection": matmul(T, d_v, d_model)}
        return cost | {"total": sum(cost.values()), "score_entries": matmul(T, T, 1)}


class PathLength:
    def __call__(self, architecture, distance, kernel=3):
        name = "of_" + architecture.replace("_", "?").replace("-", "_").replace(" ", "?")
        method = getattr(self, name, None)
        if method is None:
            raise ValueError("unknown: " + architecture)
        return method(distance, kernel)

    def of_self_attention(self, distance, kernel):
        return 1

    def of_recurrent(self, distance, kernel):
        return distance

    def of_convolution(self, distance, kernel):
        return math.ceil(distance / (kernel - 1))


class Passes:
    def __call__(self, tokens, mode):
        try:
            return {"training": 1, "generation": tokens}[mode]
        except KeyError as error:
            raise ValueError(f"unknown mode {mode}") from error


class Observed:
    def __call__(self, X, W_Q, W_K, W_V, W_O, target):
        X = X * 1.0
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        row = Q[target] @ K.T / K.shape[1] ** 0.5
        row[target + 1 :] = -np.inf
        e = np.exp(row - row.max())
        weights = e / e.sum()
        output = weights @ V @ W_O
        effects = [
            np.linalg.norm(output - (weights * (np.arange(len(X)) != k)) @ V @ W_O)
            for k in range(len(X))
        ]
        return weights, np.array(effects, dtype=weights.dtype)


class Misleading:
    def __call__(self):
        X = np.array([[2.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
        W_Q = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        W_K = np.array([[0.2, 0.1], [1.0, 1.0], [0.1, 0.0]])
        W_V = np.array([[3.0, -3.0], [0.0, 0.1], [0.5, 0.5]])
        W_O = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
        return X, W_Q, W_K, W_V, W_O, 2


attention_cost = Cost()
path_length = PathLength()
sequential_passes = Passes()
observed_and_causal = Observed()
misleading_example = Misleading()
