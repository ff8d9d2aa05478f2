# %% right closure_of_arrows
parents = {"Q": ["W_Q"], "K": ["W_K"], "V": ["W_V"], "scores": ["Q", "K"], "weights": ["scores"], "context": ["weights", "V"]}


def depends(stage, matrix):
    return matrix in parents.get(stage, []) or any(depends(p, matrix) for p in parents.get(stage, []))


ABLATIONS = {m: [s for s in parents if depends(s, m)] for m in ("W_Q", "W_K", "W_V")}

# %% wrong context_forgotten: context-unmoved
# replacing W_Q is said to stop at the weights
ABLATIONS = {"W_Q": ["Q", "scores", "weights"], "W_K": ["K", "scores", "weights", "context"], "W_V": ["V", "context"]}

# %% wrong order_alphabetical: order-changed
# the list for W_K is sorted, not in dependency order
ABLATIONS = {"W_Q": ["Q", "scores", "weights", "context"], "W_K": sorted(["K", "scores", "weights", "context"]), "W_V": ["V", "context"]}

# %% wrong own_projection_left_out: -
# V itself is left out
ABLATIONS = {"W_Q": ["Q", "scores", "weights", "context"], "W_K": ["K", "scores", "weights", "context"], "W_V": ["context"]}

# %% wrong values_change_weights: values-in-scores
# W_V is said to change the weights
ABLATIONS = {"W_Q": ["Q", "scores", "weights", "context"], "W_K": ["K", "scores", "weights", "context"], "W_V": ["V", "weights", "context"]}
