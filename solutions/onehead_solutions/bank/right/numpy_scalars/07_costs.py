import numpy as np


def attention_cost(T, d_model, d_k, d_v, batch=1):
    T, batch = np.int64(T), np.int64(batch)
    d_model, d_k, d_v = np.int64([d_model, d_k, d_v])
    steps = (
        np.array([T * d_model * (2 * d_k + d_v), T * T * d_k, T * T * d_v, T * d_v * d_model])
        * batch
    )
    names = ["projections", "scores", "weighted_sum", "output_projection"]
    cost = dict(zip(names, steps))
    cost["total"] = np.sum(steps)
    cost["score_entries"] = np.square(T) * batch
    return cost


def path_length(architecture, distance, kernel=3):
    if architecture == "convolution":
        return np.ceil(np.divide(distance, kernel - 1)).astype(np.int32)
    if architecture == "recurrent":
        return np.int64(distance)
    if architecture == "self-attention":
        return np.uint8(1)
    raise ValueError(np.array(architecture))


def sequential_passes(tokens, mode):
    modes = np.array(["training", "generation"])
    if mode not in modes:
        raise ValueError(f"{mode} is not in {modes}")
    return np.where(modes == mode, [1, tokens], 0).sum()


def misleading_example():
    X = np.eye(3)
    W_Q, W_K = np.ones((3, 2)), np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    W_V, W_O = np.array([[5.0], [0.0], [1.0]]), np.array([[0.3, 0.4, 0.0]])
    return X, W_Q, W_K, W_V, W_O, np.int64(2)
