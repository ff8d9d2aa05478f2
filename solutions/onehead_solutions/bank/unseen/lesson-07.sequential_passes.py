# %% right dict_of_lambdas
def sequential_passes(tokens, mode):
    modes = {"training": lambda n: 1, "generation": lambda n: len(range(n))}
    try:
        return modes[mode](tokens)
    except KeyError:
        raise ValueError(f"no mode {mode}")

# %% right if_chain
def sequential_passes(tokens, mode):
    if mode == "training":
        return 1
    elif mode == "generation":
        return tokens
    else:
        raise ValueError("mode must be 'training' or 'generation', not " + repr(mode))

# %% wrong case_folded: -
# "Training" is let through
def sequential_passes(tokens, mode):
    m = mode.lower()
    if m == "training":
        return 1
    if m == "generation":
        return tokens
    raise ValueError(f"mode {mode}")

# %% wrong first_token_free: first-token-free
# tokens - 1
def sequential_passes(tokens, mode):
    if mode == "training":
        return 1
    if mode == "generation":
        return tokens - 1
    raise ValueError(mode)

# %% wrong training_one_by_one: training-one-by-one
# if it generates one by one it is thought to train one by one
def sequential_passes(tokens, mode):
    if mode not in ("training", "generation"):
        raise ValueError(mode)
    return tokens

# %% wrong unknown_mode_none: -
# dict.get gives None for an unknown mode
def sequential_passes(tokens, mode):
    return {"training": 1, "generation": tokens}.get(mode)

# %% wrong mode_by_its_start: -
# a mode that starts like a known one is taken for it
def sequential_passes(tokens, mode):
    if mode.startswith("train"):
        return 1
    if mode.startswith("generation"):
        return tokens
    raise ValueError(mode)

# %% wrong prefix_taken: -
def sequential_passes(tokens, mode):
    if mode == "training":
        return 1
    if mode.startswith("generat"):
        return tokens
    raise ValueError(f"unknown mode {mode!r}")

# %% wrong any_kind_of_training: -
def sequential_passes(tokens, mode):
    if mode.endswith("training"):
        return 1
    if mode.endswith("generation"):
        return tokens
    raise ValueError(f"unknown mode {mode!r}")
