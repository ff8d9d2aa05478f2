# exercise: lesson-07
# parts: sequential_passes
# The first token is thought to be free.
def sequential_passes(tokens, mode):
    if mode == "training":
        return 1
    if mode == "generation":
        return tokens - 1
    raise ValueError(f"mode {mode}")
