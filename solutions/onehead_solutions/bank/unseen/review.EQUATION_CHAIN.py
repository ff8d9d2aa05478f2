# %% right enumerated
EQUATION_CHAIN = {f"step {n}": letter for n, letter in enumerate("CDEAF", start=1)}

# %% wrong mask_after: mask-after-softmax
# line G for line E
EQUATION_CHAIN = dict(zip(("step 1", "step 2", "step 3", "step 4", "step 5"), "CDGAF"))

# %% wrong over_queries: softmax-over-queries
# line I for line E
EQUATION_CHAIN = {"step 1": "C", "step 2": "D", "step 3": "I", "step 4": "A", "step 5": "F"}

# %% wrong scale_by_model_width: scale-by-dmodel
# line B for line D
EQUATION_CHAIN = {"step 1": "C", "step 2": "B", "step 3": "E", "step 4": "A", "step 5": "F"}

# %% wrong values_are_x: values-from-input
# line H for line A
EQUATION_CHAIN = {f"step {i + 1}": c for i, c in enumerate("CDEHF")}
