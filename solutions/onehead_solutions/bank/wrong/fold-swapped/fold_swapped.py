# exercise: lesson-05
# parts: fold_output_projection
# W_O @ W_V has the wrong size.
def fold_output_projection(W_V, W_O):
    return (W_O * 1.0) @ W_V
