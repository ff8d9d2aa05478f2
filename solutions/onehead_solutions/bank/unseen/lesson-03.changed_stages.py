# %% right allclose_rtol_zero
def changed_stages(before, after, atol=1e-9):
    order = ["Q", "K", "V", "scores", "weights", "context"]
    return [n for n in order if not np.allclose(before[n], after[n], rtol=0, atol=atol)]

# %% right loop_with_any
def changed_stages(before, after, atol=1e-9):
    names = []
    for stage in "Q K V scores weights context".split():
        diff = np.abs(np.subtract(after[stage], before[stage]))
        if (diff > atol).any():
            names += [stage]
    return names

# %% wrong all_entries_must_move: change-everywhere
# .all() instead of .any()
def changed_stages(before, after, atol=1e-9):
    names = ["Q", "K", "V", "scores", "weights", "context"]
    return list(filter(lambda k: (abs(before[k] - after[k]) > atol).all(), names))

# %% wrong atol_not_passed: tolerance-ignored
# atol is taken and 1e-9 is used
def changed_stages(before, after, atol=1e-9):
    out = []
    for k in ("Q", "K", "V", "scores", "weights", "context"):
        if np.abs(np.asarray(after[k]) - before[k]).max() > 1e-9:
            out.append(k)
    return out

# %% wrong mean_difference: -
# the mean of the differences is compared, small changes in one cell vanish
def changed_stages(before, after, atol=1e-9):
    return [k for k in ("Q", "K", "V", "scores", "weights", "context") if np.abs(after[k] - before[k]).mean() > atol]

# %% wrong relative_tolerance: tolerance-relative
# np.allclose keeps its rtol of 1e-5
def changed_stages(before, after, atol=1e-9):
    return [k for k in ("Q", "K", "V", "scores", "weights", "context") if not np.allclose(before[k], after[k], atol=atol)]

# %% wrong signed_difference: change-signed
# without abs a decrease is not seen
def changed_stages(before, after, atol=1e-9):
    return [k for k in ("Q", "K", "V", "scores", "weights", "context") if np.max(after[k] - before[k]) > atol]

# %% wrong stops_at_first: first-change-only
# only the first changed stage is reported
def changed_stages(before, after, atol=1e-9):
    for k in ("Q", "K", "V", "scores", "weights", "context"):
        if np.abs(after[k] - before[k]).max() > atol:
            return [k]
    return []

# %% wrong atol_of_zero: -
# an atol of 0 is taken for none given
def changed_stages(before, after, atol=None):
    atol = atol or 1e-9
    return [k for k in ("Q", "K", "V", "scores", "weights", "context") if np.any(np.abs(after[k] - before[k]) > atol)]

# %% wrong kept_without_atol: hidden-state
# the answer is kept by the two traces
_kept = {}

def changed_stages(before, after, atol=1e-9):
    names = ("Q", "K", "V", "scores", "weights", "context")
    key = tuple(t[k].tobytes() for t in (before, after) for k in names)
    if key not in _kept:
        _kept[key] = [k for k in names if np.any(np.abs(after[k] - before[k]) > atol)]
    return list(_kept[key])

# %% wrong norm_of_difference: -
# many changes below atol come to a norm above it
def changed_stages(before, after, atol=1e-9):
    return [k for k in ("Q", "K", "V", "scores", "weights", "context") if np.linalg.norm(after[k] - before[k]) > atol]

# %% wrong atol_of_its_own: -
import math


def changed_stages(before, after, atol=1e-9):
    atol = 1e-6
    return [k for k in before if np.abs(before[k] - after[k]).max() > atol]

# %% wrong isclose_of_math: tolerance-relative
# math.isclose has a relative tolerance of its own
import math

def changed_stages(before, after, atol=1e-9):
    def close(a, b):
        return all(math.isclose(x, y, abs_tol=atol) for x, y in zip(a.ravel(), b.ravel()))

    order = ["Q", "K", "V", "scores", "weights", "context"]
    return [k for k in order if not close(before[k], after[k])]

# %% wrong first_and_last_token_alone: -
def changed_stages(before, after, atol=1e-9):
    order = ["Q", "K", "V", "scores", "weights", "context"]
    return [k for k in order if (abs(before[k] - after[k])[[0, -1]] > atol).any()]

# %% wrong the_list_itself_when_all_changed: memory-shared
_stages = ["Q", "K", "V", "scores", "weights", "context"]

def changed_stages(before, after, atol=1e-9):
    found = [k for k in _stages if (abs(before[k] - after[k]) > atol).any()]
    return _stages if len(found) == 6 else found

# %% wrong one_empty_list_for_all: memory-shared
_nothing = []

def changed_stages(before, after, atol=1e-9):
    order = ["Q", "K", "V", "scores", "weights", "context"]
    return [k for k in order if (abs(before[k] - after[k]) > atol).any()] or _nothing
