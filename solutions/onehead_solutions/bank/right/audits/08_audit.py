import numpy as np


def my_inputs(layer, shape, peak):
    d_model, d_k = layer.W_Q.shape
    X = np.cos(np.arange(np.prod(shape) * d_model) ** 1.3).reshape(*shape, d_model)
    scores = (X @ layer.W_Q) @ np.swapaxes(X @ layer.W_K, -1, -2) / np.sqrt(d_k)
    return X * np.sqrt(peak / max(np.abs(scores).max(), 1e-12))


def my_same(a, b, tolerance=1e-9):
    a, b = np.ravel(a), np.ravel(b)
    if a.shape != b.shape or a.size == 0:
        return True
    both = np.isnan(a) & np.isnan(b)
    return bool(
        (both | (np.abs(a - b) <= tolerance * (1e-6 + np.nan_to_num(np.abs(b)).max()))).all()
    )


def my_weights(scores, visible):
    weights = np.zeros(scores.shape)
    for row in np.ndindex(scores.shape[:-1]):
        keys = np.flatnonzero(visible[row])
        if len(keys):
            e = np.exp(scores[row][keys] - scores[row][keys].max())
            weights[row][keys] = e / e.sum()
    return weights


def my_cases(layer):
    """(X, visible, causal, what the trace's visible should be, large)"""
    T = 4
    tri = np.tri(T, dtype=bool)
    square = np.array([[0, 1, 0, 1], [1, 0, 1, 1], [0, 0, 0, 0], [1, 0, 1, 0]], bool)
    stack = np.stack([square, square.T, ~square])
    lengths = np.arange(T) < np.array([4, 2, 0])[:, None, None]
    for causal in (True, False):
        limit = tri if causal else np.ones((T, T), bool)
        for visible in (None, square):
            due = limit if visible is None else limit & visible
            yield my_inputs(layer, (T,), 2.0), visible, causal, due, False
        for visible in (None, square, stack, stack[:1], lengths):
            due = limit & (np.ones((3, T, T), bool) if visible is None else visible)
            yield (
                my_inputs(layer, (3, T), 2.0),
                visible,
                causal,
                due & np.ones((3, T, T), bool),
                False,
            )
        yield my_inputs(layer, (1, 1), 2.0), None, causal, np.ones((1, 1, 1), bool), False
        yield my_inputs(layer, (1,), 2.0), None, causal, np.ones((1, 1), bool), False
        yield my_inputs(layer, (1, T), 2.0), square, causal, (limit & square)[None], False
        for T_big in (3, 5, 7):
            X = my_inputs(layer, (T_big,), 1e4)
            due = np.tri(T_big, dtype=bool) if causal else np.ones((T_big, T_big), bool)
            yield X, None, causal, due, True
            X = my_inputs(layer, (T_big,), 3e4)
            scores = (X @ layer.W_Q) @ (X @ layer.W_K).T
            yield X, scores < np.median(scores), causal, due & (scores < np.median(scores)), True
    for sign in (1, -1):
        x = my_inputs(layer, (1,), 2e4)
        X = np.concatenate([x, -x])
        score = (x @ layer.W_Q @ (x @ layer.W_K).T).item()
        low = np.eye(2, dtype=bool) if score < 0 else ~np.eye(2, dtype=bool)
        yield X * sign, low, False, low, True


def my_findings(layer, X, visible, causal, due, large):
    W_Q, W_K, W_V, W_O = layer.W_Q, layer.W_K, layer.W_V, layer.W_O
    t = layer.trace(X.copy(), visible, causal)
    lead = X.shape[:-1]
    shapes = {"Q": lead + W_Q.shape[1:], "K": lead + W_K.shape[1:], "V": lead + W_V.shape[1:]}
    shapes |= dict.fromkeys(["scores", "visible", "weights"], due.shape)
    shapes |= {"context": lead + W_V.shape[1:], "output": X.shape}
    for name, shape in shapes.items():
        if t[name].shape != shape:
            yield "shape"
            if t[name].size != np.prod(shape):
                return
    t = {name: t[name].reshape(shape) for name, shape in shapes.items()}
    if (t["visible"] != due).any() or (np.abs(t["weights"]) * ~due > 0).any():
        yield "mask"
    if not my_same(t["Q"], X @ W_Q) or not my_same(t["K"], X @ W_K):
        yield "numerical"
    if not my_same(t["scores"], t["Q"] @ np.swapaxes(t["K"], -1, -2) / W_Q.shape[1] ** 0.5):
        yield "numerical"
    if not my_same(t["weights"], my_weights(t["scores"], t["visible"]), 1e-7 if large else 1e-9):
        yield "numerical"
    if large:
        return
    output = layer(X.copy(), visible, causal)
    if not my_same(t["V"], X @ W_V) or not my_same(t["context"], t["weights"] @ t["V"]):
        yield "output"
    if not my_same(t["output"], t["context"] @ W_O) or not my_same(output, t["output"]):
        yield "output"
    if output.shape != X.shape:
        yield "shape"
        return
    if X.ndim == 3:
        for b in range(len(X)):
            own = visible
            if visible is not None and visible.ndim == 3:
                own = visible[b % len(visible)] & np.ones(due.shape[1:], bool)
            if not my_same(layer(X[b].copy(), own, causal), output[b]):
                yield "batching"
            if not my_same(layer(X[b : b + 1].copy(), own, causal), output[b]):
                yield "batching"
        return
    for key in range(len(X)):
        blind = ~due[:, key]
        blind[key] = False  # its own query moves with it
        moved = X.copy()
        moved[key] = moved[key] * 0.7 + 0.1
        if not my_same(layer(moved, visible, causal)[blind], output[blind]):
            yield "mask"


def audit(layer):
    found = set()
    sizes = [W.size for W in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O)]
    count = layer.num_parameters
    if not isinstance(count, (int, np.integer)) or count != sum(sizes):
        found.add("output")
    for shape in [(4,), (2, 4)]:
        X = my_inputs(layer, shape, 2.0)
        for given in ({}, {"causal": False}, {"visible": np.tri(4, dtype=bool)[::-1]}):
            if not my_same(layer(X.copy(), **given), layer.trace(X.copy(), **given)["output"]):
                found.add("output")
        shown = layer.trace(X.copy())["visible"]
        if shown.size % 16 == 0 and (shown.reshape(-1, 4, 4) != np.tri(4, dtype=bool)).any():
            found.add("mask")
    with np.errstate(all="ignore"):
        for case in my_cases(layer):
            found.update(my_findings(layer, *case))
    return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in found]
