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

# %% wrong less_its_own_score: softmax-unstable
# a token's own score is no bound for those before it
def debugging_1(scores):
    seen = np.tri(len(scores), dtype=bool)
    exp = np.exp(np.where(seen, scores - np.diag(scores)[:, None], -np.inf))
    return exp / exp.sum(axis=-1, keepdims=True)

# %% wrong low_weights_cut: weights-cut
def debugging_1(scores):
    masked = np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    weights = exp / exp.sum(axis=-1, keepdims=True)
    return np.where(weights < 1e-6, 0, weights).astype(weights.dtype)

# %% wrong exponents_cut_off: softmax-clipped
def debugging_1(scores):
    seen = np.tri(len(scores), dtype=bool)
    masked = np.where(seen, scores, -np.inf)
    exp = np.where(seen, np.exp(np.maximum(masked - masked.max(-1, keepdims=True), -20)), 0)
    return exp / exp.sum(axis=-1, keepdims=True)

# %% right exponents_cut_off_far_below
def debugging_1(scores):
    seen = np.tri(len(scores), dtype=bool)
    masked = np.where(seen, scores, -np.inf)
    exp = np.where(seen, np.exp(np.maximum(masked - masked.max(-1, keepdims=True), -80)), 0)
    return (exp / exp.sum(axis=-1, keepdims=True)).astype((scores * 1.0).dtype)

# %% wrong mask_of_sixteen: -
# a mask made once, for fewer tokens than may come
_PAST = np.tri(16, dtype=bool)


def debugging_1(scores):
    T = len(scores)
    masked = np.where(_PAST[:T, :T], scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)

# %% wrong one_token_squeezed: -
def debugging_1(scores):
    masked = np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return (exp / exp.sum(axis=-1, keepdims=True)).squeeze()

# %% wrong a_score_of_0_is_hidden: -
# the first row of a score of 0 counts as empty
def debugging_1(scores):
    visible = np.tri(len(scores), dtype=bool)
    masked = np.where(visible, scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    seen = (scores * visible).any(axis=-1, keepdims=True)
    return np.where(seen, exp / exp.sum(axis=-1, keepdims=True), 0)
