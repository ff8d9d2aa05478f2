# exercise: lesson-07
# parts: attention_cost
# stage: projections
# The batch is ignored.
def attention_cost(T, d_model, d_k, d_v, batch=1):
    cost = {
        "projections": T * d_model * (2 * d_k + d_v),
        "scores": T * T * d_k,
        "weighted_sum": T * T * d_v,
        "output_projection": T * d_v * d_model,
    }
    cost["total"] = sum(cost.values())
    cost["score_entries"] = T * T
    return cost
