# %% right reverse_cumulative
def interpretation_2(weights):
    T = len(weights)
    even = np.cumsum(1 / np.arange(T, 0, -1))[::-1].astype(weights.dtype)
    return weights.sum(axis=0) / even

# %% wrong divided_by_t: total-received
# compared with 1/T from each query, as if nothing were masked
def interpretation_2(weights):
    return weights.sum(axis=0)

# %% wrong mean_over_readers: mean-received
# divided by the number of queries that see the key
def interpretation_2(weights):
    T = len(weights)
    return weights.sum(axis=0) / np.arange(T, 0, -1).astype(weights.dtype)

# %% wrong rows_for_columns: -
# row sums, what each query gives
def interpretation_2(weights):
    T = len(weights)
    even = np.tri(T) / np.arange(1, T + 1)[:, None]
    return weights.sum(axis=1) / even.sum(axis=0).astype(weights.dtype)

# %% wrong sees_what_it_reads: -
# a key that is seen may have a weight of 0
def interpretation_2(weights):
    seen = weights > 0
    even = seen / seen.sum(axis=1, keepdims=True)
    return weights.sum(axis=0) / even.sum(axis=0).astype(weights.dtype)
