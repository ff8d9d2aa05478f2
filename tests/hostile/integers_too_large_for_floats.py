# exercise: lesson-07
# part: misleading_example
# score: 0
# Matrices of integers that no float can hold.
def misleading_example():
    return [[[10**400]]] * 5 + [0]
