# exercise: lesson-05
# parts: parameter_count
# d_k and d_v are overwritten with d_model.
def parameter_count(d_model, d_k, d_v, bias=False):
    d_k = d_v = d_model
    count = {}
    for name, rows, columns in (
        ("W_Q", d_model, d_k),
        ("W_K", d_model, d_k),
        ("W_V", d_model, d_v),
        ("W_O", d_v, d_model),
    ):
        count[name] = rows * columns + columns * bool(bias)
    count["total"] = sum(count.values())
    return count
