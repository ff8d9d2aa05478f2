# exercise: lesson-06
# part: items_interact
# score: full
# A layer that was kept is called when it was another one's turn.
right = items_interact
kept = []


def items_interact(layer, X):
    for old in kept:
        try:
            old(X)
        except RuntimeError:
            continue
        raise KeyError("an old layer answers")
    kept.append(layer)
    return right(layer, X)
