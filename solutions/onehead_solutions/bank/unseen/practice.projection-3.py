# %% right solve
def projection_3(W_K, A):
    return np.linalg.solve(A, W_K.T).T

# %% wrong inverse_untransposed: inverse-not-transposed
# W_K @ inv(A)
def projection_3(W_K, A):
    return W_K @ np.linalg.inv(A)

# %% wrong transpose_for_inverse: turned-alike
# A is treated as orthogonal, W_K @ A
def projection_3(W_K, A):
    W = W_K if W_K.dtype.kind == "f" else W_K.astype(float)
    return W @ A

# %% right pseudoinverse
def projection_3(W_K, A):
    kind = A.dtype if A.dtype.kind == "f" else float
    return W_K.astype(kind) @ np.linalg.pinv(A.astype(kind)).T

# %% right least_squares
def projection_3(W_K, A):
    return np.linalg.lstsq(A, W_K.T, rcond=None)[0].T

# %% wrong one_row_flat: -
# a model of width 1 loses its axis
def projection_3(W_K, A):
    f = A.dtype if A.dtype.kind == "f" else float
    W = W_K.astype(f) @ np.linalg.inv(A.astype(f)).T
    return W[0] if len(W) == 1 else W
