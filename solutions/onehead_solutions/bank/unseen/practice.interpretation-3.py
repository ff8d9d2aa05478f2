# %% right null_space
def interpretation_3(weights, V):
    A = np.vstack([V.T, np.ones(len(weights))])
    d = np.linalg.svd(A)[2][-1]
    if d[np.argmax(np.abs(d))] > 0:
        d = -d
    with np.errstate(divide="ignore"):
        room = np.where(d < 0, -weights / d, np.inf).min()
    return weights + 0.999 * room * d

# %% right as_far_as_one_may
def interpretation_3(weights, V):
    A = np.column_stack([V, np.ones(len(V))]).T
    d = np.linalg.svd(A)[2][-1]
    room = np.min(np.where(d < 0, weights / np.where(d < 0, -d, 1), np.inf))
    return weights + room * d

# %% wrong step_beyond_zero: -
# a step of a full unit makes weights negative
def interpretation_3(weights, V):
    d = np.linalg.svd(np.vstack([V.T, np.ones(len(weights))]))[2][-1]
    return weights + d

# %% wrong sum_forgotten: -
# the null space of V.T alone is used, the sum of the weights moves
def interpretation_3(weights, V):
    d = np.linalg.svd(V.T)[2][-1]
    if d[np.argmax(np.abs(d))] > 0:
        d = -d
    neg = d < 0
    return weights + 0.999 * (-weights[neg] / d[neg]).min() * d

# %% wrong too_small_a_step: -
# the weights move by 0.01 only
def interpretation_3(weights, V):
    d = np.linalg.svd(np.vstack([V.T, np.ones(len(weights))]))[2][-1]
    return weights + 0.01 * d / np.abs(d).max()

# %% wrong keeps_what_weights_gave: hidden-state
# the same weights over other values get what they got before
_kept = {}


def interpretation_3(weights, V):
    key = weights.tobytes()
    if key not in _kept:
        d = np.linalg.svd(np.column_stack([V, np.ones(len(V))]).T)[2][-1]
        room = np.min(np.where(d < 0, weights / np.where(d < 0, -d, 1), np.inf))
        _kept[key] = weights + 0.9 * room * d
    return _kept[key].copy()

# %% wrong step_of_a_tenth: -
# among many tokens, a unit direction has no large entry
def interpretation_3(weights, V):
    return weights + 0.1 * np.linalg.svd(np.vstack([V.T, np.ones(len(V))]))[2][-1]

# %% wrong largest_by_nine_hundredths: -
# that may be more than a weight has
def interpretation_3(weights, V):
    d = np.linalg.svd(np.vstack([V.T, np.ones(len(V))]))[2][-1]
    return weights + 0.09 * d / np.abs(d).max()

# %% wrong first_tokens_make_the_next: -
# two of the first tokens may have one value
def interpretation_3(weights, V):
    A = np.vstack([V.T, np.ones(len(V))])
    n = len(A)
    d = np.zeros(len(V))
    d[n], d[:n] = 1, -np.linalg.solve(A[:, :n], A[:, n])
    return weights + 0.08 * d / np.abs(d).max()

# %% right largest_by_eight_hundredths
def interpretation_3(weights, V):
    d = np.linalg.svd(np.vstack([V.T, np.ones(len(V))]))[2][-1]
    return weights + 0.08 * d / np.abs(d).max()
