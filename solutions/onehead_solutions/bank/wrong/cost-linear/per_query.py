# exercise: lesson-07
# parts: attention_cost
# stage: scores
# One query's cost is given for all.
def attention_cost(T, d_model, d_k, d_v, batch=1):
    tokens = batch * T
    scores = sum(d_k for _ in range(tokens))
    summed = sum(d_v for _ in range(tokens))
    projections = tokens * d_model * (d_k + d_k + d_v)
    output = tokens * d_v * d_model
    return dict(
        projections=projections,
        scores=scores,
        weighted_sum=summed,
        output_projection=output,
        total=projections + scores + summed + output,
        score_entries=tokens * T,
    )
