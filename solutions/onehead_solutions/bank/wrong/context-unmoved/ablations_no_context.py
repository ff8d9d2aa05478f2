# exercise: lesson-03
# parts: ABLATIONS
# The context is forgotten for W_Q and W_K.
ABLATIONS = {
    "W_Q": ["Q", "scores", "weights"],
    "W_K": ["K", "scores", "weights"],
    "W_V": ["V", "context"],
}
