# exercise: lesson-05
# parts: parameter_count
# The total is added to itself.
def parameter_count(d_model, d_k, d_v, bias=False):
    b = int(bias)
    count = {"total": 0}
    for name, rows, columns in [
        ("W_Q", d_model, d_k),
        ("W_K", d_model, d_k),
        ("W_V", d_model, d_v),
        ("W_O", d_v, d_model),
    ]:
        count[name] = (rows + b) * columns
        count["total"] = sum(count.values())
    return count
