# %% right class_with_methods
class Inspector:
    def __init__(self, layer):
        self.layer = layer
        self.W = {n: np.array(getattr(layer, n), dtype=float) for n in ("W_Q", "W_K", "W_V", "W_O")}
        self.d_model, self.d_k = self.W["W_Q"].shape
        self.d_v = self.W["W_V"].shape[1]
        self.rng = np.random.default_rng(11)
        self.found = []

    def blame(self, name):
        if name not in self.found:
            self.found.append(name)

    @staticmethod
    def off(a, b, level):
        return bool(np.max(np.abs(a - b), initial=0) > 1e-9 * (1 + level))

    def run(self, X, visible, causal):
        args = (X.copy(), None if visible is None else visible.copy(), causal)
        return self.layer.trace(*args), np.asarray(self.layer(X.copy(), None if visible is None else visible.copy(), causal))

    def true_mask(self, X, visible, causal):
        T = X.shape[1] if X.ndim == 3 else X.shape[0]
        m = np.ones(X.shape[:-1] + (T,), bool)
        if visible is not None:
            m &= visible
        if causal:
            m &= np.arange(T)[:, None] >= np.arange(T)
        return m

    def look(self, X, visible, causal):
        try:
            t, called = self.run(X, visible, causal)
        except Exception:
            self.blame("shape")
            return None
        T = X.shape[-2]
        lead = X.shape[:-1]
        want = dict(Q=self.d_k, K=self.d_k, V=self.d_v, scores=T, visible=T, weights=T, context=self.d_v, output=self.d_model)
        t = {n: np.asarray(t.get(n, 0.0)) for n in want}
        good = {n for n in want if t[n].shape == lead + (want[n],)}
        if len(good) < 8 or called.shape != X.shape:
            self.blame("shape")
        mask = self.true_mask(X, visible, causal)
        if "visible" in good and (t["visible"] != mask).any():
            self.blame("mask")
        leak = "weights" in good and bool((np.nan_to_num(t["weights"], nan=0.0)[~mask] != 0).any())
        if leak:
            self.blame("mask")
        for n in "QK":
            if n in good and self.off(t[n], X @ self.W["W_" + n], np.abs(X).max() * 10):
                self.blame("numerical")
        if {"Q", "K", "scores"} <= good:
            s = t["Q"] @ t["K"].swapaxes(-1, -2) / np.sqrt(self.d_k)
            if self.off(t["scores"], s, np.abs(s).max()):
                self.blame("numerical")
        if {"scores", "weights"} <= good and not leak:
            w = t["weights"]
            if not np.isfinite(w).all():
                self.blame("numerical")
            else:
                ref = np.zeros_like(w)
                for i in np.ndindex(*lead):
                    s = t["scores"][i][mask[i]]
                    if s.size:
                        p = np.exp(s - s.max())
                        ref[i][mask[i]] = p / p.sum()
                if self.off(w, ref, np.abs(t["scores"]).max() * 0.01):
                    self.blame("numerical")
        level = np.abs(X).max() * 10
        if "V" in good and self.off(t["V"], X @ self.W["W_V"], level):
            self.blame("output")
        if {"weights", "V", "context"} <= good and np.isfinite(t["weights"]).all() and self.off(t["context"], t["weights"] @ t["V"], level):
            self.blame("output")
        if {"context", "output"} <= good and np.isfinite(t["context"]).all() and self.off(t["output"], t["context"] @ self.W["W_O"], level):
            self.blame("output")
        if "output" in good and called.shape == X.shape and np.isfinite(t["output"]).all() and np.isfinite(called).all() and self.off(called, t["output"], level):
            self.blame("output")
        return t, good, mask

    def hidden_keys(self):
        X = self.rng.normal(size=(4, self.d_model))
        for j in range(4):
            V = np.ones((4, 4), bool)
            V[np.arange(4) != j, j] = False
            Y = X.copy()
            Y[j] = self.rng.normal(size=self.d_model)
            try:
                a = np.asarray(self.layer(X.copy(), V.copy(), False))
                b = np.asarray(self.layer(Y.copy(), V.copy(), False))
            except Exception:
                continue
            rest = np.arange(4) != j
            if a.shape == b.shape == X.shape and self.off(a[rest], b[rest], 10):
                self.blame("mask")

    def alone(self, X, visible, causal, together, good):
        for b in range(len(X)):
            v = None if visible is None else np.broadcast_to(visible, X.shape[:2] + X.shape[1:2])[b].copy()
            try:
                t, _ = self.run(X[b], v, causal)
            except Exception:
                self.blame("shape")
                return
            for n in good - {"visible"}:
                one = np.asarray(t.get(n, 0.0))
                if one.shape == together[n].shape[1:] and np.isfinite(one).all() and np.isfinite(together[n]).all() and self.off(one, together[n][b], 100):
                    self.blame("batching")

    def __call__(self):
        n = getattr(self.layer, "num_parameters", None)
        if n != sum(w.size for w in self.W.values()):
            self.blame("output")
        T, B = max(6, self.d_model + 1, self.d_k + 1, self.d_v + 1), 3
        random = lambda *s: self.rng.random(s) < 0.5
        thin = random(B, 1, T)
        thin[0] = False
        for causal in (False, True):
            for X, v in [
                (self.rng.normal(size=(T, self.d_model)), None),
                (self.rng.normal(size=(T, self.d_model)), random(T, T)),
                (self.rng.normal(size=(1, T, self.d_model)), random(T, T)),
                (self.rng.normal(size=(B, T, self.d_model)), None),
                (self.rng.normal(size=(B, T, self.d_model)), random(B, T, T)),
                (self.rng.normal(size=(B, T, self.d_model)), thin),
            ]:
                r = self.look(X, v, causal)
                if r and X.ndim == 3:
                    self.alone(X, v, causal, r[0], r[1])
            big = self.rng.normal(size=(T, self.d_model))
            s = np.abs((big @ self.W["W_Q"]) @ (big @ self.W["W_K"]).T).max() / np.sqrt(self.d_k)
            big *= np.sqrt(1e4 / s)
            self.look(big, None, causal)
            self.look(big, random(T, T), causal)
        self.hidden_keys()
        return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in self.found]


def audit(layer):
    with np.errstate(all="ignore"):
        return Inspector(layer)()

# %% right compact
def near(a, b, level=1.0):
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1e-9 * (1 + level)))


def softmax(s, seen):
    z = np.where(seen, s, -np.inf)
    top = z.max(axis=-1, keepdims=True)
    e = np.exp(z - np.where(np.isneginf(top), 0, top))
    n = e.sum(axis=-1, keepdims=True)
    return e / np.where(n == 0, 1, n)


def cases(layer):
    rng = np.random.default_rng(42)
    WQ, WK = np.asarray(layer.W_Q), np.asarray(layer.W_K)
    m = WQ.shape[0]
    T = 2 + max(m, WQ.shape[1], np.asarray(layer.W_V).shape[1])
    B = 3
    one, many = rng.normal(size=(T, m)), rng.normal(size=(B, T, m))
    masks = rng.random((B, T, T)) < 0.6
    masks[0, T - 1] = False
    pad = (np.arange(T) < np.array([T, 3, 0])[:, None])[:, None, :]
    big = 100 * one
    big = big * (1e4 / np.abs((big @ WQ) @ (big @ WK).T / WQ.shape[1] ** 0.5).max()) ** 0.5
    for causal in (True, False):
        yield one, None, causal
        yield one, masks[0], causal
        yield one, masks[1], causal
        yield big, None, causal
        yield big, masks[1], causal
        yield many, None, causal
        yield many, masks, causal
        yield many, pad, causal
        yield many[:1], masks[:1], causal


def audit(layer):
    bad = set()
    rng = np.random.default_rng(1)
    WQ, WK, WV, WO = (np.asarray(getattr(layer, n), dtype=float) for n in ("W_Q", "W_K", "W_V", "W_O"))
    if layer.num_parameters != WQ.size + WK.size + WV.size + WO.size:
        bad.add("output")
    for X, visible, causal in cases(layer):
        T = X.shape[-2]
        lead = X.shape[:-1]
        seen = np.ones(lead + (T,), bool)
        if visible is not None:
            seen = seen & visible
        if causal:
            seen = seen & np.tri(T, dtype=bool)
        try:
            t = {k: np.asarray(a) for k, a in layer.trace(X.copy(), visible, causal).items()}
            called = np.asarray(layer(X.copy(), visible, causal))
        except Exception:
            bad.add("shape")
            continue
        ends = {"Q": WQ.shape[1], "K": WQ.shape[1], "V": WV.shape[1], "scores": T, "visible": T, "weights": T, "context": WV.shape[1], "output": X.shape[-1]}
        if any(k not in t or t[k].shape != lead + (n,) for k, n in ends.items()) or called.shape != X.shape:
            bad.add("shape")
            continue
        size = np.abs(X).max() * 20
        if not np.array_equal(t["visible"], seen):
            bad.add("mask")
        if np.any(t["weights"][~seen] != 0):
            bad.add("mask")
        if not (near(t["Q"], X @ WQ, size) and near(t["K"], X @ WK, size)):
            bad.add("numerical")
        s = t["Q"] @ t["K"].swapaxes(-1, -2) / WQ.shape[1] ** 0.5
        if not near(t["scores"], s, np.abs(s).max()):
            bad.add("numerical")
        if not np.any(t["weights"][~seen] != 0) and not near(t["weights"], softmax(t["scores"], seen), np.abs(s).max() * 0.01):
            bad.add("numerical")
        if not near(t["V"], X @ WV, size):
            bad.add("output")
        if np.all(np.isfinite(t["weights"])):
            if not near(t["context"], t["weights"] @ t["V"], size):
                bad.add("output")
            if not near(t["output"], t["context"] @ WO, size):
                bad.add("output")
            if not near(called, t["output"], size):
                bad.add("output")
        if X.ndim == 2 and np.abs(X).max() < 9:
            for j in range(T):
                blind = ~seen[:, j]
                blind[j] = False
                Y = X.copy()
                Y[j] += rng.normal(size=X.shape[1])
                if not near(np.asarray(layer(Y, visible, causal))[blind], called[blind], size):
                    bad.add("mask")
        if X.ndim == 3:
            for b in range(len(X)):
                mine = None if visible is None else np.array(np.broadcast_to(visible, lead + (T,))[b])
                try:
                    alone = np.asarray(layer(X[b].copy(), mine, causal))
                except Exception:
                    bad.add("shape")
                    continue
                if alone.shape != X[b].shape:
                    bad.add("shape")
                elif not near(alone, called[b], size * 10):
                    bad.add("batching")
    return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in bad]

# %% right stage_by_stage
ORDER = ["shape", "mask", "numerical", "output", "batching"]


def _soft(scores, visible):
    z = np.where(visible, scores, -np.inf)
    top = z.max(axis=-1, keepdims=True)
    e = np.exp(z - np.where(np.isneginf(top), 0, top))
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def _near(a, b, rtol=1e-9, atol=1e-11):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape:
        return False
    if not np.all(np.isfinite(a)):
        return False
    return bool(np.all(np.abs(a - b) <= atol + rtol * max(1.0, np.abs(b).max(initial=0))))


def _cases(layer, rng):
    m = layer.W_Q.shape[0]
    T, B = max(5, *(n + 1 for W in (layer.W_Q, layer.W_V) for n in W.shape)), 3
    peak = np.abs(layer.W_Q @ layer.W_K.T).max() + 1e-12
    for scale in (1.0, 1.0, None):
        one = rng.normal(size=(T, m))
        many = rng.normal(size=(B, T, m))
        if scale is None:
            one, many = one * (1e4 / peak) ** 0.5, many * (1e4 / peak) ** 0.5
        v1 = rng.random((T, T)) < 0.55
        v1[2] = False
        vb = rng.random((B, T, T)) < 0.55
        vb[1, 3] = False
        pad = np.arange(T)[None, None] < np.array([T, 2, 0])[:, None, None]
        for causal in (True, False):
            yield one, None, causal
            yield one, v1, causal
            yield many, None, causal
            yield many, vb, causal
            yield many, pad, causal
            yield many, v1, causal
            yield many[:1], vb[:1], causal


def audit(layer):
    found = set()
    rng = np.random.default_rng(5)
    WQ, WK, WV, WO = (np.asarray(w, dtype=float) for w in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O))
    m, k = WQ.shape
    v = WV.shape[1]
    if layer.num_parameters != WQ.size + WK.size + WV.size + WO.size:
        found.add("output")
    for X, visible, causal in _cases(layer, rng):
        lead, T = X.shape[:-2], X.shape[-2]
        mask = np.ones((T, T), bool) if visible is None else visible
        if causal:
            mask = mask & np.tri(T, dtype=bool)
        mask = np.broadcast_to(mask, lead + (T, T))
        try:
            t = layer.trace(X.copy(), None if visible is None else visible.copy(), causal)
            called = np.asarray(layer(X.copy(), None if visible is None else visible.copy(), causal))
        except Exception:
            found.add("shape")
            continue
        want = {"Q": (T, k), "K": (T, k), "V": (T, v), "scores": (T, T), "visible": (T, T), "weights": (T, T), "context": (T, v), "output": (T, m)}
        a = {n: np.asarray(t[n]) if n in t else np.zeros(()) for n in want}
        ok = {n: a[n].shape == lead + s for n, s in want.items()}
        if not all(ok.values()) or called.shape != X.shape:
            found.add("shape")
        KT = np.swapaxes(a["K"], -1, -2) if ok["K"] else None
        if ok["visible"] and not np.array_equal(a["visible"], mask):
            found.add("mask")
        if ok["weights"] and np.any(a["weights"][~mask] != 0):
            found.add("mask")
        for n, W in (("Q", WQ), ("K", WK)):
            if ok[n] and not _near(a[n], X @ W):
                found.add("numerical")
        if ok["scores"] and ok["Q"] and ok["K"] and not _near(a["scores"], a["Q"] @ KT / k ** 0.5):
            found.add("numerical")
        if ok["weights"] and ok["scores"] and np.all(np.isfinite(a["scores"])):
            w = a["weights"]
            if not np.all(np.isfinite(w)):
                found.add("numerical")
            elif not np.any(w[~mask] != 0):
                s = np.where(mask, a["scores"], 0)
                tol = 1e-10 * (1 + np.abs(s).max())
                if np.abs(w - _soft(a["scores"], mask)).max() > tol:
                    found.add("numerical")
        if ok["V"] and not _near(a["V"], X @ WV):
            found.add("output")
        finite = ok["weights"] and np.all(np.isfinite(a["weights"]))
        if finite and ok["context"] and ok["V"] and not _near(a["context"], a["weights"] @ a["V"]):
            found.add("output")
        if ok["context"] and ok["output"] and np.all(np.isfinite(a["context"])) and not _near(a["output"], a["context"] @ WO):
            found.add("output")
        if ok["output"] and called.shape == X.shape and np.all(np.isfinite(a["output"])) and not _near(called, a["output"]):
            found.add("output")
        # does a hidden key reach the output?
        if ok["output"] and X.ndim == 2 and np.all(np.isfinite(a["output"])) and np.abs(X).max() < 10:
            for j in range(T):
                unread = ~mask[:, j]
                unread[j] = False
                if unread.any():
                    Y = X.copy()
                    Y[j] += rng.normal(size=m)
                    out = np.asarray(layer.trace(Y, visible, causal)["output"])
                    if out.shape == X.shape and not _near(out[unread], a["output"][unread]):
                        found.add("mask")
        if X.ndim == 3:
            for b in range(len(X)):
                vis = None if visible is None else (visible if visible.ndim == 2 else visible[b if len(visible) > 1 else 0])
                if vis is not None:
                    vis = np.broadcast_to(vis, (T, T))
                try:
                    alone = layer.trace(X[b].copy(), None if vis is None else vis.copy(), causal)
                except Exception:
                    found.add("shape")
                    continue
                for n in ("Q", "K", "V", "scores", "weights", "context", "output"):
                    x = np.asarray(alone[n]) if n in alone else np.zeros(())
                    if ok[n] and x.shape == a[n].shape[1:] and np.all(np.isfinite(x)) and np.all(np.isfinite(a[n])) and not _near(a[n][b], x, 1e-8, 1e-8):
                        if np.abs(X).max() < 10:
                            found.add("batching")
    return [n for n in ORDER if n in found]

# %% wrong always_empty: audit-never-finds
# every layer is called right
def near(a, b, level=1.0):
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1e-9 * (1 + level)))


def softmax(s, seen):
    z = np.where(seen, s, -np.inf)
    top = z.max(axis=-1, keepdims=True)
    e = np.exp(z - np.where(np.isneginf(top), 0, top))
    n = e.sum(axis=-1, keepdims=True)
    return e / np.where(n == 0, 1, n)


def cases(layer):
    rng = np.random.default_rng(42)
    WQ, WK = np.asarray(layer.W_Q), np.asarray(layer.W_K)
    m = WQ.shape[0]
    T = 2 + max(m, WQ.shape[1], np.asarray(layer.W_V).shape[1])
    B = 3
    one, many = rng.normal(size=(T, m)), rng.normal(size=(B, T, m))
    masks = rng.random((B, T, T)) < 0.6
    masks[0, T - 1] = False
    pad = (np.arange(T) < np.array([T, 3, 0])[:, None])[:, None, :]
    big = 100 * one
    big = big * (1e4 / np.abs((big @ WQ) @ (big @ WK).T / WQ.shape[1] ** 0.5).max()) ** 0.5
    for causal in (True, False):
        yield one, None, causal
        yield one, masks[0], causal
        yield one, masks[1], causal
        yield big, None, causal
        yield big, masks[1], causal
        yield many, None, causal
        yield many, masks, causal
        yield many, pad, causal
        yield many[:1], masks[:1], causal


def audit(layer):
    bad = set()
    rng = np.random.default_rng(1)
    WQ, WK, WV, WO = (np.asarray(getattr(layer, n), dtype=float) for n in ("W_Q", "W_K", "W_V", "W_O"))
    if layer.num_parameters != WQ.size + WK.size + WV.size + WO.size:
        bad.add("output")
    for X, visible, causal in cases(layer):
        T = X.shape[-2]
        lead = X.shape[:-1]
        seen = np.ones(lead + (T,), bool)
        if visible is not None:
            seen = seen & visible
        if causal:
            seen = seen & np.tri(T, dtype=bool)
        try:
            t = {k: np.asarray(a) for k, a in layer.trace(X.copy(), visible, causal).items()}
            called = np.asarray(layer(X.copy(), visible, causal))
        except Exception:
            bad.add("shape")
            continue
        ends = {"Q": WQ.shape[1], "K": WQ.shape[1], "V": WV.shape[1], "scores": T, "visible": T, "weights": T, "context": WV.shape[1], "output": X.shape[-1]}
        if any(k not in t or t[k].shape != lead + (n,) for k, n in ends.items()) or called.shape != X.shape:
            bad.add("shape")
            continue
        size = np.abs(X).max() * 20
        if not np.array_equal(t["visible"], seen):
            bad.add("mask")
        if np.any(t["weights"][~seen] != 0):
            bad.add("mask")
        if not (near(t["Q"], X @ WQ, size) and near(t["K"], X @ WK, size)):
            bad.add("numerical")
        s = t["Q"] @ t["K"].swapaxes(-1, -2) / WQ.shape[1] ** 0.5
        if not near(t["scores"], s, np.abs(s).max()):
            bad.add("numerical")
        if not np.any(t["weights"][~seen] != 0) and not near(t["weights"], softmax(t["scores"], seen), np.abs(s).max() * 0.01):
            bad.add("numerical")
        if not near(t["V"], X @ WV, size):
            bad.add("output")
        if np.all(np.isfinite(t["weights"])):
            if not near(t["context"], t["weights"] @ t["V"], size):
                bad.add("output")
            if not near(t["output"], t["context"] @ WO, size):
                bad.add("output")
            if not near(called, t["output"], size):
                bad.add("output")
        if X.ndim == 2 and np.abs(X).max() < 9:
            for j in range(T):
                blind = ~seen[:, j]
                blind[j] = False
                Y = X.copy()
                Y[j] += rng.normal(size=X.shape[1])
                if not near(np.asarray(layer(Y, visible, causal))[blind], called[blind], size):
                    bad.add("mask")
        if X.ndim == 3:
            for b in range(len(X)):
                mine = None if visible is None else np.array(np.broadcast_to(visible, lead + (T,))[b])
                try:
                    alone = np.asarray(layer(X[b].copy(), mine, causal))
                except Exception:
                    bad.add("shape")
                    continue
                if alone.shape != X[b].shape:
                    bad.add("shape")
                elif not near(alone, called[b], size * 10):
                    bad.add("batching")
    return []

# %% wrong no_masks_given: audit-masks-untried
# only the causal mask is tried, visible is always None
def near(a, b, level=1.0):
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1e-9 * (1 + level)))


def softmax(s, seen):
    z = np.where(seen, s, -np.inf)
    top = z.max(axis=-1, keepdims=True)
    e = np.exp(z - np.where(np.isneginf(top), 0, top))
    n = e.sum(axis=-1, keepdims=True)
    return e / np.where(n == 0, 1, n)


def cases(layer):
    rng = np.random.default_rng(42)
    WQ, WK = np.asarray(layer.W_Q), np.asarray(layer.W_K)
    m = WQ.shape[0]
    T = 2 + max(m, WQ.shape[1], np.asarray(layer.W_V).shape[1])
    B = 3
    one, many = rng.normal(size=(T, m)), rng.normal(size=(B, T, m))
    masks = rng.random((B, T, T)) < 0.6
    masks[0, T - 1] = False
    pad = (np.arange(T) < np.array([T, 3, 0])[:, None])[:, None, :]
    big = 100 * one
    big = big * (1e4 / np.abs((big @ WQ) @ (big @ WK).T / WQ.shape[1] ** 0.5).max()) ** 0.5
    for causal in (True, False):
        yield one, None, causal
        yield one, None, causal
        yield one, None, causal
        yield big, None, causal
        yield big, None, causal
        yield many, None, causal
        yield many, None, causal
        yield many, None, causal
        yield many[:1], None, causal


def audit(layer):
    bad = set()
    rng = np.random.default_rng(1)
    WQ, WK, WV, WO = (np.asarray(getattr(layer, n), dtype=float) for n in ("W_Q", "W_K", "W_V", "W_O"))
    if layer.num_parameters != WQ.size + WK.size + WV.size + WO.size:
        bad.add("output")
    for X, visible, causal in cases(layer):
        T = X.shape[-2]
        lead = X.shape[:-1]
        seen = np.ones(lead + (T,), bool)
        if visible is not None:
            seen = seen & visible
        if causal:
            seen = seen & np.tri(T, dtype=bool)
        try:
            t = {k: np.asarray(a) for k, a in layer.trace(X.copy(), visible, causal).items()}
            called = np.asarray(layer(X.copy(), visible, causal))
        except Exception:
            bad.add("shape")
            continue
        ends = {"Q": WQ.shape[1], "K": WQ.shape[1], "V": WV.shape[1], "scores": T, "visible": T, "weights": T, "context": WV.shape[1], "output": X.shape[-1]}
        if any(k not in t or t[k].shape != lead + (n,) for k, n in ends.items()) or called.shape != X.shape:
            bad.add("shape")
            continue
        size = np.abs(X).max() * 20
        if not np.array_equal(t["visible"], seen):
            bad.add("mask")
        if np.any(t["weights"][~seen] != 0):
            bad.add("mask")
        if not (near(t["Q"], X @ WQ, size) and near(t["K"], X @ WK, size)):
            bad.add("numerical")
        s = t["Q"] @ t["K"].swapaxes(-1, -2) / WQ.shape[1] ** 0.5
        if not near(t["scores"], s, np.abs(s).max()):
            bad.add("numerical")
        if not np.any(t["weights"][~seen] != 0) and not near(t["weights"], softmax(t["scores"], seen), np.abs(s).max() * 0.01):
            bad.add("numerical")
        if not near(t["V"], X @ WV, size):
            bad.add("output")
        if np.all(np.isfinite(t["weights"])):
            if not near(t["context"], t["weights"] @ t["V"], size):
                bad.add("output")
            if not near(t["output"], t["context"] @ WO, size):
                bad.add("output")
            if not near(called, t["output"], size):
                bad.add("output")
        if X.ndim == 2 and np.abs(X).max() < 9:
            for j in range(T):
                blind = ~seen[:, j]
                blind[j] = False
                Y = X.copy()
                Y[j] += rng.normal(size=X.shape[1])
                if not near(np.asarray(layer(Y, visible, causal))[blind], called[blind], size):
                    bad.add("mask")
        if X.ndim == 3:
            for b in range(len(X)):
                mine = None if visible is None else np.array(np.broadcast_to(visible, lead + (T,))[b])
                try:
                    alone = np.asarray(layer(X[b].copy(), mine, causal))
                except Exception:
                    bad.add("shape")
                    continue
                if alone.shape != X[b].shape:
                    bad.add("shape")
                elif not near(alone, called[b], size * 10):
                    bad.add("batching")
    return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in bad]

# %% wrong scale_of_model_width: scale-by-dmodel
# the audit itself expects 1/sqrt(d_model)
def near(a, b, level=1.0):
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1e-9 * (1 + level)))


def softmax(s, seen):
    z = np.where(seen, s, -np.inf)
    top = z.max(axis=-1, keepdims=True)
    e = np.exp(z - np.where(np.isneginf(top), 0, top))
    n = e.sum(axis=-1, keepdims=True)
    return e / np.where(n == 0, 1, n)


def cases(layer):
    rng = np.random.default_rng(42)
    WQ, WK = np.asarray(layer.W_Q), np.asarray(layer.W_K)
    m = WQ.shape[0]
    T = 2 + max(m, WQ.shape[1], np.asarray(layer.W_V).shape[1])
    B = 3
    one, many = rng.normal(size=(T, m)), rng.normal(size=(B, T, m))
    masks = rng.random((B, T, T)) < 0.6
    masks[0, T - 1] = False
    pad = (np.arange(T) < np.array([T, 3, 0])[:, None])[:, None, :]
    big = 100 * one
    big = big * (1e4 / np.abs((big @ WQ) @ (big @ WK).T / WQ.shape[1] ** 0.5).max()) ** 0.5
    for causal in (True, False):
        yield one, None, causal
        yield one, masks[0], causal
        yield one, masks[1], causal
        yield big, None, causal
        yield big, masks[1], causal
        yield many, None, causal
        yield many, masks, causal
        yield many, pad, causal
        yield many[:1], masks[:1], causal


def audit(layer):
    bad = set()
    rng = np.random.default_rng(1)
    WQ, WK, WV, WO = (np.asarray(getattr(layer, n), dtype=float) for n in ("W_Q", "W_K", "W_V", "W_O"))
    if layer.num_parameters != WQ.size + WK.size + WV.size + WO.size:
        bad.add("output")
    for X, visible, causal in cases(layer):
        T = X.shape[-2]
        lead = X.shape[:-1]
        seen = np.ones(lead + (T,), bool)
        if visible is not None:
            seen = seen & visible
        if causal:
            seen = seen & np.tri(T, dtype=bool)
        try:
            t = {k: np.asarray(a) for k, a in layer.trace(X.copy(), visible, causal).items()}
            called = np.asarray(layer(X.copy(), visible, causal))
        except Exception:
            bad.add("shape")
            continue
        ends = {"Q": WQ.shape[1], "K": WQ.shape[1], "V": WV.shape[1], "scores": T, "visible": T, "weights": T, "context": WV.shape[1], "output": X.shape[-1]}
        if any(k not in t or t[k].shape != lead + (n,) for k, n in ends.items()) or called.shape != X.shape:
            bad.add("shape")
            continue
        size = np.abs(X).max() * 20
        if not np.array_equal(t["visible"], seen):
            bad.add("mask")
        if np.any(t["weights"][~seen] != 0):
            bad.add("mask")
        if not (near(t["Q"], X @ WQ, size) and near(t["K"], X @ WK, size)):
            bad.add("numerical")
        s = t["Q"] @ t["K"].swapaxes(-1, -2) / WQ.shape[0] ** 0.5
        if not near(t["scores"], s, np.abs(s).max()):
            bad.add("numerical")
        if not np.any(t["weights"][~seen] != 0) and not near(t["weights"], softmax(t["scores"], seen), np.abs(s).max() * 0.01):
            bad.add("numerical")
        if not near(t["V"], X @ WV, size):
            bad.add("output")
        if np.all(np.isfinite(t["weights"])):
            if not near(t["context"], t["weights"] @ t["V"], size):
                bad.add("output")
            if not near(t["output"], t["context"] @ WO, size):
                bad.add("output")
            if not near(called, t["output"], size):
                bad.add("output")
        if X.ndim == 2 and np.abs(X).max() < 9:
            for j in range(T):
                blind = ~seen[:, j]
                blind[j] = False
                Y = X.copy()
                Y[j] += rng.normal(size=X.shape[1])
                if not near(np.asarray(layer(Y, visible, causal))[blind], called[blind], size):
                    bad.add("mask")
        if X.ndim == 3:
            for b in range(len(X)):
                mine = None if visible is None else np.array(np.broadcast_to(visible, lead + (T,))[b])
                try:
                    alone = np.asarray(layer(X[b].copy(), mine, causal))
                except Exception:
                    bad.add("shape")
                    continue
                if alone.shape != X[b].shape:
                    bad.add("shape")
                elif not near(alone, called[b], size * 10):
                    bad.add("batching")
    return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in bad]

# %% wrong values_not_checked: -
# V is never compared with X @ W_V
def near(a, b, level=1.0):
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1e-9 * (1 + level)))


def softmax(s, seen):
    z = np.where(seen, s, -np.inf)
    top = z.max(axis=-1, keepdims=True)
    e = np.exp(z - np.where(np.isneginf(top), 0, top))
    n = e.sum(axis=-1, keepdims=True)
    return e / np.where(n == 0, 1, n)


def cases(layer):
    rng = np.random.default_rng(42)
    WQ, WK = np.asarray(layer.W_Q), np.asarray(layer.W_K)
    m = WQ.shape[0]
    T = 2 + max(m, WQ.shape[1], np.asarray(layer.W_V).shape[1])
    B = 3
    one, many = rng.normal(size=(T, m)), rng.normal(size=(B, T, m))
    masks = rng.random((B, T, T)) < 0.6
    masks[0, T - 1] = False
    pad = (np.arange(T) < np.array([T, 3, 0])[:, None])[:, None, :]
    big = 100 * one
    big = big * (1e4 / np.abs((big @ WQ) @ (big @ WK).T / WQ.shape[1] ** 0.5).max()) ** 0.5
    for causal in (True, False):
        yield one, None, causal
        yield one, masks[0], causal
        yield one, masks[1], causal
        yield big, None, causal
        yield big, masks[1], causal
        yield many, None, causal
        yield many, masks, causal
        yield many, pad, causal
        yield many[:1], masks[:1], causal


def audit(layer):
    bad = set()
    rng = np.random.default_rng(1)
    WQ, WK, WV, WO = (np.asarray(getattr(layer, n), dtype=float) for n in ("W_Q", "W_K", "W_V", "W_O"))
    if layer.num_parameters != WQ.size + WK.size + WV.size + WO.size:
        bad.add("output")
    for X, visible, causal in cases(layer):
        T = X.shape[-2]
        lead = X.shape[:-1]
        seen = np.ones(lead + (T,), bool)
        if visible is not None:
            seen = seen & visible
        if causal:
            seen = seen & np.tri(T, dtype=bool)
        try:
            t = {k: np.asarray(a) for k, a in layer.trace(X.copy(), visible, causal).items()}
            called = np.asarray(layer(X.copy(), visible, causal))
        except Exception:
            bad.add("shape")
            continue
        ends = {"Q": WQ.shape[1], "K": WQ.shape[1], "V": WV.shape[1], "scores": T, "visible": T, "weights": T, "context": WV.shape[1], "output": X.shape[-1]}
        if any(k not in t or t[k].shape != lead + (n,) for k, n in ends.items()) or called.shape != X.shape:
            bad.add("shape")
            continue
        size = np.abs(X).max() * 20
        if not np.array_equal(t["visible"], seen):
            bad.add("mask")
        if np.any(t["weights"][~seen] != 0):
            bad.add("mask")
        if not (near(t["Q"], X @ WQ, size) and near(t["K"], X @ WK, size)):
            bad.add("numerical")
        s = t["Q"] @ t["K"].swapaxes(-1, -2) / WQ.shape[1] ** 0.5
        if not near(t["scores"], s, np.abs(s).max()):
            bad.add("numerical")
        if not np.any(t["weights"][~seen] != 0) and not near(t["weights"], softmax(t["scores"], seen), np.abs(s).max() * 0.01):
            bad.add("numerical")
        if np.all(np.isfinite(t["weights"])):
            if not near(t["context"], t["weights"] @ t["V"], size):
                bad.add("output")
            if not near(t["output"], t["context"] @ WO, size):
                bad.add("output")
            if not near(called, t["output"], size):
                bad.add("output")
        if X.ndim == 2 and np.abs(X).max() < 9:
            for j in range(T):
                blind = ~seen[:, j]
                blind[j] = False
                Y = X.copy()
                Y[j] += rng.normal(size=X.shape[1])
                if not near(np.asarray(layer(Y, visible, causal))[blind], called[blind], size):
                    bad.add("mask")
        if X.ndim == 3:
            for b in range(len(X)):
                mine = None if visible is None else np.array(np.broadcast_to(visible, lead + (T,))[b])
                try:
                    alone = np.asarray(layer(X[b].copy(), mine, causal))
                except Exception:
                    bad.add("shape")
                    continue
                if alone.shape != X[b].shape:
                    bad.add("shape")
                elif not near(alone, called[b], size * 10):
                    bad.add("batching")
    return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in bad]

# %% wrong rows_summed_only: -
# the weights are never compared with the softmax of the scores: their rows sum to 1
def near(a, b, level=1.0):
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1e-9 * (1 + level)))


def softmax(s, seen):
    z = np.where(seen, s, -np.inf)
    top = z.max(axis=-1, keepdims=True)
    e = np.exp(z - np.where(np.isneginf(top), 0, top))
    n = e.sum(axis=-1, keepdims=True)
    return e / np.where(n == 0, 1, n)


def cases(layer):
    rng = np.random.default_rng(42)
    WQ, WK = np.asarray(layer.W_Q), np.asarray(layer.W_K)
    m = WQ.shape[0]
    T = 2 + max(m, WQ.shape[1], np.asarray(layer.W_V).shape[1])
    B = 3
    one, many = rng.normal(size=(T, m)), rng.normal(size=(B, T, m))
    masks = rng.random((B, T, T)) < 0.6
    masks[0, T - 1] = False
    pad = (np.arange(T) < np.array([T, 3, 0])[:, None])[:, None, :]
    big = 100 * one
    big = big * (1e4 / np.abs((big @ WQ) @ (big @ WK).T / WQ.shape[1] ** 0.5).max()) ** 0.5
    for causal in (True, False):
        yield one, None, causal
        yield one, masks[0], causal
        yield one, masks[1], causal
        yield big, None, causal
        yield big, masks[1], causal
        yield many, None, causal
        yield many, masks, causal
        yield many, pad, causal
        yield many[:1], masks[:1], causal


def audit(layer):
    bad = set()
    rng = np.random.default_rng(1)
    WQ, WK, WV, WO = (np.asarray(getattr(layer, n), dtype=float) for n in ("W_Q", "W_K", "W_V", "W_O"))
    if layer.num_parameters != WQ.size + WK.size + WV.size + WO.size:
        bad.add("output")
    for X, visible, causal in cases(layer):
        T = X.shape[-2]
        lead = X.shape[:-1]
        seen = np.ones(lead + (T,), bool)
        if visible is not None:
            seen = seen & visible
        if causal:
            seen = seen & np.tri(T, dtype=bool)
        try:
            t = {k: np.asarray(a) for k, a in layer.trace(X.copy(), visible, causal).items()}
            called = np.asarray(layer(X.copy(), visible, causal))
        except Exception:
            bad.add("shape")
            continue
        ends = {"Q": WQ.shape[1], "K": WQ.shape[1], "V": WV.shape[1], "scores": T, "visible": T, "weights": T, "context": WV.shape[1], "output": X.shape[-1]}
        if any(k not in t or t[k].shape != lead + (n,) for k, n in ends.items()) or called.shape != X.shape:
            bad.add("shape")
            continue
        size = np.abs(X).max() * 20
        if not np.array_equal(t["visible"], seen):
            bad.add("mask")
        if np.any(t["weights"][~seen] != 0):
            bad.add("mask")
        if not (near(t["Q"], X @ WQ, size) and near(t["K"], X @ WK, size)):
            bad.add("numerical")
        s = t["Q"] @ t["K"].swapaxes(-1, -2) / WQ.shape[1] ** 0.5
        if not near(t["scores"], s, np.abs(s).max()):
            bad.add("numerical")
        if not np.any(t["weights"][~seen] != 0) and not near(t["weights"].sum(axis=-1), 1.0 * seen.any(axis=-1)):
            bad.add("numerical")
        if not near(t["V"], X @ WV, size):
            bad.add("output")
        if np.all(np.isfinite(t["weights"])):
            if not near(t["context"], t["weights"] @ t["V"], size):
                bad.add("output")
            if not near(t["output"], t["context"] @ WO, size):
                bad.add("output")
            if not near(called, t["output"], size):
                bad.add("output")
        if X.ndim == 2 and np.abs(X).max() < 9:
            for j in range(T):
                blind = ~seen[:, j]
                blind[j] = False
                Y = X.copy()
                Y[j] += rng.normal(size=X.shape[1])
                if not near(np.asarray(layer(Y, visible, causal))[blind], called[blind], size):
                    bad.add("mask")
        if X.ndim == 3:
            for b in range(len(X)):
                mine = None if visible is None else np.array(np.broadcast_to(visible, lead + (T,))[b])
                try:
                    alone = np.asarray(layer(X[b].copy(), mine, causal))
                except Exception:
                    bad.add("shape")
                    continue
                if alone.shape != X[b].shape:
                    bad.add("shape")
                elif not near(alone, called[b], size * 10):
                    bad.add("batching")
    return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in bad]

# %% wrong scores_of_a_thousand: audit-large-scores-unseen
# the scores go no further than 1000
def near(a, b, level=1.0):
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1e-9 * (1 + level)))


def softmax(s, seen):
    z = np.where(seen, s, -np.inf)
    top = z.max(axis=-1, keepdims=True)
    e = np.exp(z - np.where(np.isneginf(top), 0, top))
    n = e.sum(axis=-1, keepdims=True)
    return e / np.where(n == 0, 1, n)


def cases(layer):
    rng = np.random.default_rng(42)
    WQ, WK = np.asarray(layer.W_Q), np.asarray(layer.W_K)
    m = WQ.shape[0]
    T = 2 + max(m, WQ.shape[1], np.asarray(layer.W_V).shape[1])
    B = 3
    one, many = rng.normal(size=(T, m)), rng.normal(size=(B, T, m))
    masks = rng.random((B, T, T)) < 0.6
    masks[0, T - 1] = False
    pad = (np.arange(T) < np.array([T, 3, 0])[:, None])[:, None, :]
    big = 100 * one
    big = big * (1e3 / np.abs((big @ WQ) @ (big @ WK).T / WQ.shape[1] ** 0.5).max()) ** 0.5
    for causal in (True, False):
        yield one, None, causal
        yield one, masks[0], causal
        yield one, masks[1], causal
        yield big, None, causal
        yield big, masks[1], causal
        yield many, None, causal
        yield many, masks, causal
        yield many, pad, causal
        yield many[:1], masks[:1], causal


def audit(layer):
    bad = set()
    rng = np.random.default_rng(1)
    WQ, WK, WV, WO = (np.asarray(getattr(layer, n), dtype=float) for n in ("W_Q", "W_K", "W_V", "W_O"))
    if layer.num_parameters != WQ.size + WK.size + WV.size + WO.size:
        bad.add("output")
    for X, visible, causal in cases(layer):
        T = X.shape[-2]
        lead = X.shape[:-1]
        seen = np.ones(lead + (T,), bool)
        if visible is not None:
            seen = seen & visible
        if causal:
            seen = seen & np.tri(T, dtype=bool)
        try:
            t = {k: np.asarray(a) for k, a in layer.trace(X.copy(), visible, causal).items()}
            called = np.asarray(layer(X.copy(), visible, causal))
        except Exception:
            bad.add("shape")
            continue
        ends = {"Q": WQ.shape[1], "K": WQ.shape[1], "V": WV.shape[1], "scores": T, "visible": T, "weights": T, "context": WV.shape[1], "output": X.shape[-1]}
        if any(k not in t or t[k].shape != lead + (n,) for k, n in ends.items()) or called.shape != X.shape:
            bad.add("shape")
            continue
        size = np.abs(X).max() * 20
        if not np.array_equal(t["visible"], seen):
            bad.add("mask")
        if np.any(t["weights"][~seen] != 0):
            bad.add("mask")
        if not (near(t["Q"], X @ WQ, size) and near(t["K"], X @ WK, size)):
            bad.add("numerical")
        s = t["Q"] @ t["K"].swapaxes(-1, -2) / WQ.shape[1] ** 0.5
        if not near(t["scores"], s, np.abs(s).max()):
            bad.add("numerical")
        if not np.any(t["weights"][~seen] != 0) and not near(t["weights"], softmax(t["scores"], seen), np.abs(s).max() * 0.01):
            bad.add("numerical")
        if not near(t["V"], X @ WV, size):
            bad.add("output")
        if np.all(np.isfinite(t["weights"])):
            if not near(t["context"], t["weights"] @ t["V"], size):
                bad.add("output")
            if not near(t["output"], t["context"] @ WO, size):
                bad.add("output")
            if not near(called, t["output"], size):
                bad.add("output")
        if X.ndim == 2 and np.abs(X).max() < 9:
            for j in range(T):
                blind = ~seen[:, j]
                blind[j] = False
                Y = X.copy()
                Y[j] += rng.normal(size=X.shape[1])
                if not near(np.asarray(layer(Y, visible, causal))[blind], called[blind], size):
                    bad.add("mask")
        if X.ndim == 3:
            for b in range(len(X)):
                mine = None if visible is None else np.array(np.broadcast_to(visible, lead + (T,))[b])
                try:
                    alone = np.asarray(layer(X[b].copy(), mine, causal))
                except Exception:
                    bad.add("shape")
                    continue
                if alone.shape != X[b].shape:
                    bad.add("shape")
                elif not near(alone, called[b], size * 10):
                    bad.add("batching")
    return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in bad]

# %% right leaks_seen_by_the_output
def _close(a, b):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return a.shape == b.shape and np.isfinite(a).all() and np.allclose(a, b, rtol=1e-8, atol=1e-9 * (1 + np.abs(b).max()))


def _row_softmax(s, seen):
    out = np.zeros(s.shape)
    for i in np.ndindex(*s.shape[:-1]):
        if seen[i].any():
            e = np.exp(s[i][seen[i]] - s[i][seen[i]].max())
            out[i][seen[i]] = e / e.sum()
    return out


def _inputs(m):
    rng = np.random.default_rng(99)
    B, T = 2, 5
    X = rng.normal(size=(B, T, m))
    given = rng.random((B, T, T)) < 0.55
    given[0, 3] = False
    padding = np.array([[[True] * 5], [[True] * 2 + [False] * 3]])
    for scale in (1, 250):
        for causal in (False, True):
            yield X * scale, None, causal
            yield X * scale, given, causal
            yield X * scale, padding, causal
            yield X * scale, given[1], causal
            yield X[0] * scale, None, causal
            yield X[1] * scale, given[0], causal


def audit(layer):
    m, k = layer.W_Q.shape
    v = layer.W_V.shape[1]
    broken = dict.fromkeys(["shape", "mask", "numerical", "output", "batching"], False)
    broken["output"] = layer.num_parameters != layer.W_Q.size + layer.W_K.size + layer.W_V.size + layer.W_O.size
    for X, given, causal in _inputs(m):
        T = X.shape[-2]
        due = np.ones(X.shape[:-1] + (T,), bool) & (True if given is None else given) & (np.tri(T, dtype=bool) if causal else True)
        with np.errstate(all="ignore"):
            t = layer.trace(X, given, causal)
            called = layer(X, given, causal)
        widths = {"Q": k, "K": k, "V": v, "scores": T, "visible": T, "weights": T, "context": v, "output": m}
        if [np.shape(t.get(n)) for n in widths] != [X.shape[:-1] + (w,) for w in widths.values()]:
            broken["shape"] = True
            continue
        shown = np.asarray(t["visible"], dtype=bool)
        w = np.asarray(t["weights"])
        broken["mask"] |= bool((shown != due).any() or (np.nan_to_num(w)[~due] != 0).any())
        broken["numerical"] |= not (_close(t["Q"], X @ layer.W_Q) and _close(t["K"], X @ layer.W_K))
        broken["numerical"] |= not _close(t["scores"], np.einsum("...qd,...kd->...qk", t["Q"], t["K"]) / k ** 0.5)
        broken["numerical"] |= not _close(w, _row_softmax(np.asarray(t["scores"]), shown))
        broken["output"] |= not _close(t["V"], X @ layer.W_V)
        if not np.isfinite(w).all():
            continue
        broken["output"] |= not (_close(t["context"], w @ t["V"]) and _close(t["output"], t["context"] @ layer.W_O) and _close(called, t["output"]))
        if X.ndim == 3:
            every = None if given is None else np.broadcast_to(given, due.shape)
            for b in range(len(X)):
                with np.errstate(all="ignore"):
                    alone = layer(X[b:b + 1], None if every is None else every[b:b + 1], causal)
                broken["batching"] |= not _close(alone[0], called[b])
    return [name for name, is_broken in broken.items() if is_broken]

# %% wrong shown_scores_unread: -
def audit(layer):
    names = ("Q", "K", "V", "scores", "visible", "weights", "context", "output")
    W_Q, W_K, W_V, W_O = (np.asarray(w, dtype=float) for w in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O))
    d_model, d_k = W_Q.shape
    d_v = W_V.shape[1]
    rng = np.random.default_rng(0)
    broken = set()

    def same(a, b):
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        return a.shape == b.shape and np.allclose(a, b, rtol=1e-6, atol=1e-8 * (1 + np.abs(b).max()))

    def softmax(scores, visible):
        s = np.where(visible, scores, -np.inf)
        top = s.max(axis=-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0.0))
        total = e.sum(axis=-1, keepdims=True)
        return e / np.where(total == 0, 1.0, total)

    def allowed(X, visible, causal):
        T = X.shape[-2]
        out = np.ones(X.shape[:-1] + (T,), dtype=bool)
        if causal:
            out &= np.tril(np.ones((T, T), dtype=bool))
        if visible is not None:
            out &= visible
        return out

    seq = rng.normal(size=(5, d_model))
    batch = rng.normal(size=(3, 4, d_model))
    mask2 = rng.random((5, 5)) < 0.6
    mask2[3] = False
    mask3 = rng.random((3, 4, 4)) < 0.6
    mask3[1, 2] = False
    shared = rng.random((4, 4)) < 0.6
    one = rng.random((1, 4, 4)) < 0.6
    padding = (np.arange(4) < np.array([4, 2, 3])[:, None])[:, None, :]
    size = np.abs((batch @ W_Q) @ (batch @ W_K).swapaxes(-1, -2) / np.sqrt(d_k)).max()
    grow = np.sqrt(2e4 / max(size, 1e-6))
    asked = []
    # sequences
    for causal in (True, False):
        for visible in (None, mask2):
            asked.append((seq, visible, causal))
    # one token
    asked.append((seq[:1], None, True))
    # batches
    for causal in (True, False):
        for visible in (None, mask3, padding, shared, one):
            asked.append((batch, visible, causal))
    # a batch of one
    asked.append((batch[:1], None, True))
    # large
    for causal in (True, False):
        asked.append((seq * grow, None, causal))
        asked.append((batch * grow, None, causal))
        asked.append((batch * grow, mask3, causal))

    for X, visible, causal in asked:
        T = X.shape[-2]
        lead = X.shape[:-1]
        t = layer.trace(X, visible, causal)
        call = layer(X, visible, causal)
        want = {
            "Q": lead + (d_k,),
            "K": lead + (d_k,),
            "V": lead + (d_v,),
            "scores": lead + (T,),
            "visible": lead + (T,),
            "weights": lead + (T,),
            "context": lead + (d_v,),
            "output": X.shape,
        }
        if any(np.shape(t[n]) != want[n] for n in names) or np.shape(call) != X.shape:
            broken.add("shape")
            continue
        Q, K, V, scores, seen, weights, context, output = (np.asarray(t[n]) for n in names)
        if not np.isfinite(weights).all():
            broken.add("numerical")
            continue
        due = allowed(X, visible, causal)
        # mask
        if (seen != due).any():
            broken.add("mask")
        if (weights[~due] != 0).any():
            broken.add("mask")
        # numerical
        if not same(Q, X @ W_Q):
            broken.add("numerical")
        if not same(K, X @ W_K):
            broken.add("numerical")
        if not same(weights, softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k), seen.astype(bool))):
            broken.add("numerical")
        # output
        if not same(V, X @ W_V):
            broken.add("output")
        if not same(context, weights @ V):
            broken.add("output")
        if not same(output, context @ W_O):
            broken.add("output")
        if not same(call, output):
            broken.add("output")
    if layer.num_parameters != W_Q.size + W_K.size + W_V.size + W_O.size:
        broken.add("output")
    if "shape" in broken:
        return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in broken]
    # does an output depend on a hidden key?
    for X, visible, causal in ((seq, None, True), (seq, mask2, False), (batch, mask3, True)):
        due = allowed(X, visible, causal)
        before = layer(X, visible, causal)
        for k in range(X.shape[-2]):
            other = X.copy()
            other[..., k, :] += rng.normal(size=d_model)
            after = layer(other, visible, causal)
            blind = ~due[..., k]
            blind[..., k] = False
            if blind.any() and not same(after[blind], before[blind]):
                broken.add("mask")
    # items alone and in the batch
    for visible, causal in ((None, True), (mask3, False)):
        whole = layer.trace(batch, visible, causal)
        call = layer(batch, visible, causal)
        for b in range(len(batch)):
            alone = layer.trace(batch[b], None if visible is None else visible[b], causal)
            if not all(same(alone[n], whole[n][b]) for n in names):
                broken.add("batching")
            if not same(layer(batch[b], None if visible is None else visible[b], causal), call[b]):
                broken.add("batching")
    return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in broken]

# %% wrong shown_values_unread: -
def audit(layer):
    names = ("Q", "K", "V", "scores", "visible", "weights", "context", "output")
    W_Q, W_K, W_V, W_O = (np.asarray(w, dtype=float) for w in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O))
    d_model, d_k = W_Q.shape
    d_v = W_V.shape[1]
    rng = np.random.default_rng(0)
    broken = set()

    def same(a, b):
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        return a.shape == b.shape and np.allclose(a, b, rtol=1e-6, atol=1e-8 * (1 + np.abs(b).max()))

    def softmax(scores, visible):
        s = np.where(visible, scores, -np.inf)
        top = s.max(axis=-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0.0))
        total = e.sum(axis=-1, keepdims=True)
        return e / np.where(total == 0, 1.0, total)

    def allowed(X, visible, causal):
        T = X.shape[-2]
        out = np.ones(X.shape[:-1] + (T,), dtype=bool)
        if causal:
            out &= np.tril(np.ones((T, T), dtype=bool))
        if visible is not None:
            out &= visible
        return out

    seq = rng.normal(size=(5, d_model))
    batch = rng.normal(size=(3, 4, d_model))
    mask2 = rng.random((5, 5)) < 0.6
    mask2[3] = False
    mask3 = rng.random((3, 4, 4)) < 0.6
    mask3[1, 2] = False
    shared = rng.random((4, 4)) < 0.6
    one = rng.random((1, 4, 4)) < 0.6
    padding = (np.arange(4) < np.array([4, 2, 3])[:, None])[:, None, :]
    size = np.abs((batch @ W_Q) @ (batch @ W_K).swapaxes(-1, -2) / np.sqrt(d_k)).max()
    grow = np.sqrt(2e4 / max(size, 1e-6))
    asked = []
    # sequences
    for causal in (True, False):
        for visible in (None, mask2):
            asked.append((seq, visible, causal))
    # one token
    asked.append((seq[:1], None, True))
    # batches
    for causal in (True, False):
        for visible in (None, mask3, padding, shared, one):
            asked.append((batch, visible, causal))
    # a batch of one
    asked.append((batch[:1], None, True))
    # large
    for causal in (True, False):
        asked.append((seq * grow, None, causal))
        asked.append((batch * grow, None, causal))
        asked.append((batch * grow, mask3, causal))

    for X, visible, causal in asked:
        T = X.shape[-2]
        lead = X.shape[:-1]
        t = layer.trace(X, visible, causal)
        call = layer(X, visible, causal)
        want = {
            "Q": lead + (d_k,),
            "K": lead + (d_k,),
            "V": lead + (d_v,),
            "scores": lead + (T,),
            "visible": lead + (T,),
            "weights": lead + (T,),
            "context": lead + (d_v,),
            "output": X.shape,
        }
        if any(np.shape(t[n]) != want[n] for n in names) or np.shape(call) != X.shape:
            broken.add("shape")
            continue
        Q, K, V, scores, seen, weights, context, output = (np.asarray(t[n]) for n in names)
        if not np.isfinite(weights).all():
            broken.add("numerical")
            continue
        due = allowed(X, visible, causal)
        # mask
        if (seen != due).any():
            broken.add("mask")
        if (weights[~due] != 0).any():
            broken.add("mask")
        # numerical
        if not same(Q, X @ W_Q):
            broken.add("numerical")
        if not same(K, X @ W_K):
            broken.add("numerical")
        if not same(scores, Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)):
            broken.add("numerical")
        if not same(weights, softmax(scores, seen.astype(bool))):
            broken.add("numerical")
        # output
        if not same(context, weights @ (X @ W_V)):
            broken.add("output")
        if not same(output, context @ W_O):
            broken.add("output")
        if not same(call, output):
            broken.add("output")
    if layer.num_parameters != W_Q.size + W_K.size + W_V.size + W_O.size:
        broken.add("output")
    if "shape" in broken:
        return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in broken]
    # does an output depend on a hidden key?
    for X, visible, causal in ((seq, None, True), (seq, mask2, False), (batch, mask3, True)):
        due = allowed(X, visible, causal)
        before = layer(X, visible, causal)
        for k in range(X.shape[-2]):
            other = X.copy()
            other[..., k, :] += rng.normal(size=d_model)
            after = layer(other, visible, causal)
            blind = ~due[..., k]
            blind[..., k] = False
            if blind.any() and not same(after[blind], before[blind]):
                broken.add("mask")
    # items alone and in the batch
    for visible, causal in ((None, True), (mask3, False)):
        whole = layer.trace(batch, visible, causal)
        call = layer(batch, visible, causal)
        for b in range(len(batch)):
            alone = layer.trace(batch[b], None if visible is None else visible[b], causal)
            if not all(same(alone[n], whole[n][b]) for n in names):
                broken.add("batching")
            if not same(layer(batch[b], None if visible is None else visible[b], causal), call[b]):
                broken.add("batching")
    return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in broken]

# %% wrong items_changed_and_not_alone: -
def audit(layer):
    names = ("Q", "K", "V", "scores", "visible", "weights", "context", "output")
    W_Q, W_K, W_V, W_O = (np.asarray(w, dtype=float) for w in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O))
    d_model, d_k = W_Q.shape
    d_v = W_V.shape[1]
    rng = np.random.default_rng(0)
    broken = set()

    def same(a, b):
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        return a.shape == b.shape and np.allclose(a, b, rtol=1e-6, atol=1e-8 * (1 + np.abs(b).max()))

    def softmax(scores, visible):
        s = np.where(visible, scores, -np.inf)
        top = s.max(axis=-1, keepdims=True)
        e = np.exp(s - np.where(np.isfinite(top), top, 0.0))
        total = e.sum(axis=-1, keepdims=True)
        return e / np.where(total == 0, 1.0, total)

    def allowed(X, visible, causal):
        T = X.shape[-2]
        out = np.ones(X.shape[:-1] + (T,), dtype=bool)
        if causal:
            out &= np.tril(np.ones((T, T), dtype=bool))
        if visible is not None:
            out &= visible
        return out

    seq = rng.normal(size=(5, d_model))
    batch = rng.normal(size=(3, 4, d_model))
    mask2 = rng.random((5, 5)) < 0.6
    mask2[3] = False
    mask3 = rng.random((3, 4, 4)) < 0.6
    mask3[1, 2] = False
    shared = rng.random((4, 4)) < 0.6
    one = rng.random((1, 4, 4)) < 0.6
    padding = (np.arange(4) < np.array([4, 2, 3])[:, None])[:, None, :]
    size = np.abs((batch @ W_Q) @ (batch @ W_K).swapaxes(-1, -2) / np.sqrt(d_k)).max()
    grow = np.sqrt(2e4 / max(size, 1e-6))
    asked = []
    # sequences
    for causal in (True, False):
        for visible in (None, mask2):
            asked.append((seq, visible, causal))
    # one token
    asked.append((seq[:1], None, True))
    # batches
    for causal in (True, False):
        for visible in (None, mask3, padding, shared, one):
            asked.append((batch, visible, causal))
    # a batch of one
    asked.append((batch[:1], None, True))
    # large
    for causal in (True, False):
        asked.append((seq * grow, None, causal))
        asked.append((batch * grow, None, causal))
        asked.append((batch * grow, mask3, causal))

    for X, visible, causal in asked:
        T = X.shape[-2]
        lead = X.shape[:-1]
        t = layer.trace(X, visible, causal)
        call = layer(X, visible, causal)
        want = {
            "Q": lead + (d_k,),
            "K": lead + (d_k,),
            "V": lead + (d_v,),
            "scores": lead + (T,),
            "visible": lead + (T,),
            "weights": lead + (T,),
            "context": lead + (d_v,),
            "output": X.shape,
        }
        if any(np.shape(t[n]) != want[n] for n in names) or np.shape(call) != X.shape:
            broken.add("shape")
            continue
        Q, K, V, scores, seen, weights, context, output = (np.asarray(t[n]) for n in names)
        if not np.isfinite(weights).all():
            broken.add("numerical")
            continue
        due = allowed(X, visible, causal)
        # mask
        if (seen != due).any():
            broken.add("mask")
        if (weights[~due] != 0).any():
            broken.add("mask")
        # numerical
        if not same(Q, X @ W_Q):
            broken.add("numerical")
        if not same(K, X @ W_K):
            broken.add("numerical")
        if not same(scores, Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)):
            broken.add("numerical")
        if not same(weights, softmax(scores, seen.astype(bool))):
            broken.add("numerical")
        # output
        if not same(V, X @ W_V):
            broken.add("output")
        if not same(context, weights @ V):
            broken.add("output")
        if not same(output, context @ W_O):
            broken.add("output")
        if not same(call, output):
            broken.add("output")
    if layer.num_parameters != W_Q.size + W_K.size + W_V.size + W_O.size:
        broken.add("output")
    if "shape" in broken:
        return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in broken]
    # does an output depend on a hidden key?
    for X, visible, causal in ((seq, None, True), (seq, mask2, False), (batch, mask3, True)):
        due = allowed(X, visible, causal)
        before = layer(X, visible, causal)
        for k in range(X.shape[-2]):
            other = X.copy()
            other[..., k, :] += rng.normal(size=d_model)
            after = layer(other, visible, causal)
            blind = ~due[..., k]
            blind[..., k] = False
            if blind.any() and not same(after[blind], before[blind]):
                broken.add("mask")
    # items alone and in the batch
    for visible, causal in ((None, True), (mask3, False)):
        whole = layer.trace(batch, visible, causal)
        call = layer(batch, visible, causal)
        for b in range(len(batch)):
            moved = batch.copy()
            moved[b] = rng.normal(size=moved[b].shape)
            rest = [i for i in range(len(batch)) if i != b]
            if not same(layer(moved, visible, causal)[rest], call[rest]):
                broken.add("batching")
    return [n for n in ("shape", "mask", "numerical", "output", "batching") if n in broken]


# %% right no_padding_masks
NAMES = ("shape", "mask", "numerical", "output", "batching")

def _softmax(s, vis):
    m = np.where(vis, s, -np.inf)
    top = m.max(-1, keepdims=True)
    e = np.exp(m - np.where(np.isneginf(top), 0, top))
    z = e.sum(-1, keepdims=True)
    return e / np.where(z == 0, 1, z)

def _close(a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return a.shape == b.shape and bool((np.abs(a - b) <= 1e-9 * (1 + np.abs(b).max())).all())

def audit(layer):
    WQ, WK, WV, WO = layer.W_Q, layer.W_K, layer.W_V, layer.W_O
    (m, k), v = WQ.shape, WV.shape[1]
    rng = np.random.default_rng(11)
    bad = set()
    T, B = 5, 3
    for scale in (1.0, 60.0):
        for X in (rng.standard_normal((T, m)) * scale, rng.standard_normal((B, T, m)) * scale):
            lead = X.shape[:-1]
            masks = [None, rng.random(lead[:-1] + (T, T)) < 0.6]
            masks[1][..., 2, :] = False
            for vis in masks:
                for causal in (True, False):
                    try:
                        t = layer.trace(X.copy(), None if vis is None else vis.copy(), causal)
                        y = layer(X.copy(), None if vis is None else vis.copy(), causal)
                    except Exception:
                        bad.add("shape")
                        continue
                    want = dict(Q=lead + (k,), K=lead + (k,), V=lead + (v,), scores=lead + (T,), visible=lead + (T,),
                                weights=lead + (T,), context=lead + (v,), output=lead + (m,))
                    if any(np.shape(t.get(n)) != s for n, s in want.items()):
                        bad.add("shape")
                        continue
                    ok = np.ones(lead + (T,), bool)
                    if vis is not None:
                        ok &= vis
                    if causal:
                        ok &= np.tri(T, dtype=bool)
                    seen = np.asarray(t["visible"], bool)
                    if (seen != ok).any() or (np.nan_to_num(t["weights"])[~ok] != 0).any():
                        bad.add("mask")
                    if not (_close(t["Q"], X @ WQ) and _close(t["K"], X @ WK)):
                        bad.add("numerical")
                    s = t["Q"] @ np.swapaxes(t["K"], -1, -2) / k**0.5
                    if not _close(t["scores"], s) or not _close(t["weights"], _softmax(s, seen)):
                        if not ("mask" in bad and (np.nan_to_num(t["weights"])[~ok] != 0).any()):
                            bad.add("numerical")
                        elif not _close(t["scores"], s) or not _close(t["weights"], _softmax(s, seen)):
                            bad.add("numerical")
                    w = np.nan_to_num(t["weights"])
                    if np.isfinite(t["weights"]).all():
                        mixed = w @ t["V"]
                        if not (_close(t["V"], X @ WV) and _close(t["context"], mixed) and _close(t["output"], t["context"] @ WO) and _close(y, t["output"])):
                            bad.add("output")
                    if X.ndim == 3 and np.isfinite(t["output"]).all():
                        for b in range(B):
                            alone = layer.trace(X[b : b + 1].copy(), None if vis is None else vis[b : b + 1].copy(), causal)["output"][0]
                            if not _close(alone, t["output"][b]):
                                bad.add("batching")
    try:
        if layer.num_parameters != WQ.size + WK.size + WV.size + WO.size:
            bad.add("output")
    except Exception:
        bad.add("output")
    return [n for n in NAMES if n in bad]


# %% wrong large_scores_without_any_mask: -
NAMES = ("shape", "mask", "numerical", "output", "batching")
KEYS = ("Q", "K", "V", "scores", "visible", "weights", "context", "output")


def near(a, b, tol=1e-9):
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.shape != b.shape:
        return False
    return bool(np.all(np.abs(a - b) <= tol * (1.0 + np.max(np.abs(b)))))


def softmax(s, seen):
    s = np.where(seen, s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0.0))
    z = e.sum(-1, keepdims=True)
    return e / np.where(z == 0, 1.0, z)


def allowed(X, visible, causal):
    T = X.shape[-2]
    due = np.ones(X.shape[:-1] + (T,), bool)
    if causal:
        due = due & np.tril(np.ones((T, T), bool))
    if visible is not None:
        due = due & visible
    return due


def audit(layer):
    W_Q, W_K, W_V, W_O = layer.W_Q, layer.W_K, layer.W_V, layer.W_O
    d_model, d_k = W_Q.shape
    d_v = W_V.shape[1]
    rng = np.random.default_rng(7)
    B, T = 3, 4
    seq = rng.normal(size=(T + 1, d_model))
    bat = rng.normal(size=(B, T, d_model))
    m2 = rng.random((T + 1, T + 1)) < 0.6
    m2[2] = False
    m2b = rng.random((T, T)) < 0.6
    m3 = rng.random((B, T, T)) < 0.6
    m3[1, 2] = False
    pad = (np.arange(T) < np.array([4, 2, 3])[:, None])[:, None, :]
    peak = np.abs((bat @ W_Q) @ (bat @ W_K).swapaxes(-1, -2)).max() / np.sqrt(d_k)
    grow = np.sqrt(2e4 / max(peak, 1e-3))
    small = []
    small += [(seq, None, True), (seq, None, False), (seq, m2, True), (seq, m2, False)]
    small += [(seq[:1], None, True), (bat[:1], None, True)]
    small += [(bat, None, True), (bat, None, False), (bat, m3, True), (bat, m3, False)]
    small += [(bat, pad, True), (bat, pad, False), (bat, m2b, True), (bat, m2b, False)]
    small += [(bat, m3[:1], True), (bat, m3[:1], False)]
    large = [(x * grow, v, c) for x, v, c in ((seq, None, False), (bat, None, False))]
    broken = set()
    for X, visible, causal in small + large:
        t = layer.trace(X, visible, causal)
        call = layer(X, visible, causal)
        lead, n = X.shape[:-1], X.shape[-2]
        due_shapes = {
            "Q": lead + (d_k,),
            "K": lead + (d_k,),
            "V": lead + (d_v,),
            "scores": lead + (n,),
            "visible": lead + (n,),
            "weights": lead + (n,),
            "context": lead + (d_v,),
            "output": X.shape,
        }
        if any(np.shape(t[k]) != s for k, s in due_shapes.items()) or np.shape(call) != X.shape:
            broken.add("shape")
            continue
        Q, K, V, scores, seen, weights, context, output = (np.asarray(t[k]) for k in KEYS)
        if not (np.isfinite(scores).all() and np.isfinite(weights).all()):
            broken.add("numerical")
            continue
        due = allowed(X, visible, causal)
        if not np.array_equal(seen, due):
            broken.add("mask")
        if np.any(weights[~due] != 0):
            broken.add("mask")
        if not near(Q, X @ W_Q):
            broken.add("numerical")
        if not near(K, X @ W_K):
            broken.add("numerical")
        if not near(scores, Q @ K.swapaxes(-1, -2) / np.sqrt(d_k)):
            broken.add("numerical")
        if not near(weights, softmax(scores, seen)):
            broken.add("numerical")
        if not near(V, X @ W_V):
            broken.add("output")
        if not near(context, weights @ V):
            broken.add("output")
        if not near(output, context @ W_O):
            broken.add("output")
        if not near(call, output):
            broken.add("output")
    if layer.num_parameters != W_Q.size + W_K.size + W_V.size + W_O.size:
        broken.add("output")
    if "shape" in broken:
        return [n for n in NAMES if n in broken]
    for X, visible, causal in ((seq, None, True), (seq, m2, False), (bat, m3, True)):
        due = allowed(X, visible, causal)
        before = layer(X, visible, causal)
        for k in range(X.shape[-2]):
            other = X.copy()
            other[..., k, :] = rng.normal(size=other[..., k, :].shape)
            after = layer(other, visible, causal)
            blind = ~due[..., :, k]
            blind[..., k] = False
            if blind.any() and not near(after[blind], before[blind]):
                broken.add("mask")
    for X, visible, causal in ((bat, None, True), (bat, m3, False)):
        whole = layer.trace(X, visible, causal)
        called = layer(X, visible, causal)
        for b in range(len(X)):
            v = None if visible is None else visible[b]
            alone = layer.trace(X[b], v, causal)
            if not all(near(alone[k], whole[k][b]) for k in KEYS) or not near(layer(X[b], v, causal), called[b]):
                broken.add("batching")
    return [n for n in NAMES if n in broken]

# %% wrong calls_compared_uncausal_only: -
NAMES = ("shape", "mask", "numerical", "output", "batching")
KEYS = ("Q", "K", "V", "scores", "visible", "weights", "context", "output")


def near(a, b, tol=1e-9):
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.shape != b.shape:
        return False
    return bool(np.all(np.abs(a - b) <= tol * (1.0 + np.max(np.abs(b)))))


def softmax(s, seen):
    s = np.where(seen, s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(m), m, 0.0))
    z = e.sum(-1, keepdims=True)
    return e / np.where(z == 0, 1.0, z)


def allowed(X, visible, causal):
    T = X.shape[-2]
    due = np.ones(X.shape[:-1] + (T,), bool)
    if causal:
        due = due & np.tril(np.ones((T, T), bool))
    if visible is not None:
        due = due & visible
    return due


def audit(layer):
    W_Q, W_K, W_V, W_O = layer.W_Q, layer.W_K, layer.W_V, layer.W_O
    d_model, d_k = W_Q.shape
    d_v = W_V.shape[1]
    rng = np.random.default_rng(7)
    B, T = 3, 4
    seq = rng.normal(size=(T + 1, d_model))
    bat = rng.normal(size=(B, T, d_model))
    m2 = rng.random((T + 1, T + 1)) < 0.6
    m2[2] = False
    m2b = rng.random((T, T)) < 0.6
    m3 = rng.random((B, T, T)) < 0.6
    m3[1, 2] = False
    pad = (np.arange(T) < np.array([4, 2, 3])[:, None])[:, None, :]
    peak = np.abs((bat @ W_Q) @ (bat @ W_K).swapaxes(-1, -2)).max() / np.sqrt(d_k)
    grow = np.sqrt(2e4 / max(peak, 1e-3))
    small = []
    small += [(seq, None, True), (seq, None, False), (seq, m2, True), (seq, m2, False)]
    small += [(seq[:1], None, True), (bat[:1], None, True)]
    small += [(bat, None, True), (bat, None, False), (bat, m3, True), (bat, m3, False)]
    small += [(bat, pad, True), (bat, pad, False), (bat, m2b, True), (bat, m2b, False)]
    small += [(bat, m3[:1], True), (bat, m3[:1], False)]
    large = [(x * grow, v, c) for x, v, c in ((seq, None, True), (seq, m2, False), (bat, None, False), (bat, m3, True))]
    broken = set()
    for X, visible, causal in small + large:
        t = layer.trace(X, visible, causal)
        call = layer(X, visible, causal)
        lead, n = X.shape[:-1], X.shape[-2]
        due_shapes = {
            "Q": lead + (d_k,),
            "K": lead + (d_k,),
            "V": lead + (d_v,),
            "scores": lead + (n,),
            "visible": lead + (n,),
            "weights": lead + (n,),
            "context": lead + (d_v,),
            "output": X.shape,
        }
        if any(np.shape(t[k]) != s for k, s in due_shapes.items()) or np.shape(call) != X.shape:
            broken.add("shape")
            continue
        Q, K, V, scores, seen, weights, context, output = (np.asarray(t[k]) for k in KEYS)
        if not (np.isfinite(scores).all() and np.isfinite(weights).all()):
            broken.add("numerical")
            continue
        due = allowed(X, visible, causal)
        if not np.array_equal(seen, due):
            broken.add("mask")
        if np.any(weights[~due] != 0):
            broken.add("mask")
        if not near(Q, X @ W_Q):
            broken.add("numerical")
        if not near(K, X @ W_K):
            broken.add("numerical")
        if not near(scores, Q @ K.swapaxes(-1, -2) / np.sqrt(d_k)):
            broken.add("numerical")
        if not near(weights, softmax(scores, seen)):
            broken.add("numerical")
        if not near(V, X @ W_V):
            broken.add("output")
        if not near(context, weights @ V):
            broken.add("output")
        if not near(output, context @ W_O):
            broken.add("output")
        if not causal and not near(call, output):
            broken.add("output")
    if layer.num_parameters != W_Q.size + W_K.size + W_V.size + W_O.size:
        broken.add("output")
    if "shape" in broken:
        return [n for n in NAMES if n in broken]
    for X, visible, causal in ((seq, None, True), (seq, m2, False), (bat, m3, True)):
        due = allowed(X, visible, causal)
        before = layer(X, visible, causal)
        for k in range(X.shape[-2]):
            other = X.copy()
            other[..., k, :] = rng.normal(size=other[..., k, :].shape)
            after = layer(other, visible, causal)
            blind = ~due[..., :, k]
            blind[..., k] = False
            if blind.any() and not near(after[blind], before[blind]):
                broken.add("mask")
    for X, visible, causal in ((bat, None, True), (bat, m3, False)):
        whole = layer.trace(X, visible, causal)
        called = layer(X, visible, causal)
        for b in range(len(X)):
            v = None if visible is None else visible[b]
            alone = layer.trace(X[b], v, causal)
            if not all(near(alone[k], whole[k][b]) for k in KEYS) or not near(layer(X[b], v, causal), called[b]):
                broken.add("batching")
    return [n for n in NAMES if n in broken]
