# exercise: lesson-04
# exercise-status: timed-out
# The whole file is an endless loop.
while True:
    pass
