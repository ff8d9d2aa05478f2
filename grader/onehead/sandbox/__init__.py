"""Learner code in a process of its own: one child per exercise, asked over pipes.

A ``Box`` is a zygote (``worker.py``) that forks a ``Child`` for each exercise. The grader
keeps every clock and every cap: it reads the child's processor time itself, checks each frame
before it reads on, and kills through a pidfd. Whatever a child does, its caller sees an answer or
``Dead``; ``SandboxError`` is the grader's own failure and never the learner's.

>>> with Box(Limits()) as box, box.child("__main__", Budget(box.limits)) as child:
...     child.run_cell("cell 1", "def double(x): return 2 * x", magics=True)
...     child.ask([Step("call", "double", (("x", 21),))], again=True).results
(42,)
"""

from onehead.sandbox.answerer import Answerer
from onehead.sandbox.answers import Answers
from onehead.sandbox.box import Box
from onehead.sandbox.budget import Budget
from onehead.sandbox.child import Child
from onehead.sandbox.piped import Piped
from onehead.sandbox.questions import (
    Dead,
    Death,
    Limits,
    Question,
    Reply,
    SandboxError,
    Step,
)
from onehead.wire import Missing

__all__ = [
    "Answerer",
    "Answers",
    "Box",
    "Budget",
    "Child",
    "Dead",
    "Death",
    "Limits",
    "Missing",
    "Piped",
    "Question",
    "Reply",
    "SandboxError",
    "Step",
]
