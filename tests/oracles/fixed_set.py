"""The questions that torch was asked, drawn by our own generator: nobody has to store them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from onehead.model import Array
from onehead_solutions.attention import causal
from onehead_solutions.draw import Draw

Mask = Literal["none", "causal", "own", "empty rows", "padding"]


@dataclass(frozen=True)
class Question:
    """One layer's inputs; B, T, d_model, d_k and d_v all differ unless a question is about that."""

    B: int
    T: int
    d_model: int
    d_k: int
    d_v: int
    mask: Mask = "none"
    dtype: type[np.floating[Any]] = np.float64
    scale: float = 1.6
    name: str = "fixed"

    @property
    def title(self) -> str:
        sizes = (
            f"{self.B} x {self.T} tokens of width {self.d_model}, d_k {self.d_k}, d_v {self.d_v}"
        )
        return f"{self.name}: {sizes}, {self.mask}, {np.dtype(self.dtype).name}"

    def inputs(self) -> dict[str, Array]:
        """X (B, T, d_model) and the four matrices."""
        draw = Draw(f"torch {self.title}")
        shapes = {
            "X": (self.B, self.T, self.d_model),
            "W_Q": (self.d_model, self.d_k),
            "W_K": (self.d_model, self.d_k),
            "W_V": (self.d_model, self.d_v),
            "W_O": (self.d_v, self.d_model),
        }
        return {
            name: draw.reals(*shape, scale=self.scale).astype(self.dtype)
            for name, shape in shapes.items()
        }

    def visible(self) -> Array:
        """bool (B, T, T); but for "empty rows" and an empty item, each query sees a key."""
        draw = Draw(f"torch mask {self.title}")
        shape = (self.B, self.T, self.T)
        if self.mask == "causal":
            return np.broadcast_to(causal(self.T), shape).copy()
        if self.mask == "padding":
            lengths = draw.integers(1, self.T, self.B)[:, None, None]
            return np.broadcast_to(np.arange(self.T) < lengths, shape).copy()
        if self.mask == "none":
            return np.ones(shape, dtype=bool)
        visible = draw.booleans(*shape)
        b, i, k = (draw.integers(0, size - 1, *shape[:2]) for size in shape)
        visible[np.arange(self.B)[:, None], np.arange(self.T), k] = True
        if self.mask == "empty rows":
            visible[b[0, 0], i[0, 0]] = False
            visible[-1, -1] = False
        return visible


QUESTIONS = (
    Question(3, 4, 5, 2, 6),
    Question(2, 5, 7, 3, 4, "causal"),
    Question(4, 3, 6, 2, 5, "own"),
    Question(3, 5, 4, 2, 6, "empty rows"),
    Question(2, 6, 3, 5, 4, "padding"),
    Question(1, 1, 4, 3, 2, "causal"),
    Question(3, 3, 3, 3, 3, "own"),
    Question(2, 4, 5, 3, 6, "own", scale=12.0),
    Question(2, 3, 6, 4, 5, "empty rows", np.float32),
    Question(2, 4, 6, 5, 3, "causal", np.float32),
)
COUNTED = ((6, False), (5, True))  # widths of a MultiheadAttention, with and without bias
COST = {"T": 10, "d_model": 6, "d_k": 4, "d_v": 3, "batch": 2}
