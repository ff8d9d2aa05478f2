# exercise: lesson-05
# parts: OUTPUT_ABLATIONS
# Without W_O the output is thought to be the context.
OUTPUT_ABLATIONS = {
    "zero": "output equals context",
    "identity, d_v == d_model": "output equals context",
    "transposed, d_v != d_model": "output is context rotated",
    "orthogonal, d_v == d_model": "output is context rotated",
}
