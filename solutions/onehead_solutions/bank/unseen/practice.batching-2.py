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

# %% wrong padding_included: padding-counted
# the mean runs over all places
def batching_2(output, lengths):
    f = output.dtype if output.dtype.kind == "f" else float
    m = output.mean(axis=1).astype(f)
    m[np.array(lengths) == 0] = 0
    return m
