# exercise: lesson-06
# part: items_interact
# score: lost
# The answer is a guess that ignores the layer.
def items_interact(layer, X):
    return True
