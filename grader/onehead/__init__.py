"""onehead: an autograded workbook on single-head self-attention."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onehead.render.heat_map import heat_map


def check(name: str, hints: int = 0) -> None:
    """Run the public checks of one part of the notebook that calls this; see ``in_notebook``.

    ``hints``, from 0 to 3, is how many of the first cause's hints stand open.
    """
    import sys

    from onehead import in_notebook  # the engine is loaded by the first check, not by the import

    in_notebook.check(name, sys._getframe(1).f_globals, hints)


def progress() -> None:
    """Show how much of the chapter is done, and write ``progress.html`` beside the notebooks."""
    from onehead import in_notebook

    in_notebook.progress()


def show(make: Callable[[], Any]) -> Any:
    """What ``make`` makes of the learner's own code; a sentence where that code is not ready.

    While a submission is graded, ``make`` is never called.
    """
    try:
        return make()
    except NotImplementedError:
        print("Not started yet: this shows what your own code computes.")
    except Exception as error:
        print(f"Your own code stopped here with {type(error).__name__}: {error}")
    return None


def __getattr__(name: str) -> Any:
    """``heat_map``, whose numpy is loaded when it is first asked for."""
    if name == "heat_map":
        from onehead.render import heat_map as module

        return module.heat_map
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["check", "heat_map", "progress", "show"]
