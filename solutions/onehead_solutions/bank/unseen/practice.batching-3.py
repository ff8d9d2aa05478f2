# %% right pairwise
def batching_3(layer, X):
    B = len(X)
    X = X.astype(float)
    base = np.array(layer(X.copy()), dtype=float)
    rng = np.random.default_rng(1)
    moves = np.zeros((B, B), dtype=bool)
    for a in range(B):
        for size in (1, 20):
            Y = X.copy()
            Y[a] += size * rng.normal(size=X.shape[1:])
            d = np.abs(np.asarray(layer(Y)) - base).reshape(B, -1).max(axis=1)
            moves[a] |= d > 1e-9 * (1 + np.abs(base).max())
    return moves

# %% wrong any_difference: -
# rounding counts as a move
def batching_3(layer, X):
    B = len(X)
    base = np.array(layer(X.copy()))
    moves = np.zeros((B, B), bool)
    for a in range(B):
        Y = X.copy()
        Y[a] += 5 * np.random.default_rng(a).normal(size=X[a].shape)
        after = np.array(layer(Y))
        moves[a] = [(after[b] != base[b]).any() for b in range(B)]
    return moves

# %% wrong diagonal_assumed: -
# the diagonal is set to True unmeasured
def batching_3(layer, X):
    B = len(X)
    base = np.array(layer(X.copy()))
    moves = np.eye(B, dtype=bool)
    for a in range(B):
        Y = X.copy()
        Y[a] += 5 * np.random.default_rng(a).normal(size=X[a].shape)
        d = np.abs(np.array(layer(Y)) - base).reshape(B, -1).max(axis=1)
        moves[a] |= d > 1e-9 * (1 + np.abs(base).max())
    return moves

# %% wrong transposed_answer: cause-and-effect-exchanged
# rows and columns of the answer are exchanged
def batching_3(layer, X):
    B = len(X)
    base = np.array(layer(X.copy()))
    moves = np.zeros((B, B), bool)
    for a in range(B):
        Y = X.copy()
        Y[a] += 5 * np.random.default_rng(a).normal(size=X[a].shape)
        d = np.abs(np.array(layer(Y)) - base).reshape(B, -1).max(axis=1)
        moves[:, a] = d > 1e-9 * (1 + np.abs(base).max())
    return moves

# %% wrong one_added_to_an_item: -
def batching_3(layer, X):
    base = layer(X * 1.0)
    one = np.eye(len(X))[:, :, None, None]
    return np.array([[np.abs(row - before).max() > 1e-9 for row, before in zip(layer(X + change), base)] for change in one])

# %% right two_items_asserted
def batching_3(layer, X):
    assert len(X) > 1, "one item has no others"
    base = layer(X.copy())
    moves = np.zeros((len(X), len(X)), bool)
    for a in range(len(X)):
        for d in (1.0, np.random.default_rng(0).normal(size=X[a].shape)):
            Y = X.copy()
            Y[a] += d
            moves[a] |= (np.abs(layer(Y) - base) > 1e-9).any((1, 2))
    return moves

# %% wrong one_token_squeezed: -
# axes of one token, or of one feature, are lost
def batching_3(layer, X):
    base = np.squeeze(layer(X.copy()))
    moves = np.zeros((len(X), len(X)), bool)
    for a in range(len(X)):
        Y = X.copy()
        Y[a] = 3.7 * Y[a] + np.random.default_rng(a).normal(size=X[a].shape)
        moves[a] = (np.abs(np.squeeze(layer(Y)) - base) > 1e-9).any(axis=(-2, -1))
    return moves

# %% wrong neighbour_put_in_its_place: -
# an item is changed into twice another: where all are zeros, that is no change
def batching_3(layer, X):
    base = layer(X.copy())
    moves = np.zeros((len(X), len(X)), bool)
    for a in range(len(X)):
        Y = X.copy()
        Y[a] = 2 * X[a - 1]
        moves[a] = [not np.allclose(x, y, rtol=1e-9, atol=1e-9) for x, y in zip(layer(Y), base)]
    return moves

# %% wrong last_token_only: -
# the first tokens of an item are never changed
def batching_3(layer, X):
    base = np.array(layer(X.copy()))
    moves = np.zeros((len(X), len(X)), bool)
    for a in range(len(X)):
        Y = X.copy()
        Y[a, -1] += 1.0
        d = np.abs(np.array(layer(Y)) - base).max(axis=(1, 2))
        moves[a] = d > 1e-9 * (1 + np.abs(base).max())
    return moves

# %% wrong twice_as_much: -
# an item of zeros stays as it is
def batching_3(layer, X):
    base = np.array(layer(X.copy()))
    moves = np.zeros((len(X), len(X)), bool)
    for a in range(len(X)):
        Y = X.copy()
        Y[a] *= 2
        d = np.abs(np.array(layer(Y)) - base).max(axis=(1, 2))
        moves[a] = d > 1e-9 * (1 + np.abs(base).max())
    return moves

# %% wrong rounded_when_put_back: input-mutated
def batching_3(layer, X):
    rng = np.random.default_rng(2)
    B = len(X)
    moves = np.zeros((B, B), bool)
    for start in (X, rng.normal(size=X.shape)):
        base = np.array(layer(start))
        for a in range(B):
            for size in (1, 40):
                before = start[a].copy()
                start[a] += size * rng.normal(size=before.shape)
                moves[a] |= np.abs(np.array(layer(start)) - base).max(axis=(1, 2)) > 1e-9
                start[a] -= start[a] - before
                start[a] = np.round(before, 12)
                base = np.array(layer(start))
    return moves

# %% wrong sums_of_features: -
# one feature goes up by as much as another goes down
def batching_3(layer, X):
    base = np.array(layer(X.copy())).sum(2)
    moves = np.zeros((len(X), len(X)), dtype=bool)
    for a in range(len(X)):
        Y = X.copy()
        Y[a] = np.random.default_rng(0).normal(size=Y[a].shape) * 3
        moves[a] = (np.abs(np.array(layer(Y)).sum(2) - base) > 1e-7).any(1)
    return moves
