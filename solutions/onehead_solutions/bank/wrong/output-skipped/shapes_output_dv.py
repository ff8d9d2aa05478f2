# exercise: lesson-01
# parts: layer_shapes
# The layer is said to return d_v numbers a token.
def layer_shapes(batch, tokens, d_model, d_k, d_v):
    narrow = (batch, tokens, d_v)
    shapes = dict(reading=(d_v,), layer_input=(batch, tokens, d_model), layer_output=narrow)
    return shapes | dict(scores=(batch, tokens, tokens), context=narrow)
