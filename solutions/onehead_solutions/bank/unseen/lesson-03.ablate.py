# %% right index_in_list
import functools
import numpy as np


def softmax_rows(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def ablate(X, W_Q, W_K, W_V, which, replacement):
    matrices = [W_Q, W_K, W_V]
    try:
        matrices[["W_Q", "W_K", "W_V"].index(which)] = replacement
    except ValueError:
        raise ValueError("unknown projection '" + which + "'") from None
    project = functools.partial(np.matmul, X.astype(np.result_type(X, np.float32)) if X.dtype.kind == "f" else X.astype(float))
    Q, K, V = map(project, matrices)
    scores = np.einsum("ik,jk->ij", Q, K) / K.shape[1] ** 0.5
    seen = np.arange(len(X))[:, None] >= np.arange(len(X))
    weights = softmax_rows(np.where(seen, scores, -np.inf))
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}

# %% right kwargs_update
def _attend(X, W_Q, W_K, W_V):
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    s = Q @ K.T / Q.shape[1] ** 0.5
    z = np.where(np.tri(len(X), dtype=bool), s, -np.inf)
    e = np.exp(z - z.max(1, keepdims=True))
    w = e / e.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": s, "weights": w, "context": w @ V}


def ablate(X, W_Q, W_K, W_V, which, replacement):
    projections = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    if which not in projections:
        raise ValueError(f"no projection is called {which!r}")
    projections[which] = replacement
    return _attend(X, **projections)

# %% wrong else_branch_for_wv: -
# any name but W_Q and W_K replaces W_V
def ablate(X, W_Q, W_K, W_V, which, replacement):
    Ws = [replacement, W_K, W_V] if which == "W_Q" else [W_Q, replacement, W_V] if which == "W_K" else [W_Q, W_K, replacement]
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (X @ W for W in Ws)
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong keyerror: -
# the dict raises KeyError, not ValueError
def ablate(X, W_Q, W_K, W_V, which, replacement):
    W = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    W[which]
    W[which] = replacement
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W["W_Q"], X @ W["W_K"], X @ W["W_V"]
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong only_own_stage_replaced: ablation-in-part
# Q, K or V is replaced in the finished trace, later stages stay as they were
def ablate(X, W_Q, W_K, W_V, which, replacement):
    if which not in ("W_Q", "W_K", "W_V"):
        raise ValueError(which)
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    t = {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}
    t[which[-1]] = X @ replacement
    return t

# %% wrong replaces_in_the_callers_array: input-mutated
# W[...] = replacement writes into the caller's matrix
def ablate(X, W_Q, W_K, W_V, which, replacement):
    named = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    if which not in named:
        raise ValueError(f"unknown: {which}")
    named[which][...] = replacement
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = (X @ W for W in named.values())
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong unknown_name_ignored: -
# an unknown name gives the unchanged trace
def ablate(X, W_Q, W_K, W_V, which, replacement):
    if which == "W_Q":
        W_Q = replacement
    elif which == "W_K":
        W_K = replacement
    elif which == "W_V":
        W_V = replacement
    X = X if X.dtype.kind == "f" else X.astype(float)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / K.shape[1] ** 0.5
    Z = np.where(np.tri(len(X), dtype=bool), S, -np.inf)
    A = np.exp(Z - Z.max(1, keepdims=True))
    A = A / A.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": S, "weights": A, "context": A @ V}

# %% wrong kept_without_which: hidden-state
# a trace is kept by all arrays, and not by which of them was replaced
_kept = {}

def ablate(X, W_Q, W_K, W_V, which, replacement):
    W = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    if which not in W:
        raise ValueError(f"no projection {which}")
    W[which] = replacement
    x = X if X.dtype.kind == "f" else X.astype(float)
    key = tuple(a.tobytes() for a in (X, W_Q, W_K, W_V, replacement))
    if key not in _kept:
        Q, K, V = x @ W["W_Q"], x @ W["W_K"], x @ W["W_V"]
        s = Q @ K.T / np.asarray(np.sqrt(Q.shape[1]), x.dtype)
        z = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        e = np.exp(z - z.max(1, keepdims=True))
        w = e / e.sum(1, keepdims=True)
        _kept[key] = {"Q": Q, "K": K, "V": V, "scores": s, "weights": w, "context": w @ V}
    return {name: a.copy() for name, a in _kept[key].items()}

# %% wrong values_replaced_by_integers: -
# the replacement of W_V is not made float
def ablate(X, W_Q, W_K, W_V, which, replacement):
    if which not in ("W_Q", "W_K", "W_V"):
        raise ValueError(f"no projection {which}")
    W = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, which: replacement}
    x = X if X.dtype.kind == "f" else X.astype(float)
    Q, K = x @ W["W_Q"], x @ W["W_K"]
    V = X @ replacement if which == "W_V" else x @ W_V
    scores = Q @ K.T / float(K.shape[1]) ** 0.5
    seen = np.where(np.tri(len(X), dtype=bool), scores, -np.inf)
    exp = np.exp(seen - seen.max(axis=-1, keepdims=True))
    weights = exp / exp.sum(axis=-1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}

# %% wrong name_by_its_beginning: -
def ablate(X, W_Q, W_K, W_V, which, replacement):
    X = X if X.dtype.kind == "f" else X.astype(float)
    W = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    if which[:3] not in W:
        raise ValueError(f"no projection {which}")
    W[which[:3]] = replacement
    Q, K, V = (X @ w for w in W.values())
    scores = Q @ K.T / float(K.shape[1]) ** 0.5
    seen = np.where(np.tri(len(X), dtype=bool), scores, -np.inf)
    exp = np.exp(seen - seen.max(axis=-1, keepdims=True))
    weights = exp / exp.sum(axis=-1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}

# %% wrong one_token_loses_its_axis: -
def ablate(X, W_Q, W_K, W_V, which, replacement):
    X = X if X.dtype.kind == "f" else X.astype(float)
    W = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    if which not in W:
        raise ValueError(f"no projection {which}")
    W[which] = replacement
    Q, K, V = (X @ w for w in W.values())
    scores = Q @ K.T / float(K.shape[1]) ** 0.5
    seen = np.where(np.tri(len(X), dtype=bool), scores, -np.inf)
    exp = np.exp(seen - seen.max(axis=-1, keepdims=True))
    weights = exp / exp.sum(axis=-1, keepdims=True)
    found = {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}
    return {name: x.squeeze() for name, x in found.items()}

# %% wrong replaces_X_as_well: -
def ablate(X, W_Q, W_K, W_V, which, replacement):
    given = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    if which not in given:
        raise ValueError(f"unknown projection {which!r}, expected W_Q, W_K or W_V")
    given[which] = replacement
    return attend(**given)

# %% wrong a_row_of_zeros_is_taken_for_empty: -
def ablate(X, W_Q, W_K, W_V, which, replacement):
    matrices = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    if which not in matrices:
        raise ValueError(f"no projection {which!r}")
    W_Q, W_K, W_V = (matrices | {which: replacement}).values()
    f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    Q, K, V = (X.astype(f) @ W for W in (W_Q, W_K, W_V))
    scores = Q @ K.T / f.type(K.shape[1]) ** f.type(0.5)
    visible = np.tri(len(X), dtype=bool)
    shown = np.where(visible, scores, -np.inf)
    powers = np.exp(shown - shown.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    weights[1:][~(scores * visible)[1:].any(axis=1)] = 0
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}
