# exercise: lesson-07
# parts: sequential_passes
# Other modes give None.
def sequential_passes(tokens, mode):
    if mode == "training":
        return 1
    if mode == "generation":
        return tokens
