# exercise: lesson-01
# parts: layer_shapes
# Scores are taken for queries.
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    model = (batch, tokens, d_model)
    return {
        "reading": (d_v,),
        "layer_input": model,
        "layer_output": model,
        "scores": (batch, tokens, d_k),
        "context": (batch, tokens, d_v),
    }
