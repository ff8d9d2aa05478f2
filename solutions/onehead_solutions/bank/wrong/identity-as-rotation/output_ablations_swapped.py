# exercise: lesson-05
# parts: OUTPUT_ABLATIONS
# Identity and rotation are exchanged.
OUTPUT_ABLATIONS = {
    "zero": "output is zero",
    "identity, d_v == d_model": "output is context rotated",
    "transposed, d_v != d_model": "shapes do not fit",
    "orthogonal, d_v == d_model": "output equals context",
}
