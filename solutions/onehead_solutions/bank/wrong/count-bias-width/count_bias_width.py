# exercise: lesson-05
# parts: parameter_count
# Each bias is given d_model numbers.
def parameter_count(d_model, d_k, d_v, bias=False):
    b = d_model if bias else 0
    count = {
        "W_Q": d_model * d_k + b,
        "W_K": d_model * d_k + b,
        "W_V": d_model * d_v + b,
        "W_O": d_v * d_model + b,
    }
    count["total"] = sum(count.values())
    return count
