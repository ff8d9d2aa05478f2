# exercise: lesson-03
# parts: ABLATIONS
# Right stages, not in dependency order.
ABLATIONS = {
    "W_Q": ["context", "Q", "weights", "scores"],
    "W_K": ["context", "K", "weights", "scores"],
    "W_V": ["context", "V"],
}
