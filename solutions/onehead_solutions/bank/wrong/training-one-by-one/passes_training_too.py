# exercise: lesson-07
# parts: sequential_passes
# Training is thought to go token by token.
def sequential_passes(tokens, mode):
    if mode in ("training", "generation"):
        return tokens
    raise ValueError(f"mode {mode}")
