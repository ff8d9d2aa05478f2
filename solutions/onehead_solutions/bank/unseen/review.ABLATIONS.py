# %% right plain
ABLATIONS = {"W_Q zero": "even weights", "W_V doubled": "context doubled", "W_Q doubled, W_K halved": "same scores"}

# %% wrong zero_queries_zero_weights: zero-scores-zero-weights
# zero scores are taken for zero weights
ABLATIONS = {"W_Q zero": "all weights zero", "W_V doubled": "context doubled", "W_Q doubled, W_K halved": "same scores"}
