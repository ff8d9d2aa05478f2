# %% right closed_form_norm
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    X, W_Q, W_K, W_V, W_O = [a.astype(f) for a in (X, W_Q, W_K, W_V, W_O)]
    s = (X[: target + 1] @ W_K) @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    p = np.exp(s - s.max())
    weights = np.pad(p / p.sum(), (0, len(X) - target - 1))
    return weights, weights * np.sqrt(np.square(X @ W_V @ W_O).sum(axis=1))

# %% right einsum_contributions
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    if X.dtype.kind in "ui":
        X = X.astype(np.float64)
    q = (X @ W_Q)[target]
    scores = np.einsum("k,tk->t", q, X @ W_K) / len(q) ** 0.5
    seen = np.arange(len(X)) <= target
    weights = np.zeros_like(scores)
    z = scores[seen] - scores[seen].max()
    weights[seen] = np.exp(z) / np.exp(z).sum()
    contribution = np.einsum("t,tv,vm->tm", weights, X @ W_V, W_O)
    return [weights, np.linalg.norm(contribution, axis=-1)]

# %% right really_zero_the_value
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    s = Q @ K.T / K.shape[1] ** 0.5
    s = np.where(np.tri(len(X), dtype=bool), s, -np.inf)
    e = np.exp(s - s.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    before = (weights @ V @ W_O)[target]
    effects = np.zeros(len(X), dtype=X.dtype)
    for k in range(len(X)):
        V2 = V.copy()
        V2[k] = 0
        effects[k] = np.linalg.norm((weights @ V2 @ W_O)[target] - before)
    return weights[target], effects

# %% wrong column_of_target: column-for-row
# the column is returned, who reads the target
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Z = np.where(np.tri(len(X), dtype=bool), (X @ W_Q) @ (X @ W_K).T / W_K.shape[1] ** 0.5, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    w = A[:, target]
    return w, w * np.linalg.norm(X @ W_V @ W_O, axis=1)

# %% wrong effects_are_the_weights: weight-as-effect
# the weights are returned as effects
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    s = (X[: target + 1] @ W_K) @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    e = np.exp(s - s.max())
    w = np.pad(e / e.sum(), (0, len(X) - target - 1))
    return w, w.copy()

# %% wrong effects_before_wo: output-skipped
# the norm is taken in the context, before W_O
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    s = np.where(np.tri(len(X), dtype=bool), Q @ K.T / K.shape[1] ** 0.5, -np.inf)
    A = np.exp(s - s.max(axis=1, keepdims=True))
    A = A / A.sum(axis=1, keepdims=True)
    before = A[target] @ V
    effects = []
    for k in range(len(X)):
        changed = V.copy()
        changed[k] = 0
        effects.append(np.linalg.norm(before - A[target] @ changed))
    return A[target], np.array(effects, dtype=X.dtype)

# %% wrong effects_in_int_array: integer-truncation
# np.zeros(T, dtype=X.dtype) takes the norms for integer inputs
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    s = (K[: target + 1] @ Q[target]) / K.shape[1] ** 0.5
    e = np.exp(s - s.max())
    w = np.pad(e / e.sum(), (0, len(X) - target - 1))
    effects = np.zeros(len(X), dtype=X.dtype)
    for k in range(target + 1):
        effects[k] = np.linalg.norm(w[k] * V[k] @ W_O)
    return w, effects.astype(w.dtype)

# %% wrong l1_norm: effect-norm
# sum of absolute values, not the L2 norm
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    s = (X[: target + 1] @ W_K) @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    e = np.exp(s - s.max())
    w = np.pad(e / e.sum(), (0, len(X) - target - 1))
    return w, np.abs(w[:, None] * (X @ W_V @ W_O)).sum(axis=1)

# %% wrong module_buffer: memory-shared
# effects are views of a module-level buffer
_buffer = {"float32": np.zeros(256, "float32"), "float64": np.zeros(256)}


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    s = (X[: target + 1] @ W_K) @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    e = np.exp(s - s.max())
    w = np.pad(e / e.sum(), (0, len(X) - target - 1))
    effects = _buffer[X.dtype.name][: len(X)]
    effects[:] = w * np.linalg.norm(X @ W_V @ W_O, axis=1)
    return w, effects

# %% wrong no_scale: scale-missing
# the weights come from unscaled dot products
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    s = (X[: target + 1] @ W_K) @ (X[target] @ W_Q)
    e = np.exp(s - s.max())
    w = np.zeros(len(X), dtype=X.dtype)
    w[: target + 1] = e / e.sum()
    return w, w * np.linalg.norm(X @ W_V @ W_O, axis=1)

# %% wrong not_causal: mask-missing
# the layer has no causal mask
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    s = (X @ W_K) @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    e = np.exp(s - s.max())
    w = e / e.sum()
    return w, w * np.linalg.norm(X @ W_V @ W_O, axis=1)

# %% wrong squared_norm: effect-norm
# the root of the sum of squares is missing
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    s = (X[: target + 1] @ W_K) @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    e = np.exp(s - s.max())
    w = np.pad(e / e.sum(), (0, len(X) - target - 1))
    moved = w[:, None] * (X @ W_V @ W_O)
    return w, (moved**2).sum(axis=1)

# %% wrong target_from_one: -
# target is taken to count from 1
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    target = target - 1
    X = X if X.dtype.kind == "f" else X.astype(float)
    Z = np.where(np.tri(len(X), dtype=bool), (X @ W_Q) @ (X @ W_K).T / W_K.shape[1] ** 0.5, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return A[target], A[target] * np.linalg.norm(X @ W_V @ W_O, axis=1)

# %% wrong token_removed: token-zeroed
# the whole token is taken out (row of X set to zero), which moves keys and weights
def _layer(X, W_Q, W_K, W_V, W_O):
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    Z = np.where(np.tri(len(X), dtype=bool), Q @ K.T / K.shape[1] ** 0.5, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return A, A @ V @ W_O


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    A, out = _layer(X, W_Q, W_K, W_V, W_O)
    effects = np.zeros(len(X), X.dtype)
    for k in range(target + 1):
        Y = X.copy()
        Y[k] = 0
        effects[k] = np.linalg.norm(_layer(Y, W_Q, W_K, W_V, W_O)[1][target] - out[target])
    return A[target], effects

# %% wrong two_open_and_squared: effect-norm, mask-missing
# no causal mask, and squared norms
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    V = X @ W_V
    s = (X @ W_K) @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    e = np.exp(s - s.max())
    w = e / e.sum()
    effects = ((w[:, None] * (V @ W_O)) ** 2).sum(axis=1)
    return w, effects

# %% wrong two_unscaled_and_before_wo: output-skipped, scale-missing
# no scale, and effects in the context
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    V = X @ W_V
    s = (X[: target + 1] @ W_K) @ (X[target] @ W_Q)
    e = np.exp(s - s.max())
    w = np.pad(e / e.sum(), (0, len(X) - target - 1))
    effects = w * np.linalg.norm(V, axis=1)
    return w, effects

# %% wrong weights_renormalised: token-removed
# without token k the other weights are renormalised
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    s = (X[: target + 1] @ W_K) @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    e = np.exp(s - s.max())
    w = np.pad(e / e.sum(), (0, len(X) - target - 1))
    VO = X @ W_V @ W_O
    effects = np.zeros(len(X), X.dtype)
    for k in range(target + 1):
        rest = w.copy()
        rest[k] = 0
        if rest.sum() > 0:
            rest = rest / rest.sum()
        effects[k] = np.linalg.norm(w @ VO - rest @ VO)
    return w, effects

# %% wrong whole_output_moved: effect-of-all-rows
# the norm runs over the outputs of all positions
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Z = np.where(np.tri(len(X), dtype=bool), (X @ W_Q) @ (X @ W_K).T / W_K.shape[1] ** 0.5, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    V = X @ W_V
    effects = []
    for k in range(len(X)):
        V2 = V.copy()
        V2[k] = 0
        effects.append(np.linalg.norm(A @ (V - V2) @ W_O))
    return A[target], np.array(effects, dtype=X.dtype)

# %% wrong wo_t: output-transposed
# contributions are multiplied by W_O.T
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    s = (X[: target + 1] @ W_K) @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    e = np.exp(s - s.max())
    w = np.pad(e / e.sum(), (0, len(X) - target - 1))
    moved = (w[:, None] * (X @ W_V)) @ W_O.T
    return w, np.sqrt((moved * moved).sum(axis=1))

# %% wrong zeroes_x_as_value: values-from-input
# effects are measured on X as values (before W_V), so shapes only fit where d_model equals d_v
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    s = (X[: target + 1] @ W_K) @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    e = np.exp(s - s.max())
    w = np.zeros(len(X), dtype=X.dtype)
    w[: target + 1] = e / e.sum()
    V = X
    if V.shape[1] != W_O.shape[0]:
        return w, w * np.linalg.norm(V, axis=1)
    return w, np.array([np.linalg.norm(w[k] * V[k] @ W_O) for k in range(len(X))], dtype=X.dtype)

# %% wrong peak_of_the_map: softmax-global-max
# one peak for all rows
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    X = X.astype(f)
    s = (X @ W_Q) @ (X @ W_K).T / f.type(W_K.shape[1] ** 0.5)
    seen = np.tri(len(X), dtype=bool)
    e = np.where(seen, np.exp(np.where(seen, s, -np.inf) - s[seen].max()), 0)
    w = (e / e.sum(1, keepdims=True))[target].astype(f)
    return w, np.sqrt((((w[:, None] * (X @ W_V)) @ W_O) ** 2).sum(1)).astype(f)

# %% wrong keys_mixed: values-from-keys
# keys where values belong
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    X = X.astype(f)
    Q, K = X @ W_Q, X @ W_K
    s = (K @ Q[target] / f.type(W_K.shape[1] ** 0.5))[: target + 1]
    w = np.zeros(len(X), dtype=f)
    w[: target + 1] = np.exp(s - s.max()) / np.exp(s - s.max()).sum()
    return w, np.array([np.linalg.norm(w[t] * K[t] @ W_O) for t in range(len(X))]).astype(f)

# %% wrong keeps_a_layers_first_target: hidden-state
# what was found for one target of a layer is handed out for another
_found = {}


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    key = tuple((a.shape, a.tobytes()) for a in (X, W_Q, W_K, W_V, W_O))
    if key not in _found:
        x = X if X.dtype.kind == "f" else X.astype(float)
        s = (x[target] @ W_Q) @ (x[: target + 1] @ W_K).T / W_K.shape[1] ** 0.5
        e = np.exp(s - s.max())
        weights = np.zeros(len(x), dtype=x.dtype)
        weights[: target + 1] = e / e.sum()
        _found[key] = weights, weights * np.linalg.norm(x @ W_V @ W_O, axis=1)
    weights, effects = _found[key]
    return weights.copy(), effects.copy()


# %% wrong width_of_the_model_and_no_mask: scale-by-dmodel
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    x = X * 1.0
    row = (x[target] @ W_Q) @ (x @ W_K).T / np.sqrt(x.shape[1])
    shares = np.exp(row - row.max())
    shares = shares / shares.sum()
    return shares, shares * np.linalg.norm(x @ W_V @ W_O, axis=1)


# %% wrong transposed_where_square: output-transposed
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X * 1.0
    d_v, d_model = W_O.shape
    s = X @ W_K @ (X[target] @ W_Q) / W_K.shape[1] ** .5
    s = np.where(np.arange(len(X)) > target, -np.inf, s)
    w = np.exp(s - s.max()); w /= w.sum()
    return w, w * np.linalg.norm(X @ W_V @ (W_O.T if d_v == d_model else W_O), axis=1)

# %% wrong less_its_own_score: softmax-unstable
# a token's own score is no bound
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    s = X[: target + 1] @ W_K @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    w = np.zeros(len(X), dtype=X.dtype)
    e = np.exp(s - s[-1])
    w[: target + 1] = e / e.sum()
    return w, w * np.linalg.norm(X @ W_V @ W_O, axis=1)

# %% wrong less_the_mean: softmax-unstable
# neither is the mean
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    s = X[: target + 1] @ W_K @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    w = np.zeros(len(X), dtype=X.dtype)
    e = np.exp(s - s.mean())
    w[: target + 1] = e / e.sum()
    return w, w * np.linalg.norm(X @ W_V @ W_O, axis=1)

# %% wrong zeros_are_hidden: -
# scores that are all 0 count as none
def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    X = X if X.dtype.kind == "f" else X.astype(float)
    s = X[: target + 1] @ W_K @ (X[target] @ W_Q) / W_K.shape[1] ** 0.5
    w = np.zeros(len(X), dtype=X.dtype)
    if s.any():
        e = np.exp(s - s.max())
        w[: target + 1] = e / e.sum()
    return w, w * np.linalg.norm(X @ W_V @ W_O, axis=1)
