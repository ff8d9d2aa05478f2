"""Mutants of an answer: its syntax tree with one thing changed, as by a slip of the pen.

An operator is a function from one node to what may stand in its place. Arithmetic, comparisons,
constants, axes and other arguments, names, conditions, entries of dicts and lists, and dropped
statements have theirs. What no learner's answer is judged by, docstrings and the words of messages,
is left alone.
"""

from __future__ import annotations

import ast
import copy
import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType
from typing import Any

_DROPPED = "(dropped)"


@dataclass(frozen=True)
class Mutant:
    """``before`` and ``after`` are the changed statement in one line, within ``function``.

    With ``nth``, which tells alike changes of alike statements apart, they are the mutant's key:
    an edit elsewhere leaves it as it is.
    """

    function: str
    before: str
    after: str
    nth: int
    source: str

    @property
    def change(self) -> str:
        which = f" ({self.nth})" if self.nth > 1 else ""
        return f"{self.function}: {self.before}  ->  {self.after}{which}"


def mutants(source: str) -> list[Mutant]:
    """Every mutant of the code, none twice, in order of their places.

    >>> for mutant in mutants("def half(x):\\n    return x / 2"):
    ...     print(mutant.after)
    (dropped)
    return x * 2
    return 2 / x
    return x
    return 2
    return x / 3
    return x / 1
    """
    body = ast.parse(source).body
    texts = [ast.unparse(statement) for statement in body]
    counts: dict[tuple[str, str, str], int] = {}
    found = []
    for k, statement in enumerate(body):
        seen = {ast.dump(statement)}
        for place in _places(statement):
            for new in _replacements(place):
                changed = _with(statement, place, new)
                if (dump := ast.dump(changed)) in seen or not _compiles(changed):
                    continue
                seen.add(dump)
                key = place.function, _line(place.statement), _after(changed, place, new)
                counts[key] = counts.get(key, 0) + 1
                text = "\n\n\n".join([*texts[:k], ast.unparse(changed), *texts[k + 1 :]])
                found.append(Mutant(*key, counts[key], text))
    return found


def is_same_code(a: str, b: str) -> bool:
    """Whether two sources compile to the same instructions: constants folded, no docstrings.

    >>> is_same_code("x = 2 * 3", "x = 6"), is_same_code("x = y * 3", "x = 3 * y")
    (True, False)
    """
    with _no_syntax_warnings():
        return _code(compile(a, "answer", "exec", optimize=2)) == _code(
            compile(b, "answer", "exec", optimize=2)
        )


def _code(code: CodeType) -> tuple[Any, ...]:
    constants = (_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts)
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code, tuple(constants), names, code.co_flags, code.co_exceptiontable


def _compiles(statement: ast.stmt) -> bool:
    try:
        with _no_syntax_warnings():
            compile(ast.unparse(statement), "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


@contextmanager
def _no_syntax_warnings() -> Iterator[None]:
    """A mutant may call a number, and the like."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        yield


# --- places ------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Place:
    """A node, how it is reached from the root, and what it stands in."""

    node: ast.AST
    path: tuple[tuple[str, int | None], ...]
    function: str
    statement: ast.stmt
    depth: int  # of the statement's path
    names: tuple[str, ...]  # the function's parameters
    bound: frozenset[str]  # what is bound before the statement
    message: bool  # in the argument of an exception


def _places(statement: ast.stmt) -> Iterator[_Place]:
    """Every node of a statement at the top, with itself for root."""
    yield from _below(_Place(statement, (), "", statement, 0, (), frozenset(), False))


def _below(place: _Place) -> Iterator[_Place]:
    yield place
    node = place.node
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        name = f"{place.function}.{node.name}".lstrip(".")
        place = _changed(place, function=name)
        if isinstance(node, ast.FunctionDef):
            names = tuple(a.arg for a in node.args.args if a.arg != "self")
            place = _changed(place, names=names, bound=frozenset(names))
    bound = set(place.bound)
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "ctx", "decorator_list"):
            continue
        children = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for k, child in children:
            if not isinstance(child, ast.AST) or _is_docstring(node, k, child):
                continue
            path = (*place.path, (field, k))
            inside = _changed(place, node=child, path=path, bound=frozenset(bound))
            if isinstance(child, ast.stmt):
                inside = _changed(inside, statement=child, depth=len(path))
                bound |= _bound(child)
            if isinstance(node, ast.Raise):
                inside = _changed(inside, message=True)
            yield from _below(inside)


def _changed(place: _Place, **new: Any) -> _Place:
    return _Place(**{**place.__dict__, **new})


def _bound(node: ast.AST) -> set[str]:
    names = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _is_docstring(node: ast.AST, k: int | None, child: ast.AST) -> bool:
    return (
        isinstance(node, ast.FunctionDef | ast.ClassDef)
        and k == 0
        and isinstance(child, ast.Expr)
        and isinstance(child.value, ast.Constant)
    )


def _with(statement: ast.stmt, place: _Place, new: ast.AST) -> ast.stmt:
    changed = copy.deepcopy(statement)
    if not place.path:
        assert isinstance(new, ast.stmt)
        return new
    *way, (field, k) = place.path
    at = _at(changed, way)
    if k is None:
        setattr(at, field, new)
    else:
        getattr(at, field)[k] = new
    return ast.fix_missing_locations(changed)


def _at(node: Any, path: Sequence[tuple[str, int | None]]) -> Any:
    for field, k in path:
        node = getattr(node, field) if k is None else getattr(node, field)[k]
    return node


def _line(node: ast.AST) -> str:
    """A statement in one line: of a loop or a condition, its head."""
    text = ast.unparse(node)
    if isinstance(node, ast.If | ast.For | ast.While | ast.FunctionDef | ast.ClassDef):
        return next(line for line in text.splitlines() if not line.startswith("@"))
    return text


def _after(changed: ast.stmt, place: _Place, new: ast.AST) -> str:
    if isinstance(new, ast.Pass):
        return _DROPPED
    return _line(_at(changed, place.path[: place.depth]))


# --- operators ---------------------------------------------------------------------------

_ARITHMETIC: Mapping[type, Sequence[type[ast.operator]]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.Div),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
_COMPARISONS: Mapping[type, Sequence[type[ast.cmpop]]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}


def _replacements(place: _Place) -> Iterator[ast.AST]:
    for operator in _OPERATORS:
        yield from operator(place)


def _binary(place: _Place) -> Iterator[ast.AST]:
    node = place.node
    if isinstance(node, ast.BinOp):
        for other in _ARITHMETIC.get(type(node.op), ()):
            yield ast.BinOp(node.left, other(), node.right)
        if isinstance(node.op, ast.MatMult | ast.Sub | ast.Div | ast.Pow):
            yield ast.BinOp(node.right, node.op, node.left)
        yield node.left
        yield node.right
    if isinstance(node, ast.AugAssign):
        for other in _ARITHMETIC.get(type(node.op), ()):
            yield ast.AugAssign(node.target, other(), node.value)


def _unary(place: _Place) -> Iterator[ast.AST]:
    if isinstance(place.node, ast.UnaryOp):
        yield place.node.operand


def _comparison(place: _Place) -> Iterator[ast.AST]:
    node = place.node
    if isinstance(node, ast.Compare):
        for k, op in enumerate(node.ops):
            for other in _COMPARISONS[type(op)]:
                yield ast.Compare(
                    node.left, [*node.ops[:k], other(), *node.ops[k + 1 :]], node.comparators
                )
        if len(node.ops) > 1:
            yield ast.Compare(node.left, node.ops[:1], node.comparators[:1])
            yield ast.Compare(node.comparators[0], node.ops[1:], node.comparators[1:])


def _condition(place: _Place) -> Iterator[ast.AST]:
    node = place.node
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        for k in range(len(node.values)):
            rest = [*node.values[:k], *node.values[k + 1 :]]
            yield ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0]
    if isinstance(node, ast.IfExp):
        yield node.body
        yield node.orelse
    if isinstance(node, ast.If):
        yield ast.If(ast.Constant(True), node.body, node.orelse)


def _constant(place: _Place) -> Iterator[ast.AST]:
    node = place.node
    if not isinstance(node, ast.Constant):
        return
    value: Any = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        yield ast.Constant(value - 1)
    elif isinstance(value, float):
        yield ast.Constant(2 * value if value else 1.0)
        if value:
            yield ast.Constant(-value)
    elif isinstance(value, str) and not place.message:
        yield ast.Constant(value + "_")


def _call(place: _Place) -> Iterator[ast.AST]:
    node = place.node
    if not isinstance(node, ast.Call):
        return
    for k in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, [*node.keywords[:k], *node.keywords[k + 1 :]])
    if len(node.args) > 1:
        yield ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)
    for k in range(1, len(node.args)):
        yield ast.Call(node.func, [*node.args[:k], *node.args[k + 1 :]], node.keywords)
    if node.args and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
        yield node.args[0]
    if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
        yield node.func.value
    for name, other in _TWINS:
        if isinstance(node.func, ast.Attribute) and node.func.attr == name:
            yield ast.Call(
                ast.Attribute(node.func.value, other, ast.Load()), node.args, node.keywords
            )


# Functions that are taken for one another.
_PAIRS = (
    ("ones", "zeros"),
    ("tril", "triu"),
    ("any", "all"),
    ("max", "min"),
    ("sum", "mean"),
    ("maximum", "minimum"),
    ("exp", "exp2"),
    ("isfinite", "isnan"),
    ("ceil", "floor"),
)
_TWINS = (*_PAIRS, *((b, a) for a, b in _PAIRS))


def _is_module(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("np", "math")


def _part_of_array(place: _Place) -> Iterator[ast.AST]:
    node = place.node
    if (
        isinstance(node, ast.Attribute)
        and node.attr in ("T", "real")
        and not _is_module(node.value)
    ):
        yield node.value
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value
    if isinstance(node, ast.Slice):
        for lower, upper in ((None, node.upper), (node.lower, None)):
            yield ast.Slice(lower, upper, node.step)


def _name(place: _Place) -> Iterator[ast.AST]:
    """A parameter taken for its neighbours; another exception."""
    node = place.node
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return
    if node.id in place.names:
        k = place.names.index(node.id)
        for other in place.names[max(k - 1, 0) : k + 2]:
            yield ast.Name(other, ast.Load())
    if place.message and node.id == "ValueError":
        yield ast.Name("TypeError", ast.Load())


def _entries(place: _Place) -> Iterator[ast.AST]:
    """A display without an entry, or with two neighbours exchanged."""
    node = place.node
    if isinstance(node, ast.Dict):
        pairs = list(zip(node.keys, node.values, strict=True))
        for k in range(len(pairs)):
            yield _dict([*pairs[:k], *pairs[k + 1 :]])
        for (a, x), (b, y) in itertools.pairwise(pairs):
            yield _dict(
                [(a, y) if key is a else (b, x) if key is b else (key, z) for key, z in pairs]
            )
    elif isinstance(node, ast.List | ast.Tuple | ast.Set) and not _is_target(node):
        items, make = node.elts, type(node)
        for k in range(len(items)):
            yield _display(make, [*items[:k], *items[k + 1 :]])
        for k in range(len(items) - 1):
            yield _display(make, [*items[:k], items[k + 1], items[k], *items[k + 2 :]])


def _is_target(node: ast.AST) -> bool:
    return not isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


def _dict(pairs: Sequence[tuple[Any, ast.expr]]) -> ast.Dict:
    return ast.Dict([key for key, _ in pairs], [value for _, value in pairs])


def _display(make: Any, items: list[ast.expr]) -> ast.expr:
    made: ast.expr = make(items) if make is ast.Set else make(items, ast.Load())
    return made


def _statement(place: _Place) -> Iterator[ast.AST]:
    """A statement dropped; not one that binds a name first, without which nothing runs."""
    node = place.node
    if isinstance(node, ast.Assign):
        if _bound(node) <= place.bound and place.function:
            yield ast.Pass()
    elif isinstance(node, ast.If | ast.For | ast.Raise | ast.Return | ast.AugAssign | ast.Expr):
        yield ast.Pass()


Operator = Callable[[_Place], Iterator[ast.AST]]
_OPERATORS: tuple[Operator, ...] = (
    _binary,
    _unary,
    _comparison,
    _condition,
    _constant,
    _call,
    _part_of_array,
    _name,
    _entries,
    _statement,
)
