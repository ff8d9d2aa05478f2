# exercise: lesson-07
# parts: sequential_passes
# Whatever is not training is generation.
def sequential_passes(tokens, mode):
    return 1 if mode == "training" else tokens
