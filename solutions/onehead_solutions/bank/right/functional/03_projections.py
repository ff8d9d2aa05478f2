import functools

import numpy as np


def as_floats(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        floats = lambda a: a * 1.0 if isinstance(a, np.ndarray) else a
        return function(*map(floats, args), **{name: floats(a) for name, a in kwargs.items()})

    return wrapped


@as_floats
def attend(X, W_Q, W_K, W_V):
    Q, K, V = map(functools.partial(np.matmul, X), (W_Q, W_K, W_V))
    scores = Q @ K.T / K.shape[1] ** 0.5
    shown = np.where(np.tri(len(X), dtype=bool), scores, -np.inf)
    e = np.exp(shown - shown.max(1, keepdims=True))
    weights = e / e.sum(1, keepdims=True)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": weights @ V}


def ablate(X, W_Q, W_K, W_V, which, replacement):
    given = dict(W_Q=W_Q, W_K=W_K, W_V=W_V)
    if which not in given:
        raise ValueError(f"unknown projection: {which}")
    return attend(X, *(given | {which: replacement}).values())


def changed_stages(before, after, atol=1e-9):
    gap = lambda n: np.linalg.norm((before[n] - after[n]).ravel(), ord=np.inf)
    return list(filter(lambda n: gap(n) > atol, before))


ABLATIONS = {f"W_{p}": [p, *(["scores", "weights"] if p in "QK" else []), "context"] for p in "QKV"}
