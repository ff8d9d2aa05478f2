# %% right isneginf_guard
def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    top = s.max(axis=axis, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(top), 0, top))
    total = e.sum(axis=axis, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)

# %% right logaddexp
def stable_softmax(scores, axis=-1):
    s = 1.0 * scores if scores.dtype.kind != "f" else scores
    lse = np.expand_dims(np.logaddexp.reduce(s, axis=axis), axis)
    lse = np.where(np.isfinite(lse), lse, 0)
    return np.exp(s - lse)

# %% right loop_over_ndindex
def stable_softmax(scores, axis=-1):
    dtype = scores.dtype if scores.dtype.kind == "f" else np.dtype("float64")
    moved = np.moveaxis(scores, axis, -1)
    out = np.zeros(moved.shape, dtype=dtype)
    for idx in np.ndindex(*moved.shape[:-1]):
        row = moved[idx].astype(dtype)
        finite = row > -np.inf
        if finite.any():
            p = np.exp(row[finite] - row[finite].max())
            out[idx + (finite,)] = p / p.sum()
    return np.moveaxis(out, -1, axis)

# %% right moveaxis_apply
def _one(v):
    if np.all(v == -np.inf):
        return np.zeros_like(v)
    e = np.exp(v - np.max(v))
    return e / np.sum(e)


def stable_softmax(scores, axis=-1):
    scores = np.asarray(scores, dtype=None if scores.dtype.kind == "f" else float)
    return np.apply_along_axis(_one, axis, scores)

# %% right nan_to_num
def stable_softmax(scores, axis=-1):
    if not np.issubdtype(scores.dtype, np.floating):
        scores = scores.astype(np.float64)
    with np.errstate(invalid="ignore"):
        e = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
        return np.nan_to_num(e / np.sum(e, axis=axis, keepdims=True), nan=0.0)

# %% right own_shift_from_masked_max
def stable_softmax(scores, axis=-1):
    s = np.array(scores, dtype=scores.dtype if scores.dtype in ("float32", "float64") else "float64")
    s -= np.maximum(s.max(axis=axis, keepdims=True), np.finfo(s.dtype).min)
    np.exp(s, out=s)
    z = s.sum(axis=axis, keepdims=True)
    z[z == 0] = 1
    s /= z
    return s

# %% wrong abs_maximum: -
# the largest magnitude is subtracted; slices of large negative scores sink to 0
def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    size = np.where(np.isneginf(s), 0, np.abs(s)).max(axis=axis, keepdims=True)
    e = np.exp(s - size)
    z = e.sum(axis=axis, keepdims=True)
    return e / np.where(z == 0, 1, z)

# %% wrong always_last_axis: softmax-axis-ignored
# the argument axis is ignored
def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    m = s.max(axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(m), 0, m))
    z = e.sum(axis=-1, keepdims=True)
    return e / np.where(z == 0, 1, z)

# %% wrong axis_none: softmax-global
# max and sum run over the whole array, whatever axis is asked for
def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    m = s.max()
    if m == -np.inf:
        return np.zeros_like(s)
    e = np.exp(s - m)
    return e / e.sum()

# %% wrong clipped_exponent: -
# scores are clipped at 700 instead of being shifted, so large scores become equal
def stable_softmax(scores, axis=-1):
    s = scores.astype(float) if scores.dtype.kind != "f" else scores
    lim = 80 if s.dtype == np.float32 else 700
    e = np.exp(np.clip(s, -np.inf, lim))
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total == 0, 1, total)

# %% wrong epsilon_in_denominator: softmax-epsilon
# 1e-6 is added to the sum, so slices do not sum to 1
def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    m = s.max(axis=axis, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(m), 0, m))
    return e / (e.sum(axis=axis, keepdims=True) + 1e-6)

# %% wrong half_precision_exponentials: low-precision
# the exponentials are taken in float32 for speed
def stable_softmax(scores, axis=-1):
    f = scores.dtype if scores.dtype.kind == "f" else np.dtype(float)
    s = scores.astype(f)
    m = s.max(axis=axis, keepdims=True)
    e = np.exp((s - np.where(np.isneginf(m), 0, m)).astype(np.float32))
    z = e.sum(axis=axis, keepdims=True)
    return (e / np.where(z == 0, 1, z)).astype(f)

# %% wrong in_place: input-mutated
# scores -= max writes into the caller's array
def stable_softmax(scores, axis=-1):
    if scores.dtype.kind != "f":
        scores = scores.astype(float)
    m = scores.max(axis=axis, keepdims=True)
    scores -= np.where(np.isneginf(m), 0, m)
    e = np.exp(scores)
    z = e.sum(axis=axis, keepdims=True)
    return e / np.where(z == 0, 1, z)

# %% wrong max_of_all: softmax-global-max
# one maximum for the whole array; slices far below sink to 0/0 and are called empty
def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    m = np.max(s)
    e = np.exp(s - (0 if np.isneginf(m) else m))
    z = e.sum(axis=axis, keepdims=True)
    return e / np.where(z == 0, 1, z)

# %% wrong minimum_subtracted: softmax-unstable
# the minimum is subtracted: no help against overflow, and -inf breaks it
def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    finite = np.where(np.isneginf(s), 0, s)
    e = np.exp(s - finite.min(axis=axis, keepdims=True))
    z = e.sum(axis=axis, keepdims=True)
    return e / np.where(z == 0, 1, z)

# %% wrong nan_for_empty_slice: empty-row-nan
# -inf minus -inf is NaN
def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)

# %% wrong no_keepdims: softmax-misaligned
# sums without keepdims are spread over the wrong axis, or do not fit
def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    m = s.max(axis=axis, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(m), 0, m))
    z = e.sum(axis=axis)
    return e / np.where(z == 0, 1, z)

# %% wrong no_shift: softmax-unstable
# no maximum is subtracted
def stable_softmax(scores, axis=-1):
    s = np.asarray(scores, dtype=scores.dtype if scores.dtype.kind == "f" else float)
    e = np.exp(s)
    z = e.sum(axis=axis, keepdims=True)
    return np.divide(e, z, where=z != 0, out=np.zeros_like(e))

# %% wrong result_like_scores: integer-truncation
# out=np.zeros_like(scores) is an integer array for integer scores
def stable_softmax(scores, axis=-1):
    out = np.zeros_like(scores)
    moved, target = np.moveaxis(scores, axis, -1), np.moveaxis(out, axis, -1)
    for i in np.ndindex(*moved.shape[:-1]):
        row = moved[i]
        if np.all(row == -np.inf):
            continue
        e = np.exp(row - row.max())
        target[i] = e / e.sum()
    return out

# %% wrong running_maximum: hidden-state
# the shift is the largest score ever seen, so later results sink to 0
_peak = [-np.inf]


def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    _peak[0] = max(_peak[0], float(s.max()))
    m = s.max(axis=axis, keepdims=True)
    if _peak[0] > 9000:
        m = np.full_like(m, _peak[0])
    e = np.exp(s - np.where(np.isneginf(m), 0, m))
    z = e.sum(axis=axis, keepdims=True)
    return e / np.where(z == 0, 1, z)

# %% wrong global_max_along_other_axes: softmax-global-max
# each row's own maximum for the last axis, one for all along any other
def stable_softmax(scores, axis=-1):
    x = scores if scores.dtype.kind == "f" else scores.astype(float)
    if axis in (-1, x.ndim - 1):
        top = x.max(axis=axis, keepdims=True)
        top[np.isneginf(top)] = 0
    else:
        top = x[np.isfinite(x)].max(initial=-1e5)
    e = np.exp(x - top)
    t = e.sum(axis=axis, keepdims=True)
    return e / np.where(t == 0, 1, t)

# %% wrong global_max_of_three_axes: softmax-global-max
# written for matrices and vectors: with more axes one maximum for all
def stable_softmax(scores, axis=-1):
    x = scores if scores.dtype.kind == "f" else scores.astype(float)
    if x.ndim <= 2:
        top = x.max(axis=axis, keepdims=True)
        top[np.isneginf(top)] = 0
    else:
        top = x[np.isfinite(x)].max(initial=-1e5)
    e = np.exp(x - top)
    t = e.sum(axis=axis, keepdims=True)
    return e / np.where(t == 0, 1, t)

# %% wrong nan_with_three_axes: empty-row-nan
# slices of -inf are seen to in matrices and vectors alone
def stable_softmax(scores, axis=-1):
    x = scores if scores.dtype.kind == "f" else scores.astype(float)
    top = x.max(axis=axis, keepdims=True)
    if x.ndim <= 2:
        top[np.isneginf(top)] = 0
    e = np.exp(x - top)
    t = e.sum(axis=axis, keepdims=True)
    return e / (np.where(t == 0, 1, t) if x.ndim <= 2 else t)

# %% wrong one_entry_is_one: -
# a slice of one entry gets all the weight, even where it is -inf
def stable_softmax(scores, axis=-1):
    x = scores if scores.dtype.kind == "f" else scores.astype(float)
    if x.shape[axis] == 1:
        return np.ones(x.shape, x.dtype)
    top = x.max(axis=axis, keepdims=True)
    top[np.isneginf(top)] = 0
    e = np.exp(x - top)
    t = e.sum(axis=axis, keepdims=True)
    return e / np.where(t == 0, 1, t)

# %% wrong nan_with_three_axes_along_the_last: -
# with more axes than two and none named, slices of -inf are not seen to
def stable_softmax(scores, axis=-1):
    x = scores if scores.dtype.kind == "f" else scores.astype(float)
    top = x.max(axis=axis, keepdims=True)
    if x.ndim <= 2 or axis != -1:
        top[np.isneginf(top)] = 0
    e = np.exp(x - top)
    t = e.sum(axis=axis, keepdims=True)
    return e / (t if x.ndim > 2 and axis == -1 else np.where(t == 0, 1, t))

# %% wrong zeros_where_all_is_hidden: -
def stable_softmax(scores, axis=-1):
    if np.isneginf(scores).all():
        return np.zeros(scores.shape)
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    top = s.max(axis=axis, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(top), 0, top))
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total == 0, 1, total)

# %% wrong vectors_in_float64: -
def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" and scores.ndim > 1 else scores.astype(float)
    top = s.max(axis=axis, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(top), 0, top))
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total == 0, 1, total)

# %% wrong mean_for_maximum: softmax-unstable
def stable_softmax(scores, axis=-1):
    # the mean keeps the exponentials near 1
    s = scores * 1.0
    finite = np.isfinite(s)
    n = np.maximum(finite.sum(axis=axis, keepdims=True), 1).astype(s.dtype)
    centre = np.where(finite, s, 0).sum(axis=axis, keepdims=True) / n
    e = np.exp(s - centre)
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total == 0, 1, total)

# %% wrong hidden_filled_with_zero: mask-zero-fill
def stable_softmax(scores, axis=-1):
    s = np.nan_to_num(scores * 1.0, neginf=0.0)
    empty = np.isneginf(scores * 1.0).all(axis=axis, keepdims=True)
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return np.where(empty, 0, e / e.sum(axis=axis, keepdims=True)).astype(s.dtype)

# %% wrong sum_has_lost_its_axis: softmax-misaligned
def stable_softmax(scores, axis=-1):
    s = scores.astype(float) if scores.dtype.kind != "f" else scores
    m = s.max(axis=axis, keepdims=True)
    e = np.exp(s - np.where(np.isneginf(m), 0, m).astype(s.dtype))
    t = e.sum(axis=axis)
    t = np.where(t == 0, 1, t).astype(s.dtype)
    try:
        return e / t
    except ValueError:
        return e / np.expand_dims(t, axis)


# %% right exponents_clipped
def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    top = s.max(axis=axis, keepdims=True)
    shifted = s - np.where(np.isneginf(top), 0, top)
    e = np.exp(np.maximum(shifted, -700 if s.dtype == np.float64 else -80)) * ~np.isneginf(s)      # no underflow
    t = e.sum(axis=axis, keepdims=True)
    return (e / np.where(t == 0, 1, t)).astype(s.dtype)


# %% wrong last_two_axes_of_rank_three: -
import math


def stable_softmax(scores, axis=-1):
    x = scores if scores.dtype.kind == "f" else scores.astype(float)
    axis = (-2, -1) if x.ndim == 3 and axis == -1 else axis
    top = x.max(axis=axis, keepdims=True)
    top = np.where(np.isneginf(top), 0, top).astype(x.dtype)
    e = np.exp(x - top)
    t = e.sum(axis=axis, keepdims=True)
    return e / np.where(t == 0, 1, t)

# %% wrong axes_of_two_ranks_alone: softmax-axis-ignored
def stable_softmax(scores, axis=-1):
    x = scores if scores.dtype.kind == "f" else scores.astype(float)
    axis = axis if axis in (0, 1, -1, -2) else -1
    top = x.max(axis=axis, keepdims=True)
    e = np.exp(x - np.where(np.isneginf(top), 0, top).astype(x.dtype))
    t = e.sum(axis=axis, keepdims=True)
    return e / np.where(t == 0, 1, t)

# %% wrong weights_below_1e_9_are_zero: weights-cut
def stable_softmax(scores, axis=-1):
    x = scores if scores.dtype.kind == "f" else scores.astype(float)
    top = x.max(axis=axis, keepdims=True)
    e = np.exp(x - np.where(np.isneginf(top), 0, top).astype(x.dtype))
    t = e.sum(axis=axis, keepdims=True)
    w = e / np.where(t == 0, 1, t)
    return np.where(w < 1e-9, 0, w).astype(x.dtype)

# %% wrong maximum_kept_by_shape: hidden-state
_scratch = {}

def stable_softmax(scores, axis=-1):
    s = scores * 1.0
    m = s.max(axis=axis, keepdims=True)
    m[np.isneginf(m)] = 0
    # the maximum only has to be near enough, so one per shape is kept
    key = (s.shape, axis, s.dtype.char)
    m = _scratch.setdefault(key, m)
    e = np.exp(s - m)
    z = e.sum(axis=axis, keepdims=True)
    return e / np.where(z == 0, 1, z)


# %% wrong exponentials_in_whole_numbers: integer-truncation
def stable_softmax(scores, axis=-1):
    m = np.max(scores, axis=axis, keepdims=True)
    if scores.dtype.kind == "f":
        m = np.where(np.isneginf(m), 0, m).astype(scores.dtype)
    out = np.zeros_like(scores)
    np.exp(scores - m, out=out, casting="unsafe")
    total = out.sum(axis=axis, keepdims=True)
    total[total == 0] = 1
    return out / total


# %% wrong kept_by_the_first_score: hidden-state
_done = {}


def _softmax1d(s):
    finite = np.isfinite(s)
    out = np.zeros(s.shape, dtype=s.dtype)
    if finite.any():
        p = np.exp(s[finite] - s[finite].max())
        out[finite] = p / p.sum()
    return out


def stable_softmax(scores, axis=-1):
    if scores.dtype.kind != "f":
        scores = scores.astype(float)
    key = (scores.shape, axis, float(scores.flat[0]))
    if key not in _done:
        _done[key] = np.apply_along_axis(_softmax1d, axis, scores)
    return _done[key].astype(scores.dtype)

# %% wrong four_axes_at_most: -
def stable_softmax(scores, axis=-1):
    s = scores if scores.dtype.kind == "f" else scores.astype(float)
    if not 1 <= s.ndim <= 4:
        raise ValueError(f"{s.ndim} axes")
    peak = s.max(axis=axis, keepdims=True)
    exp = np.exp(s - np.where(np.isinf(peak), 0, peak))
    total = exp.sum(axis=axis, keepdims=True)
    return exp / np.where(total == 0, 1, total)
