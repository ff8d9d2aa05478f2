import numpy as np


class Auditor:
    """One method for each invariant; each returns True when it is kept."""

    T = 5

    def __init__(self, layer):
        self.layer = layer
        self.d_model, self.d_k = layer.W_Q.shape
        self.d_v = layer.W_V.shape[1]
        n = np.arange(4 * self.T * self.d_model)
        X = np.sin(n * n * 0.37 + 1).reshape(4, self.T, self.d_model)
        peak = np.abs(X @ layer.W_Q @ (X @ layer.W_K).swapaxes(-1, -2)).max() / self.d_k**0.5
        self.X = X / np.sqrt(peak / 2)
        self.huge = X / np.sqrt(peak / 1e4)
        self.sight = (np.arange(4 * self.T * self.T) % 7 % 3 > 0).reshape(4, self.T, self.T)
        self.sight[1, 2] = False

    def settings(self):
        for causal in (True, False):
            yield self.X, None, causal
            yield self.X, self.sight, causal
            yield self.X, self.sight[2], causal
            yield self.X, self.sight[:, 3:4], causal
            yield self.X[1], self.sight[1], causal
            yield self.X[1:2], self.sight[1:2], causal
            yield self.X[2:3], self.sight[1], causal
            yield self.X[:, :1], None, causal
            yield self.X[3], None, causal
            yield self.X[0, :1], None, causal

    def extremes(self):
        for x in (*self.huge, *-self.huge):
            yield x, None, True
            yield x, None, False
            both = np.concatenate([x, -x])
            scores = both @ self.layer.W_Q @ (both @ self.layer.W_K).T / self.d_k**0.5
            grow = np.sqrt(1.5e4 / max(-scores.min(), 1e-9))
            yield both * grow, scores < scores.min() * 0.8, False

    def due(self, X, visible, causal):
        pairs = (*X.shape[:-1], X.shape[-2])
        seen = np.ones(pairs, bool)
        if visible is not None:
            seen &= visible
        return np.tril(seen) if causal else seen

    def ask(self, X, visible, causal):
        """The trace, reshaped where only axes of length one are off; None where that fails."""
        trace = self.layer.trace(X.copy(), visible, causal)
        pairs = (*X.shape[:-1], X.shape[-2])
        widths = {
            "Q": self.d_k,
            "K": self.d_k,
            "V": self.d_v,
            "context": self.d_v,
            "output": self.d_model,
        }
        shapes = {
            name: (*X.shape[:-1], widths[name]) if name in widths else pairs for name in trace
        }
        right = all(np.shape(trace[name]) == shapes[name] for name in trace)
        try:
            return {name: np.reshape(trace[name], shapes[name]) for name in trace}, right
        except ValueError:
            return None, False

    @staticmethod
    def near(a, b, tolerance=1e-9):
        if np.size(a) != np.size(b):
            return True
        a, b = np.ravel(a), np.ravel(b)
        size = np.abs(b[np.isfinite(b)]).max(initial=1e-6)
        same = (np.isnan(a) == np.isnan(b)) & ~(np.abs(a - b) > tolerance * size)
        return bool(same.all())

    @staticmethod
    def softmax(scores, seen):
        shown = np.where(seen, scores, -np.inf)
        top = shown.max(-1, keepdims=True)
        e = np.exp(shown - np.where(np.isinf(top), 0, top))
        return e / np.maximum(e.sum(-1, keepdims=True), 1e-300)

    def shape(self):
        return all(
            self.ask(*s)[1] and self.layer(s[0].copy(), *s[1:]).shape == s[0].shape
            for s in self.settings()
        )

    def mask(self):
        for X, visible, causal in (*self.settings(), *self.extremes()):
            trace, _ = self.ask(X, visible, causal)
            due = self.due(X, visible, causal)
            if trace is not None:
                hidden = np.nan_to_num(trace["weights"])[~due]
                if hidden.any() or (trace["visible"] != due).any():
                    return False
        X = self.X[2]
        before = self.layer(X.copy()).reshape(X.shape)
        for t in range(1, self.T):
            changed = X.copy()
            changed[t] -= 0.3
            if not self.near(self.layer(changed).reshape(X.shape)[:t], before[:t]):
                return False
        sight = np.ones((self.T, self.T), bool)
        sight[:, 1] = False
        changed = X.copy()
        changed[1] -= 0.3
        before, after = (self.layer(x, sight, False).reshape(X.shape) for x in (X.copy(), changed))
        return self.near(np.delete(before, 1, 0), np.delete(after, 1, 0))

    def numerical(self):
        for large, settings in ((False, self.settings()), (True, self.extremes())):
            for X, visible, causal in settings:
                trace, _ = self.ask(X, visible, causal)
                if trace is None:
                    continue
                scores = trace["Q"] @ np.swapaxes(trace["K"], -1, -2) / self.d_k**0.5
                if not (
                    self.near(trace["Q"], X @ self.layer.W_Q)
                    and self.near(trace["K"], X @ self.layer.W_K)
                    and self.near(trace["scores"], scores)
                    and self.near(
                        trace["weights"],
                        self.softmax(trace["scores"], trace["visible"]),
                        1e-7 if large else 1e-9,
                    )
                ):
                    return False
        return True

    def output(self):
        expected = 2 * self.d_model * (self.d_k + self.d_v)
        given = self.layer.num_parameters
        if not isinstance(given, (int, np.integer)) or given != expected:
            return False
        for X in (self.X, self.X[0]):
            if not self.near(self.layer(X.copy()), self.layer.trace(X.copy())["output"]):
                return False
        for X, visible, causal in self.settings():
            trace, _ = self.ask(X, visible, causal)
            if trace is not None and not (
                self.near(trace["V"], X @ self.layer.W_V)
                and self.near(trace["context"], trace["weights"] @ trace["V"])
                and self.near(trace["output"], trace["context"] @ self.layer.W_O)
                and self.near(self.layer(X.copy(), visible, causal), trace["output"])
            ):
                return False
        return True

    def batching(self):
        for X, visible, causal in self.settings():
            if X.ndim == 2:
                continue
            together = self.layer(X.copy(), visible, causal)
            seen = self.due(X, visible, False)
            for b, x in enumerate(X):
                own = None if visible is None else seen[b]
                if np.size(together) == X.size and not self.near(
                    self.layer(x.copy(), own, causal), together.reshape(X.shape)[b]
                ):
                    return False
        return True


def audit(layer):
    with np.errstate(all="ignore"):
        auditor = Auditor(layer)
        names = ["shape", "mask", "numerical", "output", "batching"]
        return [name for name in names if not getattr(auditor, name)()]
