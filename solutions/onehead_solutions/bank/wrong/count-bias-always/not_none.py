# exercise: lesson-05
# parts: parameter_count
# "bias is not None" is true for False as well.
def parameter_count(d_model, d_k, d_v, bias=False):
    extra = [d_k, d_k, d_v, d_model] if bias is not None else [0] * 4
    sizes = [d_model * d_k, d_model * d_k, d_model * d_v, d_v * d_model]
    counts = [size + e for size, e in zip(sizes, extra)]
    return dict(zip(["W_Q", "W_K", "W_V", "W_O", "total"], [*counts, sum(counts)]))
