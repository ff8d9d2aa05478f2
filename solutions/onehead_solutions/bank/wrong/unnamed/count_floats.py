# exercise: lesson-05
# parts: parameter_count
# The counts are floats.
def parameter_count(d_model, d_k, d_v, bias=False):
    b = 1.0 if bias else 0.0
    count = {
        "W_Q": (d_model + b) * d_k,
        "W_K": (d_model + b) * d_k,
        "W_V": (d_model + b) * d_v,
        "W_O": (d_v + b) * d_model,
    }
    count["total"] = sum(count.values())
    return count
