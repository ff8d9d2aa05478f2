# exercise: lesson-06
# part: items_interact
# status: timed-out
# A layer is called without end, whatever it answers.
def items_interact(layer, X):
    while True:
        try:
            layer(X)
        except Exception:
            pass
