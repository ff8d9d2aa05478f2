import numpy as np


def attention_reading(query, keys, values, visible=None):
    kind = np.result_type(query, keys, values, 1.0)
    query, keys, values = query.astype(kind), keys.astype(kind), values.astype(kind)
    top, total = -np.inf, 0.0
    weights = np.zeros(len(keys), kind)
    reading = np.zeros(values.shape[1], kind)
    for t in range(len(keys)):
        if visible is not None and not visible[t]:
            continue
        score = float(keys[t] @ query) / len(query) ** 0.5
        new_top = max(top, score)
        shrink = float(np.exp(top - new_top))
        gain = float(np.exp(score - new_top))
        weights *= shrink
        weights[t] = gain
        reading = reading * shrink + gain * values[t]
        total = total * shrink + gain
        top = new_top
    if total:
        weights /= total
        reading = reading / total
    return weights, reading
