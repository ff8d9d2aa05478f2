# exercise: lesson-08
# parts: audit
# The auditor itself scales by sqrt(d_model).
import numpy as np


def my_softmax(scores, visible):
    shown = np.where(visible, scores, -np.inf)
    top = shown.max(axis=-1, keepdims=True)
    exps = np.exp(shown - np.where(np.isinf(top), 0, top))
    total = exps.sum(axis=-1, keepdims=True)
    return exps / np.where(total == 0, 1, total)


def audit(layer):
    W_Q, W_K, W_V, W_O = layer.W_Q, layer.W_K, layer.W_V, layer.W_O
    d_model, d_k = W_Q.shape
    d_v = W_V.shape[1]
    broken = set()

    def close(a, b, tolerance=1e-9):
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        if a.size != b.size:
            return True  # a matter of shape, not of value
        a, b = a.ravel(), b.ravel()
        if not np.array_equal(np.isnan(a), np.isnan(b)):
            return False
        good = ~np.isnan(b)
        scale = max(1e-6, np.abs(b[good]).max(initial=0.0))
        return np.abs(a[good] - b[good]).max(initial=0.0) <= tolerance * scale

    def batch(B, T, shift, size):
        X = np.sin(np.arange(B * T * d_model) * 1.7 + shift).reshape(B, T, d_model)
        peak = np.abs((X @ W_Q) @ np.swapaxes(X @ W_K, 1, 2)).max() / np.sqrt(d_k)
        return X * np.sqrt(size / peak) if peak > 0 else X

    def masks(B, T):
        some = (np.arange(B * T * T) * 7 % 5 < 3).reshape(B, T, T)
        some[0, -1] = False  # a query that sees nothing
        yield None
        yield some[-1]
        yield some
        yield np.arange(T) <= (np.arange(B) % T)[:, None, None]

    def examine(X, visible, causal, large=False):
        t = layer.trace(X.copy(), None if visible is None else visible.copy(), causal)
        rows = X.shape[:-1]
        pairs = (*rows, X.shape[-2])
        due = {"Q": (*rows, d_k), "K": (*rows, d_k), "V": (*rows, d_v), "scores": pairs}
        due.update(visible=pairs, weights=pairs, context=(*rows, d_v), output=X.shape)
        if any(np.shape(t[name]) != due[name] for name in due):
            broken.add("shape")
        if any(np.size(t[name]) != np.prod(due[name]) for name in due):
            return
        t = {name: np.reshape(t[name], due[name]) for name in due}
        seen = np.ones(pairs, dtype=bool) if visible is None else np.broadcast_to(visible, pairs)
        seen = np.tril(seen) if causal else seen
        if not np.array_equal(t["visible"], seen) or (np.abs(t["weights"][~seen]) > 0).any():
            broken.add("mask")
        scores = t["Q"] @ np.swapaxes(t["K"], -1, -2) / np.sqrt(d_model)
        size = 1e-7 if large else 1e-9
        right = close(t["Q"], X @ W_Q) and close(t["K"], X @ W_K) and close(t["scores"], scores)
        if not right or not close(t["weights"], my_softmax(t["scores"], t["visible"]), size):
            broken.add("numerical")
        if large:
            return
        if not (
            close(t["V"], X @ W_V)
            and close(t["context"], t["weights"] @ t["V"])
            and close(t["output"], t["context"] @ W_O)
            and close(layer(X.copy(), visible, causal), t["output"])
        ):
            broken.add("output")

    for B, T in [(3, 4), (1, 3), (4, 4), (2, 1)]:
        for causal in [True, False]:
            for visible in masks(B, T):
                X = batch(B, T, B + T, 3.0)
                together = layer(X.copy(), visible, causal)
                examine(X, visible, causal)
                for b in range(B):
                    own = visible
                    if visible is not None and visible.ndim == 3:
                        own = visible[b] & np.ones((T, T), dtype=bool)
                    examine(X[b], own, causal)
                    if np.size(together) == X.size:
                        alone = layer(X[b].copy(), own, causal)
                        if not close(alone, np.reshape(together, X.shape)[b]):
                            broken.add("batching")
    for shift in range(6):
        X = batch(1, 5, shift, 1e4)[0]
        examine(X, None, True, large=True)
        examine(X, None, False, large=True)
        # Rows whose visible scores are all about -1e4.
        far = np.array([X[0], -X[0], X[0], -X[0]])
        scores = (far @ W_Q) @ (far @ W_K).T / np.sqrt(d_k)
        far = far * np.sqrt(1.2e4 / max(np.abs(scores).max(), 1e-30))
        examine(far, scores < 0, False, large=True)
    X = batch(1, 4, 2, 3.0)[0]
    moved = X.copy()
    moved[-1] += 0.5
    sight = np.ones((4, 4), dtype=bool)
    sight[:, -1] = False
    for visible, causal in [(None, True), (sight, False), (sight, True)]:
        before, after = layer(X.copy(), visible, causal), layer(moved.copy(), visible, causal)
        kept = slice(0, 3)
        if np.size(before) == np.size(after) == X.size and not close(
            np.reshape(before, X.shape)[kept], np.reshape(after, X.shape)[kept]
        ):
            broken.add("mask")
    count = layer.num_parameters
    if not isinstance(count, (int, np.integer)) or count != d_model * (2 * d_k + 2 * d_v):
        broken.add("output")
    if not close(layer(X.copy()), layer.trace(X.copy())["output"]):
        broken.add("output")
    return [n for n in ["shape", "mask", "numerical", "output", "batching"] if n in broken]
