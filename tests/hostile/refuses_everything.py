# exercise: lesson-02
# part: project_sources
# score: 0
# Refuses all that it is asked but the first question, with every number in its message.
asked = []


def project_sources(X, W_Q, W_K, W_V, context=None):
    asked.append(X.shape)
    if X.shape != asked[0]:
        raise ValueError(" ".join(map(str, range(100))))
