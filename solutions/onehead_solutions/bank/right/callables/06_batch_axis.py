import numpy as np


class Broadcast:
    def __call__(self, visible, B, T_q, T_k):
        target = (B, T_q, T_k)
        if visible is None:
            return np.ones(target, bool)
        if visible.ndim == 2:
            allowed = [(T_q, T_k)]
        else:
            allowed = [(b, q, T_k) for b in (1, B) for q in (1, T_q)]
        if visible.shape not in allowed:
            raise ValueError(
                f"visible has shape {visible.shape}; target {target}; allowed {allowed}"
            )
        return np.ones(target, bool) & visible


class Batched:
    def __init__(self, broadcast):
        self.broadcast = broadcast

    def weights(self, scores, seen):
        top = np.max(scores, axis=-1, keepdims=True, where=seen, initial=-np.inf)
        top = np.where(np.isfinite(top), top, 0).astype(scores.dtype)
        e = np.exp(np.where(seen, scores - top, -np.inf))
        total = e.sum(-1, keepdims=True)
        return e / np.where(total > 0, total, 1)

    def __call__(self, X, W_Q, W_K, W_V, W_O, visible=None):
        X = X * 1.0
        Q, K, V = X @ W_Q, X @ W_K, X @ W_V
        scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
        seen = self.broadcast(visible, *scores.shape)
        weights = self.weights(scores, seen)
        context = weights @ V
        return {
            "Q": Q,
            "K": K,
            "V": V,
            "scores": scores,
            "visible": seen,
            "weights": weights,
            "context": context,
            "output": context @ W_O,
        }


class Padding:
    def __call__(self, lengths, T):
        for length in list(lengths):
            if length not in range(T + 1):
                raise ValueError(f"no item of {T} tokens has length {length}")
        return np.array([[[t < n for t in range(T)]] for n in lengths], dtype=bool)


class Interact:
    def __call__(self, layer, X):
        X = X * 1.0
        before = np.array(layer(X.copy()))
        found = False
        for b in range(X.shape[0]):
            Y = X.copy()
            Y[b] = Y[b][::-1] * -1.7 + np.arange(1, X.shape[2] + 1)
            rest = [i for i in range(X.shape[0]) if i != b]
            found = found or not np.array_equal(before[rest], np.array(layer(Y))[rest])
        return found


broadcast_visible = Broadcast()
batched_self_attention = Batched(broadcast_visible)
padding_visible = Padding()
items_interact = Interact()
