"""The learner's side of the sandbox: a warm process that forks one child for every exercise.

``sandbox/zygote.py`` runs this file in a fresh interpreter: ``python -P -S worker.py FD LEVEL``. It
never has seen a secret, so a child that takes it apart finds none. It imports the standard
library, numpy and, by their paths, ``lockdown.py``, ``seccomp.py``, ``jupyter.py``,
``learner_wire.py`` and ``other_contents.py``.

The first process, the *zygote*, imports numpy and forks on request. A child locks itself down,
then runs the learner's cells in one namespace and answers questions about what they define.
Whatever it answers is taken for the learner's own claim.
"""

from __future__ import annotations
import __future__

import builtins
import gc
import importlib
import importlib.util
import json
import linecache
import os
import re
import site
import socket
import struct
import sys
import time
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

FUTURE_FLAGS = 0
for _feature in __future__.all_feature_names:
    FUTURE_FLAGS |= getattr(__future__, _feature).compiler_flag

REQUESTS, ANSWERS = 3, 4  # descriptors of a child, the same everywhere
OUT_OF_MEMORY = 77  # exit status of a child whose own bookkeeping found no memory

NUMPY_ERRORS: Any = np.geterr()  # what numpy does about each kind of error when new

HEADER_BYTES = 256 * 1024
SMALL = 64 * 1024  # bytes of an array
SMALL_MASK = 9  # entries, of which there are few masks
OTHERS_SECONDS = 1.0  # processor time of calls with other contents, for all of an exercise
JSON = {False: "false", True: "true"}
LEAVES = 1000  # parts of a result that are looked at for shared memory

PRELOADED = """abc argparse bisect calendar cmath collections contextlib copy csv dataclasses
datetime decimal doctest enum fractions functools hashlib heapq inspect io itertools json logging
math numbers operator pathlib pprint random secrets statistics string tempfile textwrap time timeit
traceback typing unittest uuid zlib
numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random numpy.testing"""


def load(name: str) -> Any:
    """The module in the file beside this one, unknown to ``import``."""
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


jupyter, wire = load("jupyter"), load("learner_wire")
other_contents = load("other_contents")

# Learner code may replace numpy's or json's functions; the bookkeeping keeps to the real ones.
_asarray, _errstate = np.asarray, np.errstate
_resize = np.resize
_may_share_memory, _shares_memory = np.may_share_memory, np.shares_memory
_dumps = json.JSONEncoder(separators=(",", ":")).encode
_loads = json.JSONDecoder().decode
_read, _write, _exit = os.read, os.write, os._exit
_process_time = time.process_time


# --- errors ------------------------------------------------------------------------------


def error_node(error: BaseException, cells: dict[str, str]) -> list[Any]:
    """``["E", type, bases, message, line, cell]``; the message runs the learner's ``__str__``."""
    kinds = [wire.name_of(kind) for kind in type(error).__mro__ if kind is not object]
    try:
        message = str.__str__(str(error))[: wire.CHARACTERS]
    except BaseException:
        message = ""
    # Addresses differ from run to run, and results must not.
    message = re.sub(r"\b0x[0-9a-fA-F]{6,}", "0x...", message)
    line, cell = 0, ""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in cells:
            line, cell = trace.tb_lineno, trace.tb_frame.f_code.co_filename
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename in cells:
        line, cell = error.lineno or 0, str(error.filename)
    return ["E", kinds[0], kinds[:20], message, line, cells.get(cell, "")]


# --- a question and its repetitions ------------------------------------------------------


class Missing(Exception):
    """A step's name is not defined, or the object that it needs was not made."""


class Ask:
    """The steps of one question, kept so that they can be asked again.

    Arguments are made anew from the request for every run, but for those of ``new`` steps: the
    objects are made once, in the first run. With a ``turn``, each call is asked with other contents
    first.
    """

    def __init__(
        self, steps: list[dict[str, Any]], body: bytes, session: Session, turn: int | None = None
    ) -> None:
        self.steps, self.body, self.session, self.turn = steps, body, session, turn
        self.handles: dict[int, Any] = {}
        self.made: dict[int, Any] = {}  # what each "new" step answered
        self.made_with: dict[int, list[tuple[str, Any]]] = {}
        self.runs: list[Run] = []

    def run(self, others: bool) -> Run:
        run = Run()
        decoder = wire.Decoder(self.body, self.session.proxies(run))
        arguments = []
        for index, step in enumerate(self.steps):
            fresh = [(name, decoder.value(node)) for name, node in step["args"]]
            arguments.append(self.made_with.get(index, fresh))
        given = [pair for pairs in arguments for pair in pairs]
        before = [fingerprint(value) for _, value in given]
        self.session.running = run
        try:
            for index, (step, pairs) in enumerate(zip(self.steps, arguments, strict=True)):
                self._step(run, index, step, pairs, others)
        finally:
            self.session.running = None
        run.compare(given, before)
        self.runs.append(run)
        return run

    def _step(
        self,
        run: Run,
        index: int,
        step: dict[str, Any],
        pairs: list[tuple[str, Any]],
        others: bool,
    ) -> None:
        args = [value for _, value in pairs]
        if step["do"] == "new" and index in self.made:
            run.nodes.append(self.made[index])
            return
        try:
            if step["do"] == "new":
                self.made_with[index] = pairs
                self.handles[index] = made = self._named(step["name"])(*args)
                run.nodes.append(wire.opaque(wire.name_of(type(made))))
            else:
                probed = step["do"] in ("call", "method")
                if probed and others and self.turn is not None:
                    self._ask_others(step, args, self.turn)
                run.keep(self._do(step, args), probed)
        except Missing:
            run.nodes.append(["m"])
        except BaseException as error:
            run.nodes.append(error_node(error, self.session.cell_names))
        if step["do"] == "new":
            self.made[index] = run.nodes[-1]

    def _ask_others(self, step: dict[str, Any], args: list[Any], turn: int) -> None:
        """Asks with other contents, for what that may leave behind; in a repetition, but twice.

        Whose calls take long is not asked more and more often: there is a limit on time.
        """
        if any(isinstance(value, Proxy) for value in args):
            return
        able = [
            k for k, value in enumerate(args) if other_contents.is_changeable(value, array_leaves)
        ]
        selections = other_contents.selections(able, turn + bool(self.runs))
        is_inside = (turn // 2 + bool(self.runs)) % 2 == 1
        way = other_contents.inside if is_inside else other_contents.turned
        planned = [(chosen, way) for chosen in (selections[-2:] if self.runs else selections)]
        if not self.runs:  # all of them, then the first alone: the others may be kept exactly
            fine = [k for k in able if other_contents.changes_slightly(args[k], array_leaves)]
            slightly = [(chosen, other_contents.slightly) for chosen in (fine, fine[:1])]
            planned = slightly[: len(fine)] + planned
        for chosen, way in planned:
            if self.session.spent > OTHERS_SECONDS:
                return
            began = _process_time()
            with other_contents.changed(args, chosen, array_leaves, way) as others:
                try:
                    self._do(step, others)
                except KeyboardInterrupt:  # in a notebook, the learner's
                    raise
                except BaseException:
                    pass
                finally:
                    self.session.spent += _process_time() - began

    def _do(self, step: dict[str, Any], args: list[Any]) -> Any:
        do, name = step["do"], step["name"]
        if do == "value":
            return self._named(name)
        if do == "call":
            return self._named(name)(*args)
        if step["of"] not in self.handles:
            raise Missing
        handle = self.handles[step["of"]]
        if name == "__call__":
            return handle(*args)
        return getattr(handle, name)(*args) if do == "method" else getattr(handle, name)

    def _named(self, name: str) -> Any:
        if name not in self.session.namespace:
            raise Missing
        return self.session.namespace[name]

    def repeat(self) -> tuple[Run, bool]:
        """Another run, and whether it shows memory that results share with earlier ones.

        What the last call kept shows at once, and what it forgot to look at after other contents.
        """
        again, shared = self._repeat(others=False)
        if self.turn is not None and again.answer == self.runs[0].answer:
            again, shared_then = self._repeat(others=True)
            shared = shared or shared_then
        return again, shared

    def _repeat(self, others: bool) -> tuple[Run, bool]:
        """Earlier results are overwritten first, as their new owner may do.

        Then a later answer should be the first one still, and should leave them alone.
        """
        first = self.runs[0]
        new = [pair for run in self.runs for pair in run.spoiled()]
        for leaf, content in new:
            leaf[...] = content
        before = [run.prints() for run in self.runs]
        again = self.run(others)
        overwritten = [run.prints() for run in self.runs[:-1]] != before
        mine = {id(container) for run in self.runs[:-1] for container in run.containers}
        shared = any(id(container) in mine for container in again.containers)
        spoiled = again.answer != first.answer and _given_again(again, new)
        return again, overwritten or shared or spoiled


def _given_again(run: Run, spoiled: list[tuple[Any, Any]]) -> bool:
    """Whether a result is an array of earlier ones, or holds what they were overwritten with."""
    return any(
        _overlap(leaf, earlier) or _same_entries(leaf, earlier)
        for leaf in run.writable
        for earlier, _ in spoiled
    )


def _overlap(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays share memory; of arrays far apart the short way."""
    return _may_share_memory(a, b) and _shares_memory(a, b)


def _same_entries(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    if a.dtype == bool and a.size < SMALL_MASK:  # another mask may have them as well
        return False
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


class Run:
    """What one run of a question's steps gave, and what it did to memory."""

    def __init__(self) -> None:
        self.encoder = wire.Encoder()
        self.nodes: list[Any] = []
        self.results: list[Any] = []  # of calls; other values are the learner's to keep
        self.changed: list[str] = []
        self.shared: list[str] = []

    def keep(self, result: Any, probed: bool) -> None:
        self.nodes.append(self.encoder.value(result))
        if probed:
            self.results.append(result)

    def compare(self, given: list[tuple[str, Any]], before: list[Any]) -> None:
        """Notes which inputs changed in place, and which share memory with a result."""
        inputs = [(name, leaf) for name, value in given for leaf in array_leaves(value)]
        ids = {id(leaf) for _, leaf in inputs}
        # An array with memory of its own, as most results are, has that of no input.
        views = [leaf for leaf in self.writable if leaf.base is not None or id(leaf) in ids]
        shared = (name for name, mine in inputs if any(_overlap(leaf, mine) for leaf in views))
        self.shared = list(dict.fromkeys(shared))
        for (name, value), was in zip(given, before, strict=True):
            if fingerprint(value) != was:
                self.changed.append(name)

    @cached_property
    def answer(self) -> tuple[str, bytes]:
        """The results as they travel; too long a header becomes one word for each result."""
        text = _dumps(self.nodes)
        if len(text) > HEADER_BYTES // 2:
            return _dumps([wire.opaque("value with too much text") for _ in self.nodes]), b""
        return text, bytes(self.encoder.body)

    def prints(self) -> list[Any]:
        return [fingerprint(result) for result in self.results]

    def shares_within(self) -> bool:
        """Whether a result has memory of an earlier one of the same run."""
        if len(self.results) < 2:
            return False
        before: list[np.ndarray[Any, Any]] = []
        for result in self.results:
            leaves = writable_leaves(result)
            if any(_overlap(leaf, earlier) for leaf in leaves for earlier in before):
                return True
            before += leaves
        return False

    @cached_property
    def writable(self) -> list[np.ndarray[Any, Any]]:
        """The arrays that were handed out and may be written to."""
        return [leaf for result in self.results for leaf in writable_leaves(result)]

    @property
    def containers(self) -> list[Any]:
        """The lists and dicts that were handed out: their new owner may change them."""
        return [each for result in self.results for each in containers_in(result)]

    def spoiled(self) -> list[tuple[Any, Any]]:
        """The arrays that were handed out, with other contents, as a new owner may give them."""
        return [(leaf, _other_contents_of(leaf)) for leaf in self.writable]


def _other_contents_of(leaf: np.ndarray[Any, Any]) -> Any:
    if leaf.dtype == bool:  # no mask that anybody would compute
        return _resize(_NO_PATTERN, leaf.shape) ^ leaf.flat[0]
    return ~leaf if leaf.dtype.kind in "iu" else 77.0


_NO_PATTERN = np.array([bit == "1" for bit in "10011010001"])


def fingerprint(value: Any) -> Any:
    """The same for the same contents. Small plain arrays, nearly all there is, take a short way."""
    kind = type(value)
    if kind is np.ndarray and value.nbytes <= SMALL and value.dtype.kind in "biuf":
        return value.dtype.str, value.shape, value.tobytes()
    if kind is dict and len(value) <= 20 and all(type(key) is str for key in value):
        return [(key, fingerprint(entry)) for key, entry in value.items()]
    encoder = wire.Encoder()
    node = encoder.value(vars(value) if issubclass(kind, Proxy) else value)
    return node, bytes(encoder.body)


def array_leaves(value: Any, depth: int = 0) -> list[np.ndarray[Any, Any]]:
    """The arrays in a value, as plain arrays over the same memory."""
    kind = type(value)
    if issubclass(kind, np.ndarray):
        return [_asarray(value)] if value.size else []
    if issubclass(kind, Proxy):
        value, kind = vars(value), dict
    if depth > wire.DEPTH or not issubclass(kind, dict | list | tuple):
        return []
    items = (
        dict.values(value)
        if issubclass(kind, dict)
        else (list if issubclass(kind, list) else tuple).__iter__(value)
    )
    leaves: list[np.ndarray[Any, Any]] = []
    for item in islice(items, LEAVES):
        leaves += array_leaves(item, depth + 1)
    return leaves


def containers_in(value: Any) -> list[Any]:
    """The value, if it is a list or a dict, and those that lie in a tuple of them."""
    if issubclass(type(value), list | dict):
        return [value]
    if type(value) is tuple:
        return [each for item in value for each in containers_in(item)]
    return []


def writable_leaves(value: Any) -> list[np.ndarray[Any, Any]]:
    return [
        leaf
        for leaf in array_leaves(value)
        if leaf.flags.writeable
        and leaf.nbytes <= wire.BODY_BYTES
        and f"{leaf.dtype.kind}{leaf.dtype.itemsize}" in wire.DTYPES
    ]


# --- a callable that stayed with the grader ----------------------------------------------


class Proxy:
    """A layer whose code stays in the grader: each call travels there and back."""


def make_proxy(
    ask: Callable[[str, Any, Any], Any], attributes: dict[str, Any], methods: list[str]
) -> Proxy:
    def method(name: str) -> Callable[..., Any]:
        return lambda self, *args, **kwargs: ask(name, args, kwargs)

    # A class of its own, since Python looks ``__call__`` up on the class.
    proxy: Proxy = type("Layer", (Proxy,), {name: method(name) for name in methods})()
    vars(proxy).update(attributes)
    return proxy


def no_proxy(number: int, attributes: Any, methods: list[str]) -> Proxy:
    raise ValueError("a layer's answer is plain data")


# --- a child's life ----------------------------------------------------------------------


class Link:
    """The child's two pipes: one request, one answer; a proxy's call nests between them."""

    nonce = ""

    def __init__(self) -> None:
        self._ahead = b""  # read already, and not yet asked for

    def receive(self) -> tuple[dict[str, Any], bytes]:
        header_bytes, body_bytes = struct.unpack("<II", self._read(8))
        header = _loads(self._read(header_bytes).decode())
        self.nonce = header["nonce"]
        return header, self._read(body_bytes)

    def _read(self, count: int) -> bytes:
        data = bytearray(self._ahead)
        while len(data) < count:
            chunk = _read(REQUESTS, max(count - len(data), SMALL))
            if not chunk:
                _exit(0)
            data += chunk
        self._ahead = bytes(data[count:])
        return bytes(data[:count])

    def send(self, fields: str, body: bytes = b"") -> None:
        """``fields`` is the inside of the header's JSON object."""
        header = f'{{"nonce":{_dumps(self.nonce)},{fields}}}'.encode()
        data = memoryview(struct.pack("<II", len(header), len(body)) + header + body)
        while data:
            data = data[_write(ANSWERS, data) :]


class Session:
    """A child's one namespace and what is asked of it."""

    def __init__(self, link: Link, module: str) -> None:
        self.link = link
        self.cell_names: dict[str, str] = {}  # file name in tracebacks -> cell
        self.running: Run | None = None
        self.question: Ask | None = None
        self.spent = 0.0  # seconds of calls with other contents
        self.flags = 0  # __future__ imports hold for later cells, as in Jupyter
        self.module = types.ModuleType(module)
        self.namespace = vars(self.module)
        self.namespace.update(
            __builtins__=builtins, display=jupyter.Inert(), get_ipython=jupyter.Inert
        )
        sys.modules[module] = self.module

    def serve(self) -> None:
        while True:
            header, body = self.link.receive()
            getattr(self, header["do"])(header, body)

    def cells(self, header: dict[str, Any], body: bytes) -> None:
        """Run cells in order; the error that each of them ended with, or None."""
        errors, at = [], 0
        for name, size in header["cells"]:
            errors.append(self._cell(name, body[at : at + size], header["magics"]))
            at += size
        self.link.send(f'"errors":{_dumps(errors)}')

    def _cell(self, name: str, source: bytes, magics: bool) -> list[Any] | None:
        filename = f"<{name}>"
        self.cell_names[filename] = name
        try:
            code = self._compiled(source.decode("utf-8", "surrogatepass"), filename, magics)
            exec(code, self.namespace)
        except BaseException as caught:
            return error_node(caught, self.cell_names)
        return None

    def _compiled(self, source: str, filename: str, magics: bool) -> types.CodeType:
        code: types.CodeType
        try:
            code = compile(source, filename, "exec", self.flags, dont_inherit=True)
        except SyntaxError:
            source = jupyter.without_magics(source) if magics else source
            code = compile(source, filename, "exec", self.flags, dont_inherit=True)
        # inspect.getsource finds a cell here.
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        self.flags |= code.co_flags & FUTURE_FLAGS
        return code

    def names(self, header: dict[str, Any], body: bytes) -> None:
        defined = [name for name in header["names"] if name in self.namespace]
        self.link.send(f'"names":{_dumps(defined)}')

    def ask(self, header: dict[str, Any], body: bytes) -> None:
        self.link.send(*self._first(header["steps"], body, header["turn"]))

    def repeat(self, header: dict[str, Any], body: bytes) -> None:
        self.link.send(*self._again())

    def ask_all(self, header: dict[str, Any], body: bytes) -> None:
        """Many questions and their repetitions, in one answer where they fit into one."""
        replies, answers, at = [], bytearray(), 0
        for question in header["questions"]:
            end = at + question["bytes"]
            runs = [self._first(question["steps"], body[at:end], question["turn"])]
            at = end
            if question["again"]:
                runs.append(self._again())
            replies.append([f"{{{fields}}}" for fields, data in runs])
            answers += b"".join(data for _, data in runs)
        text = ",".join(f"[{','.join(runs)}]" for runs in replies)
        if len(text) > HEADER_BYTES - 100 or len(answers) > wire.BODY_BYTES:
            text, answers = "", bytearray()
        self.link.send(f'"replies":[{text}]', bytes(answers))

    def _first(
        self, steps: list[dict[str, Any]], body: bytes, turn: int | None
    ) -> tuple[str, bytes]:
        self.question = Ask(steps, body, self, turn)
        with noted_warnings() as seen:
            run = self.question.run(others=True)
        warned = _dumps(seen) if seen else "[]"
        note = f'"warnings":{warned},"shares_earlier":{JSON[run.shares_within()]}'
        return self._told(run, note, run.answer)

    def _again(self) -> tuple[str, bytes]:
        assert self.question is not None
        with noted_warnings():
            run, shares_earlier = self.question.repeat()
        same = run.answer == self.question.runs[0].answer
        note = f'"same":{JSON[same]},"shares_earlier":{JSON[shares_earlier]}'
        return self._told(run, note, ("[]", b"") if same else run.answer)

    def _told(self, run: Run, note: str, answer: tuple[str, bytes]) -> tuple[str, bytes]:
        """The inside of a JSON object that tells of a run, and the entries of its arrays."""
        changed, shared = (_dumps(names) if names else "[]" for names in (run.changed, run.shared))
        notes = f'{{"changed":{changed},"shares_input":{shared}}}'
        return f'"results":{answer[0]},"notes":{notes},{note}', answer[1]

    def proxies(self, run: Run) -> Callable[[int, Any, list[str]], Proxy]:
        def make(number: int, attributes: Any, methods: list[str]) -> Proxy:
            def ask(method: str, args: Any, kwargs: Any) -> Any:
                if self.running is not run:
                    raise RuntimeError("this layer can't be called after the call it was given to")
                return self._call_grader(number, method, args, kwargs)

            return make_proxy(ask, attributes, methods)

        return make

    def _call_grader(self, number: int, method: str, args: Any, kwargs: Any) -> Any:
        encoder = wire.Encoder()
        call = _dumps([number, method, encoder.value(args), encoder.value(kwargs)])
        if len(call) > HEADER_BYTES // 2:
            raise ValueError("arguments too large for this layer")
        self.link.send(f'"proxy":{call}', bytes(encoder.body))
        header, body = self.link.receive()
        if "error" in header:
            raise ValueError(header["error"])
        return wire.Decoder(body, no_proxy).value(header["value"])


@contextmanager
def noted_warnings() -> Iterator[list[str]]:
    """The first few warnings of what runs inside; the learner's filters hold, but for errors.

    A warning costs nothing, and so do settings that make one an error: what numpy does about
    an overflow is as it is when numpy is new.
    """
    seen: list[str] = []

    def note(message: Any, category: type[Warning], *_: Any, **__: Any) -> None:
        text = f"{wire.name_of(category)}: {message}"[:200]
        if len(seen) < 5 and text not in seen:
            seen.append(text)

    # By name: a learner may have emptied sys.modules, where it would be looked up.
    with warnings.catch_warnings(module=warnings), _errstate(**NUMPY_ERRORS):
        filters: Any = warnings.filters
        filters[:] = [each for each in filters if each[0] != "error"]
        warnings.showwarning = note
        yield seen


def live(requests: int, answers: int, lock: Any) -> None:
    """A child from its fork to its end; learner code runs only after the lock is on."""
    lock.keep_descriptors(requests, answers)
    link = Link()
    header, _ = link.receive()
    lock.enter(header["address_space"], header["seconds"])
    sys.meta_path.insert(0, jupyter.InertFinder())
    warnings.simplefilter("always")
    # A submission that draws unseeded numbers should draw the same ones in every run.
    sys.modules["random"].seed(0)
    sys.modules["numpy.random"].seed(0)
    session = Session(link, header["module"])
    link.send('"ready":true')
    session.serve()


# --- the zygote --------------------------------------------------------------------------


def serve(control: socket.socket, lock: Any) -> None:
    """Forks a child for each pair of pipes that comes in, and reaps it when told to."""
    child = 0
    while True:
        message, pipes, _, _ = socket.recv_fds(control, 4096, 2)
        if not message:
            return
        if message == b"reap":
            _, status, used = os.wait4(child, 0)
            control.send(b"%d %f" % (status, used.ru_utime + used.ru_stime))
            continue
        child = os.fork()
        if child == 0:
            try:
                live(pipes[0], pipes[1], lock)
            except MemoryError:
                _exit(OUT_OF_MEMORY)
            finally:
                _exit(1)
        for pipe in pipes:
            os.close(pipe)
        pidfd = os.pidfd_open(child)
        socket.send_fds(control, [b"forked"], [pidfd])
        os.close(pidfd)


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    level = sys.argv[2]
    for name in PRELOADED.split():
        importlib.import_module(name)
    # Installed packages differ from machine to machine: numpy is the only one there is. Without
    # "site", which -S leaves out, exit() and help() have to be put in place.
    numpy = Path(np.__file__).parent
    sys.path[:] = [entry for entry in sys.path if Path(entry) != numpy.parent]
    site.setquit()
    site.sethelper()
    sys.argv[:] = [""]
    os.environ.clear()
    sys.dont_write_bytecode = True
    # Here: they need Linux, and check() in a notebook loads this file.
    lockdown, seccomp = load("lockdown"), load("seccomp")
    lock = lockdown.Lock(level, lockdown.readable_paths(numpy), seccomp.seccomp_filter)
    gc.collect()
    gc.freeze()
    ready = {"landlock_abi": lock.abi, "cpu_seconds": sum(os.times()[:2])}
    control.send(json.dumps(ready).encode())
    serve(control, lock)


if __name__ == "__main__":
    main()
