import numpy as np


def observed_and_causal(X, W_Q, W_K, W_V, W_O, target):
    kind = np.result_type(X, 1.0)
    q = np.einsum("m,mk->k", X[target], W_Q, dtype=kind)
    K = np.einsum("tm,mk->tk", X, W_K, dtype=kind)
    scores = np.einsum("k,tk->t", q, K) / len(q) ** 0.5
    seen = np.arange(len(X)) <= target
    weights = np.where(
        seen, np.exp(np.minimum(scores - scores[seen].max(), 0)), scores.dtype.type(0)
    )
    weights = weights / np.einsum("t->", weights)
    parts = np.einsum("t,tm,mv,vn->tn", weights, X, W_V, W_O, dtype=kind)
    return weights, np.sqrt(np.einsum("tn,tn->t", parts, parts))
