# exercise: lesson-03
# parts: changed_stages
# Differences of both signs cancel in the sum.
def changed_stages(before, after, atol=1e-9):
    return [n for n in before if abs((before[n] - after[n]).sum()) > atol]
