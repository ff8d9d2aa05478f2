"""Children of the sandbox: honest, mistaken and hostile ones."""

from __future__ import annotations

import json
import os
import signal
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onehead import isolation, wire
from onehead.model import Error, Opaque
from onehead.sandbox import Box, Budget, Child, Dead, Limits, Missing, Reply, SandboxError, Step
from onehead.sandbox.budget import Clock

TOO_MANY = Opaque("ndarray with too many entries")
LIMITS = Limits(seconds=4.0, memory=512)


@pytest.fixture(scope="module", params=["process", "kernel", "namespaces"])
def box(request: pytest.FixtureRequest) -> Iterator[Box]:
    try:
        isolation.probe(request.param)
    except SandboxError as error:
        pytest.skip(f"no {request.param} here: {error}")
    with Box(LIMITS, request.param) as box:
        yield box


@pytest.fixture
def child(box: Box) -> Iterator[Child]:
    with box.child("__main__", Budget(LIMITS)) as child:
        yield child


def define(child: Child, source: str) -> None:
    assert child.run_cell("cell 1", "import numpy as np\n" + source, True) is None


def call(child: Child, name: str, *args: Any, again: bool = False) -> Reply:
    step = Step("call", name, tuple((f"a{index}", value) for index, value in enumerate(args)))
    return child.ask([step], again)


# --- cells -------------------------------------------------------------------------------


def test_cells_share_one_namespace(child: Child) -> None:
    assert child.run_cell("a", "x = 1\ndef f(): return x", True) is None
    assert child.run_cell("b", "x = 2", True) is None
    assert child.defined(["f", "g", "x"]) == ("f", "x")
    assert call(child, "f").results == (2,)


def test_an_error_names_its_cell_and_line_and_keeps_what_was_defined(child: Child) -> None:
    child.run_cell("a", "def f(x):\n    return 1 / x", True)
    error = child.run_cell("b", "y = 1\n\nf(0)\nz = 2", True)
    assert error == Error(
        "ZeroDivisionError",
        ("ZeroDivisionError", "ArithmeticError", "Exception", "BaseException"),
        "division by zero",
        cell="a",
        line=2,
    )
    assert child.defined(["y", "z"]) == ("y",)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("x = = 1", "SyntaxError"),
        ("import sys; sys.exit(3)", "SystemExit"),
        ("help(len); exit()", "SystemExit"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("input('name')", "EOFError"),
        ("x = '\\ud800'.encode()", "UnicodeEncodeError"),
        ("import pandas", "ModuleNotFoundError"),
        ("import onehead_solutions", "ModuleNotFoundError"),
        ("def f(): f()\nf()", "RecursionError"),
        ("x = bytearray(10**10)", "MemoryError"),
        ("import os; os.fork()", "BlockingIOError"),
        ("x\0 = 1", "Exception"),  # of which kind depends on the Python
        (
            "import os; file = open('/tmp/onehead-test', 'w')\n"
            "os.unlink(file.name); file.write('x' * 10**5); file.flush()",
            "OSError",
        ),
    ],
)
def test_what_ends_a_cell_is_its_error(child: Child, source: str, kind: str) -> None:
    error = child.run_cell("a", source, True)
    assert error is not None and kind in error.bases
    assert child.run_cell("b", "x = 1", True) is None


def test_magics_are_for_notebooks_only(child: Child) -> None:
    assert child.run_cell("a", "%matplotlib inline\nx = 1", True) is None
    error = child.run_cell("a", "%matplotlib inline\nx = 1", False)
    assert error is not None and error.type == "SyntaxError" and error.line == 1


def test_a_future_import_holds_for_later_cells(child: Child) -> None:
    child.run_cell("a", "from __future__ import annotations", True)
    assert child.run_cell("b", "def f(x: Undefined): pass", True) is None


def test_a_source_can_be_inspected(child: Child) -> None:
    define(child, "import inspect\ndef f(): return inspect.getsource(f)")
    (source,) = call(child, "f").results
    assert source.startswith("def f()")


def test_a_script_is_not_main(box: Box) -> None:
    with box.child("lesson", Budget(LIMITS)) as child:
        source = "import sys\nx = sys.modules[__name__].__name__\nmain = __name__ == '__main__'"
        assert child.run_cell("lesson.py", source, False) is None
        values = child.ask([Step("value", "x"), Step("value", "main")], False)
        assert values.results == ("lesson", False)


def test_plots_and_the_notebooks_own_checks_do_nothing(child: Child) -> None:
    define(
        child,
        "import onehead, matplotlib.pyplot as plt\n"
        "from onehead import check\nfrom tqdm.auto import tqdm\n"
        "from IPython.display import display, HTML\n"
        "onehead.check('f'); check('f'); display(HTML('x'))\n"
        "get_ipython().run_line_magic('a', '')\n"
        "fig, ax = plt.subplots(1, 2)\nax[0].plot([1]); plt.show()\n"
        "total = sum(tqdm([1, 2]))",
    )
    assert child.ask([Step("value", "total")], False).results == (3,)


def test_children_know_nothing_of_one_another(box: Box) -> None:
    with box.child("__main__", Budget(LIMITS)) as first:
        define(first, "np.pi = 3\nimport math; math.x = 1")
    with box.child("__main__", Budget(LIMITS)) as second:
        define(second, "import math\nx = hasattr(math, 'x'), float(np.pi)")
        assert second.ask([Step("value", "x")], False).results == ((False, np.pi),)


def test_hashes_and_unseeded_draws_are_the_same_in_every_zygote() -> None:
    seen = []
    for _ in range(2):
        with Box(LIMITS) as box, box.child("__main__", Budget(LIMITS)) as child:
            define(child, "import random\nx = hash('a'), random.random(), np.random.rand()")
            seen.append(child.ask([Step("value", "x")], False).results)
    assert seen[0] == seen[1]


# --- questions ---------------------------------------------------------------------------


def test_steps_are_asked_in_order_and_go_on_after_an_error(child: Child) -> None:
    define(
        child,
        "class Layer:\n"
        "    size = 4\n"
        "    def __init__(self, W): self.W = W\n"
        "    def __call__(self, X): return X @ self.W\n"
        "    def trace(self, X): raise ValueError('no 7')\n"
        "class Refuses:\n"
        "    def __init__(self, W): raise ValueError('no')\n",
    )
    W, X = np.eye(2), np.ones((1, 2))
    reply = child.ask(
        [
            Step("new", "Layer", (("W", W),)),
            Step("method", "__call__", (("X", X),), of=0),
            Step("method", "trace", (("X", X),), of=0),
            Step("attr", "size", of=0),
            Step("attr", "colour", of=0),
            Step("new", "Refuses", (("W", W),)),
            Step("method", "__call__", (("X", X),), of=5),
            Step("call", "absent"),
        ],
        again=True,
    )
    made, output, trace, size, colour, refused, unasked, absent = reply.results
    assert made == Opaque("Layer") and size == 4
    assert output.tolist() == [[1.0, 1.0]]
    assert trace.message == "no 7" and trace.cell == "cell 1"
    assert colour.type == "AttributeError" and refused.message == "no"
    assert unasked == absent == Missing()
    assert reply.again == () and reply.notes.shares_earlier is False


def test_warnings_are_noted(child: Child) -> None:
    define(child, "def f(x): return np.log(x)")
    for _ in range(2):
        assert call(child, "f", np.zeros(1)).notes.warnings == (
            "RuntimeWarning: divide by zero encountered in log",
        )


def test_addresses_do_not_show(child: Child) -> None:
    define(child, "def f(): raise ValueError(object())")
    (error,) = call(child, "f").results
    assert error.message == "<object object at 0x...>"


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        ("return X + 1", ()),
        ("X += 1; return X.copy()", ("a0",)),
        ("X.sort(); return 1", ("a0",)),
        ("W[0] = 5", ("a1",)),
    ],
)
def test_a_changed_input_is_named(child: Child, body: str, changed: tuple[str, ...]) -> None:
    define(child, f"def f(X, W): {body}")
    reply = call(child, "f", np.array([3.0, 1.0]), [1.0, 2.0], again=True)
    assert reply.notes.changed == changed
    assert reply.again == ()


@pytest.mark.parametrize(
    ("body", "input_shared", "earlier_shared"),
    [
        ("return X * 2", False, False),
        ("return {'a': 1, 'X': X}", True, False),
        ("return [X.T]", True, False),
        ("return np.broadcast_to(X, (3, 2))", False, False),
        ("KEPT[...] = X; return KEPT", False, True),
        ("KEPT[...] = X; return KEPT[:1]", False, True),
        ("return KEPT", False, True),
        ("return KEPT.copy()", False, False),
        ("y = KEPT.view(); y.flags.writeable = False; return y", False, False),
    ],
)
def test_shared_memory_is_seen(
    child: Child, body: str, input_shared: bool, earlier_shared: bool
) -> None:
    define(child, f"KEPT = np.zeros(2)\ndef f(X): {body}")
    notes = call(child, "f", np.array([1.0, 2.0]), again=True).notes
    assert notes.shares_input == (("a0",) if input_shared else ())
    assert notes.shares_earlier is earlier_shared
    assert notes.changed == ()


def test_a_buffer_of_the_same_shape_is_seen(child: Child) -> None:
    define(
        child,
        "class Layer:\n"
        "    def __init__(self, W): self.W, self.out = W, np.zeros(2)\n"
        "    def __call__(self, X): return np.dot(X, self.W, out=self.out)\n"
        "    def copied(self, X): return np.dot(X, self.W, out=self.out).copy()\n",
    )
    for method, shared in (("__call__", True), ("copied", False)):
        made = Step("new", "Layer", (("W", np.eye(2)),))
        asked = Step("method", method, (("X", np.ones(2)),), of=0)
        assert child.ask([made, asked], True).notes.shares_earlier is shared


def test_answers_that_differ_are_handed_over(child: Child) -> None:
    define(child, "n = 0\ndef f():\n    global n\n    n += 1\n    return n")
    reply = call(child, "f", again=True)
    assert (reply.results, reply.again) == ((1,), ((2,),))
    assert call(child, "f", again=False).again == ()


# --- callables that stay here ------------------------------------------------------------


class Layer:
    proxy_attributes = ("W", "num_parameters")
    proxy_methods = ("__call__", "trace")
    num_parameters = 4

    def __init__(self) -> None:
        self.W = np.eye(2)
        self.secret = "secret"

    def __call__(self, X: Any, causal: bool = True) -> Any:
        if X.shape[-1] != 2:
            raise ValueError("width 2")
        return X * (1 if causal else -1)

    def trace(self, X: Any) -> Any:
        return {"output": X @ self.W}


def test_a_layer_is_called_from_the_learners_process(child: Child) -> None:
    define(
        child,
        "def f(layer, X):\n"
        "    return layer.W @ X, layer.num_parameters, layer(X, causal=False), layer.trace(X)\n"
        "def wrong(layer): return layer(np.ones((1, 3)))\n"
        "def secret(layer): return layer.secret\n",
    )
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    ((product, count, output, trace),) = call(child, "f", Layer(), X, again=True).results
    assert (product == X).all() and count == 4
    assert (output == -X).all() and (trace["output"] == X).all()
    (error,) = call(child, "wrong", Layer()).results
    assert (error.type, error.message) == ("ValueError", "width 2")
    (error,) = call(child, "secret", Layer()).results
    assert error.type == "AttributeError"


def test_a_bare_function_is_called(child: Child) -> None:
    define(child, "def f(layer): return layer(np.ones(2))")
    (output,) = call(child, "f", lambda x: 2 * x).results
    assert output.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("np.ones((129, 128))", "the arguments are too large"),
        ("np.ones((10**6, 0))", "the arguments are too large"),
        ("[[1.0] * 5000]", "this layer takes arrays, not a list"),
        ("np.ones(2, complex)", "this layer takes arrays, not a ndarray of complex128"),
        ("[[]]", "this layer takes arrays, not a list"),
    ],
)
def test_a_layer_refuses_large_and_odd_arguments(child: Child, argument: str, message: str) -> None:
    define(child, f"def f(layer): return layer({argument})")
    (error,) = call(child, "f", Layer()).results
    assert (error.type, error.message) == ("ValueError", message)


@pytest.mark.parametrize(
    ("X", "visible", "fits"),
    [
        ((3, 5, 4), (3, 5, 5), True),
        ((3, 64, 8), (3, 64, 64), True),
        ((1024, 3), (1024,), True),
        ((16, 64, 3), None, True),
        ((1000, 3), (1000, 1, 1), False),  # a thousand masks for one matrix of a million
        ((4, 4, 32, 32), (4, 1, 1, 32, 1), False),
        ((4096, 1, 1), None, False),  # a layer that flattens the batch
    ],
)
def test_what_a_layer_may_be_called_with_counts_together(
    child: Child, X: tuple[int, ...], visible: tuple[int, ...] | None, fits: bool
) -> None:
    define(
        child, "def f(layer, X, visible): return layer(np.ones(X), np.ones(visible or (), bool))"
    )
    (result,) = call(child, "f", lambda X, visible: 1, X, visible).results
    assert (result == 1) if fits else (result.message == "the arguments are too large")


def test_a_layer_is_called_so_many_times(box: Box) -> None:
    with box.child("__main__", Budget(Limits(seconds=300.0))) as child:
        define(child, "def f(layer, n):\n    for _ in range(n): layer(np.ones((1, 2)))")
        assert call(child, "f", Layer(), 2000).results == (None,)
        (error,) = call(child, "f", Layer(), 2001).results
    assert error.message == "called more than 2000 times"


def test_a_kept_layer_is_no_oracle(child: Child) -> None:
    define(
        child,
        "kept = []\ndef keep(layer): kept.append(layer)\n"
        "def use(): return kept[0](np.ones((1, 2)))",
    )
    assert call(child, "keep", Layer()).results == (None,)
    (error,) = call(child, "use").results
    assert error.type == "RuntimeError"


# --- hostile children --------------------------------------------------------------------

# How a child speaks past its worker: fd 4 carries its answers.
FORGE = """
import os, sys, struct, json
def loop():
    while True: pass
def nonce():
    frame = sys._getframe()
    while 'self' not in frame.f_locals or not hasattr(frame.f_locals['self'], 'link'):
        frame = frame.f_back
    return frame.f_locals['self'].link.nonce
def forge(fields, body=b'', lengths=None):
    text = json.dumps({'nonce': nonce(), **fields}).encode()
    os.write(4, struct.pack('<II', *(lengths or (len(text), len(body)))) + text + body)
"""

DEADLY = {
    "endless loop": ("timed-out", "while True: pass"),
    "signals blocked": (
        "timed-out",
        "import signal\n"
        "    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\n"
        "    while True: pass",
    ),
    "swallows everything": (
        "timed-out",
        "while True:\n        try: loop()\n        except BaseException: pass",
    ),
    "leaves": ("crashed", "import os; os._exit(0)"),
    "no memory": ("out-of-memory", "import os; os._exit(77)"),
    "segmentation fault": ("crashed", "import ctypes; ctypes.string_at(8)"),
    "closes its pipes": ("crashed", "import os; os.closerange(0, 32)"),
    "floods the answers": ("crashed", "import os\n    while True: os.write(4, b'x' * 65536)"),
    "str hangs": (
        "timed-out",
        "class E(Exception):\n        def __str__(self): loop()\n    raise E",
    ),
    "forged nonce": ("crashed", "forge({'nonce': 'x'})"),
    "torn frame": ("crashed", "os.write(4, b'123'); os._exit(0)"),
    "long header": ("crashed", "forge({}, lengths=(2**31, 0))"),
    "long body": ("crashed", "forge({}, lengths=(50, 2**31))"),
    "lying length": ("timed-out", "forge({}, lengths=(2000, 0))\n    while True: pass"),
    "two answers": ("crashed", "forge({'results': [1]}); forge({})"),
    "no results": ("crashed", "forge({'results': [], 'notes': {}})"),
    "proxy that never was": ("crashed", "forge({'proxy': [0, '__call__', ['t', []], ['d', []]]})"),
    "deep JSON": ("crashed", "os.write(4, struct.pack('<II', 200000, 0) + b'[' * 200000)"),
}


def test_answers_are_kept_up_to_a_size_in_all(box: Box) -> None:
    budget = Budget(LIMITS)
    with box.child("__main__", budget) as child:
        define(
            child, "def f(n): return np.ones(n)\ndef g(layer):\n    for _ in range(99): layer(1)"
        )
        for _ in range(2):
            assert len(call(child, "f", 2**20).results[0]) == 2**20
        assert call(child, "g", lambda x: np.ones(2**17)).results == (None,)  # what is no answer
        with pytest.raises(Dead) as death:
            for _ in range(3):
                call(child, "f", 2**20)
        assert death.value.status == "out-of-memory"
    with box.child("__main__", budget) as child:
        define(child, "def f(): return 1")
        assert call(child, "f").results == (1,)


@pytest.mark.parametrize("name", DEADLY)
def test_a_deadly_call_ends_the_child_alone(box: Box, name: str) -> None:
    status, body = DEADLY[name]
    budget = Budget(LIMITS)
    with box.child("__main__", budget) as child:
        define(child, FORGE + f"def f():\n    {body}")
        with pytest.raises(Dead) as death:
            call(child, "f")
        assert death.value.status == status
        with pytest.raises(Dead):
            child.defined(["f"])
    with box.child("__main__", budget) as child:
        define(child, "def f(): return 1")
        assert call(child, "f").results == (1,)


def test_killing_the_first_process_is_refused_or_costs_one_child(box: Box) -> None:
    with box.child("__main__", Budget(LIMITS)) as child:
        define(child, "import os, time\ndef f(): os.kill(os.getppid(), 9); time.sleep(60)")
        if box.level == "process":
            with pytest.raises(Dead) as death:
                call(child, "f")
            assert death.value.status == "crashed"
        else:
            (error,) = call(child, "f").results
            assert error.type == "PermissionError"
    with box.child("__main__", Budget(LIMITS)) as child:
        assert child.run_cell("a", "x = 1", True) is None


def test_a_first_process_that_somebody_kills_is_no_fault_of_a_learner(box: Box) -> None:
    with box.child("__main__", Budget(LIMITS)) as child:
        define(child, "def f(): return 1")
        first = child._zygote._process
        assert first is not None
        first.kill()
        first.wait()
        if box.level != "process":  # it ends with what it was forked from, before it is asked
            child._poll.poll(10_000)
        # Where a learner's process could have done it, nobody can tell.
        with pytest.raises(Dead if box.level == "process" else SandboxError):
            call(child, "f")
    with box.child("__main__", Budget(LIMITS)) as child:
        define(child, "def f(): return 1")
        assert call(child, "f").results == (1,)


def test_the_path_holds_the_standard_library_alone(child: Child) -> None:
    define(child, "import os, sys\nx = os.path.dirname(os.__file__), sys.path")
    ((library, path),) = child.ask([Step("value", "x")], False).results
    assert library in path
    for entry in path:
        assert entry.startswith(library) or entry.endswith((".zip", "lib-dynload"))
        assert not entry.endswith("-packages")


def test_modules_can_be_imported_late(child: Child) -> None:
    late = "colorsys, wave, sqlite3, lzma, numpy.f2py.symbolic, numpy.ma.mrecords"
    define(child, f"import sys\nassert 'wave' not in sys.modules\nimport {late}")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has capabilities to give up")
def test_no_capability_is_left_or_can_be_had(box: Box, child: Child) -> None:
    """But one: to read the interpreter's files where they lie in a folder closed to others."""
    fields = dict(
        line.split(":", 1) for line in Path(f"/proc/{child._pid}/status").read_text().splitlines()
    )
    to_read = 1 << 2  # CAP_DAC_READ_SEARCH, capabilities(7)
    assert int(fields["CapEff"], 16) | int(fields["CapPrm"], 16) in (0, to_read)
    assert [int(fields[f"Cap{name}"], 16) for name in ("Inh", "Bnd", "Amb")] == [0, 0, 0]
    ours = sum(1 << (number - 1) for number in signal.valid_signals())  # 32 is the C library's
    ignored = sum(1 << (number - 1) for number in (signal.SIGPIPE, signal.SIGXFSZ))
    assert int(fields["SigIgn"], 16) & ours == ignored
    assert (int(fields["SigCgt"], 16), int(fields["SigBlk"], 16)) == (0, 0)


@pytest.mark.parametrize(
    "attempt",
    [
        "open('/etc/passwd')",
        "open('/proc/self/maps')",
        "open('/tmp/onehead-test', 'w')",
        "os.listdir('/')",
        "os.mkdir('x')",
        "socket.socket()",
        "socket.socketpair()",
        "subprocess.run(['/bin/true'])",
        "os.kill(os.getpid(), 0)",
        "os.setsid()",
        "os.memfd_create('x')",
        "fcntl.ioctl(1, 0x5412, b'x')",
        "fcntl.fcntl(3, 8, os.getppid())",
        "fcntl.fcntl(3, 10, 9)",
        "signal.pidfd_send_signal(3, 0)",
        "os.symlink('a', 'b')",
        "os.open('/', os.O_RDONLY)",
        "os.execv('/dev/null', ['x'])",
        "ctypes.CDLL(None).ptrace(0, 0, 0, 0) and refused()",
        "ctypes.CDLL(None).mount(0, 0, 0, 0, 0) and refused()",
        "ctypes.CDLL(None).unshare(0x10000000) and refused()",
    ],
)
def test_behind_a_wall_it_is_refused(box: Box, attempt: str) -> None:
    if box.level == "process":
        pytest.skip("no wall at this level")
    with box.child("__main__", Budget(LIMITS)) as child:
        modules = "import ctypes, fcntl, os, resource, signal, socket, subprocess"
        define(child, f"{modules}\ndef refused(): raise OSError")
        error = child.run_cell("attempt", attempt, False)
        assert error is not None and "OSError" in error.bases


def test_what_may_be_asked_of_files_that_can_not_be_opened(box: Box) -> None:
    """SECURITY.md says so of each level."""
    with box.child("__main__", Budget(LIMITS)) as child:
        define(
            child,
            "import os\n"
            "def kind(way, path):\n"
            "    try: way(path)\n"
            "    except OSError as error: return type(error).__name__\n"
            "    return 'done'\n"
            "def ask(path): return [kind(way, path) for way in (os.stat, open, os.listdir)]",
        )
        (file,) = call(child, "ask", "/etc/passwd").results
        (folder,) = call(child, "ask", "/etc").results
        (nothing,) = call(child, "ask", "/etc/there-is-no-such-file").results
        others = call(child, "ask", f"/proc/{os.getpid()}").results[0][0]
    absent = ["FileNotFoundError"] * 3
    if box.level == "namespaces":
        # The box has an /etc for the linker's cache, and nothing of the machine's in it.
        assert (file, nothing, others) == (absent, absent, "FileNotFoundError")
        assert folder[1:] == ["PermissionError"] * 2
    elif box.level == "kernel":
        assert file == ["done", "PermissionError", "NotADirectoryError"]
        assert folder == ["done", "PermissionError", "PermissionError"]
        assert (nothing, others) == (absent, "done")
    else:
        assert file == ["done", "done", "NotADirectoryError"]


def test_no_memory_is_shared_to_write_to_and_a_child_goes_first_where_it_runs_out(box: Box) -> None:
    with box.child("__main__", Budget(LIMITS)) as child:
        # Where a machine has too little, the grader is not the one that is ended.
        assert Path(f"/proc/{child._pid}/oom_score_adj").read_text() == "1000\n"
        maps = Path(f"/proc/{child._pid}/maps").read_text().splitlines()
    assert maps
    assert not [line for line in maps if line.split()[1][1] == "w" and line.split()[1][3] == "s"]


def test_a_spent_budget_opens_no_child(box: Box) -> None:
    budget = Budget(Limits(seconds=0.2))
    with pytest.raises(Dead), box.child("__main__", budget) as child:
        define(child, "def f():\n    for _ in range(100_000): pass")
        for _ in range(10_000):
            call(child, "f")
    with pytest.raises(Dead) as death:
        box.child("__main__", budget)
    assert death.value.status == "timed-out"


def test_a_call_that_waits_for_a_processor_has_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(os.getpid(), Budget(Limits(seconds=0.01)))  # no more than 5 ms of sleep
    monkeypatch.setattr("onehead.sandbox.budget._may_run", lambda pid: True)
    for _ in range(5):
        time.sleep(0.03)
        clock.check()
    monkeypatch.setattr("onehead.sandbox.budget._may_run", lambda pid: False)
    time.sleep(0.03)
    with pytest.raises(Dead):
        clock.check()


def test_an_endless_cell_leaves_budget_for_another_child(box: Box) -> None:
    budget = Budget(LIMITS)
    with box.child("__main__", budget) as child, pytest.raises(Dead) as death:
        child.run_cell("a", "while True: pass", True)
    assert death.value.status == "timed-out"
    assert 0 < budget.cpu < LIMITS.seconds


def test_a_sleeping_call_ends(box: Box) -> None:
    budget = Budget(Limits(seconds=1.0))
    with box.child("__main__", budget) as child:
        define(child, "import time\ndef f(): time.sleep(3600)")
        with pytest.raises(Dead) as death:
            call(child, "f")
    assert death.value.status == "timed-out"
    assert budget.cpu > 0.5


def test_an_exercise_has_a_budget_whatever_the_number_of_calls(box: Box) -> None:
    budget = Budget(Limits(seconds=0.5))
    calls = 0
    with pytest.raises(Dead) as death, box.child("__main__", budget) as child:
        define(child, "import time\ndef f():\n    while time.process_time() % 0.03 < 0.02: pass")
        while calls < 10_000:
            call(child, "f")
            calls += 1
    assert death.value.status == "timed-out"


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("return np.lib.stride_tricks.as_strided(np.ones(1), (10**9,), (0,))", TOO_MANY),
        ("print('x' * 10**7); return 1", 1),
        ("import os; os.write(1, b'x' * 10**6); return 1", 1),
        ("import json, os; json.dumps = json.loads = os.write = os.read = None; return 1", 1),
        ("np.array = np.asarray = np.shares_memory = None; return np.ones(1)", np.ones(1)),
        ("return [0] * 10**7", Opaque("list with too many entries")),
        ("return dict.fromkeys(range(1001))", Opaque("dict with too many entries")),
        ("return ['x' * 4000] * 1000", Opaque("value with too much text")),
        ("return np.zeros((3000, 3000))", TOO_MANY),
    ],
)
def test_odd_behaviour_costs_nothing_else(child: Child, body: str, result: Any) -> None:
    define(child, f"def f(): {body}")
    (got,) = call(child, "f", again=True).results
    assert type(got) is type(result) and np.all(got == result)
    assert call(child, "f", again=True).results is not None


def test_an_answer_before_the_question_ends_the_child(child: Child) -> None:
    with pytest.raises(Dead) as death:
        child.run_cell("b", FORGE + "forge({'error': None})", True)
        child.defined(["f"])
    assert death.value.status == "crashed"


@pytest.mark.parametrize(
    ("node", "body"),
    [
        (["a", "f8", [2]], b"12345678"),
        (["a", "f8", [1]], b"1234567890"),
        (["a", "O", [1]], b"12345678"),
        (["a", "f8", [-1, -1]], b"12345678"),
        (["a", "f8", [True]], b"12345678"),
        (["a", "f8", [0, 2**24, 2**24]], b""),
        (["n", "f8", [2**20, 0]], b""),
        (["n", "f8", []], b"12345678"),
        (["g", "f8", [1]], b"12345678"),
        (["i", 5], b""),
        (["i", "5e3"], b""),
        (["i", "9" * 5000], b""),
        (["f", "0x1.0p+9999"], b""),
        (["f", "1.5"], b""),
        (["l", 5], b""),
        (["d", [[["l", []], 1]]], b""),
        (["d", [[1]]], b""),
        (["d", [[["i", str(key)], None] for key in range(1001)]], b""),
        (["E", "E", [], "", 0, ""], b""),
        (["l", [["m"]]], b""),
        (["p", 0, None, []], b""),
        (["o"], b""),
        (["i", "1", "2"], b""),
        ([], b""),
        ([[]], b""),
        (5, b""),
        ({}, b""),
        ("x" * 5000, b""),
    ],
)
def test_a_node_that_breaks_the_protocol_is_a_breach(node: Any, body: bytes) -> None:
    decoder = wire.Decoder(body)
    with pytest.raises(wire.Breach):
        decoder.value(node)
        decoder.finish()


def test_a_boolean_byte_is_made_one() -> None:
    decoder = wire.Decoder(b"\x02\x00")
    assert decoder.value(["a", "b1", [2]]).view("u1").tolist() == [1, 0]


def test_a_header_is_checked_before_it_is_read() -> None:
    with pytest.raises(wire.Breach):
        wire.lengths(struct.pack("<II", wire.HEADER_BYTES + 1, 0))
    with pytest.raises(wire.Breach):
        wire.header(json.dumps({"nonce": "a"}).encode(), "b")
