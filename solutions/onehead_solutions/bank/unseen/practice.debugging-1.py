# %% right inf_fill
def debugging_1(scores):
    T = len(scores)
    visible = np.tril(np.ones((T, T), dtype=bool))
    masked = np.where(visible, scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)

# %% wrong large_negative: mask-finite-fill
# -100 for -inf
def debugging_1(scores):
    T = len(scores)
    visible = np.tril(np.ones((T, T), dtype=bool))
    masked = np.where(visible, scores, -100.0)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)

# %% wrong renormalised: mask-renormalised
# masked after the exponentials with the maximum of all keys
def debugging_1(scores):
    T = len(scores)
    visible = np.tril(np.ones((T, T), dtype=bool))
    exp = np.exp(scores - scores.max(axis=-1, keepdims=True)) * visible
    return exp / exp.sum(axis=-1, keepdims=True)

# %% wrong strict_triangle: mask-excludes-self
# the diagonal is taken out as well, guarded against an empty row
def debugging_1(scores):
    T = len(scores)
    visible = np.tril(np.ones((T, T), dtype=bool), -1)
    masked = np.where(visible, scores, -np.inf)
    peak = masked.max(axis=-1, keepdims=True)
    exp = np.exp(masked - np.where(np.isneginf(peak), 0, peak))
    total = exp.sum(axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)

# %% wrong minus_1e4_added: mask-finite-fill
def debugging_1(scores):
    n = len(scores)
    logits = scores * 1.0 - 1e4 * np.triu(np.ones((n, n), scores.dtype), 1)
    p = np.exp(logits - logits.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)

# %% wrong bias_in_float64: -
# zeros and -inf, added, make float32 float64
def debugging_1(scores):
    T = len(scores)
    masked = scores + np.where(np.tri(T, dtype=bool), 0, -np.inf)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)
