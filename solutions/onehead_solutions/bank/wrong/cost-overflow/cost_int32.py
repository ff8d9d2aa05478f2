# exercise: lesson-07
# parts: attention_cost
# Counts overflow in 32 bits.
import numpy as np


def attention_cost(T, d_model, d_k, d_v, batch=1):
    T, d_model, d_k, d_v, batch = np.array([T, d_model, d_k, d_v, batch], dtype=np.int32)
    cost = {
        "projections": batch * T * d_model * (d_k + d_k + d_v),
        "scores": batch * T * T * d_k,
        "weighted_sum": batch * T * T * d_v,
        "output_projection": batch * T * d_v * d_model,
    }
    cost["total"] = sum(cost.values())
    cost["score_entries"] = batch * T * T
    return cost
