# %% right plain
OUTPUT_ABLATIONS = dict([
    ("orthogonal, d_v == d_model", "output is context rotated"),
    ("transposed, d_v != d_model", "shapes do not fit"),
    ("identity, d_v == d_model", "output equals context"),
    ("zero", "output is zero"),
])

# %% wrong identity_and_rotation_exchanged: identity-as-rotation
# identity is said to rotate
OUTPUT_ABLATIONS = {
    "zero": "output is zero",
    "identity, d_v == d_model": "output is context rotated",
    "transposed, d_v != d_model": "shapes do not fit",
    "orthogonal, d_v == d_model": "output equals context",
}
