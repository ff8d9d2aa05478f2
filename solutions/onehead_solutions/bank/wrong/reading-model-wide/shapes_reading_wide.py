# exercise: lesson-01
# parts: layer_shapes
# A reading is given the width of the model.
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    return {
        "reading": (d_model,),
        "layer_input": (batch, tokens, d_model),
        "layer_output": (batch, tokens, d_model),
        "scores": (batch, tokens, tokens),
        "context": (batch, tokens, d_v),
    }
