# %% right einsum
def fold_output_projection(W_V, W_O):
    f = W_V.dtype if W_V.dtype.kind == "f" else np.float64
    return np.einsum("mv,vn->mn", W_V.astype(f), W_O.astype(f))

# %% right outer_products
def fold_output_projection(W_V, W_O):
    total = 0.0
    for column, row in zip(W_V.T, W_O):
        total = total + np.outer(column, row)
    return total

# %% wrong float32_product: low-precision
# the product is made in float32
def fold_output_projection(W_V, W_O):
    f = W_V.dtype if W_V.dtype.kind == "f" else np.dtype(float)
    return (W_V.astype("f4") @ W_O.astype("f4")).astype(f)

# %% wrong transposed_result: fold-transposed
# W_O.T @ W_V.T is the transpose of the matrix
def fold_output_projection(W_V, W_O):
    return (W_O.T @ W_V.T).astype(W_V.dtype if W_V.dtype.kind == "f" else float)

# %% wrong wrong_order: fold-swapped
# W_O @ W_V is (d_v, d_v)
def fold_output_projection(W_V, W_O):
    out = W_O @ W_V
    return out if out.dtype.kind == "f" else out.astype(float)

# %% wrong int64_alone_is_made_float: -
def fold_output_projection(W_V, W_O):
    if W_V.dtype == int:
        W_V = W_V.astype(float)
    return W_V @ W_O

# %% wrong axes_of_one_dropped: -
def fold_output_projection(W_V, W_O):
    f = np.float32 if W_V.dtype == np.float32 else np.float64
    return W_V.astype(f).squeeze() @ W_O.astype(f).squeeze()

# %% wrong axes_of_one_are_lost: -
def fold_output_projection(W_V, W_O):
    f = np.float32 if W_V.dtype == np.float32 else np.float64
    return (W_V.astype(f) @ W_O.astype(f)).squeeze()
