# exercise: lesson-06
# part: items_interact
# status: timed-out
# seconds: 1
# Each call computes a little less than a call may; all together are too long.
import time

right = items_interact


def items_interact(layer, X):
    start = time.process_time()
    while time.process_time() - start < 0.07:
        pass
    return right(layer, X)
