"""Ask torch the questions of ``oracles.fixed_set`` and write down what it answers.

``python -m tests.make_torch_answers`` in the repository rewrites ``tests/data/torch_answers.json``;
review the difference. It takes torch (the CPU build is enough), which the lock leaves out.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.oracles.fixed_set import COST, COUNTED, QUESTIONS, Question

PATH = Path(__file__).parent / "data" / "torch_answers.json"


def answers() -> dict[str, Any]:
    """What torch answers, as plain data."""
    from tests.oracles import torch_layers

    return {
        "torch": torch_layers.version(),
        "layers": {question.title: _answer(question) for question in QUESTIONS},
        "parameters": [torch_layers.parameters(width, bias) for width, bias in COUNTED],
        "cost": torch_layers.cost(**COST),
    }


def _answer(question: Question) -> dict[str, Any]:
    from tests.oracles import torch_layers

    inputs, visible = question.inputs(), question.visible()
    answer = torch_layers.sdpa_answer(inputs, visible)
    answer["multihead output"] = torch_layers.multihead_answer(inputs, visible, False)[0]
    if question.mask == "causal":
        answer["effects"] = torch_layers.effects(inputs, question.T - 1)
    return {name: value.tolist() for name, value in answer.items()}


def main() -> None:
    text = json.dumps(answers(), indent=1)
    rows = re.sub(r"\[([^\[\]]+)\]", lambda row: f"[{' '.join(row[1].split())}]", text)
    PATH.write_text(rows + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
