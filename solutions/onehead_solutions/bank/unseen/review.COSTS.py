# %% right computed
COSTS = {"scores factor": 3**2, "causal scores": 6 * 6 * 4, "convolution layers": -(-37 // 4)}

# %% wrong causal_halved: cost-causal-discount
# 21 pairs of 4
COSTS = {"scores factor": 9, "causal scores": 84, "convolution layers": 10}

# %% wrong float_answer: -
# 9.25 layers
COSTS = {"scores factor": 9, "causal scores": 144, "convolution layers": 37 / 4}

# %% wrong flops: cost-flops
# 288, two operations each
COSTS = {"scores factor": 9, "causal scores": 2 * 6 * 6 * 4, "convolution layers": 10}

# %% wrong layers_by_kernel: kernel-as-reach
# 37 / 5 rounded up
COSTS = {"scores factor": 9, "causal scores": 144, "convolution layers": 8}

# %% wrong scores_linear: cost-linear
# factor 3
COSTS = {"scores factor": 3, "causal scores": 144, "convolution layers": 10}
