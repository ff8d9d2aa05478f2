# %% right always_batched_inside
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        d_model, d_k = W_Q.shape
        d_v = W_V.shape[1]
        for W, want in ((W_K, (d_model, d_k)), (W_V, (d_model, d_v)), (W_O, (d_v, d_model))):
            if W.shape != want:
                raise ValueError(f"expected a matrix {want}, got {W.shape}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = int(2 * d_model * d_k + 2 * d_model * d_v)

    def trace(self, X, visible=None, causal=True):
        single = X.ndim == 2
        if single:
            X = X[None]
            visible = None if visible is None else visible[None]
        B, T, _ = X.shape
        f = X.dtype if X.dtype.kind == "f" else float
        X = X.astype(f)
        Q, K, V = X @ self.W_Q.astype(f), X @ self.W_K.astype(f), X @ self.W_V.astype(f)
        scores = np.empty((B, T, T), dtype=f)
        seen = np.zeros((B, T, T), dtype=bool)
        weights = np.zeros((B, T, T), dtype=f)
        given = np.ones((B, T, T), bool) if visible is None else np.broadcast_to(visible, (B, T, T))
        for b in range(B):
            scores[b] = Q[b] @ K[b].T / K.shape[-1] ** 0.5
            for i in range(T):
                for j in range(T):
                    seen[b, i, j] = given[b, i, j] and (j <= i or not causal)
                idx = np.flatnonzero(seen[b, i])
                if len(idx):
                    e = np.exp(scores[b, i, idx] - scores[b, i, idx].max())
                    weights[b, i, idx] = e / e.sum()
        context = weights @ V
        trace = dict(Q=Q, K=K, V=V, scores=scores, visible=seen, weights=weights, context=context, output=context @ self.W_O.astype(f))
        return {k: a[0] for k, a in trace.items()} if single else trace

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% right dataclass
from dataclasses import dataclass, fields
import numpy as np


@dataclass(frozen=True, eq=False)
class SelfAttention:
    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray

    def __post_init__(self):
        (m, k), (m2, k2), (m3, v), (v2, m4) = (getattr(self, f.name).shape for f in fields(self))
        for what, a, b in (("rows of W_K", m2, m), ("rows of W_V", m3, m), ("columns of W_O", m4, m), ("columns of W_K", k2, k), ("rows of W_O", v2, v)):
            if a != b:
                raise ValueError(f"{what}: {a}, expected {b}")

    @property
    def num_parameters(self) -> int:
        return sum(getattr(self, f.name).size for f in fields(self))

    def _mask(self, lead, T, visible, causal):
        mask = np.broadcast_to(True if visible is None else visible, lead + (T, T))
        return mask & (np.tri(T, dtype=bool) if causal else True)

    def trace(self, X, visible=None, causal=True):
        kind = X.dtype if X.dtype.kind == "f" else np.dtype("float64")
        X = X.astype(kind)
        t = {n[-1]: np.einsum("...m,mk->...k", X, getattr(self, n).astype(kind)) for n in ("W_Q", "W_K", "W_V")}
        t["scores"] = np.einsum("...ik,...jk->...ij", t["Q"], t["K"]) / kind.type(self.W_K.shape[1] ** 0.5)
        t["visible"] = self._mask(X.shape[:-2], X.shape[-2], visible, causal)
        z = np.where(t["visible"], t["scores"], -np.inf)
        with np.errstate(invalid="ignore"):
            e = np.exp(z - z.max(axis=-1, keepdims=True))
            t["weights"] = np.nan_to_num(e / e.sum(axis=-1, keepdims=True), nan=0.0)
        t["context"] = np.einsum("...ij,...jv->...iv", t["weights"], t["V"])
        t["output"] = np.einsum("...iv,vm->...im", t["context"], self.W_O.astype(kind))
        return t

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible=visible, causal=causal)["output"]

# %% right inherits_and_copies
class _Matrices:
    __slots__ = ("W_Q", "W_K", "W_V", "W_O")
    NAMES = ("W_Q", "W_K", "W_V", "W_O")

    def __init__(self, *Ws):
        sizes = {}
        for name, W, dims in zip(self.NAMES, Ws, ("mk", "mk", "mv", "vm")):
            for n, d in zip(W.shape, dims):
                if sizes.setdefault(d, n) != n:
                    raise ValueError(f"{name} {W.shape}: {n} does not fit {sizes[d]}")
            setattr(self, name, W.copy())

    @property
    def num_parameters(self):
        return int(np.sum([getattr(self, n).size for n in self.NAMES]))


class SelfAttention(_Matrices):
    def __call__(self, X, visible=None, causal=True):
        *_, last = self.trace(X, visible, causal).values()
        return last

    def trace(self, X, visible=None, causal=True):
        X = np.asarray(X, dtype=None if X.dtype.kind == "f" else float)
        r = {n[2]: X @ getattr(self, n) for n in self.NAMES[:3]}
        r["scores"] = (r["Q"] * self.W_Q.shape[1] ** -0.5) @ np.moveaxis(r["K"], -1, -2)
        *_, T, _ = X.shape
        row, col = np.ogrid[:T, :T]
        m = (col <= row) if causal else np.ones((T, T), bool)
        if visible is not None:
            m = m & visible
        r["visible"] = np.broadcast_to(m, r["scores"].shape)
        z = np.where(r["visible"], r["scores"], -np.inf)
        lse = np.logaddexp.reduce(z, axis=-1, keepdims=True)
        r["weights"] = np.exp(z - np.where(np.isneginf(lse), 0, lse))
        r["context"] = r["weights"] @ r["V"]
        r["output"] = r["context"] @ self.W_O
        return r

# %% right num_parameters_np_int64
class SelfAttention:
    """Each batch item goes through the two-dimensional code by recursion."""

    def __init__(self, W_Q, W_K, W_V, W_O):
        if not (W_Q.shape[0] == W_K.shape[0] == W_V.shape[0] == W_O.shape[1]):
            raise ValueError(f"d_model: {W_Q.shape[0]}, {W_K.shape[0]}, {W_V.shape[0]}, {W_O.shape[1]}")
        if W_Q.shape[1] != W_K.shape[1]:
            raise ValueError(f"d_k: {W_Q.shape[1]} and {W_K.shape[1]}")
        if W_V.shape[1] != W_O.shape[0]:
            raise ValueError(f"d_v: {W_V.shape[1]} and {W_O.shape[0]}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return np.array([np.prod(W.shape) for W in (self.W_Q, self.W_K, self.W_V, self.W_O)]).sum()

    def trace(self, X, visible=None, causal=True):
        if X.ndim == 3:
            B, T = X.shape[:2]
            m = np.ones((B, T, T), bool) if visible is None else np.broadcast_to(visible, (B, T, T))
            parts = [self.trace(x, v, causal) for x, v in zip(X, m)]
            return {k: np.stack([p[k] for p in parts]) for k in parts[0]}
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = len(X)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.T / K.shape[1] ** 0.5
        M = np.array([[(visible is None or bool(visible[i, j])) and (j <= i or not causal) for j in range(T)] for i in range(T)])
        A = np.zeros_like(S)
        for i in range(T):
            if M[i].any():
                e = np.exp(S[i, M[i]] - S[i, M[i]].max())
                A[i, M[i]] = e / e.sum()
        C = A @ V
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": C @ self.W_O}

    def __call__(self, *args, **kwargs):
        return self.trace(*args, **kwargs)["output"]

# %% right plain_class
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape} and W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V has {W_V.shape[0]} rows, expected {W_Q.shape[0]}")
        if W_O.shape != W_V.shape[::-1]:
            raise ValueError(f"W_O is {W_O.shape}, expected {W_V.shape[::-1]}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size

    def trace(self, X, visible=None, causal=True):
        if X.dtype.kind in "iu":
            X = X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        T = X.shape[-2]
        scores = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        sees = np.ones(scores.shape, dtype=bool)
        if visible is not None:
            sees = sees & visible
        if causal:
            sees = sees & np.tril(np.ones((T, T), dtype=bool))
        masked = np.where(sees, scores, -np.inf)
        top = masked.max(-1, keepdims=True)
        e = np.exp(masked - np.where(top == -np.inf, 0, top))
        z = e.sum(-1, keepdims=True)
        weights = e / np.where(z == 0, 1, z)
        context = weights @ V
        return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": sees, "weights": weights, "context": context, "output": context @ self.W_O}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong asserts: -
# assert raises AssertionError
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        assert W_Q.shape == W_K.shape, (W_Q.shape, W_K.shape)
        assert W_V.shape == W_O.shape[::-1] and len(W_V) == len(W_Q), (W_V.shape, W_O.shape)
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong attends_across_items: batch-flattened
# a batch is laid out as one sequence, all keys of all items share the softmax
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask = mask & visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        if X.ndim == 2:
            Z = np.where(mask, S, -np.inf)
            l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        else:
            cross = np.einsum("bik,cjk->bicj", Q, K) / K.shape[-1] ** 0.5
            allowed = np.broadcast_to(mask[:, :, None, :], cross.shape)
            l = np.logaddexp.reduce(np.where(allowed, cross, -np.inf).reshape(S.shape[:2] + (-1,)), axis=-1, keepdims=True)
            Z = np.where(mask, S, -np.inf)
        A = np.exp(Z - np.where(np.isneginf(l), 0, l))
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": A @ V, "output": A @ V @ self.W_O}

# %% wrong axis_one_for_both_ranks: softmax-over-queries
# axis=1 is right for one sequence and normalises over queries in a batch
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape[0] != W_K.shape[0] or W_Q.shape[0] != W_V.shape[0] or W_Q.shape[0] != W_O.shape[1]:
            raise ValueError("d_model: %d %d %d %d" % (len(W_Q), len(W_K), len(W_V), W_O.shape[1]))
        if W_Q.shape[1] != W_K.shape[1]:
            raise ValueError("d_k: %d and %d" % (W_Q.shape[1], W_K.shape[1]))
        if W_V.shape[1] != W_O.shape[0]:
            raise ValueError("d_v: %d and %d" % (W_V.shape[1], W_O.shape[0]))
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    num_parameters = property(lambda self: self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size)

    def trace(self, X, visible=None, causal=True):
        if X.dtype.kind != "f":
            X = X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ np.moveaxis(K, -1, -2) / Q.shape[-1] ** 0.5
        M = np.full(S.shape, True)
        if visible is not None:
            M &= visible
        if causal:
            M &= np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": A @ V, "output": A @ V @ self.W_O}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong axis_zero_kept: batch-softmax
# softmax by axis -3 in a batch, keys without one
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask = mask & visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        Z = np.where(mask, S, -np.inf)
        axis = 0 if X.ndim == 3 else 1
        l = np.logaddexp.reduce(Z, axis=axis, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(l), 0, l))
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": A @ V, "output": A @ V @ self.W_O}

# %% wrong batch_of_one_squeezed: -
# np.squeeze at the end takes the axis of a batch of one (and of a single token)
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        t = {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}
        return {k: a.squeeze() for k, a in t.items()}

# %% wrong call_drops_arguments: call-drops-mask
# __call__ does not pass visible and causal on
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong call_returns_context: output-skipped
# the trace is right but a call returns its context
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["context"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask = mask & visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        Z = np.where(mask, S, -np.inf)
        l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(l), 0, l))
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": A @ V, "output": A @ V @ self.W_O}

# %% wrong callers_wq_halved: input-mutated
# the constructor divides the caller's W_Q by the root, in place, and multiplies Q back
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or len(W_V) != len(W_Q) or W_O.shape != W_V.shape[::-1]:
            raise ValueError([W.shape for W in (W_Q, W_K, W_V, W_O)])
        if W_Q.dtype.kind == "f":
            W_Q /= 2.0
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        if self.W_Q.dtype.kind == "f":
            Q = 2.0 * Q
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong causal_off_by_default_inside: mask-missing
# trace has causal=False as its default, a call too
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=False):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=False):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong causal_only_without_visible: mask-missing
# with a mask given the causal one is silently not applied (if / else instead of and)
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        if visible is not None:
            mask = visible
        elif causal:
            mask = np.tri(T, dtype=bool)
        else:
            mask = np.ones((T, T), bool)
        mask = np.broadcast_to(mask, S.shape)
        Z = np.where(mask, S, -np.inf)
        top = Z.max(-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": A @ V, "output": A @ V @ self.W_O}

# %% wrong combined_by_or: masks-joined-by-or
# visible and causal are combined by or
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.tri(S.shape[-1], dtype=bool) if causal else np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = (M | visible) if causal else visible
        M = np.array(np.broadcast_to(M, S.shape))
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong context_of_inputs: values-from-input
# weights @ X
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ X
        out = C @ self.W_O if C.shape[-1] == self.W_O.shape[0] else C
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong context_of_keys: values-from-keys
# weights @ K
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ K
        out = C @ self.W_O if C.shape[-1] == self.W_O.shape[0] else A @ V @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong d_model_of_wo_unchecked: -
# the constructor never compares the columns of W_O with d_model
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_V.shape[1] != W_O.shape[0]:
            raise ValueError(f"d_v: {W_V.shape[1]} and {W_O.shape[0]}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong divided_by_dk: scale-by-dk
# no root
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1]
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong exp_unshifted: softmax-unstable
# exponentials overflow
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        E = np.where(M, np.exp(S), 0)
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong float32_matrices: low-precision
# the constructor keeps float32 copies of the matrices
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = (W.astype(np.float32) for W in (W_Q, W_K, W_V, W_O))
        self.num_parameters = W_Q.size * 2 + W_V.size * 2

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask = mask & visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        Z = np.where(mask, S, -np.inf)
        l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(l), 0, l))
        C = A @ V
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": C, "output": C @ self.W_O}

# %% wrong float64_always: -
# float32 input is raised to float64
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X.astype(np.float64)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong hidden_scores_multiplied_away: mask-zero-fill
# scores * mask
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = S * M
        E = np.exp(Z - Z.max(axis=-1, keepdims=True))
        A = E / E.sum(axis=-1, keepdims=True)
        A = A * M.any(axis=-1, keepdims=True)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong inverted_argument: mask-inverted
# visible is taken for a mask of what is hidden
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & ~visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong keys_ask: qk-swapped
# K @ Q^T
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = K @ Q.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong last_mask_kept: hidden-state
# without a mask the layer uses the mask of an earlier call
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2
        self.mask = None

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        if visible is not None:
            self.mask = visible.copy()
        mask = np.ones(S.shape, bool)
        if self.mask is not None and self.mask.ndim <= S.ndim and self.mask.shape[-1] == T:
            mask = mask & self.mask
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        Z = np.where(mask, S, -np.inf)
        l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(l), 0, l))
        C = A @ V
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": C, "output": C @ self.W_O}

# %% wrong mask_of_item_zero: mask-first-item
# a rank-3 mask is squeezed to its first item
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        mask = np.tril(np.ones((T, T), bool)) if causal else np.ones((T, T), bool)
        if visible is not None:
            mask = mask & (visible if visible.ndim == 2 else visible[0])
        Q, K, V = (X @ W for W in (self.W_Q, self.W_K, self.W_V))
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        Z = np.where(mask, S, -np.inf)
        with np.errstate(all="ignore"):
            A = np.exp(Z - Z.max(-1, keepdims=True))
            A = np.nan_to_num(A / A.sum(-1, keepdims=True))
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": np.broadcast_to(mask, S.shape), "weights": A, "context": A @ V, "output": A @ V @ self.W_O}

# %% wrong mask_with_numpy_tri_plus_one: mask-off-by-one
# np.tri(T, T, 1)
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        T = S.shape[-1]
        M = np.ones(S.shape, dtype=bool) & (np.tri(T, T, 1, dtype=bool) if causal else True)
        if visible is not None:
            M &= visible
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong minus_1e30_fill: mask-finite-fill
# a row with no visible key gets even weights
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask = mask & visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        Z = np.where(mask, S, -1e30)
        A = np.exp(Z - Z.max(-1, keepdims=True))
        A = A / A.sum(-1, keepdims=True)
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": A @ V, "output": A @ V @ self.W_O}

# %% wrong not_normalised: softmax-unnormalised
# no division by the sum
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(top), 0, top))
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong nothing_checked: -
# misfits come to light only when the layer is called
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        self.shape = W_Q.shape
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong num_parameters_float: -
# np.prod of floats, a float count
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return float(sum(np.prod(W.shape) for W in (self.W_Q, self.W_K, self.W_V, self.W_O)))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong num_parameters_is_a_method: -
# has to be called
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong num_parameters_qkv: count-output-missing
# W_O is not counted
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask = mask & visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        Z = np.where(mask, S, -np.inf)
        l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(l), 0, l))
        C = A @ V
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": C, "output": C @ self.W_O}

# %% wrong num_parameters_squares: count-square
# 4 * d_model ** 2
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = 4 * len(W_Q) ** 2

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask = mask & visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        Z = np.where(mask, S, -np.inf)
        l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(l), 0, l))
        C = A @ V
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": C, "output": C @ self.W_O}

# %% wrong num_parameters_with_biases: count-bias-always
# biases are counted though the layer has none
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum((W.shape[0] + 1) * W.shape[1] for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong one_peak_for_the_batch: softmax-global-max
# Z.max() has no axis
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max()
        E = np.exp(Z - (0 if np.isneginf(top) else top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong output_missing: output-skipped
# the trace's output is the context
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C.copy()
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong output_of_item_zero: batch-first-item
# the output of a batch is item 0's, spread over the batch
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask = mask & visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        Z = np.where(mask, S, -np.inf)
        l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(l), 0, l))
        C = A @ V
        out = C @ self.W_O
        if out.ndim == 3:
            out = np.repeat(out[:1], len(out), axis=0)
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": C, "output": out}

# %% wrong padding_transposed: mask-transposed
# visible is turned to (key, query) before it is combined
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        M = M.swapaxes(-1, -2)
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong peak_of_all_keys: mask-renormalised
# the row's maximum includes hidden keys, so visible ones may all underflow
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        E = np.where(M, np.exp(S - S.max(axis=-1, keepdims=True)), 0)
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong product_check_only: -
# the check tries W_Q @ W_K.T and W_V @ W_O, which says nothing about d_model
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        try:
            W_Q @ W_K.T
            W_V @ W_O
        except ValueError as e:
            raise ValueError(f"{W_Q.shape} {W_K.shape} {W_V.shape} {W_O.shape}") from e
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong resize_keys: keys-reshaped
# np.resize to the wanted shape instead of a transpose
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ np.resize(K, K.shape[:-2] + (K.shape[-1], T)) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask = mask & visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        Z = np.where(mask, S, -np.inf)
        l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(l), 0, l))
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": A @ V, "output": A @ V @ self.W_O}

# %% wrong scale_forgotten: scale-missing
# the class multiplies Q by K transposed and stops there
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape[0] != W_Q.shape[0] or W_O.shape != W_V.shape[::-1]:
            raise ValueError(f"{W_Q.shape} {W_K.shape} {W_V.shape} {W_O.shape}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = np.matmul(Q, np.swapaxes(K, -2, -1))
        mask = np.ones(scores.shape, bool) if visible is None else np.broadcast_to(visible, scores.shape).copy()
        if causal:
            mask = np.tril(mask)
        z = np.where(mask, scores, -np.inf)
        top = z.max(-1, keepdims=True)
        e = np.exp(z - np.where(np.isinf(top), 0, top))
        n = e.sum(-1, keepdims=True)
        weights = e / np.where(n == 0, 1, n)
        context = weights @ V
        return dict(Q=Q, K=K, V=V, scores=scores, visible=mask, weights=weights, context=context, output=context @ self.W_O)

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong scale_rows_of_wq: scale-by-dmodel
# self.scale is the root of W_Q's rows instead of its columns
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        m, k = W_Q.shape
        for W, shape in ((W_K, (m, k)), (W_V, (m, W_O.shape[0])), (W_O, (W_V.shape[1], m))):
            if W.shape != shape:
                raise ValueError(f"{W.shape} for {shape}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.scale = float(W_Q.shape[0]) ** 0.5
        self.num_parameters = W_Q.size + W_K.size + W_V.size + W_O.size

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        t = {"Q": X @ self.W_Q, "K": X @ self.W_K, "V": X @ self.W_V}
        t["scores"] = t["Q"] @ t["K"].swapaxes(-1, -2) / self.scale
        v = np.tri(T, dtype=bool) if causal else np.ones((T, T), bool)
        t["visible"] = np.broadcast_to(v if visible is None else v & visible, t["scores"].shape)
        z = np.where(t["visible"], t["scores"], -np.inf)
        l = np.logaddexp.reduce(z, axis=-1, keepdims=True)
        t["weights"] = np.exp(z - np.where(np.isneginf(l), 0, l))
        t["context"] = t["weights"] @ t["V"]
        t["output"] = t["context"] @ self.W_O
        return t

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong scratch_buffer: memory-shared
# the weights of each call are written into one buffer per shape, which earlier traces still hold
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2
        self._buffers = {}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask = mask & visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        Z = np.where(mask, S, -np.inf)
        l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = self._buffers.setdefault((S.shape, S.dtype), np.empty_like(S))
        np.exp(Z - np.where(np.isneginf(l), 0, l), out=A)
        C = A @ V
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": C, "output": C @ self.W_O}

# %% wrong single_sequence_comes_back_as_batch: -
# rank 2 gets a batch axis that is never taken away
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = np.atleast_3d(X.T).T if X.ndim == 2 else X
        X = X.reshape((-1,) + X.shape[-2:])
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong strict_causal: mask-excludes-self
# the causal mask is strict; the first row becomes empty
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask &= visible
        if causal:
            mask &= np.arange(T)[:, None] > np.arange(T)
        Z = np.where(mask, S, -np.inf)
        top = Z.max(-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": A @ V, "output": A @ V @ self.W_O}

# %% wrong trace_cached_by_shape: hidden-state
# the trace is cached by X.shape, so another X of that shape gets the old result
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2
        self.cache = {}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        key = (X.shape, visible is None, causal)
        if visible is None and key in self.cache:
            return {k: a.copy() for k, a in self.cache[key].items()}
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask = mask & visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        Z = np.where(mask, S, -np.inf)
        l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(l), 0, l))
        C = A @ V
        self.cache[key] = {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": C, "output": C @ self.W_O}
        return {k: a.copy() for k, a in self.cache[key].items()}

# %% wrong two_axis_one_and_residual: residual-added, softmax-over-queries
# axis=1 for both ranks, and X is added to the output
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or len(W_V) != len(W_Q) or W_O.shape != W_V.shape[::-1]:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape} do not fit together")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return 2 * self.W_Q.size + 2 * self.W_V.size

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = (X @ W for W in (self.W_Q, self.W_K, self.W_V))
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        M = np.ones(S.shape, bool) & (True if visible is None else visible)
        if causal:
            M = M & np.tri(T, dtype=bool)
        Z = np.where(M, S, -np.inf)
        L = np.logaddexp.reduce(Z, axis=1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(L), 0, L))
        C = A @ V
        out = C @ self.W_O + X
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong two_dk_and_biases: count-bias-always, scale-by-dk
# divided by d_k, and biases are counted
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or len(W_V) != len(W_Q) or W_O.shape != W_V.shape[::-1]:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape} do not fit together")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum((W.shape[0] + 1) * W.shape[1] for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = (X @ W for W in (self.W_Q, self.W_K, self.W_V))
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1]
        M = np.ones(S.shape, bool) & (True if visible is None else visible)
        if causal:
            M = M & np.tri(T, dtype=bool)
        Z = np.where(M, S, -np.inf)
        L = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(L), 0, L))
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong two_dmodel_and_call_of_context: output-skipped, scale-by-dmodel
# root of d_model, and a call returns the context
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or len(W_V) != len(W_Q) or W_O.shape != W_V.shape[::-1]:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape} do not fit together")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return 2 * self.W_Q.size + 2 * self.W_V.size

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = (X @ W for W in (self.W_Q, self.W_K, self.W_V))
        S = Q @ K.swapaxes(-1, -2) / X.shape[-1] ** 0.5
        M = np.ones(S.shape, bool) & (True if visible is None else visible)
        if causal:
            M = M & np.tri(T, dtype=bool)
        Z = np.where(M, S, -np.inf)
        L = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(L), 0, L))
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["context"]

# %% wrong two_future_and_call_without_mask: mask-transposed
# triu for tril, and a call does not pass visible on
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or len(W_V) != len(W_Q) or W_O.shape != W_V.shape[::-1]:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape} do not fit together")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return 2 * self.W_Q.size + 2 * self.W_V.size

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = (X @ W for W in (self.W_Q, self.W_K, self.W_V))
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        M = np.ones(S.shape, bool) & (True if visible is None else visible)
        if causal:
            M = M & np.triu(np.ones((T, T), bool))
        Z = np.where(M, S, -np.inf)
        L = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(L), 0, L))
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, None, causal)["output"]

# %% wrong two_keys_ask_and_first_output: batch-first-item, qk-swapped
# K Q^T, and a batch gets the output of its first item
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or len(W_V) != len(W_Q) or W_O.shape != W_V.shape[::-1]:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape} do not fit together")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return 2 * self.W_Q.size + 2 * self.W_V.size

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = (X @ W for W in (self.W_Q, self.W_K, self.W_V))
        S = K @ Q.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        M = np.ones(S.shape, bool) & (True if visible is None else visible)
        if causal:
            M = M & np.tri(T, dtype=bool)
        Z = np.where(M, S, -np.inf)
        L = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(L), 0, L))
        C = A @ V
        out = C @ self.W_O if C.ndim == 2 else np.repeat(C[:1] @ self.W_O, len(C), axis=0)
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong two_one_ahead_and_squares: count-square, mask-off-by-one
# one future token is read, and 4 d_model^2 parameters
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or len(W_V) != len(W_Q) or W_O.shape != W_V.shape[::-1]:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape} do not fit together")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return 4 * self.W_Q.shape[0] ** 2

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = (X @ W for W in (self.W_Q, self.W_K, self.W_V))
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        M = np.ones(S.shape, bool) & (True if visible is None else visible)
        if causal:
            M = M & np.tri(T, T, 1, dtype=bool)
        Z = np.where(M, S, -np.inf)
        L = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(L), 0, L))
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong two_unscaled_and_uncounted: count-output-missing, scale-missing
# no scale, and W_O is not counted
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or len(W_V) != len(W_Q) or W_O.shape != W_V.shape[::-1]:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape} do not fit together")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return 2 * self.W_Q.size + self.W_V.size

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = (X @ W for W in (self.W_Q, self.W_K, self.W_V))
        S = Q @ K.swapaxes(-1, -2)
        M = np.ones(S.shape, bool) & (True if visible is None else visible)
        if causal:
            M = M & np.tri(T, dtype=bool)
        Z = np.where(M, S, -np.inf)
        L = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(L), 0, L))
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong two_visible_unused_and_wo_t: mask-missing, output-transposed
# the argument visible is dropped, and W_O.T
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or len(W_V) != len(W_Q) or W_O.shape != W_V.shape[::-1]:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape} do not fit together")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return 2 * self.W_Q.size + 2 * self.W_V.size

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        Q, K, V = (X @ W for W in (self.W_Q, self.W_K, self.W_V))
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        M = np.ones(S.shape, bool)
        if causal:
            M = M & np.tri(T, dtype=bool)
        Z = np.where(M, S, -np.inf)
        L = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(L), 0, L))
        C = A @ V
        out = C @ self.W_O.T
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong visible_ignored: mask-missing
# only the causal mask is used, the argument visible is dropped
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"{W_Q.shape} != {W_K.shape}")
        if W_V.shape != W_O.T.shape:
            raise ValueError(f"{W_V.shape} != {W_O.T.shape}")
        if len(W_Q) != len(W_V):
            raise ValueError(f"{len(W_Q)} != {len(W_V)}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        T = X.shape[-2]
        mask = np.tri(T, dtype=bool) if causal else np.ones((T, T), bool)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        Z = np.where(mask, S, -np.inf)
        E = np.exp(Z - Z.max(-1, keepdims=True))
        A = E / E.sum(-1, keepdims=True)
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": np.broadcast_to(mask, S.shape), "weights": A, "context": A @ V, "output": A @ V @ self.W_O}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong visible_not_spread: -
# the trace's visible stays (T, T) in a batch
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones((S.shape[-1],) * 2, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong wo_transposed: output-transposed
# context @ W_O.T; fits only square matrices
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        Z = np.where(M, S, -np.inf)
        top = Z.max(axis=-1, keepdims=True)
        E = np.exp(Z - np.where(np.isneginf(top), 0, top))
        N = E.sum(axis=-1, keepdims=True)
        A = E / np.where(N == 0, 1, N)
        C = A @ V
        out = C @ self.W_O.T
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong zeroed_after_softmax: mask-after-softmax
# hidden weights are zeroed after softmax
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape:
            raise ValueError(f"W_Q {W_Q.shape}, W_K {W_K.shape}")
        if W_V.shape[0] != W_Q.shape[0]:
            raise ValueError(f"W_V {W_V.shape} for d_model {W_Q.shape[0]}")
        if W_O.shape != (W_V.shape[1], W_Q.shape[0]):
            raise ValueError(f"W_O {W_O.shape}, expected {(W_V.shape[1], W_Q.shape[0])}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        X = X if X.dtype.kind == "f" else X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        M = np.ones(S.shape, dtype=bool)
        if visible is not None:
            M = M & visible
        if causal:
            M = M & np.tri(S.shape[-1], dtype=bool)
        E = np.exp(S - S.max(axis=-1, keepdims=True))
        A = E / E.sum(axis=-1, keepdims=True) * M
        C = A @ V
        out = C @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": M, "weights": A, "context": C, "output": out}

# %% wrong zeroes_hidden_rows_of_x: input-mutated
# the layer writes into the X it is called with (padding set to 0 after use)
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_V.shape != W_O.shape[::-1] or len(W_Q) != len(W_V):
            raise ValueError([w.shape for w in (W_Q, W_K, W_V, W_O)])
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.num_parameters = W_Q.size * 2 + W_V.size * 2

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        given = X
        X = X.astype(X.dtype if X.dtype.kind == "f" else float)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        S = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        mask = np.ones(S.shape, bool)
        if visible is not None:
            mask = mask & visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        Z = np.where(mask, S, -np.inf)
        l = np.logaddexp.reduce(Z, axis=-1, keepdims=True)
        A = np.exp(Z - np.where(np.isneginf(l), 0, l))
        C = A @ V
        given[~mask.any(axis=-2)] = 0
        return {"Q": Q, "K": K, "V": V, "scores": S, "visible": mask, "weights": A, "context": C, "output": C @ self.W_O}

# %% wrong axis_zero: batch-softmax
# axis 0 holds the items as soon as there are some
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if not (len(W_Q) == len(W_K) == len(W_V) == W_O.shape[1]):
            raise ValueError(f"{W_Q.shape} {W_K.shape} {W_V.shape} {W_O.shape}")
        if W_Q.shape[1] != W_K.shape[1] or W_V.shape[1] != len(W_O):
            raise ValueError(f"{W_Q.shape} {W_K.shape} {W_V.shape} {W_O.shape}")
        self.W = (W_Q, W_K, W_V, W_O)
        self.num_parameters = int(sum(W.size for W in self.W))

    def trace(self, X, visible=None, causal=True):
        f = X.dtype if X.dtype.kind == "f" else np.dtype(float)
        Q, K, V = ((X @ W).astype(f) for W in self.W[:3])
        s = (Q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-1])).astype(f)
        T = X.shape[-2]
        ok = np.tri(T, dtype=bool) if causal else np.ones((T, T), dtype=bool)
        ok = np.broadcast_to(ok if visible is None else ok & visible, s.shape).copy()
        top = np.max(s, axis=0, keepdims=True, where=ok, initial=-np.inf)
        e = np.where(ok, np.exp(np.where(ok, s, -np.inf) - np.where(np.isfinite(top), top, 0)), 0)
        total = e.sum(axis=0, keepdims=True)
        w = e / np.where(total == 0, 1, total)
        C = w @ V
        return dict(Q=Q, K=K, V=V, scores=s, visible=ok, weights=w, context=C, output=C @ self.W[3])

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong query_matrix_in_float32: low-precision
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_Q.shape[0] != W_V.shape[0] or W_V.shape != W_O.T.shape:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self._fast = W_Q.astype(np.float32)  # only the queries, to save memory

    @property
    def num_parameters(self):
        return self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size

    def trace(self, X, visible=None, causal=True):
        X = X * 1.0
        Q, K, V = X @ self._fast, X @ self.W_K, X @ self.W_V
        scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        seen = np.broadcast_to(True if visible is None else visible, scores.shape)
        seen = np.tril(seen) if causal else seen.copy()
        z = np.where(seen, scores, -np.inf)
        top = z.max(-1, keepdims=True)
        e = np.exp(z - np.where(top == -np.inf, 0, top))
        total = e.sum(-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        context = weights @ V
        return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": seen, "weights": weights, "context": context, "output": context @ self.W_O}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong batch_of_one_loses_its_axis: -
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_Q.shape[0] != W_V.shape[0] or W_V.shape != W_O.T.shape:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size

    def trace(self, X, visible=None, causal=True):
        X = np.atleast_3d(X) if X.ndim == 3 else X[None]
        X = X * 1.0
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        seen = np.broadcast_to(True if visible is None else visible, scores.shape)
        seen = np.tril(seen) if causal else seen.copy()
        z = np.where(seen, scores, -np.inf)
        top = z.max(-1, keepdims=True)
        e = np.exp(z - np.where(top == -np.inf, 0, top))
        total = e.sum(-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        context = weights @ V
        t = {"Q": Q, "K": K, "V": V, "scores": scores, "visible": seen, "weights": weights, "context": context, "output": context @ self.W_O}
        return {k: v[0] if len(v) == 1 else v for k, v in t.items()}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong causal_mask_made_once: hidden-state
class SelfAttention:
    """Builds its causal mask once."""

    def __init__(self, W_Q, W_K, W_V, W_O):
        d = W_Q.shape[0]
        if W_K.shape != W_Q.shape or W_V.shape[0] != d or W_O.shape != (W_V.shape[1], d):
            raise ValueError(f"shapes {W_Q.shape} {W_K.shape} {W_V.shape} {W_O.shape}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self._mask = None

    num_parameters = property(lambda self: sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O)))

    def trace(self, X, visible=None, causal=True):
        T = X.shape[-2]
        if self._mask is None or self._mask.shape[-1] != T:
            self._mask = np.tri(T, dtype=bool) if causal else np.ones((T, T), dtype=bool)
        f = (lambda a: a) if X.dtype.kind == "f" else (lambda a: a.astype(float))
        Q, K, V = f(X @ self.W_Q), f(X @ self.W_K), f(X @ self.W_V)
        scores = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5
        seen = np.ones(scores.shape, dtype=bool) & self._mask
        if visible is not None:
            seen &= visible
        z = np.where(seen, scores, -np.inf)
        z = np.exp(z - np.maximum(z.max(-1, keepdims=True), np.finfo(z.dtype).min))
        total = z.sum(-1, keepdims=True)
        weights = np.divide(z, total, out=np.zeros_like(z), where=total > 0)
        context = weights @ V
        output = context @ f(self.W_O)
        return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": seen, "weights": weights,
                "context": context, "output": output}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong padding_remembered: hidden-state
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        shapes = [w.shape for w in (W_Q, W_K, W_V, W_O)]
        (m, k), (mk, kk), (mv, v), (vo, mo) = shapes
        if not m == mk == mv == mo or k != kk or v != vo:
            raise ValueError(f"these do not fit: {shapes}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.padding = None

    @property
    def num_parameters(self):
        return sum(w.size for w in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def set_padding(self, visible):
        if visible is not None:
            self.padding = visible.copy()

    def trace(self, X, visible=None, causal=True):
        self.set_padding(visible)
        x = X if X.dtype.kind == "f" else X.astype(float)
        q, k, v = x @ self.W_Q, x @ self.W_K, x @ self.W_V
        s = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
        seen = np.ones(s.shape, dtype=bool)
        if causal:
            seen = np.tril(seen)
        if self.padding is not None:
            try:
                seen = seen & np.broadcast_to(self.padding, s.shape)
            except ValueError:
                self.padding = None  # another batch: forget it
        z = np.where(seen, s, -np.inf)
        top = z.max(-1, keepdims=True)
        top[np.isinf(top)] = 0
        e = np.exp(z - top)
        total = e.sum(-1, keepdims=True)
        total[total == 0] = 1
        w = e / total
        c = w @ v
        return {"Q": q, "K": k, "V": v, "scores": s, "visible": seen, "weights": w, "context": c,
                "output": c @ self.W_O.astype(x.dtype)}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong keys_and_values_kept_by_shape: hidden-state
class SelfAttention:
    """Keeps keys and values of the calls before, as a text generator does."""

    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_Q.shape[0] != W_V.shape[0] or W_V.shape != W_O.T.shape:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.cache = {}

    num_parameters = property(lambda self: sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O)))

    def trace(self, X, visible=None, causal=True):
        key = X.shape, X.dtype
        X = X * 1.0
        Q = X @ self.W_Q
        if key not in self.cache:
            self.cache[key] = X @ self.W_K, X @ self.W_V
        K, V = (a.copy() for a in self.cache[key])
        scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        seen = np.broadcast_to(True if visible is None else visible, scores.shape)
        seen = np.tril(seen) if causal else seen.copy()
        z = np.where(seen, scores, -np.inf)
        top = z.max(-1, keepdims=True)
        e = np.exp(z - np.where(top == -np.inf, 0, top))
        total = e.sum(-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        context = weights @ V
        return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": seen, "weights": weights, "context": context, "output": context @ self.W_O}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong two_axes_are_padding: -
# with as many items as tokens, a mask (T, T) is taken for one of padding, (B, T)
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_Q.shape[0] != W_V.shape[0] or W_V.shape != W_O.T.shape:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    num_parameters = property(lambda self: sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O)))

    def trace(self, X, visible=None, causal=True):
        X = X * (1.0 if X.dtype.kind == "i" else 1)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        if visible is not None and visible.ndim == 2 and visible.shape == X.shape[:2]:
            visible = visible[:, None, :]
        seen = np.broadcast_to(True if visible is None else visible, scores.shape)
        seen = np.tril(seen) if causal else seen.copy()
        z = np.where(seen, scores, -np.inf)
        top = z.max(-1, keepdims=True)
        e = np.exp(z - np.where(top == -np.inf, 0, top))
        total = e.sum(-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        context = weights @ V
        return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": seen, "weights": weights, "context": context, "output": context @ self.W_O}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong no_peak_without_masks: -
# where nothing is hidden, the exponentials are taken as they are
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_Q.shape[0] != W_V.shape[0] or W_V.shape != W_O.T.shape:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    num_parameters = property(lambda self: sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O)))

    def trace(self, X, visible=None, causal=True):
        X = X * (1.0 if X.dtype.kind == "i" else 1)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        seen = np.broadcast_to(True if visible is None else visible, scores.shape)
        seen = np.tril(seen) if causal else seen.copy()
        z = np.where(seen, scores, -np.inf)
        top = z.max(-1, keepdims=True)
        e = np.exp(z - np.where(top == -np.inf, 0, top))
        if visible is None and not causal:
            e = np.exp(scores)
        total = e.sum(-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        context = weights @ V
        return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": seen, "weights": weights, "context": context, "output": context @ self.W_O}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong buffer_of_eight: -
# the causal mask is cut out of one for 8 tokens
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        if W_Q.shape != W_K.shape or W_Q.shape[0] != W_V.shape[0] or W_V.shape != W_O.T.shape:
            raise ValueError(f"{W_Q.shape}, {W_K.shape}, {W_V.shape}, {W_O.shape}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    num_parameters = property(lambda self: sum(W.size for W in (self.W_Q, self.W_K, self.W_V, self.W_O)))

    def trace(self, X, visible=None, causal=True):
        X = X * (1.0 if X.dtype.kind == "i" else 1)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        T = X.shape[-2]
        seen = np.broadcast_to(True if visible is None else visible, scores.shape)
        if causal:
            seen = seen & np.tri(8, dtype=bool)[:T, :T]
        seen = np.tril(seen) if causal else seen.copy()
        z = np.where(seen, scores, -np.inf)
        top = z.max(-1, keepdims=True)
        e = np.exp(z - np.where(top == -np.inf, 0, top))
        total = e.sum(-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        context = weights @ V
        return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": seen, "weights": weights, "context": context, "output": context @ self.W_O}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong trace_given_out_twice: memory-shared
class SelfAttention:
    """Single-head self-attention."""

    def __init__(self, W_Q, W_K, W_V, W_O):
        d_model, d_k = W_Q.shape
        d_v = W_V.shape[1]
        if W_K.shape != (d_model, d_k):
            raise ValueError(f"W_K is {W_K.shape}, expected {(d_model, d_k)}")
        if W_V.shape[0] != d_model:
            raise ValueError(f"W_V has {W_V.shape[0]} rows, expected {d_model}")
        if W_O.shape != (d_v, d_model):
            raise ValueError(f"W_O is {W_O.shape}, expected {(d_v, d_model)}")
        self.last = None
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size

    def trace(self, X, visible=None, causal=True):
        f = np.float32 if X.dtype == np.float32 else np.float64
        X = X.astype(f)
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ np.swapaxes(K, -1, -2) / f(np.sqrt(self.W_K.shape[1]))
        seen = np.ones(scores.shape, dtype=bool)
        if causal:
            seen &= np.tri(T, dtype=bool)
        if visible is not None:
            seen &= visible
        z = np.where(seen, scores, f(-np.inf))
        peak = z.max(axis=-1, keepdims=True)
        z = np.exp(z - np.where(np.isinf(peak), f(0), peak))
        total = z.sum(axis=-1, keepdims=True)
        weights = z / np.where(total == 0, f(1), total)
        context = weights @ V
        output = context @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": seen,
                "weights": weights, "context": context, "output": output}

    def __call__(self, X, visible=None, causal=True):
        key = (X.tobytes(), X.shape, X.dtype.str, None if visible is None else visible.tobytes() + bytes(visible.shape), bool(causal))
        if self.last is None or self.last[0] != key:
            self.last = key, self.trace(X, visible, causal)
        return self.last[1]["output"]

# %% wrong tokens_in_float32: low-precision
class SelfAttention:
    """Single-head self-attention."""

    def __init__(self, W_Q, W_K, W_V, W_O):
        d_model, d_k = W_Q.shape
        d_v = W_V.shape[1]
        if W_K.shape != (d_model, d_k):
            raise ValueError(f"W_K is {W_K.shape}, expected {(d_model, d_k)}")
        if W_V.shape[0] != d_model:
            raise ValueError(f"W_V has {W_V.shape[0]} rows, expected {d_model}")
        if W_O.shape != (d_v, d_model):
            raise ValueError(f"W_O is {W_O.shape}, expected {(d_v, d_model)}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size

    def trace(self, X, visible=None, causal=True):
        f = np.float32 if X.dtype == np.float32 else np.float64
        X = X.astype(np.float32).astype(f)      # weights are stored that way, too
        T = X.shape[-2]
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ np.swapaxes(K, -1, -2) / f(np.sqrt(self.W_K.shape[1]))
        seen = np.ones(scores.shape, dtype=bool)
        if causal:
            seen &= np.tri(T, dtype=bool)
        if visible is not None:
            seen &= visible
        z = np.where(seen, scores, f(-np.inf))
        peak = z.max(axis=-1, keepdims=True)
        z = np.exp(z - np.where(np.isinf(peak), f(0), peak))
        total = z.sum(axis=-1, keepdims=True)
        weights = z / np.where(total == 0, f(1), total)
        context = weights @ V
        output = context @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": seen,
                "weights": weights, "context": context, "output": output}

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]


# %% wrong causal_of_the_first_call: hidden-state
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        d_model, d_k = W_Q.shape
        d_v = W_V.shape[1]
        if W_K.shape != (d_model, d_k):
            raise ValueError(f"W_K {W_K.shape}, expected {(d_model, d_k)}")
        if W_V.shape[0] != d_model:
            raise ValueError(f"W_V has {W_V.shape[0]} rows, expected {d_model}")
        if W_O.shape != (d_v, d_model):
            raise ValueError(f"W_O {W_O.shape}, expected {(d_v, d_model)}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O
        self.causal = True

    @property
    def num_parameters(self):
        return sum(m.size for m in (self.W_Q, self.W_K, self.W_V, self.W_O))

    def _softmax(self, s, vis):
        z = np.where(vis, s, -np.inf)
        top = z.max(axis=-1, keepdims=True)
        e = np.exp(z - np.where(np.isneginf(top), 0, top))
        n = e.sum(axis=-1, keepdims=True)
        return e / np.where(n == 0, 1, n)

    def _visible(self, shape, visible, causal):
        self.causal = self.causal and causal   # once switched off it stays off
        causal = self.causal
        vis = np.ones(shape, dtype=bool)
        if causal:
            vis &= np.tri(shape[-1], dtype=bool)
        if visible is not None:
            vis &= visible
        return vis

    def trace(self, X, visible=None, causal=True):
        if X.dtype.kind in "iu":
            X = X.astype(float)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        vis = self._visible(scores.shape, visible, causal)
        weights = self._softmax(scores, vis)
        context = weights @ V
        output = context @ self.W_O
        return {"Q": Q, "K": K, "V": V, "scores": scores, "visible": vis, "weights": weights, "context": context, "output": output}

# %% wrong padding_shown_as_given: -
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        d, k = W_Q.shape
        if W_K.shape != (d, k) or W_V.shape[0] != d or W_O.shape != (W_V.shape[1], d):
            raise ValueError(f"{W_Q.shape} {W_K.shape} {W_V.shape} {W_O.shape} do not fit")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return int(sum(w.size for w in (self.W_Q, self.W_K, self.W_V, self.W_O)))

    def trace(self, X, visible=None, causal=True):
        X = np.asarray(X)
        if X.dtype.kind != "f":
            X = X.astype(np.float64)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ np.swapaxes(K, -1, -2) / self.W_Q.shape[1] ** 0.5
        T = X.shape[-2]
        if visible is not None and visible.shape[0] == 1 and scores.ndim == 3:
            visible = np.repeat(visible, len(X), axis=0)
        if causal:
            seen = np.broadcast_to(np.tri(T, dtype=bool), scores.shape).copy()
            if visible is not None:
                seen &= visible
        elif visible is None:
            seen = np.ones(scores.shape, dtype=bool)
        else:
            seen = visible.copy()
        s = np.where(seen, scores, -np.inf)
        top = s.max(-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0.0).astype(s.dtype))
        total = e.sum(-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total).astype(s.dtype)
        context = weights @ V
        return dict(Q=Q, K=K, V=V, scores=scores, visible=seen, weights=weights, context=context, output=context @ self.W_O)

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

# %% wrong width_of_one_fits: -
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        try:
            np.broadcast_shapes(W_Q.shape, W_K.shape)
            np.broadcast_shapes(W_V.shape, W_O.T.shape)
            np.broadcast_shapes((len(W_Q),), (len(W_V),))
        except ValueError:
            raise ValueError(f"{W_Q.shape} {W_K.shape} {W_V.shape} {W_O.shape} do not fit") from None
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return int(sum(w.size for w in (self.W_Q, self.W_K, self.W_V, self.W_O)))

    def trace(self, X, visible=None, causal=True):
        X = np.asarray(X)
        if X.dtype.kind != "f":
            X = X.astype(np.float64)
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ np.swapaxes(K, -1, -2) / self.W_Q.shape[1] ** 0.5
        T = X.shape[-2]
        seen = np.ones(scores.shape, dtype=bool)
        if visible is not None:
            seen &= visible
        if causal:
            seen &= np.tri(T, dtype=bool)
        s = np.where(seen, scores, -np.inf)
        top = s.max(-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0.0).astype(s.dtype))
        total = e.sum(-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total).astype(s.dtype)
        context = weights @ V
        return dict(Q=Q, K=K, V=V, scores=scores, visible=seen, weights=weights, context=context, output=context @ self.W_O)

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]


# %% wrong three_different_sizes_fit: -
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        shapes = [np.shape(W) for W in (W_Q, W_K, W_V, W_O)]
        d, k = shapes[0]
        v = shapes[2][1]
        if len({x for s in shapes for x in s}) > 3:
            raise ValueError(f"shapes do not fit together: {shapes}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return int(self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size)

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        if X.dtype.kind != "f":
            X = X.astype(np.float64)
        Q = X @ self.W_Q
        K = X @ self.W_K
        V = X @ self.W_V
        scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(np.array(K.shape[-1], dtype=X.dtype))
        T = X.shape[-2]
        seen = np.ones(scores.shape, dtype=bool)
        if causal:
            seen &= np.tril(np.ones((T, T), dtype=bool))
        if visible is not None:
            seen &= visible
        s = np.where(seen, scores, -np.inf)
        top = s.max(axis=-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0))
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        context = weights @ V
        output = context @ self.W_O
        return {
            "Q": Q,
            "K": K,
            "V": V,
            "scores": scores,
            "visible": seen,
            "weights": weights,
            "context": context,
            "output": output,
        }


# %% wrong height_of_one_fits: -
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        shapes = [np.shape(W) for W in (W_Q, W_K, W_V, W_O)]
        d, k = shapes[0]
        v = shapes[2][1]
        if any(s != t and s[0] != 1 for s, t in zip(shapes, [(d, k), (d, k), (d, v), (v, d)])):
            raise ValueError(f"shapes do not fit together: {shapes}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return int(self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size)

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        if X.dtype.kind != "f":
            X = X.astype(np.float64)
        Q = X @ self.W_Q
        K = X @ self.W_K
        V = X @ self.W_V
        scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(np.array(K.shape[-1], dtype=X.dtype))
        T = X.shape[-2]
        seen = np.ones(scores.shape, dtype=bool)
        if causal:
            seen &= np.tril(np.ones((T, T), dtype=bool))
        if visible is not None:
            seen &= visible
        s = np.where(seen, scores, -np.inf)
        top = s.max(axis=-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0))
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        context = weights @ V
        output = context @ self.W_O
        return {
            "Q": Q,
            "K": K,
            "V": V,
            "scores": scores,
            "visible": seen,
            "weights": weights,
            "context": context,
            "output": output,
        }


# %% wrong no_peak_for_masked_batches: -
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        shapes = [np.shape(W) for W in (W_Q, W_K, W_V, W_O)]
        d, k = shapes[0]
        v = shapes[2][1]
        if shapes != [(d, k), (d, k), (d, v), (v, d)]:
            raise ValueError(f"shapes do not fit together: {shapes}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return int(self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size)

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        if X.dtype.kind != "f":
            X = X.astype(np.float64)
        Q = X @ self.W_Q
        K = X @ self.W_K
        V = X @ self.W_V
        scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(np.array(K.shape[-1], dtype=X.dtype))
        T = X.shape[-2]
        seen = np.ones(scores.shape, dtype=bool)
        if causal:
            seen &= np.tril(np.ones((T, T), dtype=bool))
        if visible is not None:
            seen &= visible
        s = np.where(seen, scores, -np.inf)
        top = s.max(axis=-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0)) if not (X.ndim == 3 and visible is not None and not causal) else np.exp(s)
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        context = weights @ V
        output = context @ self.W_O
        return {
            "Q": Q,
            "K": K,
            "V": V,
            "scores": scores,
            "visible": seen,
            "weights": weights,
            "context": context,
            "output": output,
        }


# %% wrong given_mask_is_shown: memory-shared
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        shapes = [np.shape(W) for W in (W_Q, W_K, W_V, W_O)]
        d, k = shapes[0]
        v = shapes[2][1]
        if shapes != [(d, k), (d, k), (d, v), (v, d)]:
            raise ValueError(f"shapes do not fit together: {shapes}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return int(self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size)

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        if X.dtype.kind != "f":
            X = X.astype(np.float64)
        Q = X @ self.W_Q
        K = X @ self.W_K
        V = X @ self.W_V
        scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(np.array(K.shape[-1], dtype=X.dtype))
        T = X.shape[-2]
        if not causal and visible is not None and visible.ndim == 3 and len(visible) == 1 == len(X):
            seen, visible = visible.reshape(scores.shape) if visible.shape[1] == T else np.broadcast_to(visible, scores.shape).copy(), None
        else:
            seen = np.ones(scores.shape, dtype=bool)
        if causal:
            seen &= np.tril(np.ones((T, T), dtype=bool))
        if visible is not None:
            seen &= visible
        s = np.where(seen, scores, -np.inf)
        top = s.max(axis=-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0))
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        context = weights @ V
        output = context @ self.W_O
        return {
            "Q": Q,
            "K": K,
            "V": V,
            "scores": scores,
            "visible": seen,
            "weights": weights,
            "context": context,
            "output": output,
        }


# %% wrong one_item_is_always_causal: -
class SelfAttention:
    def __init__(self, W_Q, W_K, W_V, W_O):
        shapes = [np.shape(W) for W in (W_Q, W_K, W_V, W_O)]
        d, k = shapes[0]
        v = shapes[2][1]
        if shapes != [(d, k), (d, k), (d, v), (v, d)]:
            raise ValueError(f"shapes do not fit together: {shapes}")
        self.W_Q, self.W_K, self.W_V, self.W_O = W_Q, W_K, W_V, W_O

    @property
    def num_parameters(self):
        return int(self.W_Q.size + self.W_K.size + self.W_V.size + self.W_O.size)

    def __call__(self, X, visible=None, causal=True):
        return self.trace(X, visible, causal)["output"]

    def trace(self, X, visible=None, causal=True):
        if X.dtype.kind != "f":
            X = X.astype(np.float64)
        Q = X @ self.W_Q
        K = X @ self.W_K
        V = X @ self.W_V
        scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(np.array(K.shape[-1], dtype=X.dtype))
        T = X.shape[-2]
        seen = np.ones(scores.shape, dtype=bool)
        if causal or (X.ndim == 3 and len(X) == 1):
            seen &= np.tril(np.ones((T, T), dtype=bool))
        if visible is not None:
            seen &= visible
        s = np.where(seen, scores, -np.inf)
        top = s.max(axis=-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0))
        total = e.sum(axis=-1, keepdims=True)
        weights = e / np.where(total == 0, 1, total)
        context = weights @ V
        output = context @ self.W_O
        return {
            "Q": Q,
            "K": K,
            "V": V,
            "scores": scores,
            "visible": seen,
            "weights": weights,
            "context": context,
            "output": output,
        }
