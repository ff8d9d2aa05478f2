# exercise: lesson-07
# parts: attention_cost
# stage: scores
# The batch is one long sequence.
def attention_cost(T, d_model, d_k, d_v, batch=1):
    cost = {
        "projections": batch * T * d_model * (2 * d_k + d_v),
        "scores": (batch * T) ** 2 * d_k,
        "weighted_sum": (batch * T) ** 2 * d_v,
        "output_projection": batch * T * d_v * d_model,
    }
    cost["total"] = sum(cost.values())
    cost["score_entries"] = (batch * T) ** 2
    return cost
