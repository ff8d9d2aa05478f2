"""The learner's end of the protocol, in this process: what travels, and what a notebook finds."""

from __future__ import annotations

import array
import ast
import collections
import json
from typing import Any

import numpy as np
import pytest

from onehead import jupyter, learner_wire, wire, worker
from onehead.model import Opaque
from onehead.sandbox import child

PLAIN = [
    None,
    True,
    ...,
    0,
    -(10**40),
    1.5,
    float("inf"),
    5e-324,
    "text with \x00 and é",
    [1, 2.5, [True, None]],
    (1, ("a",)),
    {"Q": 1, 2: "two", None: 0.5, True: False},
    np.arange(6.0).reshape(2, 3),
    np.array(3, dtype=np.int16),
    np.zeros((0, 4), dtype=np.float32),
    np.array([True, False]),
    np.asfortranarray(np.arange(12).reshape(3, 4)),
    np.array([1.0, 2.0], dtype=">f8"),
    np.float32(0.1),
    np.uint8(200),
    np.bool_(True),
]


def received(value: Any) -> Any:
    """A value as the grader gets it from a learner's process."""
    encoder = learner_wire.Encoder()
    node = json.loads(json.dumps(encoder.value(value)))
    decoder = wire.Decoder(bytes(encoder.body))
    decoded = decoder.value(node)
    decoder.finish()
    return decoded


def equal(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray | np.generic):
        same_dtype = one.dtype == other.dtype.newbyteorder("=")
        return same_dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, dict):
        return equal(list(one.items()), list(other.items()))
    return bool(one == other)


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: repr(value)[:40])
def test_a_plain_value_arrives_as_it_was(value: Any) -> None:
    native = value.astype("f8") if getattr(value, "dtype", None) == np.dtype(">f8") else value
    assert equal(received(value), native)


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: repr(value)[:40])
def test_both_ends_write_the_same_bytes(value: Any) -> None:
    ours, theirs = wire.Encoder(), learner_wire.Encoder()
    assert ours.value(value) == theirs.value(value)
    assert ours.body == theirs.body


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: repr(value)[:40])
def test_the_learner_reads_what_the_grader_writes(value: Any) -> None:
    encoder = wire.Encoder()
    node = json.loads(json.dumps(encoder.value(value)))
    decoded = worker.wire.Decoder(bytes(encoder.body), worker.no_proxy).value(node)
    native = value.astype("f8") if getattr(value, "dtype", None) == np.dtype(">f8") else value
    assert equal(decoded, native)
    if isinstance(decoded, np.ndarray):
        assert decoded.flags.writeable and decoded.flags.owndata


def test_both_ends_have_the_same_limits() -> None:
    for name in ("DTYPES", "AXES", "BODY_BYTES"):
        assert getattr(wire, name) == getattr(learner_wire, name)
    assert learner_wire.DEPTH < wire.DEPTH
    assert worker.HEADER_BYTES == wire.HEADER_BYTES
    assert worker.OUT_OF_MEMORY == child.OUT_OF_MEMORY


class Vector(np.ndarray):
    @property
    def shape(self) -> Any:
        return (10**9,)

    @property
    def dtype(self) -> Any:
        return "a lie"

    @property
    def __class__(self) -> Any:
        return dict


class Wrapped:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.ones(2)


class Broken:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise SystemExit


class Word(str):
    def __str__(self) -> str:
        raise RuntimeError


class Table(dict):
    def items(self) -> Any:
        raise RuntimeError

    def __iter__(self) -> Any:
        raise RuntimeError


@pytest.mark.parametrize(
    ("value", "arrives"),
    [
        (np.ones((2, 2)).view(Vector), np.ones((2, 2))),
        (np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0]), np.array([1.0, 0.0, 3.0])),
        (Wrapped(), np.ones(2)),
        (Broken(), Opaque("Broken")),
        (memoryview(b"ab"), np.array([97, 98], dtype=np.uint8)),
        (array.array("d", [1.5]), np.array([1.5])),
        (Word("word"), "word"),
        (Table(a=1), {"a": 1}),
        (collections.OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (collections.namedtuple("Pair", "x y")(1, 2), (1, 2)),
        ({(1, 2): 3}, {Opaque("tuple"): 3}),
        ({np.int64(4): 3}, {4: 3}),
        (np.ones(2, dtype=complex), Opaque("ndarray of complex128")),
        (np.ones((1,) * 7), Opaque("ndarray with 7 axes")),
        (np.array([None]), Opaque("ndarray of object")),
        (np.complex64(1), Opaque("complex64")),
        (np.str_("text"), "text"),
        (1j, Opaque("complex")),
        (len, Opaque("builtin_function_or_method")),
        (Wrapped, Opaque("type")),
        ({1, 2}, Opaque("set")),
        (1 << 5000, Opaque("huge int")),
        ("x" * 5000, "x" * 4000),
        ("\ud800", "?"),
        ([0] * 30_000_000, Opaque("list with too many entries")),
        ([None] * 30_000, Opaque("list with too many entries")),
        (np.zeros(3_000_000), Opaque("ndarray with too many entries")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_any_other_value_arrives_as_plain_data_or_as_its_type(value: Any, arrives: Any) -> None:
    assert equal(received(value), arrives)


def test_a_value_too_deep_is_told_by_its_type() -> None:
    deep: list[Any] = []
    for _ in range(100):
        deep = [deep]
    loop: list[Any] = []
    loop.append(loop)
    assert received(deep) == received(loop) == Opaque("list with too many entries")


def test_an_opaque_part_leaves_no_bytes_behind() -> None:
    arrives = received([np.ones(2), np.ones(2, dtype=complex), np.zeros(1)])
    assert equal(arrives, [np.ones(2), Opaque("ndarray of complex128"), np.zeros(1)])


@pytest.mark.parametrize(
    "value",
    [
        [[0.5] * 5] * 5,
        [[[1, 2], [3, 4]]] * 9,
        [[True, False]] * 9,
        [[1, 2.5]] * 20,
        [[1, 2], [3]] * 20,
        [[], []] * 20,
        [2**70] * 20,
    ],
)
def test_nested_lists_stay_nested_lists(value: Any) -> None:
    assert equal(received(value), value)


def test_a_large_rectangular_list_travels_as_an_array() -> None:
    encoder = learner_wire.Encoder()
    assert encoder.value([[0.5] * 200] * 200) == ["n", "f8", [200, 200]]


@pytest.mark.parametrize(
    ("cell", "runs"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("x = 1\n!pip install 'left (\ny = 2", "x = 1\npass\ny = 2"),
        ("if x:\n    %time f()\n", "if x:\n    pass\n"),
        ("files = !ls\nhere = %pwd", "files = None\nhere = None"),
        ("np.dot?\n?np\nf??", "pass\npass\npass"),
        ("%%time\nx = 1", "pass\nx = 1"),
        ("\n%%bash\nrm -rf x", ""),
        ("!ls \\\n  -l\nx = 1", "pass\n\nx = 1"),
        ('s = """\n%kept\n"""\n%gone', 's = """\n%kept\n"""\npass'),
        ("y = (5\n% 3)\n%gone", "y = (5\n% 3)\npass"),
        ("y = 5 \\\n% 3\n%gone", "y = 5 \\\n% 3\npass"),
        ("s = '''it\\'s (''' # (\n!gone", "s = '''it\\'s (''' # (\npass"),
        ("s = 'a \\' ['\n!gone", "s = 'a \\' ['\npass"),
    ],
)
def test_magics_are_left_out_line_for_line(cell: str, runs: str) -> None:
    assert jupyter.without_magics(cell) == runs
    ast.parse(runs)


def test_plots_take_everything() -> None:
    plt = jupyter.Inert()
    _, axes = plt.subplots(2, 3)
    assert axes.shape == (2, 3)
    _, axis = plt.subplots()
    (_,) = axis.plot([1], [2])
    assert list(plt.tqdm([1, 2], desc="x")) == [1, 2]
    assert list(plt.trange(2)) == [0, 1]


def test_an_inert_decorator_hands_the_function_back() -> None:
    def function() -> None:
        pass

    inert = jupyter.Inert()
    assert inert.check(function) is function
    assert inert.interact(x=(0, 1))(function) is function


def test_importing_an_inert_module_finds_one_installed_or_not() -> None:
    found = jupyter.InertFinder().find_spec("matplotlib.pyplot", None)
    assert found is not None and found.loader is not None
    assert jupyter.InertFinder().find_spec("pandas", None) is None
    assert jupyter.InertFinder().find_spec("onehead_solutions", None) is None
