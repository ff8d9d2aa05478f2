# exercise: lesson-05
# parts: parameter_count
# 4 d_model squared.
def parameter_count(d_model, d_k, d_v, bias=False):
    each = d_model * d_model + (d_model if bias else 0)
    return {"W_Q": each, "W_K": each, "W_V": each, "W_O": each, "total": 4 * each}
