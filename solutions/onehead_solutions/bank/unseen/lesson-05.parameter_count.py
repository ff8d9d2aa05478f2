# %% right bool_arithmetic_total
def parameter_count(d_model, d_k, d_v, bias=False):
    bias = np.bool_(bias)
    n = {"W_Q": (d_model + bias) * d_k, "W_K": (d_model + bias) * d_k, "W_V": (d_model + bias) * d_v, "W_O": (d_v + bias) * d_model}
    return {**n, "total": sum(n.values())}

# %% right np_size
def parameter_count(d_model, d_k, d_v, bias=False):
    n = {}
    for name, (rows, cols) in zip(("W_Q", "W_K", "W_V", "W_O"), ((d_model, d_k), (d_model, d_k), (d_model, d_v), (d_v, d_model))):
        n[name] = np.zeros((rows, cols)).size
        if bias:
            n[name] += np.zeros(cols).size
    n["total"] = np.sum(list(n.values()))
    return n

# %% right rows_plus_one
def parameter_count(d_model, d_k, d_v, bias=False):
    q = (d_model + bias) * d_k
    v = (d_model + bias) * d_v
    o = (d_v + bias) * d_model
    return {"total": 2 * q + v + o, "W_O": o, "W_V": v, "W_K": q, "W_Q": q}

# %% right sizes_of_shapes
import math
import numpy as np


def parameter_count(d_model, d_k, d_v, bias=False):
    shapes = {"W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v), "W_O": (d_v, d_model)}
    counts = {name: math.prod(s) + (s[1] if bias else 0) for name, s in shapes.items()}
    return {**counts, "total": sum(counts.values())}

# %% wrong always_plus_one: count-bias-always
# (rows + 1) * columns whatever bias says
def parameter_count(d_model, d_k, d_v, bias=False):
    n = {name: (r + 1) * c for name, (r, c) in {"W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v), "W_O": (d_v, d_model)}.items()}
    return {**n, "total": sum(n.values())}

# %% wrong bias_argument_unused: count-bias-missing
# bias=True changes nothing
def parameter_count(d_model, d_k, d_v, bias=False):
    counts = dict(W_Q=d_model * d_k, W_K=d_model * d_k, W_V=d_model * d_v, W_O=d_v * d_model)
    counts["total"] = sum(counts.values())
    return counts

# %% wrong bias_default_taken_true: count-bias-always
# tests "bias is not None" and False is not None
def parameter_count(d_model, d_k, d_v, bias=False):
    b = 1 if bias is not None else 0
    q, v, o = d_k * (d_model + b), d_v * (d_model + b), d_model * (d_v + b)
    return {"W_Q": q, "W_K": q, "W_V": v, "W_O": o, "total": 2 * q + v + o}

# %% wrong bias_only_in_total: count-bias-in-total
# biases are added to the total, the projections' counts stay without
def parameter_count(d_model, d_k, d_v, bias=False):
    counts = {"W_Q": d_model * d_k, "W_K": d_model * d_k, "W_V": d_model * d_v, "W_O": d_v * d_model}
    total = sum(counts.values())
    if bias:
        total += d_k + d_k + d_v + d_model
    counts["total"] = total
    return counts

# %% wrong bias_shadowed: count-bias-missing
# a local dict of flags overrides bias with False
def parameter_count(d_model, d_k, d_v, bias=False):
    options = {"bias": bias, **{"bias": False}}
    extra = 1 if options["bias"] else 0
    q, v, o = (d_model + extra) * d_k, (d_model + extra) * d_v, (d_v + extra) * d_model
    return dict(W_Q=q, W_K=q, W_V=v, W_O=o, total=q + q + v + o)

# %% wrong floats: -
# counts are floats
def parameter_count(d_model, d_k, d_v, bias=False):
    n = {k: float(np.prod(s)) + bias * s[1] for k, s in {"W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v), "W_O": (d_v, d_model)}.items()}
    n["total"] = sum(n.values())
    return n

# %% wrong four_squares: count-square
# 4 * d_model^2 as in multi-head models
def parameter_count(d_model, d_k, d_v, bias=False):
    one = d_model * d_model + (d_model if bias else 0)
    return {"W_Q": one, "W_K": one, "W_V": one, "W_O": one, "total": 4 * one}

# %% wrong keys_with_width_dv: -
# keys are counted with the width of the values
def parameter_count(d_model, d_k, d_v, bias=False):
    b = int(bias)
    n = {"W_Q": (d_model + b) * d_k, "W_K": (d_model + b) * d_v, "W_V": (d_model + b) * d_v, "W_O": (d_v + b) * d_model}
    return {**n, "total": sum(n.values())}

# %% wrong sizes_of_empty_matrices: count-bias-missing
# sizes of the matrices alone, no bias vectors
def parameter_count(d_model, d_k, d_v, bias=False):
    matrices = {"W_Q": np.empty((d_model, d_k)), "W_K": np.empty((d_model, d_k)), "W_V": np.empty((d_model, d_v)), "W_O": np.empty((d_v, d_model))}
    n = {name: W.size for name, W in matrices.items()}
    return {**n, "total": sum(n.values())}

# %% wrong three_projections: count-output-missing
# W_O counts 0 and is missing from the total
def parameter_count(d_model, d_k, d_v, bias=False):
    n = {"W_Q": (d_model + bias) * d_k, "W_K": (d_model + bias) * d_k, "W_V": (d_model + bias) * d_v, "W_O": 0}
    n["total"] = sum(n.values())
    return n

# %% wrong total_counts_itself_twice: -
# the folded matrix is added to the total as well
def parameter_count(d_model, d_k, d_v, bias=False):
    b = int(bias)
    n = {"W_Q": (d_model + b) * d_k, "W_K": (d_model + b) * d_k, "W_V": (d_model + b) * d_v, "W_O": (d_v + b) * d_model}
    return {**n, "total": sum(n.values()) + d_model * d_model}

# %% wrong total_of_qkv: count-output-missing
# the total adds Q, K and V only
def parameter_count(d_model, d_k, d_v, bias=False):
    b = 1 if bias else 0
    q = d_model * d_k + b * d_k
    v = d_model * d_v + b * d_v
    o = d_v * d_model + b * d_model
    return {"W_Q": q, "W_K": q, "W_V": v, "W_O": o, "total": q + q + v}

# %% wrong wo_bias_of_input_width: count-bias-width
# the bias of W_O is given d_v entries, its input width
def parameter_count(d_model, d_k, d_v, bias=False):
    q, v, o = d_model * d_k, d_model * d_v, d_v * d_model
    if bias:
        q, v, o = q + d_k, v + d_v, o + d_v
    return {"W_Q": q, "W_K": q, "W_V": v, "W_O": o, "total": 2 * q + v + o}


# %% wrong neither_bias_nor_output_in_total: count-bias-missing
def parameter_count(d_model, d_k, d_v, bias=False):
    sizes = {"W_Q": d_model * d_k, "W_K": d_model * d_k, "W_V": d_model * d_v}
    total = sum(sizes.values())
    sizes["W_O"] = d_v * d_model
    sizes["total"] = total
    return sizes


# %% wrong square_without_bias: count-square
def parameter_count(d_model, d_k, d_v, bias=False):
    n = d_model * d_model
    return {"W_Q": n, "W_K": n, "W_V": n, "W_O": n, "total": 4 * n}


# %% wrong always_bias_total_without_output: count-bias-always, count-output-missing
def parameter_count(d_model, d_k, d_v, bias=False):
    counts = {}
    for name, rows, columns in (("W_Q", d_model, d_k), ("W_K", d_model, d_k), ("W_V", d_model, d_v)):
        counts[name] = rows * columns + columns
    total = sum(counts.values())
    counts["W_O"] = d_v * d_model + d_model
    counts["total"] = total
    return counts

# %% wrong wide_queries_refused: -
def parameter_count(d_model, d_k, d_v, bias=False):
    if d_k > d_model:
        raise ValueError(f"d_k = {d_k} is larger than d_model = {d_model}")
    c = {"W_Q": d_model * d_k, "W_K": d_model * d_k, "W_V": d_model * d_v, "W_O": d_v * d_model}
    if bias:
        for name, b in zip(c, (d_k, d_k, d_v, d_model)):
            c[name] += b
    return {**c, "total": sum(c.values())}
