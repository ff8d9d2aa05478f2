# %% right ceil_division
def path_length(architecture, distance, kernel=3):
    lengths = {"self-attention": 1, "recurrent": distance, "convolution": -(-distance // (kernel - 1))}
    if architecture not in lengths:
        raise ValueError(f"unknown architecture: {architecture}")
    return lengths[architecture]

# %% right recursion_math_ceil
import math
import numpy as np


def path_length(architecture, distance, kernel=3):
    match architecture:
        case "self-attention":
            return 1
        case "recurrent":
            return 1 if distance == 1 else 1 + path_length("recurrent", distance - 1)
        case "convolution":
            return math.ceil(distance / (kernel - 1))
    raise ValueError(architecture)

# %% right while_loop
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    reach = {"recurrent": 1, "convolution": kernel - 1}.get(architecture)
    if reach is None:
        raise ValueError(f"{architecture!r} is neither self-attention, recurrent nor convolution")
    steps = 0
    while distance > 0:
        distance -= reach
        steps += 1
    return steps

# %% wrong dilated_log: convolution-dilated
# the logarithm of a dilated convolution
import math
import numpy as np


def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return max(1, math.ceil(math.log(distance, kernel))) if distance > 1 else 1
    raise ValueError(architecture)

# %% wrong floor_division: -
# a part of a layer is dropped
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return max(1, distance // (kernel - 1))
    raise ValueError(architecture)

# %% wrong kernel_not_minus_one: kernel-as-reach
# each layer is said to reach `kernel` tokens back
def path_length(architecture, distance, kernel=3):
    table = {"self-attention": 1, "recurrent": distance, "convolution": -(-distance // kernel)}
    if architecture not in table:
        raise ValueError(f"unknown {architecture!r}")
    return table[architecture]

# %% wrong np_ceil_float: -
# np.ceil gives a float
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return np.ceil(distance / (kernel - 1))
    raise ValueError("no architecture " + architecture)

# %% wrong other_names_are_convolutions: -
# an unknown name falls into the last branch
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    elif architecture == "recurrent":
        return distance
    return -(-distance // (kernel - 1))

# %% wrong recurrent_minus_one: steps-between
# counts the tokens in between
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance - 1
    if architecture == "convolution":
        return (distance + kernel - 2) // (kernel - 1)
    raise ValueError("no architecture " + architecture)

# %% wrong symmetric_kernel: convolution-centred
# a centred kernel reaches kernel // 2 to each side
def path_length(architecture, distance, kernel=3):
    if architecture not in ("self-attention", "recurrent", "convolution"):
        raise ValueError("no architecture " + architecture)
    reach = {"self-attention": distance, "recurrent": 1, "convolution": kernel // 2}[architecture]
    return -(-distance // reach)

# %% wrong rounds_up_by_adding: -
# a distance far below the reach is rounded down to no layer
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return int(distance / (kernel - 1) + 0.99)
    raise ValueError(architecture)

# %% wrong remembers_without_kernel: hidden-state
# what was found for one kernel is handed out for another
_found = {}


def path_length(architecture, distance, kernel=3):
    if (architecture, distance) not in _found:
        _found[architecture, distance] = _path(architecture, distance, kernel)
    return _found[architecture, distance]


def _path(architecture, distance, kernel):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture == "convolution":
        return -(-distance // (kernel - 1))
    raise ValueError(architecture)

# %% wrong names_within_names: -
# a name that holds a known one is taken for it
def path_length(architecture, distance, kernel=3):
    if architecture == "self-attention":
        return 1
    if architecture == "recurrent":
        return distance
    if architecture.startswith("convolution"):
        return -(-distance // (kernel - 1))
    raise ValueError(architecture)

# %% wrong underscore_taken: -
def path_length(architecture, distance, kernel=3):
    name = architecture.replace("_", "-")
    if name == "self-attention":
        return 1
    if name == "recurrent":
        return distance
    if name == "convolution":
        return -(-distance // (kernel - 1))
    raise ValueError(f"unknown architecture {architecture!r}")

# %% wrong a_blank_for_a_dash: -
import math


def path_length(architecture, distance, kernel=3):
    name = architecture.replace(" ", "-")
    if name == "self-attention":
        return 1
    if name == "recurrent":
        return distance
    if name == "convolution":
        return math.ceil(distance / (kernel - 1))
    raise ValueError(f"unknown architecture {architecture!r}")
