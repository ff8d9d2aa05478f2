# exercise: lesson-06
# parts: items_interact
# A layer is trusted.
def items_interact(layer, X):
    return False
