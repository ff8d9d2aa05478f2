# %% right allowed_set
import itertools
import numpy as np


def broadcast_visible(visible, B, T_q, T_k):
    full = (B, T_q, T_k)
    if visible is None:
        visible = np.array([[[True] * T_k]])
    allowed = {(T_q, T_k)} | set(itertools.product((1, B), (1, T_q), (T_k,)))
    if visible.shape not in allowed:
        raise ValueError("got " + str(visible.shape) + ", expected one of " + str(sorted(allowed, key=len)) + " for " + str(full))
    return visible & np.ones(full, dtype=bool)

# %% right lists_by_comprehension
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return [[[True] * T_k for _ in range(T_q)] for _ in range(B)]
    shape = np.shape(visible)
    if len(shape) == 2 and shape == (T_q, T_k):
        return [visible.tolist() for _ in range(B)]
    if len(shape) == 3 and shape[0] in {1, B} and shape[1] in {1, T_q} and shape[2] == T_k:
        return [[list(visible[b % shape[0]][q % shape[1]]) for q in range(T_q)] for b in range(B)]
    raise ValueError(f"a mask of shape {shape} cannot serve B={B}, T_q={T_q}, T_k={T_k}")

# %% right readonly_view
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), dtype=bool)
    ok = (visible.ndim == 2 and visible.shape == (T_q, T_k)) or (
        visible.ndim == 3 and visible.shape[0] in (1, B) and visible.shape[1] in (1, T_q) and visible.shape[2] == T_k
    )
    if not ok:
        raise ValueError(f"mask {visible.shape} does not fit ({B}, {T_q}, {T_k})")
    return np.broadcast_to(visible, (B, T_q, T_k))

# %% right repeat_axes
def broadcast_visible(visible, B, T_q, T_k):
    target = (B, T_q, T_k)
    if visible is None:
        return np.full(target, True)
    m = visible
    if m.ndim == 2:
        if m.shape != (T_q, T_k):
            raise ValueError(f"a rank-2 mask must be {(T_q, T_k)}, not {m.shape}")
        m = m[np.newaxis]
    if m.ndim != 3:
        raise ValueError(f"rank {m.ndim}: {m.shape} cannot become {target}")
    if m.shape[2] != T_k:
        raise ValueError(f"{m.shape[2]} keys, expected {T_k}; shape {m.shape} for {target}")
    for axis, n in ((0, B), (1, T_q)):
        if m.shape[axis] == 1:
            m = np.repeat(m, n, axis=axis)
        elif m.shape[axis] != n:
            raise ValueError(f"axis {axis} of {m.shape} should be 1 or {n}")
    return m.copy()

# %% wrong drops_batch_axis: mask-first-item
# rank 3 is reduced to visible[0] before it is spread
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), bool)
    s = visible.shape
    fits = s == (T_q, T_k) or (len(s) == 3 and s[0] in (1, B) and s[1] in (1, T_q) and s[2] == T_k)
    if not fits:
        raise ValueError(f"{s} for {(B, T_q, T_k)}")
    if visible.ndim == 3:
        visible = visible[0]
    return np.array([np.broadcast_to(visible, (T_q, T_k)) for _ in range(B)])

# %% wrong extra_leading_axis_squeezed: -
# leading axes of length 1 are squeezed away, so rank 4 passes
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), bool)
    while visible.ndim > 3 and visible.shape[0] == 1:
        visible = visible[0]
    s = visible.shape
    if not (s == (T_q, T_k) or (len(s) == 3 and s[0] in (1, B) and s[1] in (1, T_q) and s[2] == T_k)):
        raise ValueError(f"{s} for {(B, T_q, T_k)}")
    return np.broadcast_to(visible, (B, T_q, T_k))

# %% wrong given_mask_returned: memory-shared
# a mask of full shape comes back as the very same array
def broadcast_visible(visible, B, T_q, T_k):
    shape = (B, T_q, T_k)
    if visible is None:
        return np.ones(shape, bool)
    if visible.shape == shape:
        return visible
    s = visible.shape
    if s == (T_q, T_k) or (len(s) == 3 and s[0] in (1, B) and s[1] in (1, T_q) and s[2] == T_k):
        return np.broadcast_to(visible, shape).copy()
    raise ValueError(f"{s} for {shape}")

# %% wrong key_axis_spread: -
# a last axis of length 1 is spread over the keys
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), bool)
    s = visible.shape
    good = s == (T_q, T_k) or (len(s) == 3 and all(a in (1, n) for a, n in zip(s, (B, T_q, T_k))))
    if not good:
        raise ValueError(f"mask {s} for {(B, T_q, T_k)}")
    return np.array(np.broadcast_to(visible, (B, T_q, T_k)))

# %% wrong newaxis_view: memory-shared
# for a batch of one the result is visible[None], a writable view
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        visible = np.ones((T_q, T_k), bool)
    s = visible.shape
    if not (s == (T_q, T_k) or (len(s) == 3 and s[0] in (1, B) and s[1] in (1, T_q) and s[2] == T_k)):
        raise ValueError(f"{s} for {(B, T_q, T_k)}")
    m = visible.reshape((1,) * (3 - visible.ndim) + s)
    if m.shape[1] == 1 and T_q != 1:
        m = m.repeat(T_q, axis=1)
    return m if B == 1 or m.shape[0] == B else m.repeat(B, axis=0)

# %% wrong none_stays_none: -
# None is handed back
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return None
    s = visible.shape
    if not (s == (T_q, T_k) or (len(s) == 3 and s[0] in (1, B) and s[1] in (1, T_q) and s[2] == T_k)):
        raise ValueError(f"{s} for {(B, T_q, T_k)}")
    return np.broadcast_to(visible, (B, T_q, T_k))

# %% wrong plain_broadcast_to: -
# numpy's own rule lets (1, T_k), (T_q, 1) and rank 1 pass
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        visible = np.True_
    return np.broadcast_to(visible, (B, T_q, T_k)).copy()

# %% wrong query_axis_of_one_refused: -
# (B, 1, T_k), the padding mask, is refused
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), bool)
    if visible.shape in ((T_q, T_k), (1, T_q, T_k), (B, T_q, T_k)):
        return np.broadcast_to(visible, (B, T_q, T_k))
    raise ValueError(f"{visible.shape} is not {(B, T_q, T_k)}")

# %% wrong rank_two_means_item: padding-taken-for-mask
# (B, T_k) is taken as one row an item
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), bool)
    s = visible.shape
    if s == (T_q, T_k):
        return np.repeat(visible[None], B, 0)
    if s == (B, T_k):
        return np.repeat(visible[:, None], T_q, 1)
    if len(s) == 3 and s[0] in (1, B) and s[1] in (1, T_q) and s[2] == T_k:
        return np.broadcast_to(visible, (B, T_q, T_k)).copy()
    raise ValueError(f"{s} for {(B, T_q, T_k)}")

# %% wrong shape_assignment: input-mutated
# visible.shape = (1, T_q, T_k) turns the caller's own array into rank 3
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), bool)
    if visible.shape == (T_q, T_k):
        visible.shape = (1, T_q, T_k)
    s = visible.shape
    if not (len(s) == 3 and s[0] in (1, B) and s[1] in (1, T_q) and s[2] == T_k):
        raise ValueError(f"{s} for {(B, T_q, T_k)}")
    return np.array(np.broadcast_to(visible, (B, T_q, T_k)))

# %% wrong square_masks_turned: mask-transposed
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), bool)
    s = visible.shape
    if not (s == (T_q, T_k) or (len(s) == 3 and s[0] in (1, B) and s[1] in (1, T_q) and s[2] == T_k)):
        raise ValueError(f"{s} does not go into ({B}, {T_q}, {T_k})")
    if T_q == T_k and s[-2] == T_q:
        visible = visible.swapaxes(-1, -2)
    return np.array(np.broadcast_to(visible, (B, T_q, T_k)))

# %% wrong items_of_padding_unchecked: -
# a mask (items, 1, T_k) of more items than there are is cut
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), bool)
    s = visible.shape
    if len(s) == 3 and s[1:] == (1, T_k) and s[0] > 1:
        return np.repeat(visible[:B], T_q, axis=1)
    if not (s == (T_q, T_k) or (len(s) == 3 and s[0] in (1, B) and s[1] in (1, T_q) and s[2] == T_k)):
        raise ValueError(f"{s} for {(B, T_q, T_k)}")
    return np.broadcast_to(visible, (B, T_q, T_k)).copy()

# %% wrong one_item_viewed: memory-shared
# one mask for one item gets its axis by reshape, which is a view
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), bool)
    s = visible.shape
    if not (s == (T_q, T_k) or (len(s) == 3 and s[0] in (1, B) and s[1] in (1, T_q) and s[2] == T_k)):
        raise ValueError(f"{s} for {(B, T_q, T_k)}")
    if visible.size == B * T_q * T_k and len(s) == 2:
        return visible.reshape(B, T_q, T_k)
    return np.broadcast_to(visible, (B, T_q, T_k)).copy()

# %% wrong single_entry_fits_all: -
# one number for all keys of an item, or for everything, is let through
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), bool)
    s = visible.shape
    if s in ((1, 1), (1, 1, 1), (B, 1, 1)):
        return np.broadcast_to(visible, (B, T_q, T_k)).copy()
    if not (s == (T_q, T_k) or (len(s) == 3 and s[0] in (1, B) and s[1] in (1, T_q) and s[2] == T_k)):
        raise ValueError(f"{s} for {(B, T_q, T_k)}")
    return np.broadcast_to(visible, (B, T_q, T_k)).copy()

# %% wrong turned_to_fit: -
# a mask (T_k, T_q) is turned round
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        return np.ones((B, T_q, T_k), bool)
    s = visible.shape
    if s == (T_k, T_q):
        visible = visible.T if T_k != T_q else visible
    elif not (s == (T_q, T_k) or (len(s) == 3 and s[0] in (1, B) and s[1] in (1, T_q) and s[2] == T_k)):
        raise ValueError(f"{s} for {(B, T_q, T_k)}")
    return np.broadcast_to(visible, (B, T_q, T_k)).copy()

# %% wrong one_item_of_any_width: -
def broadcast_visible(visible, B, T_q, T_k):
    full = (B, T_q, T_k)
    if visible is None:
        return np.ones(full, dtype=bool)
    if visible.ndim == 2:
        if visible.shape != (T_q, T_k):
            raise ValueError(f"expected {(T_q, T_k)}, got {visible.shape}")
        return np.broadcast_to(visible, full)
    if visible.ndim == 3:
        if visible.shape[0] == 1:
            return np.broadcast_to(visible, full)
        if visible.shape in (full, (B, 1, T_k)):
            return np.broadcast_to(visible, full)
    raise ValueError(f"a mask of shape {visible.shape} does not fit {full}")

# %% right ranks_told
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None: return np.ones((B, T_q, T_k), bool)
    if visible.ndim not in (2, 3): raise ValueError(f"visible has rank {visible.ndim}, expected rank 2 or 3")
    if visible.ndim == 2 and visible.shape != (T_q, T_k) or visible.ndim == 3 and not (visible.shape[0] in (1, B) and visible.shape[1] in (1, T_q) and visible.shape[2] == T_k): raise ValueError(f"visible {visible.shape} does not fit {(B, T_q, T_k)}")
    return np.zeros((B, T_q, T_k), bool) | visible

# %% wrong without_axes: -
# A mask of rank 0 fits.
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None:
        visible = np.array(True)
    if visible.ndim == 1 or visible.ndim > 3:
        raise ValueError(f"rank {visible.ndim}, shape {visible.shape} for {(B, T_q, T_k)}")
    if visible.ndim == 2 and visible.shape != (T_q, T_k):
        raise ValueError(f"shape {visible.shape} for {(T_q, T_k)}")
    if visible.ndim == 3 and (visible.shape[0] not in (1, B) or visible.shape[1] not in (1, T_q) or visible.shape[2] != T_k):
        raise ValueError(f"shape {visible.shape} for {(B, T_q, T_k)}")
    return np.broadcast_to(visible, (B, T_q, T_k)).copy()

# %% wrong nothing_is_no_mask: -
# what hides every key is taken for a mask that was not given
def broadcast_visible(visible, B, T_q, T_k):
    if visible is None or not visible.any() and visible.ndim in (2, 3):
        return np.ones((B, T_q, T_k), dtype=bool)
    shape = visible.shape if visible.ndim == 3 else (1, *visible.shape)
    fits = visible.ndim in (2, 3) and shape[0] in (1, B) and shape[2] == T_k
    if not fits or shape[1] != T_q and (visible.ndim == 2 or shape[1] != 1):
        raise ValueError(f"{visible.shape} does not fit {(B, T_q, T_k)}")
    return np.broadcast_to(visible, (B, T_q, T_k)).copy()
