# exercise: lesson-01
# parts: layer_shapes
# The batch axis is left out.
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    return {
        "reading": (d_v,),
        "layer_input": (tokens, d_model),
        "layer_output": (tokens, d_model),
        "scores": (tokens, tokens),
        "context": (tokens, d_v),
    }
