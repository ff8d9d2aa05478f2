# exercise: lesson-05
# parts: output_projection
# stage: output
# The context is added back where the widths agree.
def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"{context.shape[-1]} and {W_O.shape[0]}")
    if b_O is not None and b_O.shape != (W_O.shape[1],):
        raise ValueError(f"{b_O.shape} and {W_O.shape[1]}")
    output = (context * 1.0) @ W_O
    if b_O is not None:
        output = output + b_O
    if output.shape == context.shape:
        output = output + context
    return output
