# exercise: lesson-05
# parts: output_projection
# stage: output
# W_O is applied by rows.
def output_projection(context, W_O, b_O=None):
    d_v, d_model = W_O.shape
    if context.shape[-1] != d_v:
        raise ValueError(f"{context.shape[-1]} and {d_v}")
    if b_O is not None and b_O.shape != (d_model,):
        raise ValueError(f"{b_O.shape} and {d_model}")
    output = (context * 1.0) @ W_O.T
    return output if b_O is None else output + b_O
