# %% [markdown]
# # Lesson 5

# %%
import numpy as np

# %%
def output_projection(context, W_O, b_O=None):
    """Not started."""
    raise NotImplementedError


# %%
def parameter_count(d_model, d_k, d_v, bias=False):
    counts = {"W_Q": d_model * d_k, "W_K": d_model * d_k, "W_V": d_model * d_v, "W_O": d_v * d_model}
    counts["total"] = sum(counts.values())
    return counts


# %%
def fold_output_projection(W_V, W_O):
    return W_V @ W_0


# %%
OUTPUT_ABLATIONS = {"zero": "output is zero", "identity, d_v == d_model": ...}
