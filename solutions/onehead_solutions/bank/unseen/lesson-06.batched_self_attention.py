# %% right apply_along_axis_vectorize
def _row(scores, see):
    out = np.zeros_like(scores)
    if see.any():
        e = np.exp(scores[see] - scores[see].max())
        out[see] = e / e.sum()
    return out


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / Q.shape[2] ** 0.5
    M = np.ones(S.shape, bool) if visible is None else np.broadcast_to(visible, S.shape)
    A = np.vectorize(_row, signature="(n),(n)->(n)")(S, M)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% right bmm_transpose_021
def bmm(a, b):
    return np.matmul(a, b)


def softmax_visible(scores, visible):
    shifted = scores - np.max(np.where(visible, scores, np.finfo(scores.dtype).min), axis=-1, keepdims=True)
    e = np.exp(np.where(visible, shifted, 0)) * visible
    total = e.sum(axis=-1, keepdims=True)
    return e / np.maximum(total, np.finfo(scores.dtype).tiny)


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(np.float64)
    B, T = X.shape[0], X.shape[1]
    if visible is None:
        visible = np.ones((1, 1, T), dtype=bool)
    visible = np.tile(visible if visible.ndim == 3 else visible[None], (B // (visible.shape[0] if visible.ndim == 3 else 1), T // visible.shape[-2], 1))
    Q, K, V = bmm(X, W_Q), bmm(X, W_K), bmm(X, W_V)
    scores = bmm(Q, K.transpose(0, 2, 1)) / K.shape[-1] ** 0.5
    weights = softmax_visible(scores, visible)
    context = bmm(weights, V)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": context, "output": bmm(context, W_O)}

# %% right einsum_nan_to_num
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    f = X.dtype if X.dtype.kind == "f" else np.dtype("f8")
    X, W_Q, W_K, W_V, W_O = (a.astype(f) for a in (X, W_Q, W_K, W_V, W_O))
    Q = np.einsum("btm,mk->btk", X, W_Q)
    K = np.einsum("btm,mk->btk", X, W_K)
    V = np.einsum("btm,mv->btv", X, W_V)
    S = np.einsum("bqk,bsk->bqs", Q, K) / f.type(np.sqrt(Q.shape[-1]))
    M = np.logical_and(np.ones(S.shape, bool), True if visible is None else visible)
    Z = np.where(M, S, f.type(-np.inf))
    with np.errstate(all="ignore"):
        E = np.exp(Z - Z.max(axis=2, keepdims=True))
        A = np.nan_to_num(E / E.sum(axis=2, keepdims=True))
    C = np.einsum("bqs,bsv->bqv", A, V)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": np.einsum("bqv,vm->bqm", C, W_O)}

# %% right flat_projection_regrouped
import functools
import numpy as np


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    """Projections on (B*T, d): right, since tokens do not meet there. Output as weights @ (V @ W_O)."""
    B, T, m = X.shape
    flat = X.reshape(B * T, m)
    flat = flat if flat.dtype.kind == "f" else flat.astype(float)
    project = functools.partial(lambda W, a: (a @ W).reshape(B, T, -1), a=flat)
    trace = {"Q": project(W_Q), "K": project(W_K), "V": project(W_V)}
    trace["scores"] = trace["Q"] @ np.moveaxis(trace["K"], 1, 2) * (1.0 / W_Q.shape[1] ** 0.5)
    trace["visible"] = np.broadcast_to(True if visible is None else visible, (B, T, T)).copy()
    z = np.where(trace["visible"], trace["scores"], -np.inf)
    lse = np.logaddexp.reduce(z, axis=-1, keepdims=True)
    trace["weights"] = np.exp(z - np.where(np.isneginf(lse), 0, lse))
    trace["context"] = trace["weights"] @ trace["V"]
    trace["output"] = trace["weights"] @ (trace["V"] @ W_O)
    return trace

# %% right loop_over_items
def _one(X, W_Q, W_K, W_V, W_O, visible):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / Q.shape[1] ** 0.5
    A = np.zeros_like(S)
    for i, row in enumerate(visible):
        if row.any():
            z = S[i, row]
            e = np.exp(z - z.max())
            A[i, row] = e / e.sum()
    C = A @ V
    return Q, K, V, S, visible, A, C, C @ W_O


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    B, T, _ = X.shape
    if X.dtype.kind in "iu":
        X = X.astype(float)
    visible = np.ones((B, T, T), bool) if visible is None else np.broadcast_to(visible, (B, T, T))
    parts = [_one(X[b], W_Q, W_K, W_V, W_O, visible[b]) for b in range(B)]
    names = ["Q", "K", "V", "scores", "visible", "weights", "context", "output"]
    return {n: np.stack(arrays) for n, arrays in zip(names, zip(*parts))}

# %% right masked_array_trace
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    """Weights as a masked array: hidden cells are masked, which counts as 0."""
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ np.swapaxes(K, 1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    L = np.logaddexp.reduce(Z, axis=2, keepdims=True)
    P = np.exp(Z - np.where(np.isneginf(L), 0, L))
    A = np.ma.masked_array(P, mask=~M)
    C = P @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% right masked_renormalised_over_visible_max
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    """Masked after exp and renormalised (row 23), with the maximum of the visible ones: right and stable."""
    if X.dtype.kind != "f":
        X = X.astype(float)
    B, T = X.shape[:2]
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ np.swapaxes(K, 1, 2) / Q.shape[2] ** 0.5
    if visible is None:
        visible = np.ones((T, T), bool)
    visible = np.array(np.broadcast_to(visible, scores.shape))
    top = np.where(visible, scores, -np.inf).max(axis=-1, keepdims=True)
    e = np.exp(np.minimum(scores - np.where(np.isfinite(top), top, scores), 0)) * visible
    total = e.sum(-1, keepdims=True)
    weights = np.divide(e, total, out=np.zeros_like(e), where=total != 0)
    context = weights @ V
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": context, "output": context @ W_O}

# %% wrong bert_extended_mask: mask-finite-fill
# (1 - mask) * -10000 is added: leaks among large scores and fills empty rows
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = np.einsum("bqk,bsk->bqs", Q, K) / K.shape[2] ** 0.5
    M = np.ones(S.shape, bool) if visible is None else np.array(np.broadcast_to(visible, S.shape))
    extended = (1.0 - M.astype(S.dtype)) * -10000.0
    Z = S + extended
    E = np.exp(Z - Z.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong buffers_of_x_dtype: integer-truncation
# all buffers are allocated with X.dtype
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    B, T, m = X.shape
    S = np.zeros((B, T, T), dtype=X.dtype)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    for b in range(B):
        S[b] = Q[b] @ K[b].T / K.shape[2] ** 0.5
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    Q, K, V, S = (a.astype(f) for a in (Q, K, V, S))
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(l), 0, l))
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong causal_by_habit: causal-always
# a causal mask is added although none is passed in
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.tril(np.array(np.broadcast_to(True if visible is None else visible, S.shape)))
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(l), 0, l))
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong context_from_all_items: batch-flattened
# the context mixes the values of the same positions of all items (einsum letter missing)
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = np.einsum("bik,bjk->bij", Q, K) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(l), 0, l))
    C = np.einsum("bij,cjv->biv", A, V)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong context_wo_t: output-transposed
# context @ W_O.T; runs only where d_v equals d_model
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(l), 0, l))
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O.T}

# %% wrong copy_paste_wk: values-from-keys
# a copied line makes V with W_K (runs only where d_k equals d_v)
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q = np.einsum("btm,mk->btk", X, W_Q)
    K = np.einsum("btm,mk->btk", X, W_K)
    V = np.einsum("btm,mk->btk", X, W_K)
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    top = Z.max(-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong dim_1_kept_from_2d: softmax-over-queries
# axis=1 was the key axis without a batch and is the query axis with one
def softmax(z, axis=1):
    m = z.max(axis=axis, keepdims=True)
    e = np.exp(z - np.where(m == -np.inf, 0, m))
    s = e.sum(axis=axis, keepdims=True)
    return e / np.where(s == 0, 1, s)


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.transpose(0, 2, 1) / Q.shape[-1] ** 0.5
    if visible is None:
        visible = np.ones((1, 1, X.shape[1]), bool)
    visible = visible & np.ones(scores.shape, bool)
    weights = softmax(np.where(visible, scores, -np.inf))
    context = weights @ V
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": context, "output": context @ W_O}

# %% wrong dim_power_minus_half: scale-by-dmodel
# scale = dim ** -0.5 with dim the model width (vit-pytorch#65)
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    X = X.astype(f)
    B, T, dim = X.shape
    scale = dim ** -0.5
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    dots = np.einsum("bid,bjd->bij", Q, K) * scale
    if visible is None:
        visible = np.ones((B, T, T), dtype=bool)
    visible = np.array(np.broadcast_to(visible, (B, T, T)))
    attn = np.zeros((B, T, T), dtype=f)
    for b in range(B):
        for i in range(T):
            m = visible[b, i]
            if m.any():
                e = np.exp(dots[b, i, m] - dots[b, i, m].max())
                attn[b, i, m] = e / e.sum()
    out = np.einsum("bij,bjd->bid", attn, V)
    return {"Q": Q, "K": K, "V": V, "scores": dots, "visible": visible, "weights": attn, "context": out, "output": out @ W_O}

# %% wrong divided_only_in_context: softmax-unnormalised
# the trace's weights are exponentials, the division comes only in the context
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    M = np.ones(S.shape, bool) if visible is None else visible & np.ones(S.shape, bool)
    Z = np.where(M, S, -np.inf)
    top = Z.max(-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(top), 0, top))
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong einsum_bji: qk-swapped
# the einsum's output letters are exchanged
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = np.einsum("bik,bjk->bji", Q, K) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    top = Z.max(-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong exp_of_masked: softmax-unstable
# exp is taken of unshifted scores
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    f = X.dtype if X.dtype.kind == "f" else float
    X, W_Q, W_K, W_V, W_O = (a.astype(f) for a in (X, W_Q, W_K, W_V, W_O))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = np.matmul(Q, np.transpose(K, (0, 2, 1))) / W_Q.shape[1] ** 0.5
    M = np.ones_like(S, dtype=bool)
    if visible is not None:
        M = M & visible
    E = np.exp(np.where(M, S, -np.inf))
    Z = E.sum(axis=-1)[..., None]
    A = np.divide(E, Z, out=np.zeros_like(E), where=Z > 0)
    C = A @ V
    return dict(Q=Q, K=K, V=V, scores=S, visible=M, weights=A, context=C, output=C @ W_O)

# %% wrong finfo_min_fill: mask-finite-fill
# the smallest float fills hidden cells, so an empty row is even
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.broadcast_to(True if visible is None else visible, S.shape)
    Z = np.where(M, S, np.finfo(S.dtype).min)
    E = np.exp(Z - Z.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong first_item_repeated: batch-first-item
# only X[0] is worked out and repeated
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    B, T = X.shape[:2]
    x = X[0] if X.dtype.kind == "f" else X[0].astype(float)
    Q, K, V = x @ W_Q, x @ W_K, x @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, (B, T, T)))
    Z = np.where(M, S, -np.inf)
    top = Z.max(-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    rep = lambda a: np.repeat(a[None], B, axis=0)
    return {"Q": rep(Q), "K": rep(K), "V": rep(V), "scores": rep(S), "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong first_mask_for_all: mask-first-item
# the mask of item 0 hides keys in every item
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M[0], S, -np.inf)
    top = Z.max(-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong hidden_queries_zeroed: -
# contexts of tokens that nobody reads are zeroed, as if they were padding
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(l), 0, l))
    C = (A @ V) * M.any(axis=1)[:, :, None]
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong keep_mask_taken_for_pad_mask: mask-inverted
# where(visible, -inf, scores) as in a library whose True means hidden
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    M = np.ones(S.shape, bool) if visible is None else np.broadcast_to(visible, S.shape)
    Z = S if visible is None else np.where(M, -np.inf, S)
    top = Z.max(-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong mask_and_equals: input-mutated
# rows without a visible key are set True in the caller's mask, after a copy was used
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    if visible is not None:
        visible[~visible.any(axis=-1)] = True
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(l), 0, l))
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong mask_remembered: hidden-state
# a call without a mask takes the last mask of the same shape
_last = {}


def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    if visible is None:
        visible = _last.get(S.shape, np.ones(S.shape, bool))
    M = np.array(np.broadcast_to(visible, S.shape))
    _last[S.shape] = M.copy()
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(l), 0, l))
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong mask_swapaxes: mask-transposed
# the mask is turned to (key, query) before it is applied
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    use = M.swapaxes(-1, -2)
    A = np.zeros_like(S)
    for idx in np.ndindex(S.shape[:2]):
        j = use[idx]
        if j.any():
            e = np.exp(S[idx][j] - S[idx][j].max())
            A[idx][j] = e / e.sum()
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong masked_array_filled_zero: mask-zero-fill
# np.ma scores are filled with 0 before softmax
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.ma.masked_array(S, mask=~M).filled(0)
    E = np.exp(Z - Z.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    A = A * M.any(axis=-1, keepdims=True)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong max_of_the_batch: softmax-global-max
# the peak is that of the whole batch
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    B, T, _ = X.shape
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = np.einsum("btk,bsk->bts", Q, K) / Q.shape[-1] ** 0.5
    visible = np.ones((B, T, T), bool) if visible is None else np.array(np.broadcast_to(visible, (B, T, T)))
    peak = scores.max()
    e = np.exp(scores - peak) * visible
    weights = np.nan_to_num(e / e.sum(axis=2, keepdims=True))
    context = weights @ V
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": context, "output": context @ W_O}

# %% wrong nan_rows: empty-row-nan
# rows without a visible key are NaN
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(-1, keepdims=True))
    A = A / A.sum(-1, keepdims=True)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong one_long_sequence: batch-flattened
# the softmax runs over the keys of all items, then the own block is cut out
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    B, T, m = X.shape
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, (B, T, T)))
    flat = Q.reshape(B * T, -1) @ K.reshape(B * T, -1).T / K.shape[2] ** 0.5
    big = np.ones((B * T, B * T), bool)
    for b in range(B):
        big[b * T : (b + 1) * T, b * T : (b + 1) * T] = M[b]
    Z = np.where(big, flat, -np.inf)
    top = Z.max(1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(1, keepdims=True)
    P = E / np.where(N == 0, 1, N)
    A = np.stack([P[b * T : (b + 1) * T, b * T : (b + 1) * T] for b in range(B)])
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong output_is_context: output-skipped
# W_O is taken and never used
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    top = Z.max(-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C.copy()}

# %% wrong output_of_v_unweighted: residual-added
# the residual X is added to the output
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(l), 0, l))
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": X + C @ W_O}

# %% wrong renormalised_with_epsilon: mask-renormalised
# softmax, mask, divide by sum + 1e-12 (as in some summarizers)
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.broadcast_to(True if visible is None else visible, S.shape)
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True) * M
    total = A.sum(axis=-1, keepdims=True)
    A = A / np.where(total == 0, 1, total)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong reshape_to_other_batch: -
# reshape mixes tokens of different items: (B, T, d) through (T, B, d) without a transpose
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    B, T, m = X.shape
    first = X.reshape(T, B, m)

    def project(W):
        return (first @ W).transpose(1, 0, 2)

    Q, K, V = project(W_Q), project(W_K), project(W_V)
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(l), 0, l))
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong return_in_the_loop: batch-first-item
# the loop over items indexes 0 instead of b, so each item gets item 0's weights
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    B, T, _ = X.shape
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    A = np.zeros_like(S)
    for b in range(B):
        for i in range(T):
            seen = M[0, i]
            if seen.any():
                e = np.exp(S[0, i, seen] - S[0, i, seen].max())
                A[b, i, seen] = e / e.sum()
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong scaled_twice: scale-by-dk
# Q is scaled first and the scores are scaled again
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scale = Q.shape[-1] ** -0.5
    q = Q * scale
    scores = scale * np.einsum("bik,bjk->bij", q, K)
    visible = np.ones(scores.shape, bool) if visible is None else np.broadcast_to(visible, scores.shape)
    z = np.where(visible, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        e = np.exp(z - z.max(axis=-1, keepdims=True))
        weights = np.nan_to_num(e / e.sum(axis=-1, keepdims=True))
    context = weights @ V
    return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": visible, "weights": weights, "context": context, "output": context @ W_O}

# %% wrong softmax_axis_zero: batch-softmax
# axis=0 is the batch, a batch of one gives all ones
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    top = Z.max(0, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(0, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong sum_over_both_token_axes: softmax-global
# each item's whole matrix is normalised, sum over axes 1 and 2
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.broadcast_to(True if visible is None else visible, S.shape)
    Z = np.where(M, S, -np.inf)
    top = Z.max(axis=(1, 2), keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(axis=(1, 2), keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong trace_holds_callers_mask: memory-shared
# a full mask goes into the trace uncopied
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    if visible is None:
        visible = np.ones(S.shape, bool)
    M = visible if visible.shape == S.shape else np.broadcast_to(visible, S.shape)
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(l), 0, l))
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong transpose_of_three_axes: transpose-all-axes
# K.T reverses all three axes; the product does not fit or is nonsense
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, (len(X), X.shape[1], X.shape[1])))
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(l), 0, l))
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong two_axis_and_wo_t: output-transposed, softmax-over-queries
# softmax over queries, and W_O.T
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (np.dot(X, W) for W in (W_Q, W_K, W_V))
    S = np.matmul(Q, np.moveaxis(K, -1, -2)) * float(K.shape[-1]) ** -0.5
    M = np.ones(S.shape, bool) if visible is None else np.tile(visible, (len(X) // (len(visible) if visible.ndim == 3 else 1), X.shape[1] // visible.shape[-2], 1))
    Z = np.where(M, S, -np.inf)
    L = np.logaddexp.reduce(Z, axis=-2, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(L), 0, L))
    C = np.matmul(A, V)
    out = C @ W_O.T
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_batch_axis_and_no_output: batch-softmax, output-skipped
# softmax over items, and no W_O
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q = np.einsum("...m,mk->...k", X, W_Q)
    K = np.einsum("...m,mk->...k", X, W_K)
    V = np.einsum("...m,mv->...v", X, W_V)
    S = np.einsum("...ik,...jk->...ij", Q / K.shape[-1] ** 0.5, K)
    M = np.ones(S.shape, dtype=bool)
    if visible is not None:
        M = M & visible
    Z = np.where(M, S, -np.inf)
    L = np.logaddexp.reduce(Z, axis=0, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(L), 0, L))
    C = np.einsum("...ij,...jv->...iv", A, V)
    out = np.array(C)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_dk_and_minus_1e9: mask-finite-fill, scale-by-dk
# divided by d_k, and -1e9 fills empty rows evenly
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q = np.einsum("...m,mk->...k", X, W_Q)
    K = np.einsum("...m,mk->...k", X, W_K)
    V = np.einsum("...m,mv->...v", X, W_V)
    S = Q @ K.swapaxes(-1, -2) / K.shape[-1]
    M = np.ones(S.shape, dtype=bool)
    if visible is not None:
        M = M & visible
    Z = np.where(M, S, -1e9)
    A = np.exp(Z - Z.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    C = np.einsum("...ij,...jv->...iv", A, V)
    out = np.einsum("...v,vm->...m", C, W_O)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_dmodel_and_no_output: output-skipped, scale-by-dmodel
# root of d_model, and the output is the context
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q = np.einsum("...m,mk->...k", X, W_Q)
    K = np.einsum("...m,mk->...k", X, W_K)
    V = np.einsum("...m,mv->...v", X, W_V)
    S = Q @ K.swapaxes(-1, -2) / X.shape[-1] ** 0.5
    M = np.ones(S.shape, dtype=bool)
    if visible is not None:
        M = M & visible
    Z = np.where(M, S, -np.inf)
    L = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(L), 0, L))
    C = np.einsum("...ij,...jv->...iv", A, V)
    out = C.copy()
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_global_and_shared_mask: memory-shared, softmax-global
# each item's matrix is normalised as a whole, and the trace holds the caller's mask
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    M = np.ones(S.shape, bool) if visible is None else visible if visible.shape == S.shape else np.broadcast_to(visible, S.shape)
    Z = np.where(M, S, -np.inf)
    top = Z.max(axis=(1, 2), keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(axis=(1, 2), keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    out = C @ W_O
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_inverted_and_no_output: mask-inverted, output-skipped
# the hidden keys are read, and no W_O
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (np.dot(X, W) for W in (W_Q, W_K, W_V))
    S = np.matmul(Q, np.moveaxis(K, -1, -2)) * float(K.shape[-1]) ** -0.5
    M = np.ones(S.shape, bool) if visible is None else np.tile(visible, (len(X) // (len(visible) if visible.ndim == 3 else 1), X.shape[1] // visible.shape[-2], 1))
    A = np.zeros_like(S)
    for row in np.ndindex(*S.shape[:-1]):
        see = ~M[row]
        if see.any():
            e = np.exp(S[row][see] - S[row][see].max())
            A[row][see] = e / e.sum()
    C = np.matmul(A, V)
    out = C + 0
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_keys_ask_and_first_item: batch-first-item, qk-swapped
# K Q^T, and all items get the context of item 0
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = K @ Q.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    top = Z.max(axis=-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(axis=-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = np.repeat((A @ V)[:1], len(X), axis=0)
    out = C @ W_O
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_no_sum_and_wo_t: output-transposed, softmax-unnormalised
# exponentials as weights, and W_O.T
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    top = Z.max(axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(top), 0, top))
    C = A @ V
    out = C @ W_O.T
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_renormalised_and_no_output: mask-renormalised, output-skipped
# the row maximum includes hidden keys, and no W_O
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (np.dot(X, W) for W in (W_Q, W_K, W_V))
    S = np.matmul(Q, np.moveaxis(K, -1, -2)) * float(K.shape[-1]) ** -0.5
    M = np.ones(S.shape, bool) if visible is None else np.tile(visible, (len(X) // (len(visible) if visible.ndim == 3 else 1), X.shape[1] // visible.shape[-2], 1))
    E = np.where(M, np.exp(S - S.max(axis=-1, keepdims=True)), 0)
    N = E.sum(axis=-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = np.matmul(A, V)
    out = C.copy()
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_reshape_and_items_mixed: batch-flattened, keys-reshaped
# K is reshaped, and the context sums the values of all items
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.reshape(K.shape[:-2] + K.shape[:-3:-1]) / Q.shape[-1] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    top = Z.max(axis=-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(axis=-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = np.einsum("bij,cjv->biv", A, V)
    out = C @ W_O
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_turned_mask_and_residual: mask-transposed, residual-added
# the mask is applied as (key, query), and X is added
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M.swapaxes(1, 2), S, -np.inf)
    L = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(L), 0, L))
    C = A @ V
    out = C @ W_O + X
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_unmasked_and_residual: mask-missing, residual-added
# the mask is only shown, and X is added to the output
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q = np.einsum("...m,mk->...k", X, W_Q)
    K = np.einsum("...m,mk->...k", X, W_K)
    V = np.einsum("...m,mv->...v", X, W_V)
    S = np.einsum("...ik,...jk->...ij", Q / K.shape[-1] ** 0.5, K)
    M = np.ones(S.shape, dtype=bool)
    if visible is not None:
        M = M & visible
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    C = np.einsum("...ij,...jv->...iv", A, V)
    out = X + C @ W_O
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_unscaled_and_first_mask: mask-first-item, scale-missing
# no scale, and item 0's mask serves all
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2)
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M[0], S, -np.inf)
    top = Z.max(axis=-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(axis=-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    out = C @ W_O
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_unscaled_and_nan: empty-row-nan, scale-missing
# no scale, and empty rows are NaN
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2)
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    A = np.exp(Z - Z.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    C = A @ V
    out = C @ W_O
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong two_values_of_wk_and_late_mask: mask-after-softmax, values-from-keys
# V is made with W_K (fits where d_k = d_v), and the mask comes late
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (np.dot(X, W) for W in (W_Q, W_K, W_K))
    S = np.matmul(Q, np.moveaxis(K, -1, -2)) * float(K.shape[-1]) ** -0.5
    M = np.ones(S.shape, bool) if visible is None else np.tile(visible, (len(X) // (len(visible) if visible.ndim == 3 else 1), X.shape[1] // visible.shape[-2], 1))
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    A = np.where(M, A, 0)
    C = np.matmul(A, V)
    out = np.dot(C, W_O)
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong view_for_transpose: keys-reshaped
# K.reshape(B, d_k, T) for swapaxes
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    B, T, _ = X.shape
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.reshape(B, -1, T) / Q.shape[-1] ** 0.5
    M = np.ones((B, T, T), bool)
    if visible is not None:
        M &= visible
    A = np.zeros_like(S)
    for b in range(B):
        for i in range(T):
            z = S[b, i, M[b, i]]
            if z.size:
                A[b, i, M[b, i]] = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong visible_left_thin: -
# the trace holds the mask as it came, (B, 1, T) or (T, T)
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.ones(S.shape, bool) if visible is None else visible.copy()
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(l), 0, l))
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong weights_rounded_to_six: -
# weights are rounded to six decimals
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    M = np.array(np.broadcast_to(True if visible is None else visible, S.shape))
    Z = np.where(M, S, -np.inf)
    l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.round(np.exp(Z - np.where(np.isneginf(l), 0, l)), 6)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ W_O}

# %% wrong weights_times_visible: mask-after-softmax
# weights * visible after softmax over all keys
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(1, 2) / K.shape[2] ** 0.5
    if visible is None:
        visible = np.ones((X.shape[1],) * 2, bool)
    visible = visible & np.ones_like(S, dtype=bool)
    A = np.exp(S - np.logaddexp.reduce(S, axis=2, keepdims=True)) * visible
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "visible": visible, "weights": A, "context": C, "output": C @ W_O}

# %% wrong plain_exp_without_mask: -
# the softmax is stable only where a mask comes along
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    x = X if X.dtype.kind == "f" else X.astype(float)
    B, T = x.shape[:2]
    Q, K, V = x @ W_Q, x @ W_K, x @ W_V
    s = Q @ K.swapaxes(1, 2) / np.asarray(np.sqrt(Q.shape[2]), x.dtype)
    seen = np.ones((B, T, T), bool) if visible is None else np.broadcast_to(visible, (B, T, T)).copy()
    if visible is None:
        e = np.exp(s)
    else:
        z = np.where(seen, s, -np.inf)
        top = z.max(-1, keepdims=True)
        e = np.exp(z - np.where(np.isneginf(top), 0, top))
    t = e.sum(-1, keepdims=True)
    w = e / np.where(t == 0, 1, t)
    return {"Q": Q, "K": K, "V": V, "scores": s, "visible": seen, "weights": w, "context": w @ V, "output": w @ V @ W_O}

# %% wrong rank_two_as_padding: -
# with as many items as tokens a mask of rank 2 is read as one row an item
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    x = X if X.dtype.kind == "f" else X.astype(float)
    B, T = x.shape[:2]
    Q, K, V = x @ W_Q, x @ W_K, x @ W_V
    s = Q @ K.swapaxes(1, 2) / np.asarray(np.sqrt(Q.shape[2]), x.dtype)
    if visible is not None and visible.shape == (B, T):
        visible = visible[:, None, :]
    seen = np.ones((B, T, T), bool) if visible is None else np.broadcast_to(visible, (B, T, T)).copy()
    z = np.where(seen, s, -np.inf)
    top = z.max(-1, keepdims=True)
    e = np.exp(z - np.where(np.isneginf(top), 0, top))
    t = e.sum(-1, keepdims=True)
    w = e / np.where(t == 0, 1, t)
    return {"Q": Q, "K": K, "V": V, "scores": s, "visible": seen, "weights": w, "context": w @ V, "output": w @ V @ W_O}

# %% wrong padding_squeezed: -
# padding loses its axis, and with as many items as tokens is read as a mask (T, T)
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    x = X if X.dtype.kind == "f" else X.astype(float)
    B, T = x.shape[:2]
    Q, K, V = x @ W_Q, x @ W_K, x @ W_V
    s = Q @ K.swapaxes(1, 2) / np.asarray(np.sqrt(Q.shape[2]), x.dtype)
    if visible is not None and visible.ndim == 3 and visible.shape[1] == 1 < T:
        visible = visible[:, 0] if B == T else visible
    seen = np.ones((B, T, T), bool) if visible is None else np.broadcast_to(visible, (B, T, T)).copy()
    z = np.where(seen, s, -np.inf)
    top = z.max(-1, keepdims=True)
    e = np.exp(z - np.where(np.isneginf(top), 0, top))
    t = e.sum(-1, keepdims=True)
    w = e / np.where(t == 0, 1, t)
    return {"Q": Q, "K": K, "V": V, "scores": s, "visible": seen, "weights": w, "context": w @ V, "output": w @ V @ W_O}

# %% wrong no_empty_rows_please: input-mutated
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    f = np.float32 if X.dtype == np.float32 else np.float64
    B, T, _ = X.shape
    see = np.broadcast_to(True if visible is None else visible, (B, T, T)).copy()
    Q, K, V = (X.astype(f) @ W for W in (W_Q, W_K, W_V))
    scores = Q @ K.swapaxes(-1, -2) / f(np.sqrt(K.shape[-1]))
    z = np.where(see, scores, f(-np.inf))
    if visible is not None and visible.ndim == 2 and visible.flags.writeable:
        visible[~visible.any(axis=1)] = True       # no empty rows, please
    top = z.max(-1, keepdims=True)
    z = np.exp(z - np.where(np.isinf(top), f(0), top))
    s = z.sum(-1, keepdims=True)
    w = z / np.where(s == 0, f(1), s)
    c = w @ V
    return dict(Q=Q, K=K, V=V, scores=scores, visible=see, weights=w, context=c, output=c @ W_O)

# %% wrong masks_read_as_lengths: -
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = np.asarray(X)
    if X.dtype.kind != "f":
        X = X.astype(float)
    B, T, _ = X.shape
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.transpose(0, 2, 1) / W_Q.shape[1] ** 0.5
    seen = np.ones((B, T, T), dtype=bool)
    if visible is not None:
        if visible.ndim == 3 and visible.shape[1] == 1:
            lengths = visible.sum(-1)
            visible = np.arange(T) < lengths[:, :, None]
        seen &= visible
    masked = np.where(seen, scores, -np.inf)
    top = masked.max(-1, keepdims=True)
    top[~np.isfinite(top)] = 0
    e = np.exp(masked - top)
    total = e.sum(-1, keepdims=True)
    total[total == 0] = 1
    weights = e / total
    context = weights @ V
    return dict(Q=Q, K=K, V=V, scores=scores, visible=seen, weights=weights, context=context, output=context @ W_O)

# %% wrong all_hidden_is_no_mask: -
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.swapaxes(1, 2) / W_K.shape[1] ** 0.5
    seen = np.ones(scores.shape, dtype=bool)
    if visible is not None and np.any(visible):
        seen &= visible
    masked = np.where(seen, scores, -np.inf)
    top = masked.max(-1, keepdims=True)
    e = np.exp(masked - np.where(np.isinf(top), 0, top))
    total = e.sum(-1, keepdims=True)
    weights = e / np.where(total == 0, 1, total)
    context = weights @ V
    return dict(Q=Q, K=K, V=V, scores=scores, visible=seen, weights=weights, context=context, output=context @ W_O)

# %% wrong less_the_last_seen_key: softmax-unstable
# the score of the last visible key is no bound
def batched_self_attention(X, W_Q, W_K, W_V, W_O, visible=None):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.swapaxes(1, 2) / W_K.shape[1] ** 0.5
    seen = np.ones(scores.shape, dtype=bool)
    if visible is not None:
        seen &= visible
    weights = np.zeros_like(scores)
    for row in np.ndindex(scores.shape[:2]):
        v = scores[row][seen[row]]
        if len(v):
            e = np.exp(v - v[-1])
            weights[row][seen[row]] = e / e.sum()
    context = weights @ V
    return dict(Q=Q, K=K, V=V, scores=scores, visible=seen, weights=weights, context=context, output=context @ W_O)
