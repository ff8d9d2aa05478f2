# %% right inner
def projection_2(W_Q, W_K):
    return np.inner(W_Q, W_K) / W_Q.shape[1] ** 0.5

# %% wrong divided_by_dk: scale-by-dk
# root forgotten
def projection_2(W_Q, W_K):
    return W_Q @ W_K.T / W_K.shape[1]

# %% wrong no_scale: scale-missing
# W_Q W_K^T without the 1/sqrt(d_k) that the scores have
def projection_2(W_Q, W_K):
    return (W_Q @ W_K.T) * 1.0 if W_Q.dtype.kind == "f" else (W_Q @ W_K.T).astype(float)

# %% wrong scale_of_model: scale-by-dmodel
# W_Q.shape[0] under the root
def projection_2(W_Q, W_K):
    return np.einsum("ik,jk->ij", W_Q, W_K) / W_Q.shape[0] ** 0.5

# %% wrong wk_first: qk-swapped
# W_K W_Q^T, the transpose of what is asked
def projection_2(W_Q, W_K):
    return W_K @ W_Q.T / W_Q.shape[1] ** 0.5

# %% wrong reshaped_keys: keys-reshaped
# the key matrix is laid out anew
def projection_2(W_Q, W_K):
    f = W_Q.dtype if W_Q.dtype.kind == "f" else float
    W_Q, W_K = W_Q.astype(f), W_K.astype(f)
    return W_Q.dot(np.reshape(W_K, W_K.shape[::-1])) / np.sqrt(np.array(W_K.shape[1], dtype=f))

# %% wrong floor_of_scale: integer-truncation
# the product is divided with //
def projection_2(W_Q, W_K):
    f = W_Q.dtype if W_Q.dtype.kind == "f" else float
    root = np.sqrt(np.array(W_K.shape[1], dtype=f))
    return (W_Q.astype(f) @ W_K.astype(f).T) // root

# %% wrong one_column_squeezed: -
# with d_k = 1 both are vectors, and their product is a number
def projection_2(W_Q, W_K):
    d_k = W_K.shape[1]
    return np.squeeze(W_Q * 1.0) @ np.squeeze(W_K * 1.0).T / d_k**0.5
