"""What a notebook expects around it: Jupyter's magics, and modules that only draw.

Loaded by ``worker.py`` from its path, so it imports nothing of ours. Magics are never run; plots,
widgets and the notebook's own ``import onehead`` find modules that take everything and do nothing.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import re
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

PYTHON_CELL_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")
_ASSIGNED_MAGIC = re.compile(r"^(\s*[\w.,\s\[\]*'\"]+=\s*)[!%]")
_MAGIC = re.compile(r"^\s*([%!?]|[\w.\[\]'\"*%]+\?\??\s*$)")
_LEXEME = re.compile(
    r"""\#.*|(?P<triple>\"\"\"|''')|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<continued>\\$)"""
)


def without_magics(source: str) -> str:
    """What Python can read of a cell that was written for Jupyter, line for line.

    >>> without_magics("%matplotlib inline\\nfiles = !ls\\nx = 1")
    'pass\\nfiles = None\\nx = 1'
    """
    lines = source.split("\n")
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%") and first.split()[0] not in PYTHON_CELL_MAGICS:
        return ""
    depth, quote, continued, magic_goes_on = 0, "", False, False
    for index, line in enumerate(lines):
        if magic_goes_on:
            lines[index], magic_goes_on = "", line.endswith("\\")
            continue
        if not (depth or quote or continued):
            replaced = _magic_replaced(line)
            if replaced is not None:
                lines[index], magic_goes_on = replaced, line.endswith("\\")
                continue
        depth, quote, continued = _scan(line, depth, quote)
    return "\n".join(lines)


def _magic_replaced(line: str) -> str | None:
    assigned = _ASSIGNED_MAGIC.match(line)
    if assigned:
        return assigned.group(1) + "None"
    if _MAGIC.match(line):
        return line[: len(line) - len(line.lstrip())] + "pass"
    return None


def _scan(line: str, depth: int, quote: str) -> tuple[int, str, bool]:
    """After a line: brackets open, the triple quote open, whether a backslash joins the next."""
    at = 0
    while at <= len(line):
        if quote:
            end = re.compile(r"(?:\\.|[^\\])*?" + quote).match(line, at)
            if end is None:
                return depth, quote, False
            at, quote = end.end(), ""
        found = _LEXEME.search(line, at)
        if found is None:
            break
        at = found.end()
        quote = found["triple"] or ""
        depth = max(0, depth + bool(found["open"]) - bool(found["close"]))
        if found["continued"]:
            return depth, quote, True
    return depth, quote, False


# --- modules that are there and do nothing -----------------------------------------------

INERT = ("onehead", "matplotlib", "IPython", "ipywidgets", "seaborn", "plotly", "tqdm", "rich")


class Inert:
    """Stands for a plot, a widget, a progress bar: takes everything and does nothing."""

    def __init__(self, items: Any = None) -> None:
        self._items = items

    def __getattr__(self, name: str) -> Any:
        return inert_attribute(name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # As a decorator it hands the function back.
        if len(args) == 1 and not kwargs and isinstance(args[0], types.FunctionType | type):
            return args[0]
        return Inert()

    def __iter__(self) -> Iterator[Any]:
        return iter((self,) if self._items is None else self._items)

    def __len__(self) -> int:
        return 1 if self._items is None else len(self._items)

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: Any) -> Any:
        return Inert() if self._items is None else self._items[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def __enter__(self) -> Inert:
        return self

    def __exit__(self, *exception: Any) -> None:
        pass


def subplots(nrows: int = 1, ncols: int = 1, **options: Any) -> tuple[Inert, Any]:
    axes = np.empty(nrows * ncols, dtype=object)
    for index in range(axes.size):
        axes[index] = Inert()
    shape = [length for length in (nrows, ncols) if length > 1 or options.get("squeeze") is False]
    return Inert(), axes.reshape(shape) if shape else axes[0]


def inert_attribute(name: str) -> Any:
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    special: dict[str, Callable[..., Any]] = {
        "subplots": subplots,
        "tqdm": lambda items=None, *_, **__: Inert(items),
        "trange": lambda *bounds, **_: Inert(range(*bounds)),
    }
    return special[name] if name in special else Inert()


class InertFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that an exercise needs on screen only, installed or not."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name.partition(".")[0] not in INERT:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def exec_module(self, module: types.ModuleType) -> None:
        vars(module)["__getattr__"] = inert_attribute
