# %% right cumulative_identity
def causal_mask(T):
    return np.cumsum(np.eye(T, dtype=int), axis=0).astype(bool)

# %% right fortran_fill
def causal_mask(T):
    mask = np.zeros((T, T), dtype=bool, order="F")
    rows, cols = np.tril_indices(T)
    mask[rows, cols] = True
    return mask

# %% right list_of_lists
def causal_mask(T):
    return [[True] * (i + 1) + [False] * (T - i - 1) for i in range(T)]

# %% right outer_comparison
def causal_mask(T):
    return np.greater_equal.outer(np.arange(T), np.arange(T))

# %% right upper_triangle_transposed
def causal_mask(T):
    return np.triu(np.ones((T, T), dtype=bool)).T

# %% wrong k_plus_one: mask-off-by-one
# np.tri(T, T, 1) lets one token of the future in
def causal_mask(T):
    return np.tri(T, T, 1, dtype=bool)

# %% wrong logical_not_tril: mask-inverted
# complement of the lower triangle
def causal_mask(T):
    return np.logical_not(np.tril(np.ones((T, T))))

# %% wrong lru_cache: memory-shared
# a cached writable mask is handed out again and again
import functools
import numpy as np


@functools.lru_cache(maxsize=None)
def causal_mask(T):
    return np.tril(np.ones((T, T), dtype=bool))

# %% wrong row_less_equal_column: mask-transposed
# rows and columns of the comparison are exchanged
def causal_mask(T):
    pos = np.arange(T)
    return pos[:, None] <= pos[None, :]

# %% wrong strictly_below: mask-excludes-self
# k=-1 leaves the diagonal out
def causal_mask(T):
    return np.tril(np.ones((T, T), dtype=bool), k=-1)

# %% wrong triu: mask-transposed
# upper triangle for lower
def causal_mask(T):
    return np.triu(np.ones((T, T), dtype=bool))

# %% wrong window_of_one_big_mask: memory-shared
# every result is a writable view of one module-level array
_BIG = np.tril(np.ones((512, 512), dtype=bool))


def causal_mask(T):
    return _BIG[:T, :T]

# %% wrong buffer_of_eight: -
# cut from a mask that is made once, of eight tokens
_buffer = np.tril(np.ones((8, 8), dtype=bool))

def causal_mask(T):
    return _buffer[:T, :T].copy()
