# exercise: lesson-07
# parts: sequential_passes
# The two modes are exchanged.
def sequential_passes(tokens, mode):
    passes = {"training": tokens, "generation": 1}
    if mode not in passes:
        raise ValueError(f"mode {mode}")
    return passes[mode]
