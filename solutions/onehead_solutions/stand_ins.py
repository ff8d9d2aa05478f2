"""What a learner's package has in place of cases whose inputs are code, and of answers by a judge.

Layers that it brings along, and that show no solution, stand for those that stay hidden.
"""

from __future__ import annotations

import numpy as np

from onehead import frozen
from onehead.model import Case

_SAMPLE = np.array([[[1.0, 2.0], [0.0, -1.0]], [[3.0, 0.5], [1.0, 1.0]], [[-2.0, 1.0], [2.0, 0.0]]])


def _fed(name: str, layer: str) -> Case:
    return Case(name, {"layer": frozen.LAYERS[layer], "X": _SAMPLE}, public=True)


# By exercise and part.
CASES = {
    ("lesson-06", "items_interact"): (
        _fed("each item alone", "doubled"),
        _fed("the mean of the batch", "centred"),
        _fed("the first item reads the last", "first reads last"),
        _fed("the last item reads the first", "last reads first"),
        _fed("differences within the items", "differences"),
    ),
    ("practice", "batching-3"): (
        _fed("each item alone", "doubled"),
        _fed("the mean of the batch", "centred"),
        _fed("the first item reads the last", "first reads last"),
    ),
    ("lesson-08", "audit"): (
        Case("shapes that are all wrong", {"layer": frozen.LAYERS["Shapeless"]}, public=True),
    ),
}
# What a judge would need a reference for; the answer that is due otherwise, or its form.
ANSWERS = {("lesson-08", "audit"): ["shape"]}
FORMS = {("lesson-07", "misleading_example"): 6}  # X, W_Q, W_K, W_V, W_O and target
