# exercise: lesson-07
# parts: attention_cost
# stage: projections
# A multiply-add is counted as two.
def attention_cost(T, d_model, d_k, d_v, batch=1):
    cost = {
        "projections": 2 * batch * T * d_model * (2 * d_k + d_v),
        "scores": 2 * batch * T * T * d_k,
        "weighted_sum": 2 * batch * T * T * d_v,
        "output_projection": 2 * batch * T * d_v * d_model,
    }
    cost["total"] = sum(cost.values())
    cost["score_entries"] = batch * T * T
    return cost
