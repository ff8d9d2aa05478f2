# exercise: lesson-01
# parts: BOUNDARY
# The whole Transformer block is put inside.
BOUNDARY = {
    "query projection": "inside",
    "key projection": "inside",
    "value projection": "inside",
    "mask": "inside",
    "softmax": "inside",
    "output projection": "inside",
    "residual connection": "inside",
    "layer normalization": "inside",
    "feed-forward network": "inside",
    "token embedding": "outside",
    "positional encoding": "outside",
}
