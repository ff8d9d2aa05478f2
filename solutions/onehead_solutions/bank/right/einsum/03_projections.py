import numpy as np


def attend(X, W_Q, W_K, W_V):
    kind = np.result_type(X, 1.0)
    Q, K, V = (np.einsum("tm,mk->tk", X.astype(kind), W.astype(kind)) for W in (W_Q, W_K, W_V))
    scores = np.einsum("ik,jk->ij", Q, K) / W_Q.shape[1] ** 0.5
    i, j = np.indices(scores.shape)
    shown = np.where(j > i, -np.inf, scores)
    e = np.exp(shown - shown.max(axis=1)[:, None])
    weights = np.einsum("ij,i->ij", e, 1 / np.einsum("ij->i", e))
    context = np.einsum("ij,jv->iv", weights, V)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": context}


def ablate(X, W_Q, W_K, W_V, which, replacement):
    matrices = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    if which not in matrices:
        raise ValueError("cannot replace " + str(which))
    matrices[which] = replacement
    return attend(X, **matrices)
