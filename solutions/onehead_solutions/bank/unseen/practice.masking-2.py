# %% right tile
def masking_2(lengths, T):
    causal = np.tril(np.ones((T, T), dtype=bool))
    out = np.tile(causal, (len(lengths), 1, 1))
    for b, n in enumerate(lengths):
        out[b, :, n:] = False
    return out

# %% wrong first_length_for_all: mask-first-item
# lengths[0] is used for each item
def masking_2(lengths, T):
    one = np.tri(T, dtype=bool) & (np.arange(T) < lengths[0])
    return np.repeat(one[None], len(lengths), axis=0)

# %% wrong one_too_many: mask-off-by-one
# j <= i + 1
def masking_2(lengths, T):
    return np.array([[[j <= i + 1 and j < n for j in range(T)] for i in range(T)] for n in lengths])

# %% wrong padded_queries_hidden: padding-hides-queries
# rows of padded queries are emptied as well
def masking_2(lengths, T):
    real = np.arange(T) < np.array(lengths)[:, None]
    return np.tri(T, dtype=bool) & real[:, None, :] & real[:, :, None]

# %% wrong padding_only: mask-missing
# the causal half is missing
def masking_2(lengths, T):
    return np.array([np.tile(np.arange(T) < n, (T, 1)) for n in lengths])

# %% wrong rows_for_columns: padding-hides-queries
# the padding hides rows instead of columns
def masking_2(lengths, T):
    real = np.arange(T) < np.array(lengths)[:, None]
    return np.tri(T, dtype=bool) & real[:, :, None]

# %% wrong mask_of_sixteen: -
# a mask made once, for fewer tokens than may come
_PAST = np.tri(16, dtype=bool)


def masking_2(lengths, T):
    real = np.arange(T) < np.array(lengths)[:, None]
    return _PAST[:T, :T] & real[:, None, :]

# %% wrong nothing_but_padding: -
# a batch of padding alone loses its axis
def masking_2(lengths, T):
    if not any(lengths):
        return np.zeros((T, T), dtype=bool)
    return (np.arange(T) < np.array(lengths)[:, None])[:, None, :] & np.tri(T, dtype=bool)
