# exercise: lesson-02
# part: project_sources
# score: 0
# Refuses all that it is asked but the first question, with every number in its message.
asked = []


def project_sources(X, W_Q, W_K, W_V, context=None):
    asked.append(1)
    if len(asked) > 2:
        raise ValueError(" ".join(map(str, range(100))))
