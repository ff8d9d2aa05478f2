# exercise: lesson-05
# parts: fold_output_projection
# The result is transposed.
def fold_output_projection(W_V, W_O):
    return ((W_V * 1.0) @ W_O).T
