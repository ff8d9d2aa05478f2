# exercise: lesson-05
# parts: parameter_count
# W_O counts for nothing.
def parameter_count(d_model, d_k, d_v, bias=False):
    widths = [d_k, d_k, d_v]
    counts = [d_model * width + (width if bias else 0) for width in widths] + [0]
    return dict(zip(["W_Q", "W_K", "W_V", "W_O", "total"], [*counts, sum(counts)]))
