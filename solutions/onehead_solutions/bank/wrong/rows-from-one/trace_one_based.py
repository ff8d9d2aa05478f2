# exercise: lesson-04
# parts: TRACE
# Rows are counted from 1.
TRACE = {
    "scores[3]": [0.0, 1.0, -0.5, -1.0],
    "weights[1]": [1.0, 0.0, 0.0, 0.0],
    "weights[3]": [0.2312, 0.6285, 0.1402, 0.0],
    "context[2]": [-0.6225, 2.3775],
}
