# %% right difference_of_indices
def masking_1(T, window):
    i, j = np.indices((T, T))
    return (0 <= i - j) & (i - j < window)

# %% right triangles_combined
def masking_1(T, window):
    return np.tri(T, k=0, dtype=bool) & ~np.tri(T, k=-window, dtype=bool)

# %% wrong both_directions: window-two-sided
# abs(i - j) < window looks into the future too
def masking_1(T, window):
    i, j = np.ogrid[:T, :T]
    return abs(i - j) < window

# %% wrong excludes_itself: mask-excludes-self
# 1 <= i - j
def masking_1(T, window):
    i, j = np.indices((T, T))
    return (i - j >= 1) & (i - j < window)

# %% wrong no_window: window-ignored
# causal without the window
def masking_1(T, window):
    return np.tri(T, dtype=bool)

# %% wrong window_without_self: window-too-long
# the window holds `window` tokens besides the token itself
def masking_1(T, window):
    d = np.subtract.outer(np.arange(T), np.arange(T))
    return (d >= 0) & (d <= window)

# %% wrong window_of_three_at_most: -
import math


def masking_1(T, window):
    d = np.arange(T)[:, None] - np.arange(T)
    return (d >= 0) & (d < min(window, 3))

# %% wrong mask_of_ten: -
# a mask made once, for fewer tokens than may come
_PAST = np.tri(10, dtype=bool)


def masking_1(T, window):
    past = _PAST[:T, :T]
    return past & ~np.tri(T, k=-window, dtype=bool)

# %% wrong window_of_at_most_16: -
def masking_1(T, window):
    d = np.subtract.outer(np.arange(T), np.arange(T))
    return (d >= 0) & (d < min(window, 16))
