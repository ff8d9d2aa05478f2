# exercise: lesson-01
# parts: BOUNDARY
# The output projection and the mask are put outside.
inside = ["query projection", "key projection", "value projection", "softmax"]
outside = ["mask", "output projection", "residual connection", "layer normalization"]
outside += ["feed-forward network", "token embedding", "positional encoding"]
BOUNDARY = {**dict.fromkeys(inside, "inside"), **dict.fromkeys(outside, "outside")}
