# exercise: lesson-08
# part: audit
# status: timed-out
# An audit that calls its layer for ever.
def audit(layer):
    while True:
        try:
            layer.trace([[0.0]])
        except Exception:
            pass
