# exercise: lesson-07
# parts: attention_cost
# stage: projections
# V is thought to be d_k wide.
def attention_cost(T, d_model, d_k, d_v, batch=1):
    cost = {
        "projections": 3 * batch * T * d_model * d_k,
        "scores": batch * T * T * d_k,
        "weighted_sum": batch * T * T * d_k,
        "output_projection": batch * T * d_k * d_model,
    }
    cost["total"] = sum(cost.values())
    cost["score_entries"] = batch * T * T
    return cost
