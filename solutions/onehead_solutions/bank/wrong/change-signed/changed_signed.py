# exercise: lesson-03
# parts: changed_stages
# Only growth is seen.
def changed_stages(before, after, atol=1e-9):
    return [n for n in before if (after[n] - before[n]).max() > atol]
