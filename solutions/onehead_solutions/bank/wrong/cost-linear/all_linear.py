# exercise: lesson-07
# parts: attention_cost
# stage: scores
# Scores, sum and entries are linear in T.
def attention_cost(T, d_model, d_k, d_v, batch=1):
    cost = {
        "projections": batch * T * d_model * (2 * d_k + d_v),
        "scores": batch * T * d_k * d_model,
        "weighted_sum": batch * T * d_v,
        "output_projection": batch * T * d_v * d_model,
    }
    cost["total"] = sum(cost.values())
    cost["score_entries"] = batch * T
    return cost
