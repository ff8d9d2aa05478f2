# %% right rewritten
def debugging_3(X, W_Q, W_K, W_V, W_O):
    if X.ndim == 3:
        return np.stack([debugging_3(x, W_Q, W_K, W_V, W_O) for x in X])
    X = X if X.dtype.kind == "f" else X.astype(float)
    S = (X @ W_Q) @ (X @ W_K).T / W_Q.shape[1] ** 0.5
    rows = []
    for i in range(len(X)):
        e = np.exp(S[i, : i + 1] - S[i, : i + 1].max())
        rows.append((e / e.sum()) @ (X[: i + 1] @ W_V) @ W_O)
    return np.array(rows)

# %% wrong axis_repaired_only: scale-by-dmodel
# the scale stays the root of d_model
def debugging_3(X, W_Q, W_K, W_V, W_O):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T, d_model = X.shape[-2:]
    scores = Q @ K.swapaxes(-1, -2) / d_model**0.5
    masked = np.where(np.tril(np.ones((T, T), dtype=bool)), scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    weights = exp / exp.sum(axis=-1, keepdims=True)
    return weights @ V @ W_O

# %% wrong scale_repaired_only: softmax-over-queries
# axis=1 stays, right without a batch only
def debugging_3(X, W_Q, W_K, W_V, W_O):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T = X.shape[-2]
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    masked = np.where(np.tril(np.ones((T, T), dtype=bool)), scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = exp / exp.sum(axis=1, keepdims=True)
    return weights @ V @ W_O


# %% wrong no_scale_and_sees_one_ahead: scale-missing
def debugging_3(X, W_Q, W_K, W_V, W_O):
    X = X * 1.0
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T = X.shape[-2]
    scores = np.where(np.tri(T, k=1, dtype=bool), Q @ np.swapaxes(K, -1, -2), -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)) @ V @ W_O

# %% wrong one_item_dropped: -
# one sequence becomes a batch of one, and a batch of one a sequence
def debugging_3(X, W_Q, W_K, W_V, W_O):
    X = X if X.ndim == 3 else X[None]
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T, d_k = K.shape[-2:]
    scores = Q @ K.swapaxes(-1, -2) / d_k**0.5
    masked = np.where(np.tri(T, dtype=bool), scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    out = exp / exp.sum(axis=-1, keepdims=True) @ V @ W_O
    return out[0] if len(out) == 1 else out

# %% wrong less_its_own_score: softmax-unstable
def debugging_3(X, W_Q, W_K, W_V, W_O):
    X = X * 1.0 if X.dtype.kind != "f" else X
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T, d_k = K.shape[-2:]
    scores = Q @ K.swapaxes(-1, -2) / d_k**0.5
    masked = np.where(np.tri(T, dtype=bool), scores, -np.inf)
    exp = np.exp(masked - np.einsum('...ii->...i', scores)[..., None])
    out = exp / exp.sum(axis=-1, keepdims=True) @ V @ W_O
    return out

# %% wrong one_token_flat: -
def debugging_3(X, W_Q, W_K, W_V, W_O):
    X = X * 1.0 if X.dtype.kind != "f" else X
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    T, d_k = K.shape[-2:]
    scores = Q @ K.swapaxes(-1, -2) / d_k**0.5
    masked = np.where(np.tri(T, dtype=bool), scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    out = exp / exp.sum(axis=-1, keepdims=True) @ V @ W_O
    return out[0] if out.ndim == 2 and len(out) == 1 else out
