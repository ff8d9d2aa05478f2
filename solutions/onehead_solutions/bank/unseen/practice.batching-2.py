# %% right masked_sum
def batching_2(output, lengths):
    n = np.array(lengths)
    real = np.arange(output.shape[1]) < n[:, None]
    f = output.dtype if output.dtype.kind == "f" else float
    total = (output * real[..., None]).sum(axis=1).astype(f)
    return total / np.maximum(n, 1)[:, None].astype(f)

# %% wrong divides_by_t: padding-divides
# the sum over real tokens is divided by T
def batching_2(output, lengths):
    f = output.dtype if output.dtype.kind == "f" else float
    real = np.arange(output.shape[1]) < np.array(lengths)[:, None]
    return (output * real[:, :, None]).mean(axis=1).astype(f)

# %% wrong floor_division: integer-truncation
# integer outputs are divided with //
def batching_2(output, lengths):
    res = np.zeros((output.shape[0], output.shape[2]), dtype=output.dtype if output.dtype.kind == "f" else float)
    for b, n in enumerate(lengths):
        if n:
            total = output[b, :n].sum(axis=0)
            res[b] = total // n if output.dtype.kind == "i" else total / n
    return res

# %% wrong nan_for_zero: -
# an item of length 0 gives NaN
def batching_2(output, lengths):
    f = output.dtype if output.dtype.kind == "f" else float
    return np.array([o[:n].mean(axis=0) for o, n in zip(output, lengths)]).astype(f)

# %% wrong padding_included: mask-missing
# the mean runs over all places
def batching_2(output, lengths):
    f = output.dtype if output.dtype.kind == "f" else float
    m = output.mean(axis=1).astype(f)
    m[np.array(lengths) == 0] = 0
    return m

# %% wrong first_mean_for_all: batch-first-item
# one mean is made, and repeated
def batching_2(output, lengths):
    means = [o[:n].sum(0) / max(n, 1) for o, n in zip(output * 1.0, lengths)]
    return np.array([means[0]] * len(means)).astype(output.dtype if output.dtype.kind == "f" else float)

# %% wrong length_of_the_first: mask-first-item
# the first length cuts every item
def batching_2(output, lengths):
    f = output.dtype if output.dtype.kind == "f" else float
    return output[:, : lengths[0]].mean(axis=1).astype(f)

# %% wrong padding_averaged: mask-inverted
# the mask is turned round
def batching_2(output, lengths):
    f = output.dtype if output.dtype.kind == "f" else float
    left = np.arange(output.shape[1]) >= np.array(lengths)[:, None]
    total = np.where(left[..., None], output, 0).sum(axis=1)
    return (total / np.maximum(left.sum(axis=1), 1)[:, None]).astype(f)

# %% wrong sums_in_integers: integer-truncation
# the array for the means takes the kind of the output
def batching_2(output, lengths):
    means = np.zeros((output.shape[0], output.shape[2]), dtype=output.dtype)
    for b, n in enumerate(lengths):
        for t in range(n):
            for d in range(output.shape[2]):
                means[b, d] += (output[b, t, d] / n).astype(output.dtype)
    return means

# %% wrong rows_that_are_not_zero: -
# a real token of zeros is not counted
def batching_2(output, lengths):
    f = output.dtype if output.dtype.kind == "f" else float
    real = np.arange(output.shape[1]) < np.array(lengths)[:, None]
    x = (output * real[..., None]).astype(f)
    return x.sum(axis=1) / np.maximum(np.any(x != 0, axis=2).sum(axis=1), 1)[:, None].astype(f)

# %% wrong zeros_for_an_empty_item: -
# stacked with zeros of float64, float32 is lost
def batching_2(output, lengths):
    return np.stack(
        [
            output[b, :n].mean(axis=0) if n else np.zeros(output.shape[2])
            for b, n in enumerate(lengths)
        ]
    )

# %% wrong mean_of_one_token: memory-shared
def batching_2(output, lengths):
    f = np.float32 if output.dtype == np.float32 else np.float64
    if output.shape[1] == 1 and all(lengths):
        return np.asarray(output, dtype=f)[:, 0]       # the mean of one token
    res = [o[:n].mean(0, dtype=f) if n else np.zeros(o.shape[1], f) for o, n in zip(output, lengths)]
    return np.array(res)

# %% wrong no_real_token: -
# a batch of padding alone loses its items
def batching_2(output, lengths):
    f = output.dtype if output.dtype.kind == "f" else float
    if not any(lengths):
        return np.zeros(output.shape[2], dtype=f)
    return np.array([o[:n].mean(0, dtype=f) if n else np.zeros(o.shape[1], f) for o, n in zip(output, lengths)])

# %% wrong one_token_is_real: -
def batching_2(output, lengths):
    f = output.dtype if output.dtype.kind == "f" else float
    if output.shape[1] == 1:
        return output[:, 0].astype(f)
    return np.array([o[:n].mean(0, dtype=f) if n else np.zeros(o.shape[1], f) for o, n in zip(output, lengths)])
