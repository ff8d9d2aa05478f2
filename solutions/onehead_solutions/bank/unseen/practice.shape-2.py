# %% right generator_next
def shape_2(X, W_Q, W_K, W_V, W_O):
    d = X[1]
    tests = [("W_Q", W_Q[0] == d), ("W_K", W_K == (d, W_Q[1])), ("W_V", W_V[0] == d), ("W_O", W_O == (W_V[1], d))]
    return next((name for name, fits in tests if not fits), "fits")

# %% wrong dv_must_be_dk: -
# W_V is required to have the columns of W_Q
def shape_2(X, W_Q, W_K, W_V, W_O):
    d = X[1]
    if W_Q[0] != d:
        return "W_Q"
    if W_K != W_Q:
        return "W_K"
    if W_V != W_Q:
        return "W_V"
    return "fits" if W_O == (W_V[1], d) else "W_O"

# %% wrong width_of_x_from_rows: -
# X[0], the number of tokens, is taken for the width
def shape_2(X, W_Q, W_K, W_V, W_O):
    d = X[0]
    for name, ok in (("W_Q", W_Q[0] == d), ("W_K", W_K == (d, W_Q[1])), ("W_V", W_V[0] == d), ("W_O", W_O == (W_V[1], d))):
        if not ok:
            return name
    return "fits"

# %% wrong wo_columns_unchecked: -
# W_O's columns are not compared with the width of X
def shape_2(X, W_Q, W_K, W_V, W_O):
    d = X[1]
    if W_Q[0] != d:
        return "W_Q"
    if W_K[0] != d or W_K[1] != W_Q[1]:
        return "W_K"
    if W_V[0] != d:
        return "W_V"
    if W_O[0] != W_V[1]:
        return "W_O"
    return "fits"

# %% wrong output_due_as_values: output-transposed
def shape_2(X, W_Q, W_K, W_V, W_O):
    d_model = X[1]
    if W_Q[0] != d_model:
        return "W_Q"
    if W_K != W_Q:
        return "W_K"
    if W_V[0] != d_model:
        return "W_V"
    if W_O != W_V:
        return "W_O"
    return "fits"

# %% wrong numpy_stretches_one: -
# a size of 1 is stretched in a sum of products
def shape_2(X, W_Q, W_K, W_V, W_O):
    x = np.zeros(X)
    name = "W_Q"
    try:
        q = np.einsum("td,dk->tk", x, np.zeros(W_Q))
        name = "W_K"
        scores = q @ np.einsum("td,dk->kt", x, np.zeros(W_K))
        name = "W_V"
        context = scores @ np.einsum("td,dv->tv", x, np.zeros(W_V))
        name = "W_O"
        x + context @ np.zeros(W_O)
    except ValueError:
        return name
    return "fits"

# %% wrong heads_never_wider: -
# d_k and d_v are taken to be at most d_model
def shape_2(X, W_Q, W_K, W_V, W_O):
    d = X[1]
    if W_Q[0] != d or W_Q[1] > d:
        return "W_Q"
    if W_K != W_Q:
        return "W_K"
    if W_V[0] != d or W_V[1] > d:
        return "W_V"
    return "fits" if W_O == W_V[::-1] else "W_O"
