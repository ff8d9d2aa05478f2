# exercise: lesson-03
# parts: ABLATIONS
# W_V is thought to change the weights.
ABLATIONS = {
    "W_Q": ["Q", "scores", "weights", "context"],
    "W_K": ["K", "scores", "weights", "context"],
    "W_V": ["V", "scores", "weights", "context"],
}
