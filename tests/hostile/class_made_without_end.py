# exercise: lesson-08
# part: SelfAttention
# status: timed-out
# An object that is never finished.
class SelfAttention:
    def __init__(self, *matrices):
        while True:
            pass
