# exercise: lesson-05
# parts: parameter_count
# bias is never read.
def parameter_count(d_model, d_k, d_v, bias=False):
    count = {"W_Q": d_model * d_k, "W_K": d_model * d_k, "W_V": d_model * d_v, "W_O": d_v * d_model}
    count["total"] = sum(count.values())
    return count
