# %% right key_axis
def debugging_2(Q, K, lengths):
    T = K.shape[1]
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    real = np.arange(T) < np.asarray(lengths)[:, None]
    masked = np.where(real[:, None, :], scores, -np.inf)
    peak = masked.max(axis=-1, keepdims=True)
    exp = np.exp(masked - np.where(np.isneginf(peak), 0, peak))
    total = exp.sum(axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)

# %% wrong axis_moved_to_queries: softmax-over-queries
# the mask is repaired but peak and total run over axis 1
def debugging_2(Q, K, lengths):
    T = K.shape[1]
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    real = np.arange(T) < np.asarray(lengths)[:, None]
    masked = np.where(real[:, None, :], scores, -np.inf)
    peak = masked.max(axis=1, keepdims=True)
    exp = np.exp(masked - np.where(np.isneginf(peak), 0, peak))
    total = exp.sum(axis=1, keepdims=True)
    return exp / np.where(total == 0, 1, total)

# %% wrong both_hidden: padding-hides-both
# padded queries are hidden as well as padded keys
def debugging_2(Q, K, lengths):
    T = K.shape[1]
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    real = np.arange(T) < np.asarray(lengths)[:, None]
    masked = np.where(real[:, :, None] & real[:, None, :], scores, -np.inf)
    peak = masked.max(axis=-1, keepdims=True)
    exp = np.exp(masked - np.where(np.isneginf(peak), 0, peak))
    total = exp.sum(axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)

# %% wrong nan_guard_lost: empty-row-nan
# the mask is repaired but the guard against empty items is removed
def debugging_2(Q, K, lengths):
    T = K.shape[1]
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    real = np.arange(T) < np.asarray(lengths)[:, None]
    masked = np.where(real[:, None, :], scores, -np.inf)
    exp = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return exp / exp.sum(axis=-1, keepdims=True)

# %% wrong keys_viewed: keys-reshaped
def debugging_2(Q, K, lengths):
    B, T, d_k = K.shape
    scores = Q @ K.reshape(B, d_k, T) / d_k**0.5
    real = np.arange(T) < np.asarray(lengths)[:, None]
    masked = np.where(real[:, None, :], scores, -np.inf)
    peak = masked.max(axis=-1, keepdims=True)
    exp = np.exp(masked - np.where(np.isneginf(peak), 0, peak))
    total = exp.sum(axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)

# %% wrong less_the_first_key: softmax-unstable
# the first real key's score is no bound
def debugging_2(Q, K, lengths):
    T = K.shape[1]
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    real = np.arange(T) < np.asarray(lengths)[:, None]
    masked = np.where(real[:, None, :], scores, -np.inf)
    exp = np.exp(masked - scores[:, :, :1])
    total = exp.sum(axis=-1, keepdims=True)
    return exp / np.where(total == 0, 1, total)

# %% wrong scores_of_0_are_padding: -
def debugging_2(Q, K, lengths):
    T = K.shape[1]
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    real = np.arange(T) < np.asarray(lengths)[:, None]
    masked = np.where(real[:, None, :], scores, -np.inf)
    peak = masked.max(axis=-1, keepdims=True)
    exp = np.exp(masked - np.where(np.isneginf(peak), 0, peak))
    total = exp.sum(axis=-1, keepdims=True)
    seen = (scores * real[:, None, :]).any(-1, keepdims=True)
    return np.where(seen, exp / np.where(total == 0, 1, total), 0)

# %% wrong one_token_flat: -
def debugging_2(Q, K, lengths):
    T = K.shape[1]
    scores = Q @ K.swapaxes(-1, -2) / K.shape[-1] ** 0.5
    real = np.arange(T) < np.asarray(lengths)[:, None]
    masked = np.where(real[:, None, :], scores, -np.inf)
    peak = masked.max(axis=-1, keepdims=True)
    exp = np.exp(masked - np.where(np.isneginf(peak), 0, peak))
    total = exp.sum(axis=-1, keepdims=True)
    weights = exp / np.where(total == 0, 1, total)
    return weights[:, 0] if T == 1 else weights
