# exercise: lesson-07
# parts: sequential_passes
# Generation is thought to halve the rest each time.
def sequential_passes(tokens, mode):
    if mode == "training":
        return 1
    if mode == "generation":
        return max(1, tokens.bit_length())
    raise ValueError(f"mode {mode}")
