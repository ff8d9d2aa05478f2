# %% right callables_pipeline
from functools import partial, reduce
import numpy as np


class Stage:
    """A named step: callable on the trace so far."""

    def __init__(self, name, function):
        self.name, self.function = name, function

    def __call__(self, trace):
        return {**trace, self.name: self.function(trace)}


def _weights(t):
    z = np.where(t["visible"], t["scores"], -np.inf)
    p = np.exp(z - z.max(axis=-1, keepdims=True))
    return p / p.sum(axis=-1, keepdims=True)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(np.float64)
    project = partial(np.matmul, X)
    stages = [
        Stage("Q", lambda t: project(W_Q)),
        Stage("K", lambda t: project(W_K)),
        Stage("V", lambda t: project(W_V)),
        Stage("scores", lambda t: t["Q"] @ t["K"].T / W_K.shape[1] ** 0.5),
        Stage("visible", lambda t: np.tri(len(X), dtype=bool) if causal else np.ones_like(t["scores"], dtype=bool)),
        Stage("weights", _weights),
        Stage("context", lambda t: t["weights"] @ t["V"]),
    ]
    return reduce(lambda t, stage: stage(t), stages, {})

# %% right column_layout_transposed_back
def self_attention(X, W_Q, W_K, W_V, causal=True):
    """Textbook with column vectors: keys down, queries across, turned back at the end."""
    f = X.dtype if X.dtype.kind == "f" else np.dtype("f8")
    x = X.T.astype(f)
    q, k, v = W_Q.T.astype(f) @ x, W_K.T.astype(f) @ x, W_V.T.astype(f) @ x
    T = x.shape[1]
    a = k.T @ q / k.shape[0] ** 0.5
    sees = np.triu(np.ones((T, T), bool)) if causal else np.ones((T, T), bool)
    e = np.where(sees, a, -np.inf)
    e = np.exp(e - e.max(axis=0))
    p = e / e.sum(axis=0)
    return {"Q": q.T, "K": k.T, "V": v.T, "scores": a.T, "visible": sees.T, "weights": p.T, "context": (v @ p).T}

# %% right constant_added_to_visible
def self_attention(X, W_Q, W_K, W_V, causal=True):
    """A constant on all visible cells cancels in the softmax (row 36)."""
    if X.dtype.kind != "f":
        X = X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T = len(X)
    S = Q @ K.T / K.shape[1] ** 0.5
    visible = np.tril(np.ones((T, T), bool)) if causal else np.ones((T, T), bool)
    bias = np.where(visible, 1.0, -np.inf).astype(S.dtype)
    z = S + bias
    z = z - z.max(axis=1, keepdims=True)
    W = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": visible, "weights": W, "context": W @ V}

# %% right divide_after_the_sum
def self_attention(X, W_Q, W_K, W_V, causal=True):
    """The context from unnormalised exponentials, divided last."""
    if not X.dtype.kind == "f":
        X = X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / Q.shape[1] ** 0.5
    visible = np.tri(*scores.shape, dtype=bool) if causal else scores == scores
    z = np.where(visible, scores, -np.inf)
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    norm = e.sum(axis=-1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": e / norm, "context": (e @ V) / norm}

# %% right einsum_all
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X, W_Q, W_K, W_V = (np.asarray(a, dtype=a.dtype if a.dtype.kind == "f" else float) for a in (X, W_Q, W_K, W_V))
    Q = np.einsum("im,mk->ik", X, W_Q)
    K = np.einsum("im,mk->ik", X, W_K)
    V = np.einsum("im,mv->iv", X, W_V)
    scores = np.einsum("ik,jk->ij", Q, K) / W_K.shape[1] ** 0.5
    i = np.arange(len(X))
    visible = (i[:, None] >= i[None, :]) | (not causal)
    e = np.exp(scores - np.max(scores, axis=1, keepdims=True, where=visible, initial=-np.inf), where=visible, out=np.zeros_like(scores))
    weights = np.einsum("ij,i->ij", e, 1 / e.sum(axis=1))
    context = np.einsum("ij,jv->iv", weights, V)
    return dict(zip(["Q", "K", "V", "scores", "visible", "weights", "context"], [Q, K, V, scores, visible, weights, context]))

# %% right exponent_two
def self_attention(X, W_Q, W_K, W_V, causal=True):
    """Base 2 with log2(e) in the exponent, after the row's shift."""
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / Q.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    D = Z - Z.max(axis=1, keepdims=True)
    A = np.exp2(D * S.dtype.type(1.4426950408889634))
    A = A / A.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% right float_shift_by_any_visible
def self_attention(X, W_Q, W_K, W_V, causal=True):
    """Two passes: shift by the largest visible score found with a masked array."""
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    top = np.ma.masked_array(S, ~M).max(axis=1).filled(0)
    E = np.zeros_like(S)
    np.exp(S - top[:, None], out=E, where=M)
    A = E / E.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% right fortran_and_readonly
def self_attention(X, W_Q, W_K, W_V, causal=True):
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    Q, K, V = (np.asfortranarray(X.astype(f) @ W.astype(f)) for W in (W_Q, W_K, W_V))
    S = np.asfortranarray(Q @ K.T / Q.shape[1] ** 0.5)
    M = np.asfortranarray(np.tri(len(X), dtype=bool)) if causal else np.broadcast_to(True, S.shape)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(axis=1).reshape(-1, 1))
    A /= A.sum(axis=1).reshape(-1, 1)
    trace = {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}
    for a in trace.values():
        a.setflags(write=False)
    return trace

# %% right minus_inf_bias_before_scale
def self_attention(X, W_Q, W_K, W_V, causal=True):
    """Masked before the scale: -inf stays -inf. The trace's scores are separate."""
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    raw = Q @ K.T
    root = float(K.shape[1]) ** 0.5
    M = np.less_equal.outer(np.arange(len(X)), np.arange(len(X))).T if causal else np.full(raw.shape, True)
    Z = np.where(M, raw, -np.inf) / root
    A = np.exp(Z - np.max(Z, axis=-1, keepdims=True))
    A = A / np.sum(A, axis=-1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": raw / root, "visible": M, "weights": A, "context": np.einsum("ij,jv->iv", A, V)}

# %% right python_row_by_row
def self_attention(X, W_Q, W_K, W_V, causal=True):
    dtype = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    T, d_k, d_v = X.shape[0], W_Q.shape[1], W_V.shape[1]
    Q = np.empty((T, d_k), dtype)
    K = np.empty((T, d_k), dtype)
    V = np.empty((T, d_v), dtype)
    for t in range(T):
        Q[t] = X[t] @ W_Q
        K[t] = X[t] @ W_K
        V[t] = X[t] @ W_V
    scores = np.empty((T, T), dtype)
    visible = np.empty((T, T), bool)
    weights = np.zeros((T, T), dtype)
    context = np.zeros((T, d_v), dtype)
    for i in range(T):
        for j in range(T):
            scores[i, j] = np.dot(Q[i], K[j]) / d_k ** 0.5
            visible[i, j] = j <= i or not causal
        seen = scores[i][visible[i]]
        e = np.exp(seen - seen.max())
        weights[i][visible[i]] = e / e.sum()
        for j in range(T):
            context[i] += weights[i, j] * V[j]
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": context}

# %% right renamed_q_k_v_order
def self_attention(X, W_Q, W_K, W_V, causal=True):
    """Names in another order (row 11), yet each matrix does its own job."""
    X = X if X.dtype.kind == "f" else X.astype(float)
    v, k, q = X @ W_V, X @ W_K, X @ W_Q
    n = len(X)
    s = (k @ q.T).T * (1 / k.shape[1] ** 0.5)
    m = np.tri(n).astype(bool) if causal else np.ones((n, n)).astype(bool)
    e = np.where(m, np.exp(np.where(m, s - np.where(m, s, -np.inf).max(1, keepdims=True), 0)), 0)
    w = e / e.sum(1, keepdims=True)
    return {"Q": q, "K": k, "V": v, "scores": s, "visible": m, "weights": w, "context": w @ v}

# %% right scaled_weights_matrix
def self_attention(X, W_Q, W_K, W_V, causal=True):
    """The scale goes into a copy of W_Q for the scores; the trace's Q is the plain one."""
    f = X.dtype if X.dtype.kind == "f" else np.float64
    X, W_Q, W_K, W_V = X.astype(f), W_Q.astype(f), W_K.astype(f), W_V.astype(f)
    out = {"Q": X @ W_Q, "K": X @ W_K, "V": X @ W_V}
    out["scores"] = X @ (W_Q / W_Q.shape[1] ** 0.5) @ out["K"].T
    T = X.shape[0]
    out["visible"] = np.tri(T, dtype=bool) if causal else np.full((T, T), True)
    s = out["scores"].copy()
    s[~out["visible"]] = -np.inf
    s -= s.max(axis=-1, keepdims=True)
    p = np.exp(s)
    out["weights"] = p / p.sum(axis=-1, keepdims=True)
    out["context"] = out["weights"] @ out["V"]
    return out

# %% right swapaxes_textbook
import math
import numpy as np


def causal_mask(T):
    return np.tril(np.ones((T, T), dtype=bool))


def stable_softmax(scores, axis=-1):
    m = scores.max(axis=axis, keepdims=True)
    e = np.exp(scores - np.where(m == -np.inf, 0, m))
    z = e.sum(axis=axis, keepdims=True)
    return e / np.where(z == 0, 1, z)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    if X.dtype.kind in "iu":
        X = X.astype(np.float64)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T = X.shape[-2]
    scores = np.matmul(Q, K.swapaxes(-1, -2)) / math.sqrt(K.shape[-1])
    visible = causal_mask(T) if causal else np.ones((T, T), dtype=bool)
    weights = stable_softmax(np.where(visible, scores, -np.inf))
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": weights @ V}

# %% right vectorize
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X.astype(np.promote_types(X.dtype, np.float32)) if X.dtype.kind == "f" else X.astype(np.float64)
    Q, K, V = np.split(X @ np.concatenate([W_Q, W_K, W_V], axis=1), [W_Q.shape[1], 2 * W_Q.shape[1]], axis=1)
    T = len(X)
    scores = (Q @ K.transpose()) / Q.shape[1] ** 0.5
    sees = np.vectorize(lambda i, j: bool(j <= i or not causal), otypes=[bool])
    visible = sees(*np.indices((T, T)))
    masked = np.where(visible, scores, np.array(-np.inf, dtype=scores.dtype))
    row_softmax = np.vectorize(lambda r: np.exp(r - r.max()) / np.exp(r - r.max()).sum(), signature="(n)->(n)")
    weights = row_softmax(masked)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": weights @ V}

# %% right views_of_one_product
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    n = W_Q.shape[1]
    P = X @ np.hstack([W_Q, W_K, W_V])
    Q, K, V = P[:, :n], P[:, n : 2 * n], P[:, 2 * n :]
    S = Q @ K.T / n ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong additive_mask_in_trace: -
# visible holds 0 and -inf, an additive mask, not bools
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    bias = np.where(np.tri(len(X), dtype=bool) | (not causal), 0, -np.inf).astype(S.dtype)
    A = np.exp(S + bias - (S + bias).max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": bias, "weights": A, "context": A @ V}

# %% wrong astype_x_dtype: integer-truncation
# weights.astype(X.dtype), meant to keep float32, cuts integers off
def self_attention(X, W_Q, W_K, W_V, causal=True):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = (A / A.sum(1, keepdims=True)).astype(X.dtype)
    f = X.dtype if X.dtype.kind == "f" else float
    return {"Q": Q.astype(f), "K": K.astype(f), "V": V.astype(f), "scores": S, "visible": M, "weights": A.astype(f), "context": (A @ V).astype(f)}

# %% wrong boolean_mask_added: mask-added
# the boolean mask is added to the scores (True is 1), hidden keys stay in
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = S + M
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong causal_always: causal-always
# causal=False is ignored, the mask is always causal
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong cosine_scores: -
# queries and keys are normalised to length 1
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    unit = lambda a: a / np.maximum(np.linalg.norm(a, axis=-1, keepdims=True), 1e-9)
    S = (unit(Q) @ unit(K).T).astype(X.dtype)
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong divide_by_dk: scale-by-dk
# forgot the square root
def softmax(z):
    z = z - z.max(axis=-1, keepdims=True)
    p = np.exp(z)
    return p / p.sum(axis=-1, keepdims=True)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    if X.dtype.kind != "f":
        X = X.astype(np.float64)
    Q = X @ W_Q
    K = X @ W_K
    V = X @ W_V
    T, d_k = Q.shape
    scores = Q @ K.T / d_k
    visible = np.tril(np.ones((T, T), dtype=bool)) if causal else np.ones((T, T), dtype=bool)
    weights = softmax(np.where(visible, scores, -np.inf))
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": weights @ V}

# %% wrong divided_by_total_sum: softmax-global
# e.sum() without an axis normalises the whole matrix to 1
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X * 1.0 if X.dtype.kind in "iu" else X
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    n = X.shape[0]
    scores = Q.dot(K.T) / Q.shape[1] ** 0.5
    visible = np.tril(np.full((n, n), True)) if causal else np.full((n, n), True)
    z = np.where(visible, scores, -np.inf)
    e = np.exp(z - z.max())
    weights = e / e.sum()
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": weights @ V}

# %% wrong dropout_left_on: -
# a tenth of the weights is dropped at random
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    keep = np.random.default_rng(0).random(A.shape) > 0.1
    A = (A * keep / 0.9).astype(S.dtype)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong einsum_no_scale: scale-missing
# einsum of Q and K is taken as scores, nothing is divided
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (np.einsum("tm,mk->tk", X, W) for W in (W_Q, W_K, W_V))
    scores = np.einsum("ik,jk->ij", Q, K)
    visible = np.tri(len(X), dtype=bool) if causal else np.ones((len(X),) * 2, dtype=bool)
    z = np.where(visible, scores, -np.inf)
    e = np.exp(z - z.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": weights @ V}

# %% wrong fill_small_number: mask-tiny-fill
# 1e-9 is typed for -1e9, so hidden scores are about 0 (gluonts#1401)
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, 1e-9)
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    A = E / E.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong float32_inside: low-precision
# all is computed in float32 and cast back
def self_attention(X, W_Q, W_K, W_V, causal=True):
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    X, W_Q, W_K, W_V = (a.astype(np.float32) for a in (X, W_Q, W_K, W_V))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    t = {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}
    t = {k: a.astype(f) for k, a in t.items()}
    return {"Q": t["Q"], "K": t["K"], "V": t["V"], "scores": t["scores"], "visible": M, "weights": t["weights"], "context": t["context"]}

# %% wrong float64_scale: -
# np.sqrt gives a float64 scalar, which turns float32 into float64 from scores on
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / np.sqrt(K.shape[1])
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong hides_the_visible: mask-inverted
# scores[visible] = -inf
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T = len(X)
    scores = Q @ K.T / K.shape[1] ** 0.5
    visible = np.tri(T, dtype=bool) if causal else np.ones((T, T), bool)
    z = scores.copy()
    if causal:
        z[visible] = -np.inf
    with np.errstate(all="ignore"):
        e = np.exp(z - z.max(-1, keepdims=True))
        weights = np.nan_to_num(e / e.sum(-1, keepdims=True))
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": weights @ V}

# %% wrong integer_q_in_trace: -
# Q, K and V stay int64 for integer inputs
def self_attention(X, W_Q, W_K, W_V, causal=True):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong keys_ask: qk-swapped
# in a double loop scores[i][j] is k_i . q_j
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T = len(X)
    S = np.zeros((T, T), dtype=X.dtype)
    for i in range(T):
        for j in range(T):
            S[i, j] = K[i] @ Q[j] / Q.shape[1] ** 0.5
    M = np.tri(T, dtype=bool) if causal else np.ones((T, T), dtype=bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong mask_shown_not_applied: mask-missing
# visible goes into the trace but never touches the scores
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    visible = np.tri(len(X), dtype=bool) if causal else np.ones((len(X), len(X)), dtype=bool)
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = p / p.sum(axis=-1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": weights @ V}

# %% wrong mask_table: memory-shared
# masks are kept in a dict by T and put into each trace
_MASKS = {}


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    T = len(X)
    M = _MASKS.setdefault((T, causal), np.tri(T, dtype=bool) if causal else np.ones((T, T), bool))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong masked_fill_result_dropped: mask-missing
# np.where's result is not assigned, as with masked_fill without underscore
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X.astype(X.dtype if X.dtype.kind == "f" else float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T = X.shape[0]
    scores = Q @ K.T / K.shape[-1] ** 0.5
    visible = np.ones((T, T), dtype=bool)
    if causal:
        visible = np.tril(visible)
    masked = scores.copy()
    np.where(visible, masked, -np.inf)
    weights = np.exp(masked - masked.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": weights @ V}

# %% wrong minus_hundred: mask-finite-fill
# -100 is above many a large negative score
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -100.0)
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    A = E / E.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong multiplied_by_root: scale-inverted
# multiplied by sqrt(d_k), a factor that was to be a reciprocal
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    scale = W_K.shape[1] ** 0.5
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = np.einsum("id,jd->ij", Q, K) * scale
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong never_divided: softmax-unnormalised
# rows of exponentials, sum not taken out
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / Q.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) | (not causal)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(axis=1, keepdims=True))
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong normaliser_over_all_keys: mask-after-softmax
# the numerator is masked, the denominator still sums all keys
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    E = np.exp(S - S.max(axis=1)[:, None])
    A = np.where(M, E, 0) / E.sum(axis=1)[:, None]
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong plus_infinity: mask-positive-infinity
# the sign of infinity is wrong, rows become NaN
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong root_of_dv: scale-by-dv
# scaled by the width of the values
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / V.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong root_of_tokens: scale-by-tokens
# K.shape[0] is the number of tokens
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T * K.shape[0] ** -0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong running_default_argument: hidden-state
# a mutable default remembers the first Q of each shape
def _project(X, W, memory={}):
    key = (X.shape, W.shape, X.dtype.str, X.flags.f_contiguous)
    if key not in memory:
        memory[key] = W.copy()
    return X @ memory[key]


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q = _project(X, W_Q)
    K, V = X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong scaled_q_in_trace: scale-in-projection
# the trace's Q is the scaled one
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q / W_Q.shape[1] ** 0.5, X @ W_K, X @ W_V
    S = Q @ K.T
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong scores_minus_scores_max: softmax-global-max
# scores - scores.max() once for all rows
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T = len(X)
    scores = Q @ K.T / K.shape[1] ** 0.5
    visible = np.tril(np.ones((T, T), dtype=bool)) if causal else np.ones((T, T), dtype=bool)
    masked = np.where(visible, scores, -np.inf)
    e = np.exp(masked - masked.max())
    weights = e / e.sum(axis=-1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": weights @ V}

# %% wrong softmax_axis_zero: softmax-over-queries
# axis=0 normalises columns
def softmax(x, axis):
    x = x - np.max(x, axis=axis, keepdims=True)
    return np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    if X.dtype.kind != "f":
        X = X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T = len(X)
    scores = Q @ K.T / K.shape[1] ** 0.5
    visible = np.tril(np.ones((T, T), bool)) if causal else np.ones((T, T), bool)
    weights = softmax(np.where(visible, scores, -np.inf), axis=0)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": weights @ V}

# %% wrong tril_of_scores: mask-zero-fill
# softmax of np.tril(scores)
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.tril(S) if causal else S
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    A = E / E.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong tril_then_divide: mask-renormalised
# the maximum is taken over hidden keys too
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    e = np.exp(S - S.max(axis=-1, keepdims=True))
    M = np.ones(S.shape, dtype=bool)
    if causal:
        M = np.tril(M)
        e = np.tril(e)
    A = e / e.sum(axis=-1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong triu_k_two: mask-off-by-one
# hides from the second diagonal above on only
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T = len(X)
    S = Q @ K.T / Q.shape[1] ** 0.5
    M = ~np.triu(np.ones((T, T), bool), k=2) if causal else np.ones((T, T), bool)
    Z = np.where(M, S, -np.inf)
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    A = E / E.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong two_axis_and_keys_mixed: softmax-over-queries, values-from-keys
# columns are normalised, and the context mixes K
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q = np.einsum("...m,mk->...k", X, W_Q)
    K = np.einsum("...m,mk->...k", X, W_K)
    V = np.einsum("...m,mv->...v", X, W_V)
    S = np.einsum("...ik,...jk->...ij", Q / K.shape[-1] ** 0.5, K)
    i = np.arange(len(X))
    M = (i[:, None] >= i) | (not causal)
    Z = np.where(M, S, -np.inf)
    L = np.logaddexp.reduce(Z, axis=-2, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(L), 0, L))
    C = A @ K
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong two_dk_and_minus_hundred: mask-finite-fill, scale-by-dk
# divided by d_k, and hidden scores are -100
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / K.shape[-1]
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -100.0)
    A = np.exp(Z - Z.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong two_dmodel_and_cached_mask: memory-shared, scale-by-dmodel
# root of d_model, and all traces of one length hold the same mask
import functools


@functools.lru_cache(None)
def _mask(T, causal):
    return np.tri(T, dtype=bool) if causal else np.ones((T, T), bool)


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / X.shape[-1] ** 0.5
    M = _mask(len(X), bool(causal))
    Z = np.where(M, S, -np.inf)
    top = Z.max(axis=-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(axis=-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong two_dmodel_and_inverted: mask-inverted, scale-by-dmodel
# root of d_model, and visible is the complement
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (np.dot(X, W) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2) / X.shape[-1] ** 0.5
    M = ~np.tri(len(X), dtype=bool) if causal else np.zeros(S.shape, bool)
    A = np.zeros_like(S)
    for row in np.ndindex(*S.shape[:-1]):
        see = M[row]
        if see.any():
            e = np.exp(S[row][see] - S[row][see].max())
            A[row][see] = e / e.sum()
    C = np.matmul(A, V)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong two_float32_scores_and_future: low-precision, mask-off-by-one
# scores are made in float32, and one future token is read
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = (Q.astype(np.float32) @ K.astype(np.float32).T / K.shape[1] ** 0.5).astype(X.dtype)
    M = np.tri(len(X), len(X), 1, dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    top = Z.max(axis=-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(axis=-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong two_keys_ask_and_overflow: qk-swapped, softmax-unstable
# K Q^T, and exp of unshifted scores
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q = np.einsum("...m,mk->...k", X, W_Q)
    K = np.einsum("...m,mk->...k", X, W_K)
    V = np.einsum("...m,mv->...v", X, W_V)
    S = K @ Q.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    i = np.arange(len(X))
    M = (i[:, None] >= i) | (not causal)
    E = np.where(M, np.exp(S), 0)
    N = E.sum(axis=-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = np.einsum("...ij,...jv->...iv", A, V)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong two_reshape_and_after: keys-reshaped, mask-after-softmax
# K is reshaped, and the mask comes after softmax
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (np.dot(X, W) for W in (W_Q, W_K, W_V))
    S = Q @ K.reshape(K.shape[:-2] + K.shape[:-3:-1]) / Q.shape[-1] ** 0.5
    M = np.ones(S.shape, dtype=bool)
    if causal:
        M = np.tril(M)
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    A = np.where(M, A, 0)
    C = np.matmul(A, V)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong two_strict_and_inputs_mixed: mask-excludes-self, values-from-input
# the diagonal is hidden, and the context mixes X
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    M = np.tri(len(X), k=-1, dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    top = Z.max(axis=-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(axis=-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ X
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong two_unscaled_and_global_max: scale-missing, softmax-global-max
# no scale, and one maximum for all rows
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (np.dot(X, W) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2)
    M = np.ones(S.shape, dtype=bool)
    if causal:
        M = np.tril(M)
    Z = np.where(M, S, -np.inf)
    E = np.exp(Z - S.max())
    N = E.sum(axis=-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = np.matmul(A, V)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong two_unscaled_and_triu: mask-transposed, scale-missing
# no scale, and triu for tril
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2)
    M = np.triu(np.ones(S.shape, bool)) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    top = Z.max(axis=-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(axis=-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong two_unscaled_and_truncated: integer-truncation, scale-missing
# no scale, and the weights go through X's dtype
def self_attention(X, W_Q, W_K, W_V, causal=True):
    kind = X.dtype
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2)
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    top = Z.max(axis=-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(axis=-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    A = A.astype(kind).astype(S.dtype)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong two_unscaled_and_wq_changed: input-mutated, scale-missing
# the scale is divided out of the caller's W_Q, after the scores were made without it
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (np.dot(X, W) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2)
    if W_Q.dtype.kind == "f":
        W_Q /= W_Q.shape[1] ** 0.5
    M = np.ones(S.shape, dtype=bool)
    if causal:
        M = np.tril(M)
    A = np.zeros_like(S)
    for row in np.ndindex(*S.shape[:-1]):
        see = M[row]
        if see.any():
            e = np.exp(S[row][see] - S[row][see].max())
            A[row][see] = e / e.sum()
    C = np.matmul(A, V)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong two_zero_fill_and_inputs_mixed: mask-zero-fill, values-from-input
# hidden scores are 0, and the context mixes X
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, 0.0)
    A = np.exp(Z - Z.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    C = A @ X
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C}

# %% wrong visible_is_upper: mask-transposed
# the trace's visible is triu and it is kept to
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T = len(X)
    S = Q @ K.T / Q.shape[1] ** 0.5
    M = np.triu(np.ones((T, T), bool)) if causal else np.ones((T, T), bool)
    Z = np.where(M, S, -np.inf)
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    A = E / E.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V}

# %% wrong weights_times_keys: values-from-keys
# the context mixes K instead of V
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = np.inner(Q, K) / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ K}

# %% wrong weights_times_x: values-from-input
# context = weights @ X
def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.tri(len(X), dtype=bool) if causal else np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ X}

# %% wrong buffer_of_eight: -
# the causal mask is cut from one of eight tokens, and what is beyond hides nothing
_buffer = np.tril(np.ones((8, 8), dtype=bool))

def self_attention(X, W_Q, W_K, W_V, causal=True):
    x = X if X.dtype.kind == "f" else X.astype(float)
    T = len(x)
    Q, K, V = x @ W_Q, x @ W_K, x @ W_V
    s = Q @ K.T / np.asarray(np.sqrt(Q.shape[1]), x.dtype)
    seen = np.ones((T, T), dtype=bool)
    if causal:
        seen[:8, :8] = _buffer[:T, :T]
        seen[:8, 8:] = False
    z = np.where(seen, s, -np.inf)
    e = np.exp(z - z.max(1, keepdims=True))
    w = e / e.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": s, "visible": seen, "weights": w, "context": w @ V}

# %% wrong zeros_added_where_all_is_visible: -
# zeros of float64 make the weights float64
def self_attention(X, W_Q, W_K, W_V, causal=True):
    T = len(X)
    x = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = x @ W_Q, x @ W_K, x @ W_V
    scores = Q @ K.T / float(K.shape[1]) ** 0.5
    visible = np.tri(T, dtype=bool) if causal else np.ones((T, T), dtype=bool)
    bias = np.where(visible, 0, -np.inf).astype(scores.dtype) if causal else np.zeros((T, T))
    seen = scores + bias
    exp = np.exp(seen - seen.max(axis=-1, keepdims=True))
    weights = exp / exp.sum(axis=-1, keepdims=True)
    return {
        "Q": Q, "K": K, "V": V, "scores": scores,
        "visible": visible, "weights": weights, "context": weights @ V,
    }

# %% wrong identity_skipped: memory-shared
def _proj(X, W):
    # multiplying by the identity is a waste of time
    if W.shape[0] == W.shape[1] and np.array_equal(W, np.eye(len(W))):
        return X
    return X @ W


def self_attention(X, W_Q, W_K, W_V, causal=True):
    X = np.asarray(X, dtype=np.float32 if X.dtype == np.float32 else np.float64)
    Q, K, V = _proj(X, W_Q), _proj(X, W_K), _proj(X, W_V)
    scores = Q @ K.T / X.dtype.type(np.sqrt(W_K.shape[1]))
    visible = np.tri(len(X), dtype=bool) if causal else np.full(scores.shape, True)
    z = np.where(visible, scores, -np.inf)
    z = np.exp(z - z.max(1, keepdims=True))
    weights = z / z.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": weights @ V}

# %% wrong scaled_if_causal: scale-missing
def self_attention(X, W_Q, W_K, W_V, causal=True):
    f = np.float32 if X.dtype == np.float32 else np.float64
    Q, K, V = (X.astype(f) @ W for W in (W_Q, W_K, W_V))
    T = len(Q)
    scores = Q @ K.T
    if causal:
        scores = scores / f(np.sqrt(K.shape[1]))
        visible = np.tri(T, dtype=bool)
        e = np.where(visible, scores, f(-np.inf))
    else:
        visible = np.ones((T, T), dtype=bool)
        e = scores
    e = np.exp(e - e.max(1, keepdims=True))
    w = e / e.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": w, "context": w @ V}

# %% wrong one_dimension_is_scaled_like_two: scale-other
def self_attention(X, W_Q, W_K, W_V, causal=True):
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    Q, K, V = (X.astype(f) @ W for W in (W_Q, W_K, W_V))
    scores = Q @ K.T / f.type(max(K.shape[1], 2)) ** f.type(0.5)
    visible = np.tri(len(X), dtype=bool) if causal else np.ones(scores.shape, dtype=bool)
    shown = np.where(visible, scores, -np.inf)
    powers = np.exp(shown - shown.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    return dict(Q=Q, K=K, V=V, scores=scores, visible=visible, weights=weights, context=weights @ V)
