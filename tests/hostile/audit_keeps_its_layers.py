# exercise: lesson-08
# part: audit
# score: lost
# Layers are kept and called when another one is asked about.
kept = []


def audit(layer):
    kept.append(layer)
    for earlier in kept[:-1]:
        try:
            earlier([[0.0]])
        except RuntimeError:
            continue
        raise ValueError("an earlier layer answers")
    return []
