# %% right by_code_as_arrays
X = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]])
Q = X @ np.array([[1, 1, 1, 1], [0, 1, 1, 1], [-1, -1, 0, 1]])
K = X @ np.array([[-1, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, -1]])
V = X @ np.array([[0, -1], [-1, 2], [1, 2]])
S = Q @ K.T / 2
E = np.exp(S) * np.tri(4)
W = E / E.sum(axis=1, keepdims=True)
TRACE = {"context[2]": (W @ V)[2], "scores[3]": S[3], "weights[1]": W[1].tolist(), "weights[3]": tuple(W[3])}

# %% right rounded_by_hand
TRACE = {
    "scores[3]": [-1, 0.5, 0, -1.5],
    "weights[1]": [0.3775, 0.6225, 0.0, 0.0],
    "weights[3]": [0.1136, 0.5089, 0.3087, 0.0689],
    "context[2]": [-0.6285, 1.8105],
}

# %% wrong all_keys_visible: mask-missing
# by code, without the causal mask
X = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1]])
Q = X @ np.array([[1, 1, 1, 1], [0, 1, 1, 1], [-1, -1, 0, 1]])
K = X @ np.array([[-1, 0, 0, 0], [0, 1, 1, 0], [0, 1, -1, -1]])
V = X @ np.array([[0, -1], [-1, 2], [1, 2]])
S = Q @ K.T / 2
W = np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)
TRACE = {"scores[3]": S[3].tolist(), "weights[1]": W[1].tolist(), "weights[3]": W[3].tolist(), "context[2]": (W @ V)[2].tolist()}

# %% wrong rounded_to_hundredths: rounded
# rounded to two decimals
TRACE = {"scores[3]": [-1, 0.5, 0, -1.5], "weights[1]": [0.38, 0.62, 0, 0], "weights[3]": [0.11, 0.51, 0.31, 0.07], "context[2]": [-0.63, 1.81]}

# %% wrong row_counted_from_one: -
# row 0 is given for row 1
TRACE = {"scores[3]": [-1, 0.5, 0, -1.5], "weights[1]": [1, 0, 0, 0], "weights[3]": [0.1136, 0.5089, 0.3087, 0.0689], "context[2]": [-0.6285, 1.8105]}

# %% wrong scale_forgotten: scale-missing
# row 3 of Q K^T without the division by 2
TRACE = {"scores[3]": [-2.0, 1.0, 0.0, -3.0], "weights[1]": [0.3775, 0.6225, 0, 0], "weights[3]": [0.1136, 0.5089, 0.3087, 0.0689], "context[2]": [-0.6285, 1.8105]}
