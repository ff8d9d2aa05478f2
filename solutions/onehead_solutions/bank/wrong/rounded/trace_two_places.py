# exercise: lesson-04
# parts: TRACE
# Rounded to one place.
TRACE = {
    "scores[3]": [-1.0, 0.5, 0.0, -1.5],
    "weights[1]": [0.4, 0.6, 0.0, 0.0],
    "weights[3]": [0.1, 0.5, 0.3, 0.1],
    "context[2]": [-0.6, 1.8],
}
