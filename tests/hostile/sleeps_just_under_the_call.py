# exercise: lesson-06
# part: items_interact
# status: timed-out
# seconds: 0.5
# Each call sleeps a little less than a call may; all together are too long.
import time

right = items_interact


def items_interact(layer, X):
    time.sleep(0.2)
    return right(layer, X)
