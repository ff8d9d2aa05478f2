# %% right boolean_index
def attention_reading(query, keys, values, visible=None):
    kind = np.result_type(query, keys, values)
    if not np.issubdtype(kind, np.floating):
        kind = np.float64
    query, keys, values = query.astype(kind), keys.astype(kind), values.astype(kind)
    weights = np.zeros(len(keys), dtype=kind)
    chosen = slice(None) if visible is None else np.flatnonzero(visible)
    if visible is None or visible.any():
        s = keys[chosen] @ (query / len(query) ** 0.5)
        p = np.exp(s - s.max())
        weights[chosen] = p / p.sum()
    return weights, weights @ values

# %% right einsum_where
def attention_reading(query, keys, values, visible=None):
    query, keys, values = [a if a.dtype.kind == "f" else a.astype(np.float64) for a in (query, keys, values)]
    scores = np.einsum("tk,k->t", keys, query) / query.shape[0] ** 0.5
    if visible is not None:
        scores = np.where(visible, scores, -np.inf)
    top = scores.max()
    if top == -np.inf:
        return np.zeros_like(scores), np.zeros_like(values[0])
    e = np.exp(scores - top)
    weights = e / e.sum()
    return weights, np.einsum("t,tv->v", weights, values)

# %% right logsumexp_reduce
def attention_reading(query, keys, values, visible=None):
    q, k, v = (np.asarray(a, dtype=None if a.dtype.kind == "f" else float) for a in (query, keys, values))
    s = k.dot(q) * q.dtype.type(len(q) ** -0.5)
    if visible is not None:
        s = np.where(visible, s, -np.inf)
    if np.isneginf(s).all():
        w = np.zeros_like(s)
    else:
        w = np.exp(s - np.logaddexp.reduce(s))
    return w, (w[:, None] * v).sum(axis=0)

# %% right masked_array
def attention_reading(query, keys, values, visible=None):
    if query.dtype.kind in "iu":
        query, keys, values = query.astype(float), keys.astype(float), values.astype(float)
    visible = np.ones(len(keys), dtype=bool) if visible is None else visible
    scores = np.ma.masked_array(np.dot(keys, query) / len(query) ** 0.5, mask=~visible)
    if scores.count() == 0:
        weights = np.zeros(len(keys), dtype=query.dtype)
    else:
        e = np.ma.exp(scores - scores.max())
        weights = (e / e.sum()).filled(0)
    return weights, np.dot(weights, values)

# %% right own_dataclass_helper
from dataclasses import dataclass
import numpy as np


@dataclass
class Reader:
    scale: float
    dtype: object

    def scores(self, q, K):
        return (K.astype(self.dtype) * q.astype(self.dtype)).sum(axis=1) * self.dtype.type(self.scale)

    def weigh(self, s, seen):
        s = np.where(seen, s, self.dtype.type(-np.inf))
        top = s.max()
        e = np.exp(s - top) if np.isfinite(top) else np.zeros_like(s)
        return e / (e.sum() or 1)


def attention_reading(query, keys, values, visible=None):
    reader = Reader(1 / query.shape[0] ** 0.5, query.dtype if query.dtype.kind == "f" else np.dtype(float))
    w = reader.weigh(reader.scores(query, keys), True if visible is None else visible)
    return w, (w @ values.astype(reader.dtype))

# %% right pure_python_lists
import math
import numpy as np


def attention_reading(query, keys, values, visible=None):
    T, d_k, d_v = len(keys), len(query), len(values[0])
    scores = []
    for t in range(T):
        dot = 0.0
        for i in range(d_k):
            dot += float(keys[t][i]) * float(query[i])
        scores.append(dot / math.sqrt(d_k))
    seen = [t for t in range(T) if visible is None or visible[t]]
    weights = [0.0] * T
    if seen:
        biggest = max(scores[t] for t in seen)
        total = sum(math.exp(scores[t] - biggest) for t in seen)
        for t in seen:
            weights[t] = math.exp(scores[t] - biggest) / total
    reading = [sum(weights[t] * float(values[t][j]) for t in range(T)) for j in range(d_v)]
    return weights, reading

# %% right streaming_softmax
def attention_reading(query, keys, values, visible=None):
    """One pass over the keys, as flash attention does it."""
    f = query.dtype if query.dtype.kind == "f" else np.dtype(float)
    query, keys, values = query.astype(f), keys.astype(f), values.astype(f)
    T = keys.shape[0]
    scores = np.array([row @ query for row in keys], dtype=f) / query.size ** 0.5
    m, total = -np.inf, 0.0
    for t in range(T):
        if visible is not None and not visible[t]:
            continue
        new = max(m, float(scores[t]))
        total = total * (np.exp(m - new) if m != -np.inf else 0.0) + np.exp(float(scores[t]) - new)
        m = new
    weights = np.zeros(T, dtype=f)
    if total > 0:
        for t in range(T):
            if visible is None or visible[t]:
                weights[t] = np.exp(float(scores[t]) - m) / total
    reading = np.zeros(values.shape[1], dtype=f)
    for t in range(T):
        reading += weights[t] * values[t]
    return weights, reading

# %% wrong argmax_only: softmax-hard
# a hard choice of the best key
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else np.dtype(float)
    s = keys.astype(f) @ query.astype(f)
    w = np.zeros(len(keys), f)
    if visible is None:
        w[np.argmax(s)] = 1
    elif visible.any():
        w[np.argmax(np.where(visible, s, -np.inf))] = 1
    return w, w @ values.astype(f)

# %% wrong compressed_weights: weights-of-visible-only
# weights come back only for the visible keys, shorter than T
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else np.dtype(float)
    keys, values = keys.astype(f), values.astype(f)
    if visible is not None:
        keys, values = keys[visible], values[visible]
    if len(keys) == 0:
        return np.zeros(0, f), np.zeros(values.shape[1], f)
    s = keys @ query.astype(f) / len(query) ** 0.5
    w = np.exp(s - s.max())
    w = w / w.sum()
    return w, w @ values

# %% wrong float64_out: -
# float32 inputs are answered in float64
def attention_reading(query, keys, values, visible=None):
    query, keys, values = (np.asarray(a, dtype=np.float64) for a in (query, keys, values))
    s = keys @ query / np.sqrt(len(query))
    if visible is not None:
        s = np.where(visible, s, -np.inf)
    if np.isneginf(s).all():
        return np.zeros_like(s), np.zeros(values.shape[1])
    w = np.exp(s - s.max())
    w = w / w.sum()
    return w, w @ values

# %% wrong masked_and_renormalised: mask-renormalised
# softmax over all, zero, divide again: 0/0 where a hidden key dominates
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else float
    query, keys, values = query.astype(f), keys.astype(f), values.astype(f)
    s = keys @ query / len(query) ** 0.5
    w = np.exp(s - s.max())
    w = w / w.sum()
    if visible is not None:
        w = w * visible
        if w.sum() > 0:
            w = w / w.sum()
    return w, w @ values

# %% wrong mean_of_values_when_empty: -
# an empty row returns the mean of the values instead of zeros
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else np.dtype(float)
    query, keys, values = query.astype(f), keys.astype(f), values.astype(f)
    if visible is not None and not visible.any():
        return np.zeros(len(keys), f), values.mean(axis=0)
    s = keys @ query / len(query) ** 0.5
    s = s if visible is None else np.where(visible, s, -np.inf)
    w = np.exp(s - s.max())
    w = w / w.sum()
    return w, w @ values

# %% wrong minus_1e9_fill: mask-finite-fill
# with nothing visible all scores are -1e9 and the weights become even
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else float
    s = keys.astype(f) @ query.astype(f) / len(query) ** 0.5
    if visible is not None:
        s = np.where(visible, s, -1e9)
    e = np.exp(s - s.max())
    w = e / e.sum()
    return w, w @ values

# %% wrong nan_when_empty: empty-row-nan
# with no visible key the row is -inf - -inf, NaN
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else float
    s = keys.astype(f) @ query.astype(f) / len(query) ** 0.5
    if visible is not None:
        s = np.where(visible, s, -np.inf)
    e = np.exp(s - s.max())
    w = e / e.sum()
    return w, w @ values.astype(f)

# %% wrong no_division: softmax-unnormalised
# the shifted exponentials are used as weights
def attention_reading(query, keys, values, visible=None):
    query = query if query.dtype.kind == "f" else query.astype(float)
    s = keys @ query / len(query) ** 0.5
    if visible is not None:
        s = np.where(visible, s, -np.inf)
    m = s.max()
    weights = np.exp(s - m) if m > -np.inf else np.zeros_like(s)
    return weights, weights @ values

# %% wrong no_exp: -
# scores are divided by their sum, a plain dense layer without softmax
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else np.dtype(float)
    s = keys.astype(f) @ query.astype(f) / len(query) ** 0.5
    if visible is not None:
        s = np.where(visible, s, 0)
    total = np.abs(s).sum()
    w = np.abs(s) / (total if total else 1)
    return w, w @ values

# %% wrong no_scale: scale-missing
# the dot products go into softmax without 1/sqrt(d_k)
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else float
    query, keys, values = query.astype(f), keys.astype(f), values.astype(f)
    s = keys @ query
    if visible is not None:
        s = np.where(visible, s, -np.inf)
    if np.isneginf(s).all():
        return np.zeros_like(s), np.zeros(values.shape[1], dtype=f)
    e = np.exp(s - s.max())
    w = e / e.sum()
    return w, w @ values

# %% wrong plain_exp: softmax-unstable
# exp of the raw scores overflows at 1e4
def attention_reading(query, keys, values, visible=None):
    if query.dtype.kind in "iu":
        query, keys, values = query.astype(float), keys.astype(float), values.astype(float)
    e = np.exp(keys @ query / len(query) ** 0.5)
    if visible is not None:
        e = e * visible
    total = e.sum()
    weights = e / total if total > 0 else np.zeros_like(e)
    return weights, weights @ values

# %% wrong query_scaled_in_place: input-mutated
# query /= sqrt(d_k)
def attention_reading(query, keys, values, visible=None):
    if query.dtype.kind != "f":
        query, keys, values = query.astype(float), keys.astype(float), values.astype(float)
    query /= len(query) ** 0.5
    s = keys @ query
    if visible is not None:
        s = np.where(visible, s, -np.inf)
    w = np.zeros_like(s)
    if np.isfinite(s).any():
        w = np.exp(s - s.max())
        w = w / w.sum()
    return w, w @ values

# %% wrong reading_in_float32: low-precision
# values are cast to float32 before they are mixed
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else np.dtype(float)
    s = keys.astype(f) @ query.astype(f) / len(query) ** 0.5
    if visible is not None:
        s = np.where(visible, s, -np.inf)
    w = np.zeros_like(s)
    if np.isfinite(s).any():
        w = np.exp(s - s.max())
        w = w / w.sum()
    return w, (w.astype("f4") @ values.astype("f4")).astype(f)

# %% wrong scaled_by_len_query: scale-by-dk
# divided by len(query), not by its root
def attention_reading(query, keys, values, visible=None):
    scores = np.array([np.dot(k, query) for k in keys]) / len(query)
    scores = scores.astype(query.dtype if query.dtype.kind == "f" else float)
    if visible is None:
        visible = np.ones(len(keys), dtype=bool)
    weights = np.zeros_like(scores)
    if visible.any():
        e = np.exp(scores[visible] - scores[visible].max())
        weights[visible] = e / e.sum()
    return weights, weights @ values

# %% wrong scores_times_visible: mask-zero-fill
# hidden scores become 0 and exp(0) is 1
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else float
    query, keys, values = query.astype(f), keys.astype(f), values.astype(f)
    s = keys @ query / len(query) ** 0.5
    if visible is not None:
        if not visible.any():
            return np.zeros_like(s), np.zeros_like(values[0])
        s = s * visible
    e = np.exp(s - s.max())
    w = e / e.sum()
    return w, w @ values

# %% wrong true_means_hide: mask-inverted
# masked_fill(visible) hides what may be read
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else float
    s = (keys.astype(f) @ query.astype(f)) / len(query) ** 0.5
    if visible is not None:
        s[visible] = -np.inf
    if np.all(np.isneginf(s)):
        return np.zeros_like(s), np.zeros(values.shape[1], f)
    e = np.exp(s - s.max())
    w = e / e.sum()
    return w, w @ values.astype(f)

# %% wrong two_dk_and_keys_read: scale-by-dk, values-from-keys
# divided by d_k, and the reading mixes the keys
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else np.dtype(float)
    query, keys, values = query.astype(f), keys.astype(f), values.astype(f)
    seen = np.ones(len(keys), bool) if visible is None else visible
    s = keys @ query / len(query)
    w = np.zeros(len(keys), f)
    if seen.any():
        e = np.exp(s[seen] - s[seen].max())
        w[seen] = e / e.sum()
    return w, w @ keys

# %% wrong two_late_mask_and_float32: low-precision, mask-after-softmax
# the mask comes after softmax, and the reading is made in float32
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else np.dtype(float)
    query, keys, values = query.astype(f), keys.astype(f), values.astype(f)
    seen = np.ones(len(keys), bool) if visible is None else visible
    s = keys @ query / len(query) ** 0.5
    w = np.exp(s - s.max())
    w = w / w.sum() * seen
    return w, (w.astype('f4') @ values.astype('f4')).astype(f)

# %% wrong two_no_sum_and_mean: context-over-tokens, softmax-unnormalised
# exponentials as weights, and the reading is divided by T
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else np.dtype(float)
    query, keys, values = query.astype(f), keys.astype(f), values.astype(f)
    seen = np.ones(len(keys), bool) if visible is None else visible
    s = keys @ query / len(query) ** 0.5
    w = np.where(seen, np.exp(s - np.where(seen, s, -np.inf).max(initial=-1e300)), 0)
    return w, w @ values / len(keys)

# %% wrong visible_unused: mask-missing
# the argument visible is never looked at
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else float
    q, K, V = query.astype(f), keys.astype(f), values.astype(f)
    s = np.einsum("tk,k->t", K, q) / q.size ** 0.5
    e = np.exp(s - s.max())
    w = e / e.sum()
    return w, w @ V

# %% wrong weights_zeroed_last: mask-after-softmax
# softmax over all keys, then hidden weights set to 0
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else float
    query, keys, values = query.astype(f), keys.astype(f), values.astype(f)
    s = keys @ query / len(query) ** 0.5
    w = np.exp(s - s.max())
    w = w / w.sum()
    if visible is not None:
        w[~visible] = 0
    return w, w @ values

# %% wrong zeros_like_int_scores: integer-truncation
# weights are stored in an array of the keys' integer dtype
def attention_reading(query, keys, values, visible=None):
    s = keys @ query / len(query) ** 0.5
    s = s.astype(query.dtype) if query.dtype.kind == "f" else s
    seen = np.ones(len(keys), bool) if visible is None else visible
    w = np.zeros(len(keys), dtype=keys.dtype)
    if seen.any():
        e = np.exp(s[seen] - s[seen].max())
        w[seen] = e / e.sum()
    return w, w @ values

# %% wrong powers_of_e: softmax-unstable
# Python's floats raise where numpy's overflow
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else np.dtype(float)
    T = len(keys)
    read = [t for t in range(T) if visible is None or visible[t]]
    powers = {t: 2.718281828459045 ** (float(keys[t] @ query) / len(query) ** 0.5) for t in read}
    total = sum(powers.values())
    weights = np.array([powers[t] / total if t in powers else 0.0 for t in range(T)])
    return weights.astype(f), (weights @ values).astype(f)

# %% wrong minus_1e4_added_guarded: mask-finite-fill
def attention_reading(query, keys, values, visible=None):
    query, keys, values = query * 1.0, keys * 1.0, values * 1.0
    scores = keys @ query / query.size**0.5
    if visible is not None:
        scores = scores + (1.0 * ~visible * -10000.0).astype(scores.dtype)
        if not visible.any():
            return np.zeros_like(scores), np.zeros_like(values[0])
    e = np.exp(scores - scores.max())
    return e / e.sum(), (e / e.sum()) @ values

# %% wrong whole_scores_of_whole_numbers: integer-truncation
def attention_reading(query, keys, values, visible=None):
    # whole numbers come in: keep the scores whole until the exponential
    if query.dtype.kind == "i":
        scores = ((keys @ query) / len(query) ** 0.5).astype(query.dtype)
        scores = scores.astype(float)
    else:
        scores = keys @ query / len(query) ** 0.5
    open_ = np.ones(len(keys), bool) if visible is None else visible
    scores = np.where(open_, scores, -np.inf)
    peak = scores.max() if open_.any() else 0
    e = np.exp(scores - peak)
    w = e / (e.sum() or 1)
    return w, w @ values

# %% wrong one_feature_squeezed: -
# a row times the values, squeezed: with one feature nothing is left of its axis
def attention_reading(query, keys, values, visible=None):
    q, k, v = (a if a.dtype.kind == "f" else a.astype(float) for a in (query, keys, values))
    seen = np.ones(len(k), bool) if visible is None else visible
    if not seen.any():
        return np.zeros(len(k), q.dtype), np.zeros(v.shape[1], q.dtype)
    s = np.where(seen, k @ q / np.asarray(np.sqrt(len(q)), q.dtype), -np.inf)
    e = np.exp(s - s.max())
    w = e / e.sum()
    return w, (w[None] @ v).squeeze()

# %% wrong plain_exp_without_mask: softmax-unstable
# the softmax is stable only where a mask comes along
def attention_reading(query, keys, values, visible=None):
    q, k, v = (a if a.dtype.kind == "f" else a.astype(float) for a in (query, keys, values))
    s = k @ q / np.asarray(np.sqrt(len(q)), q.dtype)
    if visible is None:
        e = np.exp(s)
    elif not visible.any():
        return np.zeros(len(k), q.dtype), np.zeros(v.shape[1], q.dtype)
    else:
        s = np.where(visible, s, -np.inf)
        e = np.exp(s - s.max())
    w = e / e.sum()
    return w, w @ v

# %% wrong product_with_the_mask: -
# scores are multiplied by the mask and zeros hidden: a visible score of exactly 0 goes as well
def attention_reading(query, keys, values, visible=None):
    q, k, v = (a if a.dtype.kind == "f" else a.astype(float) for a in (query, keys, values))
    s = k @ q / np.asarray(np.sqrt(len(q)), q.dtype)
    if visible is not None:
        s = s * visible
        if not visible.any():
            return np.zeros(len(k), q.dtype), np.zeros(v.shape[1], q.dtype)
        s[s == 0] = -np.inf
    e = np.exp(s - s.max())
    w = e / e.sum()
    return w, w @ v

# %% wrong zeros_where_nothing_is_visible: -
# right, but for the dtype of the zeros for float32
def attention_reading(query, keys, values, visible=None):
    if query.dtype.kind != "f":
        query, keys, values = query.astype(float), keys.astype(float), values.astype(float)
    if visible is None:
        visible = np.ones(len(keys), dtype=bool)
    if not visible.any():
        return np.zeros(len(keys)), np.zeros(values.shape[1])
    scores = np.where(visible, keys @ query / float(len(query)) ** 0.5, -np.inf)
    exp = np.exp(scores - scores.max())
    weights = exp / exp.sum()
    return weights, weights @ values

# %% wrong less_the_first_visible_score: softmax-unstable
# any score is subtracted, which is no bound
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else np.dtype(float)
    seen = np.ones(len(keys), bool) if visible is None else visible
    s = (keys @ query.astype(f) / float(len(query)) ** 0.5).astype(f)
    e = np.where(seen, s - s[np.argmax(seen)], -np.inf)
    e = np.exp(e).astype(f)
    w = e / (e.sum() if seen.any() else f.type(1))
    return w, w @ values.astype(f)

# %% wrong exponents_kept_above_minus_20: softmax-clipped
def attention_reading(query, keys, values, visible=None):
    f = query.dtype if query.dtype.kind == "f" else np.dtype(float)
    seen = np.ones(len(keys), bool) if visible is None else visible
    s = (keys @ query.astype(f) / float(len(query)) ** 0.5).astype(f)
    top = s[seen].max() if seen.any() else f.type(0)
    e = np.where(seen, np.exp(np.clip(s - top, -20, 0)), 0).astype(f)
    w = e / (e.sum() if seen.any() else f.type(1))
    return w, w @ values.astype(f)

# %% wrong scores_of_integers_divided_by_two_slashes: integer-truncation
import math

import numpy as np


def attention_reading(query, keys, values, visible=None):
    kind = np.float32 if query.dtype == np.float32 else np.float64
    seen = [t for t in range(len(keys)) if visible is None or visible[t]]
    scores = {}
    for t in seen:
        total = sum(a * b for a, b in zip(query.tolist(), keys[t].tolist()))
        root = math.sqrt(len(query))
        scores[t] = total // root if query.dtype.kind == "i" else total / root
    weights = np.zeros(len(keys), dtype=kind)
    for t in seen:
        weights[t] = math.exp(scores[t] - max(scores.values()))
    if seen:
        weights /= weights.sum()
    return weights, (weights @ values).astype(kind)

# %% wrong scores_of_zero_are_hidden: -
# looks at the scores, not at the mask, whether anything is visible
def attention_reading(query, keys, values, visible=None):
    f = np.float32 if keys.dtype == np.float32 else np.float64
    visible = np.ones(len(keys), dtype=bool) if visible is None else visible
    scores = (keys.astype(f) @ query.astype(f)) / np.sqrt(len(query)).astype(f)
    if not (scores * visible).any() and len(keys) > 1:
        return np.zeros(len(keys), f), np.zeros(values.shape[1], f)
    seen = np.where(visible, scores, -np.inf)
    exp = np.exp(seen - max(seen.max(), -1e30)).astype(f)
    weights = exp / (exp.sum() or 1)
    return weights, weights @ values.astype(f)

# %% wrong one_key_needs_no_softmax: -
def attention_reading(query, keys, values, visible=None):
    f = np.float32 if keys.dtype == np.float32 else np.float64
    if len(keys) == 1:
        return np.ones(1, f), values[0].astype(f)
    visible = np.ones(len(keys), dtype=bool) if visible is None else visible
    scores = (keys.astype(f) @ query.astype(f)) / np.sqrt(len(query)).astype(f)
    seen = np.where(visible, scores, -np.inf)
    exp = np.exp(seen - max(seen.max(), -1e30)).astype(f)
    weights = exp / (exp.sum() or 1)
    return weights, weights @ values.astype(f)
