# exercise: lesson-05
# parts: parameter_count
# The keys are spelt otherwise.
def parameter_count(d_model, d_k, d_v, bias=False):
    b = int(bias)
    counts = [(d_model + b) * d_k, (d_model + b) * d_k, (d_model + b) * d_v, (d_v + b) * d_model]
    return dict(zip(["Q", "K", "V", "O", "sum"], [*counts, sum(counts)]))
