from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


def project_sources(
    X: Floats, W_Q: Floats, W_K: Floats, W_V: Floats, context: Floats | None = None
) -> tuple[Floats, ...]:
    sources = (X, *(2 * [X if context is None else context]))
    pairs = list(zip(sources, (W_Q, W_K, W_V), "QKV"))
    for source, W, name in pairs:
        if (width := source.shape[1]) != (rows := W.shape[0]):
            raise ValueError(f"W_{name} has {rows} rows for a source of width {width}")
    return tuple((source * 1.0) @ W for source, W, _ in pairs)


def visibility(T_q: int, T_k: int, causal: bool) -> NDArray[np.bool_]:
    match causal, T_q == T_k:
        case True, False:
            raise ValueError(f"T_q = {T_q} is not T_k = {T_k}")
        case True, True:
            return np.tri(T_q, dtype=bool)
    return np.ones((T_q, T_k), bool)


attention_kind = lambda query_source, key_source, value_source: (
    "neither" if key_source != value_source else ("cross", "self")[query_source == key_source]
)
