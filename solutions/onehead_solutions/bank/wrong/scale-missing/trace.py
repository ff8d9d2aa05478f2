# exercise: lesson-04
# parts: TRACE
# Worked out without the scale.
TRACE = {
    "scores[3]": [-2.0, 1.0, 0.0, -3.0],
    "weights[1]": [0.2689, 0.7311, 0.0, 0.0],
    "weights[3]": [0.0347, 0.6964, 0.2562, 0.0128],
    "context[2]": [-0.7054, 1.9647],
}
