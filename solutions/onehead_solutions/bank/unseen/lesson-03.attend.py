# %% right additive_neg_inf_bias
import math
import numpy as np


def attend(X, W_Q, W_K, W_V):
    X = X * 1.0 if X.dtype.kind != "f" else X
    queries = X @ W_Q
    keys = X @ W_K
    values = X @ W_V
    n = len(X)
    scale = math.sqrt(keys.shape[-1])
    scores = (queries / scale) @ keys.T
    bias = np.zeros((n, n), dtype=scores.dtype)
    bias[np.triu_indices(n, 1)] = -math.inf
    logits = scores + bias
    logits = logits - np.max(logits, axis=-1, keepdims=True)
    probs = np.exp(logits)
    probs = probs / probs.sum(-1)[:, np.newaxis]
    return dict(Q=queries, K=keys, V=values, scores=scores, weights=probs, context=probs @ values)

# %% right everything_nested_lists
import math
import numpy as np


def attend(X, W_Q, W_K, W_V):
    def times(A, B):
        return [[sum(float(a) * float(B[k][j]) for k, a in enumerate(row)) for j in range(len(B[0]))] for row in A]

    Q, K, V = times(X, W_Q), times(X, W_K), times(X, W_V)
    d_k = len(K[0])
    scores = [[sum(a * b for a, b in zip(q, k)) / math.sqrt(d_k) for k in K] for q in Q]
    weights = []
    for i, row in enumerate(scores):
        m = max(row[: i + 1])
        e = [math.exp(s - m) for s in row[: i + 1]]
        z = sum(e)
        weights.append([x / z for x in e] + [0.0] * (len(row) - i - 1))
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": times(weights, V)}

# %% right log_sum_exp
def attend(X, W_Q, W_K, W_V):
    as_float = lambda a: a if np.issubdtype(a.dtype, np.floating) else a.astype("float64")
    X, W_Q, W_K, W_V = map(as_float, (X, W_Q, W_K, W_V))
    t = {}
    t["Q"] = X.dot(W_Q)
    t["K"] = X.dot(W_K)
    t["V"] = X.dot(W_V)
    t["scores"] = t["Q"].dot(t["K"].T) * float(W_K.shape[1]) ** -0.5
    hidden = np.triu(np.ones(t["scores"].shape, bool), 1)
    s = np.where(hidden, -np.inf, t["scores"])
    t["weights"] = np.exp(s - np.logaddexp.reduce(s, axis=1, keepdims=True))
    t["context"] = t["weights"].dot(t["V"])
    return t

# %% right masked_array_softmax
def attend(X, W_Q, W_K, W_V):
    dtype = np.float32 if X.dtype == np.float32 else np.float64
    X, W_Q, W_K, W_V = (a.astype(dtype) for a in (X, W_Q, W_K, W_V))
    Q, K, V = (X @ W for W in (W_Q, W_K, W_V))
    scores = np.inner(Q, K) / dtype(np.sqrt(Q.shape[1]))
    m = np.ma.array(scores, mask=np.triu(np.ones(scores.shape), 1) > 0)
    e = np.ma.exp(m - m.max(axis=1)[:, None])
    weights = e / e.sum(axis=1)[:, None]
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights.filled(0) @ V}

# %% right recursion_over_tokens
def attend(X, W_Q, W_K, W_V):
    if X.dtype.kind in "iu":
        X = X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5

    def rows(i):
        if i < 0:
            return []
        e = np.exp(S[i, : i + 1] - max(S[i, : i + 1]))
        return rows(i - 1) + [np.pad(e / e.sum(), (0, len(X) - i - 1))]

    W = np.vstack(rows(len(X) - 1))
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": W, "context": W @ V}

# %% right row_loop_growing_prefix
def attend(X, W_Q, W_K, W_V):
    if X.dtype.kind != "f":
        X = X.astype(np.float64)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T = X.shape[0]
    scores = Q @ K.T / K.shape[1] ** 0.5
    weights = np.zeros_like(scores)
    for i in range(T):
        row = scores[i, : i + 1]
        p = np.exp(row - row.max())
        weights[i, : i + 1] = p / p.sum()
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}

# %% right scaled_keys
def attend(X, W_Q, W_K, W_V):
    """The scale is put on the keys for the product, the trace's K is plain."""
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ (K / K.shape[1] ** 0.5).T
    Z = S + np.triu(np.full(S.shape, -np.inf, dtype=S.dtype), 1)
    A = np.exp(Z - Z.max(axis=1, keepdims=True))
    A = np.true_divide(A, A.sum(axis=1, keepdims=True))
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong amax_without_axis: softmax-global-max
# np.amax(masked) has no axis
def attend(X, W_Q, W_K, W_V):
    if X.dtype.kind != "f":
        X = X.astype(float)
    r = {"Q": np.dot(X, W_Q), "K": np.dot(X, W_K), "V": np.dot(X, W_V)}
    r["scores"] = np.dot(r["Q"], r["K"].T) / W_Q.shape[1] ** 0.5
    masked = np.ma.array(r["scores"], mask=~np.tri(len(X), dtype=bool))
    e = np.exp(masked - np.amax(masked)).filled(0)
    r["weights"] = e / e.sum(axis=1).reshape(-1, 1)
    r["context"] = np.dot(r["weights"], r["V"])
    return r

# %% wrong both_sides_scaled_by_root: scale-by-dk
# queries and keys are each divided by sqrt(d_k), so the product is divided by d_k
def attend(X, W_Q, W_K, W_V):
    X = X.astype(X.dtype if X.dtype.kind == "f" else float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    root = K.shape[1] ** 0.5
    scores = (Q / root) @ (K / root).T
    z = np.where(np.tri(len(X)) == 1, scores, -np.inf)
    w = np.exp(z - z.max(1, keepdims=True))
    w = w / w.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": w, "context": w @ V}

# %% wrong context_rows_by_weights_transposed: context-transposed
# weights.T @ V, each value hands itself out
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A.T @ V}

# %% wrong empty_like_integer_product: integer-truncation
# scores are written into an array made like the integer Q @ K.T
def attend(X, W_Q, W_K, W_V):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    raw = Q @ K.T
    S = np.empty_like(raw)
    for i in range(len(X)):
        S[i] = raw[i] / K.shape[1] ** 0.5
    f = X.dtype if X.dtype.kind == "f" else float
    Q, K, V, S = (a.astype(f) for a in (Q, K, V, S))
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong exp_times_mask: softmax-unstable
# exp(scores) * tril without a shift
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    unnormalised = np.where(np.tri(len(X), dtype=bool), np.exp(scores), 0)
    weights = unnormalised / unnormalised.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}

# %% wrong extra_key_masked: -
# the trace has a seventh key
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "masked": Z, "weights": A, "context": A @ V}

# %% wrong flattened_softmax: softmax-global
# softmax of scores.ravel(), reshaped back
def softmax(v):
    e = np.exp(v - v.max())
    return e / e.sum()


def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(np.float64)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / Q.shape[-1] ** 0.5
    hidden = np.triu(np.ones_like(S), 1).astype(bool)
    Z = S.copy()
    Z[hidden] = -np.inf
    W = softmax(Z.ravel()).reshape(S.shape)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": W, "context": W @ V}

# %% wrong k_times_q_transposed: qk-swapped
# K @ Q.T under a causal mask (llm.c#531)
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = K @ Q.T / Q.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A /= A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong keys_out_of_order: -
# the dict begins with the context
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"context": A @ V, "weights": A, "scores": S, "Q": Q, "K": K, "V": V}

# %% wrong masked_scores_in_trace: scores-masked
# the trace's scores hold -inf where the mask hides
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    S[np.triu_indices(len(X), 1)] = -np.inf
    A = np.exp(S - S.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong minus_1e4_added: mask-finite-fill
# a bias of -1e4 on hidden cells does not remove scores of +1e4
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    bias = np.triu(np.full(S.shape, -1e4, dtype=S.dtype), 1)
    Z = S + bias
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    A = E / E.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong normaliser_sum_over_i: softmax-over-queries
# the einsum for the normaliser sums over i, the query
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = np.einsum("ik,jk->ij", Q, K) / W_K.shape[1] ** 0.5
    i, j = np.indices(S.shape)
    Z = np.where(j <= i, S, -np.inf)
    E = np.exp(Z - Z.max(axis=0))
    W = E / np.einsum("ij->j", E)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": W, "context": np.einsum("ij,jv->iv", W, V)}

# %% wrong not_causal: mask-missing
# attend is causal and here every token reads everything
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / Q.shape[1] ** 0.5
    W = np.exp(S - np.logaddexp.reduce(S, axis=1, keepdims=True))
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": W, "context": W @ V}

# %% wrong one_matrix_for_q_and_k: keys-from-queries
# W_Q serves for both, W_K is thought redundant
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q = X @ W_Q
    K = X @ W_Q
    V = X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong prefix_plus_two: mask-off-by-one
# row[:i+2], an off-by-one in the slice
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / Q.shape[1] ** 0.5
    W = np.zeros_like(S)
    for i in range(len(X)):
        e = np.exp(S[i, : i + 2] - S[i, : i + 2].max())
        W[i, : i + 2] = e / e.sum()
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": W, "context": W @ V}

# %% wrong prefix_without_i: mask-excludes-self
# the prefix is row[:i], token i does not read itself
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / Q.shape[1] ** 0.5
    W = np.zeros_like(S)
    for i in range(1, len(X)):
        e = np.exp(S[i, :i] - S[i, :i].max())
        W[i, :i] = e / e.sum()
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": W, "context": W @ V}

# %% wrong q_and_k_matrices_exchanged: keys-from-queries, queries-from-keys
# Q is made with W_K and K with W_Q
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_K, X @ W_Q, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong reads_the_suffix: mask-transposed
# the loop takes row[i:] instead of row[:i+1]
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / Q.shape[1] ** 0.5
    W = np.zeros_like(S)
    for i in range(len(X)):
        e = np.exp(S[i, i:] - S[i, i:].max())
        W[i, i:] = e / e.sum()
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": W, "context": W @ V}

# %% wrong reshape_for_transpose: keys-reshaped
# K.reshape(d_k, T) keeps the numbers' order where a transpose is due
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.reshape(K.shape[1], K.shape[0]) / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong residual_added: -
# V is added to the context, a residual that belongs outside
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V + V}

# %% wrong scale_from_input_width: scale-by-dmodel
# takes the width of X for the scale
import math
import numpy as np


def attend(X, W_Q, W_K, W_V):
    if X.dtype.kind in "iu":
        X = X.astype(float)
    trace = dict(Q=X @ W_Q, K=X @ W_K, V=X @ W_V)
    trace["scores"] = trace["Q"] @ trace["K"].T / math.sqrt(X.shape[-1])
    weights = []
    for i, row in enumerate(trace["scores"]):
        e = np.exp(row[: i + 1] - row[: i + 1].max())
        weights.append(np.concatenate([e / e.sum(), np.zeros(len(row) - i - 1, dtype=row.dtype)]))
    trace["weights"] = np.array(weights)
    trace["context"] = trace["weights"] @ trace["V"]
    return trace

# %% wrong tril_of_weights: mask-after-softmax
# np.tril(softmax(scores))
def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / K.shape[1] ** 0.5
    weights = np.tril(softmax(scores))
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}

# %% wrong two_dk_and_strict: mask-excludes-self, scale-by-dk
# divided by d_k, and a token cannot read itself
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (np.dot(X, W) for W in (W_Q, W_K, W_V))
    S = Q @ K.swapaxes(-1, -2) / K.shape[-1]
    M = np.tri(len(X), k=-1, dtype=bool)
    A = np.zeros_like(S)
    for row in np.ndindex(*S.shape[:-1]):
        see = M[row]
        if see.any():
            e = np.exp(S[row][see] - S[row][see].max())
            A[row][see] = e / e.sum()
    C = np.matmul(A, V)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": C}

# %% wrong two_dmodel_and_axis: scale-by-dmodel, softmax-over-queries
# root of d_model, and softmax down the columns
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q = np.einsum("...m,mk->...k", X, W_Q)
    K = np.einsum("...m,mk->...k", X, W_K)
    V = np.einsum("...m,mv->...v", X, W_V)
    S = Q @ K.swapaxes(-1, -2) / X.shape[-1] ** 0.5
    M = np.arange(len(X))[:, None] >= np.arange(len(X))
    Z = np.where(M, S, -np.inf)
    L = np.logaddexp.reduce(Z, axis=-2, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(L), 0, L))
    C = np.einsum("...ij,...jv->...iv", A, V)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": C}

# %% wrong two_exchanged_and_unscaled: keys-from-queries, queries-from-keys, scale-missing
# W_Q and W_K are exchanged, and there is no scale
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_K, X @ W_Q, X @ W_V
    S = np.einsum("ik,jk->ij", Q, K)
    M = np.arange(len(X))[:, None] >= np.arange(len(X))
    Z = np.where(M, S, -np.inf)
    L = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(L), 0, L))
    C = np.einsum("...ij,...jv->...iv", A, V)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": C}

# %% wrong two_keys_ask_and_late_mask: mask-after-softmax, qk-swapped
# K Q^T, and the weights are zeroed after softmax
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (np.dot(X, W) for W in (W_Q, W_K, W_V))
    S = K @ Q.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    M = np.tril(np.ones(S.shape)) > 0
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    A = np.where(M, A, 0)
    C = np.matmul(A, V)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": C}

# %% wrong two_one_ahead_and_keys_mixed: mask-off-by-one, values-from-keys
# one future token is read, and the context mixes K
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (np.dot(X, W) for W in (W_Q, W_K, W_V))
    S = np.matmul(Q, np.moveaxis(K, -1, -2)) * float(K.shape[-1]) ** -0.5
    M = np.tri(len(X), len(X), 1, dtype=bool)
    A = np.zeros_like(S)
    for row in np.ndindex(*S.shape[:-1]):
        see = M[row]
        if see.any():
            e = np.exp(S[row][see] - S[row][see].max())
            A[row][see] = e / e.sum()
    C = A @ K
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": C}

# %% wrong two_reshape_and_no_sum: keys-reshaped, softmax-unnormalised
# K is reshaped, and the exponentials are not divided
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.reshape(K.shape[:-2] + K.shape[:-3:-1]) / Q.shape[-1] ** 0.5
    M = np.tri(len(X), dtype=bool)
    Z = np.where(M, S, -np.inf)
    top = Z.max(axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(top), 0, top))
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": C}

# %% wrong two_total_sum_and_residual: softmax-global
# the whole matrix is normalised, and V is added to the context
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
    M = np.tri(len(X), dtype=bool)
    Z = np.where(M, S, -np.inf)
    E = np.exp(Z - Z.max())
    A = E / E.sum()
    C = A @ V + V
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": C}

# %% wrong two_unscaled_and_unmasked: mask-missing, scale-missing
# no scale, and the mask is built but not used
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.swapaxes(-1, -2)
    M = np.tri(len(X), dtype=bool)
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    A = A / A.sum(axis=-1, keepdims=True)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": C}

# %% wrong two_values_of_wk_and_dk: scale-by-dk, values-from-keys
# V is made with W_K, and the root is forgotten
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_K
    S = Q @ K.swapaxes(-1, -2) / K.shape[-1]
    M = np.tri(len(X), dtype=bool)
    Z = np.where(M, S, -np.inf)
    top = Z.max(axis=-1, keepdims=True)
    E = np.exp(Z - np.where(np.isneginf(top), 0, top))
    N = E.sum(axis=-1, keepdims=True)
    A = E / np.where(N == 0, 1, N)
    C = A @ V
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": C}

# %% wrong two_x_as_values_and_future: mask-transposed, values-from-input
# V is X, and the upper triangle is read
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X.copy()
    S = np.einsum("...ik,...jk->...ij", Q / K.shape[-1] ** 0.5, K)
    M = np.triu(np.ones((len(X), len(X)), dtype=bool))
    Z = np.where(M, S, -np.inf)
    L = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
    A = np.exp(Z - np.where(np.isneginf(L), 0, L))
    C = np.einsum("...ij,...jv->...iv", A, V)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": C}

# %% wrong v_is_x: values-from-input
# V is a copy of X, W_V is not used
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X.copy()
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong exponentials_in_float32: low-precision
# the exponentials alone are float32
def attend(X, W_Q, W_K, W_V):
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    Q, K, V = ((X @ W).astype(f) for W in (W_Q, W_K, W_V))
    scores = (Q @ K.T / np.sqrt(W_K.shape[1])).astype(f)
    weights = np.zeros_like(scores)
    for t, row in enumerate(scores):
        powers = np.exp(np.float32(row[: t + 1] - row[: t + 1].max())).astype(f)
        weights[t, : t + 1] = powers / powers.sum()
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}

# %% wrong products_in_float32: low-precision
# the products are float32, and scaled in float64
def attend(X, W_Q, W_K, W_V):
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    Q, K, V = ((X @ W).astype(f) for W in (W_Q, W_K, W_V))
    products = np.einsum("qk,pk->qp", Q.astype(np.float32), K.astype(np.float32)).astype(f)
    scores = (products / np.sqrt(W_K.shape[1])).astype(f)
    shown = np.where(np.tri(len(X), dtype=bool), scores, -np.inf)
    powers = np.exp(shown - shown.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}

# %% wrong int64_alone_is_made_float: -
def attend(X, W_Q, W_K, W_V):
    if X.dtype == np.int64:
        X = X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / float(K.shape[1]) ** 0.5
    seen = np.where(np.tri(len(X), dtype=bool), scores, -np.inf)
    exp = np.exp(seen - seen.max(axis=-1, keepdims=True))
    weights = exp / exp.sum(axis=-1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}

# %% right exponents_clipped
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    s = Q @ K.T / np.sqrt(K.shape[1]).astype(X.dtype)
    w = np.zeros_like(s)
    for i in range(len(X)):
        r = s[i, :i + 1]
        e = np.exp(np.clip(r - r.max(), -100 if X.dtype == np.float32 else -700, None)); w[i, :i + 1] = e / e.sum()
    return dict(Q=Q, K=K, V=V, scores=s, weights=w, context=w @ V)

# %% wrong buffer_of_sixteen: -
_block = np.tril(np.ones((16, 16), dtype=bool))

def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / float(K.shape[1]) ** 0.5
    seen = np.where(_block[: len(X), : len(X)], scores, -np.inf)
    exp = np.exp(seen - seen.max(axis=-1, keepdims=True))
    weights = exp / exp.sum(axis=-1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}

# %% wrong less_its_own_score: softmax-unstable
# the score that each token gives itself is no bound
def attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T / float(K.shape[1]) ** 0.5
    seen = np.where(np.tri(len(X), dtype=bool), scores - np.diag(scores)[:, None], -np.inf)
    exp = np.exp(seen)
    weights = exp / exp.sum(axis=-1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}

# %% wrong values_of_one_feature_squeezed: -
def attend(X, W_Q, W_K, W_V):
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    Q, K, V = (X.astype(f) @ W for W in (W_Q, W_K, W_V))
    scores = Q @ K.T / f.type(K.shape[1]) ** f.type(0.5)
    shown = np.where(np.tri(len(X), dtype=bool), scores, -np.inf)
    powers = np.exp(shown - shown.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    context = weights @ V
    if context.shape[1] == 1:
        context = context.squeeze(axis=1)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": context}

# %% wrong a_row_of_zeros_is_taken_for_empty: -
def attend(X, W_Q, W_K, W_V):
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    Q, K, V = (X.astype(f) @ W for W in (W_Q, W_K, W_V))
    scores = Q @ K.T / f.type(K.shape[1]) ** f.type(0.5)
    visible = np.tri(len(X), dtype=bool)
    shown = np.where(visible, scores, -np.inf)
    powers = np.exp(shown - shown.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    weights[1:][~(scores * visible)[1:].any(axis=1)] = 0
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}
