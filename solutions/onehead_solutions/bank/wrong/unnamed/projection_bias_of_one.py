# exercise: lesson-05
# parts: output_projection
# A bias of one number is stretched over the width.
def output_projection(context, W_O, b_O=None):
    if context.shape[-1] != W_O.shape[0]:
        raise ValueError(f"{context.shape[-1]} and {W_O.shape[0]}")
    output = (context * 1.0) @ W_O
    if b_O is not None:
        output = output + b_O
    return output
