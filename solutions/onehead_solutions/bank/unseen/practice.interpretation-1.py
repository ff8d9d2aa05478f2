# %% right list
interpretation_1 = [1, 3, 2, 0]

# %% wrong before_wo: output-skipped
# effects in the context, weight times |V|
interpretation_1 = [2, 0, 1, 3]

# %% wrong order_of_weights: weight-as-effect
# sorted by weight
interpretation_1 = [0, 1, 2, 3]
