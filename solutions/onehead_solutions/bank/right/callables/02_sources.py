from collections import namedtuple

import numpy as np

Projected = namedtuple("Projected", ["Q", "K", "V"])


class Projector:
    def one(self, source, W):
        if source.shape[1] != W.shape[0]:
            raise ValueError(
                f"a source of width {source.shape[1]} meets a projection of {W.shape[0]} rows"
            )
        return (source * 1.0) @ W

    def __call__(self, X, W_Q, W_K, W_V, context=None):
        source = context if context is not None else X
        return Projected(self.one(X, W_Q), self.one(source, W_K), self.one(source, W_V))


class Visibility:
    def __call__(self, T_q, T_k, causal):
        if not causal:
            return np.full((T_q, T_k), True)
        if T_q == T_k:
            return np.tri(T_q, dtype=bool)
        raise ValueError(f"causal: T_q={T_q}, T_k={T_k}")


class Kind:
    names = {1: "self", 2: "cross"}

    def __call__(self, query_source, key_source, value_source):
        if key_source != value_source:
            return "neither"
        return self.names[len({query_source, key_source})]


project_sources = Projector()
visibility = Visibility()
attention_kind = Kind()
