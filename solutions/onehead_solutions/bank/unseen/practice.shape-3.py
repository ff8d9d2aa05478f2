# %% right table_of_letters
LETTERS = {"X": "BTm", "Q": "BTk", "K": "BTk", "V": "BTv", "scores": "BTT", "weights": "BTT", "context": "BTv", "output": "BTm",
           "W_Q": "mk", "W_K": "mk", "W_V": "mv", "W_O": "vm"}


def shape_3(shapes):
    known = {}
    for name, shape in shapes.items():
        for letter, n in zip(LETTERS[name], shape):
            if known.get(letter, n) != n:
                raise ValueError(f"{name}: {n} where {known[letter]} was told before")
            known[letter] = n
    return tuple(known.get(c, 0) for c in "BTmkv")

# %% wrong last_one_wins: -
# contradictions are overwritten
L = {"X": "BTm", "Q": "BTk", "K": "BTk", "V": "BTv", "scores": "BTT", "weights": "BTT", "context": "BTv", "output": "BTm", "W_Q": "mk", "W_K": "mk", "W_V": "mv", "W_O": "vm"}


def shape_3(shapes):
    known = dict.fromkeys("BTmkv", 0)
    for name, s in shapes.items():
        known.update(zip(L[name], s))
    return tuple(known.values())

# %% wrong wo_read_as_wv: -
# W_O's shape is read as (d_model, d_v)
L = {"X": "BTm", "Q": "BTk", "K": "BTk", "V": "BTv", "scores": "BTT", "weights": "BTT", "context": "BTv", "output": "BTm", "W_Q": "mk", "W_K": "mk", "W_V": "mv", "W_O": "mv"}


def shape_3(shapes):
    known = {}
    for name, s in shapes.items():
        for c, n in zip(L[name], s):
            if known.setdefault(c, n) != n:
                raise ValueError(f"{c}: {known[c]} and {n}")
    return tuple(known.get(c, 0) for c in "BTmkv")

# %% wrong d_k_as_first_told: -
# d_k is never found to be contradicted
LETTERS = {"X": "BTm", "Q": "BTk", "K": "BTk", "V": "BTv", "scores": "BTT", "weights": "BTT", "context": "BTv", "output": "BTm",
           "W_Q": "mk", "W_K": "mk", "W_V": "mv", "W_O": "vm"}


def shape_3(shapes):
    known = {}
    for name, shape in shapes.items():
        for letter, n in zip(LETTERS[name], shape):
            if letter != "k" and known.get(letter, n) != n:
                raise ValueError(f"{name}: {n} where {known[letter]} was told before")
            known[letter] = n
    return tuple(known.get(c, 0) for c in "BTmkv")

# %% wrong last_axis_of_weights: -
# weights that are not square are taken
LETTERS = {"X": "BTm", "Q": "BTk", "K": "BTk", "V": "BTv", "scores": "BTT", "weights": "BTT", "context": "BTv", "output": "BTm",
           "W_Q": "mk", "W_K": "mk", "W_V": "mv", "W_O": "vm"}


def shape_3(shapes):
    known = {}
    for name, shape in shapes.items():
        for letter, n in zip(LETTERS[name], shape[:2] if name == "weights" else shape):
            if known.get(letter, n) != n:
                raise ValueError(f"{name}: {n} where {known[letter]} was told before")
            known[letter] = n
    return tuple(known.get(c, 0) for c in "BTmkv")

# %% wrong one_is_stretched: -
# a size of 1 contradicts no other
def shape_3(shapes):
    axes = {"X": "BTm", "Q": "BTk", "K": "BTk", "V": "BTv", "context": "BTv", "output": "BTm"}
    axes |= {"scores": "BTT", "weights": "BTT", "W_Q": "mk", "W_K": "mk", "W_V": "mv", "W_O": "vm"}
    sizes = dict.fromkeys("BTmkv", 0)
    for name, shape in shapes.items():
        for axis, size in zip(axes[name], shape):
            if sizes[axis] > 1 and size not in (1, sizes[axis]):
                raise ValueError(f"{axis}: {sizes[axis]} and {size}")
            sizes[axis] = max(size, sizes[axis])
    return tuple(sizes.values())

# %% wrong matrices_agree: -
# the widths of two matrices are not compared
def shape_3(shapes):
    axes = {"X": "BTm", "Q": "BTk", "K": "BTk", "V": "BTv", "context": "BTv", "output": "BTm"}
    axes |= {"scores": "BTT", "weights": "BTT", "W_Q": "mk", "W_K": "mk", "W_V": "mv", "W_O": "vm"}
    sizes = dict.fromkeys("BTmkv", 0)
    for name, shape in shapes.items():
        for axis, size in zip(axes[name], shape):
            if sizes[axis] not in (0, size) and not (axis == "m" and name[0] == "W"):
                raise ValueError(f"{axis}: {sizes[axis]} and {size}")
            sizes[axis] = size
    return tuple(sizes.values())

# %% wrong entries_after_matrices: -
# a width is compared only where a matrix comes after an entry
def shape_3(shapes):
    axes = {"X": "BTm", "Q": "BTk", "K": "BTk", "V": "BTv", "context": "BTv", "output": "BTm"}
    axes |= {"scores": "BTT", "weights": "BTT", "W_Q": "mk", "W_K": "mk", "W_V": "mv", "W_O": "vm"}
    sizes = dict.fromkeys("BTmkv", 0)
    for name, shape in shapes.items():
        for axis, size in zip(axes[name], shape):
            if sizes[axis] not in (0, size) and not (axis in "mv" and name[0] != "W"):
                raise ValueError(f"{axis}: {sizes[axis]} and {size}")
            sizes[axis] = size
    return tuple(sizes.values())

# %% wrong batch_of_outputs: -
# how many items an output has is not compared
def shape_3(shapes):
    axes = {"X": "BTm", "Q": "BTk", "K": "BTk", "V": "BTv", "context": "BTv", "output": "BTm"}
    axes |= {"scores": "BTT", "weights": "BTT", "W_Q": "mk", "W_K": "mk", "W_V": "mv", "W_O": "vm"}
    sizes = dict.fromkeys("BTmkv", 0)
    for name, shape in shapes.items():
        for axis, size in zip(axes[name], shape):
            if sizes[axis] not in (0, size) and (name, axis) != ("output", "B"):
                raise ValueError(f"{axis}: {sizes[axis]} and {size}")
            sizes[axis] = size
    return tuple(sizes.values())

# %% wrong width_of_queries: -
# nor how wide queries are
def shape_3(shapes):
    axes = {"X": "BTm", "Q": "BTk", "K": "BTk", "V": "BTv", "context": "BTv", "output": "BTm"}
    axes |= {"scores": "BTT", "weights": "BTT", "W_Q": "mk", "W_K": "mk", "W_V": "mv", "W_O": "vm"}
    sizes = dict.fromkeys("BTmkv", 0)
    for name, shape in shapes.items():
        for axis, size in zip(axes[name], shape):
            if sizes[axis] not in (0, size) and (name, axis) != ("Q", "k"):
                raise ValueError(f"{axis}: {sizes[axis]} and {size}")
            sizes[axis] = size
    return tuple(sizes.values())
