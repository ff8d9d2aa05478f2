# exercise: lesson-05
# parts: parameter_count
# The bias is always counted.
def parameter_count(d_model, d_k, d_v, bias=False):
    count = {
        "W_Q": (d_model + 1) * d_k,
        "W_K": (d_model + 1) * d_k,
        "W_V": (d_model + 1) * d_v,
        "W_O": (d_v + 1) * d_model,
    }
    count["total"] = sum(count.values())
    return count
