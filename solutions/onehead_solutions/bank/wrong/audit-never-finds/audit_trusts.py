# exercise: lesson-08
# parts: audit
# Never finds anything.
def audit(layer):
    return []
