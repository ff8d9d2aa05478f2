# exercise: lesson-05
# parts: output_projection
# The message holds no sizes.
def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError("context does not fit W_O")
    if b_O is not None and b_O.shape != (W_O.shape[1],):
        raise ValueError("b_O does not fit W_O")
    output = (context * 1.0) @ W_O
    if b_O is not None:
        output = output + b_O
    return output
