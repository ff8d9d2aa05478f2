# exercise: lesson-07
# parts: attention_cost
# stage: projections
# One projection stands for three.
def attention_cost(T, d_model, d_k, d_v, batch=1):
    cost = {
        "projections": batch * T * d_model * d_k,
        "scores": batch * T * T * d_k,
        "weighted_sum": batch * T * T * d_v,
        "output_projection": batch * T * d_v * d_model,
    }
    cost["total"] = sum(cost.values())
    cost["score_entries"] = batch * T * T
    return cost
