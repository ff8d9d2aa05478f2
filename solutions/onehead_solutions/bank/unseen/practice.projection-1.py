# %% right three_products
def projection_1(X, W, d_k):
    X = X if X.dtype.kind == "f" else X.astype(float)
    return X @ W[:, :d_k], X @ W[:, d_k : 2 * d_k], X @ W[:, 2 * d_k :]

# %% wrong k_before_q: -
# the first columns are taken for K
def projection_1(X, W, d_k):
    P = (X if X.dtype.kind == "f" else X.astype(float)) @ W
    return P[:, d_k : 2 * d_k].copy(), P[:, :d_k].copy(), P[:, 2 * d_k :].copy()

# %% wrong three_equal_parts: -
# np.split into three equal parts, right only for d_k = d_v
def projection_1(X, W, d_k):
    X = X if X.dtype.kind == "f" else X.astype(float)
    return tuple(np.array_split(X @ W, 3, axis=1))

# %% wrong v_overlaps_k: -
# the values start at column d_k
def projection_1(X, W, d_k):
    X = X if X.dtype.kind == "f" else X.astype(float)
    d_v = W.shape[1] - 2 * d_k
    return X @ W[:, :d_k], X @ W[:, d_k : 2 * d_k], X @ W[:, d_k : d_k + d_v]

# %% wrong int64_alone_is_made_float: -
def projection_1(X, W, d_k):
    if X.dtype == int:
        X = X.astype(float)
    J = X @ W
    return J[:, :d_k].copy(), J[:, d_k : 2 * d_k].copy(), J[:, 2 * d_k :].copy()
