import numpy as np


def my_backwards(A, B):
    out = np.zeros((A.shape[0], B.shape[1]), np.result_type(A, B, 1.0))
    for m in reversed(range(A.shape[1])):
        out += np.outer(A[:, m], B[m])
    return out


def attend(X, W_Q, W_K, W_V):
    Q, K, V = my_backwards(X, W_Q), my_backwards(X, W_K), my_backwards(X, W_V)
    scores = my_backwards(Q, K.T) / K.shape[1] ** 0.5
    weights = np.zeros_like(scores)
    for i in reversed(range(len(X))):
        row = scores[i, i::-1]
        e = np.exp(row - row.max())
        weights[i, i::-1] = e / sum(e)
    context = my_backwards(weights, V)
    return {"Q": Q, "K": K, "V": V, "scores": scores, "weights": weights, "context": context}
