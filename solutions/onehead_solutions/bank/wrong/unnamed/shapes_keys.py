# exercise: lesson-01
# parts: layer_shapes
# The keys of the dict are named otherwise.
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    return {
        "one_reading": (d_v,),
        "input": (batch, tokens, d_model),
        "output": (batch, tokens, d_model),
        "score": (batch, tokens, tokens),
        "ctx": (batch, tokens, d_v),
    }
