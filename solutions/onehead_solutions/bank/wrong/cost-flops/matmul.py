# exercise: lesson-07
# parts: attention_cost
# stage: projections
# The helper counts 2nmp.
def my_flops(n, m, p):
    return 2 * n * m * p


def attention_cost(T, d_model, d_k, d_v, batch=1):
    cost = {}
    cost["projections"] = batch * (2 * my_flops(T, d_model, d_k) + my_flops(T, d_model, d_v))
    cost["scores"] = batch * my_flops(T, d_k, T)
    cost["weighted_sum"] = batch * my_flops(T, T, d_v)
    cost["output_projection"] = batch * my_flops(T, d_v, d_model)
    cost["total"] = sum(cost.values())
    cost["score_entries"] = batch * T * T
    return cost
