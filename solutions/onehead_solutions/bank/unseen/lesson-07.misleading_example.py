# %% right searched_with_seed
def _look(X, W_Q, W_K, W_V, W_O, t):
    s = (X[: t + 1] @ W_K) @ (X[t] @ W_Q) / W_Q.shape[1] ** 0.5
    w = np.exp(s - s.max())
    w = w / w.sum()
    return w, w * np.linalg.norm(X[: t + 1] @ W_V @ W_O, axis=1)


def misleading_example():
    rng = np.random.default_rng(3)
    while True:
        case = [rng.normal(size=s) for s in ((5, 4), (4, 3), (4, 3), (4, 2), (2, 4))]
        w, e = _look(*case, 4)
        if w.argmax() != e.argmax() and np.diff(np.sort(w))[-1] > 0.1 and np.diff(np.sort(e))[-1] > 0.1:
            return (*case, 4)

# %% right tiny_integers
def misleading_example():
    X = np.array([[1, 0], [0, 1]])
    W_Q = np.array([[0], [2]])
    W_K = np.array([[0], [1]])
    W_V = np.array([[10, 0], [0, 1]])
    return X, W_Q, W_K, W_V, np.eye(2, dtype=int), 1

# %% wrong five_things: -
# target is not returned
def misleading_example():
    X = np.array([[1, 0], [0, 1]])
    return X, np.array([[0], [2]]), np.array([[0], [1]]), np.array([[10, 0], [0, 1]]), np.eye(2, dtype=int)

# %% wrong largest_of_both: -
# the most attended token has the largest effect too
def misleading_example():
    X = np.array([[3.0, 0.0], [0.0, 1.0]])
    return X, np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]]), np.eye(2), np.eye(2), 1

# %% wrong target_zero: -
# target 0 sees one token only
def misleading_example():
    rng = np.random.default_rng(0)
    return (*(rng.normal(size=s) for s in ((4, 3), (3, 2), (3, 2), (3, 2), (2, 3))), 0)

# %% wrong tie_of_weights: -
# both tokens have the same weight
def misleading_example():
    X = np.array([[1.0, 0.0], [0.0, 1.0]])
    W_V = np.array([[5.0, 0.0], [0.0, 1.0]])
    return X, np.zeros((2, 2)), np.zeros((2, 2)), W_V, np.eye(2), 1
