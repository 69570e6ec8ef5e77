"""One binding, waiting to be asked for times: ``python binding_worker.py NAME PATH...``.

It speaks as ``worker.py`` does. It times neither the objects that the calls need, nor the
deletion of what the calls made. A sample is the best of some bursts of calls.

Read next: ``tests/bench/bindings.py``.
"""

import ctypes
import importlib
import json
import re
import sys
import timeit
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import options
from worker import STEPS_OF_SPIN

CALLS = 2000
BURSTS = 9  # shorter than a time slice of the machine
# Calls of the module kit (tests/python/wrap/kit.i), by the name of their case.
KIT = {
    "add": "add(1, 2)",
    "add_by_name": "add(a=1, b=2)",
    "echo": "echo('abc')",
    "variable": "cvar.number",
    "method": "node.plus(1)",
    "field": "node.value",
    "result": "node.twice()",
    "constructor": "Node(1)",
}
TITLES = {
    "new_operation": "new operation",
    "eager_add": "eager add of two scalars",
    "session_run": "session run with one feed",
    **{case: f"`{text}`" for case, text in KIT.items()},
}
# Yields a function that makes some calls and returns the seconds; then deletes what the
# calls needed.
Case = Callable[[], Iterator[Callable[[int], float]]]


def _names() -> Callable[[], str]:
    return iter([f"sum_{i}" for i in range(CALLS)]).__next__


def _timer(call: Callable[[], object]) -> Callable[[int], float]:
    return timeit.Timer(call).timeit


class Pointer(ctypes.c_void_p):
    """A pointer. ctypes makes an int of a c_void_p that a function returns."""


class Output(ctypes.Structure):
    """TF_Output."""

    _fields_ = (("oper", ctypes.c_void_p), ("index", ctypes.c_int))


class ByPybind11:
    """The module ``_minitf``, without the Python functions of minitf around it."""

    def __init__(self) -> None:
        import minitf as tf

        tf.enable_eager_execution()
        self.tf, self.module = tf, tf._minitf

    def new_operation(self) -> Iterator:
        """Adds an AddV2 of two scalars to a graph."""
        add, name = self.module.GraphCore().add_node, _names()
        x = add("Placeholder", "x", (), (), (), {"dtype": 1}, ("", ""))  # the first node
        yield _timer(lambda: add("AddV2", name(), [x, x], (), (), None, ("", "")))

    def eager_add(self) -> Iterator:
        """Computes an AddV2 of two scalars at once."""
        x, execute = self.tf.constant(2.0), self.module.execute_plain
        yield _timer(lambda: execute("AddV2", x, x))

    def session_run(self) -> Iterator:
        """Runs a step that is fed one scalar and fetches one."""
        graph = self.tf.Graph()
        with graph.as_default():
            x = self.tf.placeholder(self.tf.float32)
            y = self.tf.add(x, x)
        session = self.module.SessionCore(graph._core, b"")
        step = session.prepare([x._handle], [y._handle], [], False)
        value = np.array(2, np.float32)
        yield _timer(lambda: step.run([value], np.asarray))


class ByGenerator:
    """The module ``minitf_swig`` in a folder, by SWIG or by minitf_wrap, and a kit."""

    def __init__(self, folder: str, kit: str) -> None:
        sys.path[:0] = [folder, kit]
        self.tf, self.kit = map(importlib.import_module, ("minitf_swig", "kit"))
        self.context = self.tf.TFE_NewContext(self.tf.TFE_NewContextOptions())

    def _graph(self) -> tuple:
        tf = self.tf
        graph = tf.TF_NewGraph()
        desc = tf.TF_NewOperation(graph, "Placeholder", "x")
        tf.TF_SetAttrType(desc, "dtype", tf.TF_FLOAT)
        return graph, tf.TF_FinishOperation(desc)

    def _sum(self, graph: object, x: object, name: str) -> object:
        tf = self.tf
        desc = tf.TF_NewOperation(graph, "AddV2", name)
        tf.AddInput(desc, x, 0)
        tf.AddInput(desc, x, 0)
        return tf.TF_FinishOperation(desc)

    def new_operation(self) -> Iterator:
        """Adds an AddV2 of two scalars to a graph."""
        (graph, x), name = self._graph(), _names()
        yield _timer(lambda: self._sum(graph, x, name()))
        self.tf.TF_DeleteGraph(graph)

    def eager_add(self) -> Iterator:
        """Computes an AddV2 of two scalars at once."""
        tf = self.tf
        x = tf.TFE_NewTensorHandle(np.float32(2))

        def add() -> None:
            op = tf.TFE_NewOp(self.context, "AddV2")
            tf.TFE_OpAddInput(op, x)
            tf.TFE_OpAddInput(op, x)
            (y,) = tf.TFE_Execute(op)
            tf.TFE_DeleteOp(op)
            tf.TFE_DeleteTensorHandle(y)

        yield _timer(add)
        tf.TFE_DeleteTensorHandle(x)

    def session_run(self) -> Iterator:
        """Runs a step that is fed one scalar and fetches one, as an array."""
        tf, (graph, x) = self.tf, self._graph()
        step = tf.Step()
        step.feed(x, 0, np.float32(2))
        step.fetch(self._sum(graph, x, "y"), 0)
        session = tf.NewSession(graph)

        def run() -> np.ndarray:
            step.run(session)
            return step.value(0)

        yield _timer(run)
        tf.TF_DeleteSession(session)
        tf.TF_DeleteGraph(graph)

    def of_kit(self, text: str) -> Iterator:
        """Makes a call of the kit, as the user of a module writes it."""
        names = {**vars(self.kit), "node": self.kit.Node(1)}
        yield timeit.Timer(text, globals=names).timeit


class ByCtypes:
    """The C API, called by ctypes. An error shows in the status in the end."""

    def __init__(self, library: str) -> None:
        self.c = c = ctypes.CDLL(library)
        for function in (
            *(c.TF_NewStatus, c.TF_NewGraph, c.TF_NewOperation, c.TF_FinishOperation),
            *(c.TF_AllocateTensor, c.TF_TensorData, c.TF_NewSessionOptions),
            *(c.TF_NewSession, c.TFE_NewContextOptions, c.TFE_NewContext),
            *(c.TFE_NewTensorHandle, c.TFE_NewOp),
        ):
            function.restype = Pointer
        self.status = c.TF_NewStatus()
        self.context = c.TFE_NewContext(c.TFE_NewContextOptions(), self.status)
        self.tensor = c.TF_AllocateTensor(1, None, 0, ctypes.c_size_t(4))  # TF_FLOAT
        self._float_at(self.tensor).value = 2

    def _float_at(self, tensor: Pointer) -> ctypes.c_float:
        return ctypes.c_float.from_address(self.c.TF_TensorData(tensor).value)

    def _check(self) -> None:
        if code := self.c.TF_GetCode(self.status):
            raise RuntimeError(f"the last call of the C API has set status {code}")

    def _graph(self) -> tuple:
        graph = self.c.TF_NewGraph()
        desc = self.c.TF_NewOperation(graph, b"Placeholder", b"x")
        self.c.TF_SetAttrType(desc, b"dtype", 1)
        return graph, Output(self.c.TF_FinishOperation(desc, self.status), 0)

    def _sum(self, graph: Pointer, x: Output, name: str) -> Pointer:
        c = self.c
        desc = c.TF_NewOperation(graph, b"AddV2", name.encode())
        c.TF_AddInput(desc, x)
        c.TF_AddInput(desc, x)
        return c.TF_FinishOperation(desc, self.status)

    def new_operation(self) -> Iterator:
        """Adds an AddV2 of two scalars to a graph."""
        (graph, x), name = self._graph(), _names()
        yield _timer(lambda: self._sum(graph, x, name()))
        self._check()
        self.c.TF_DeleteGraph(graph)

    def eager_add(self) -> Iterator:
        """Computes an AddV2 of two scalars at once."""
        c, status = self.c, self.status
        x = c.TFE_NewTensorHandle(self.tensor, status)
        y, count = Pointer(), ctypes.c_int()

        def add() -> None:
            op = c.TFE_NewOp(self.context, b"AddV2", status)
            c.TFE_OpAddInput(op, x, status)
            c.TFE_OpAddInput(op, x, status)
            count.value = 1
            c.TFE_Execute(op, ctypes.byref(y), ctypes.byref(count), status)
            c.TFE_DeleteOp(op)
            c.TFE_DeleteTensorHandle(y)

        yield _timer(add)
        self._check()
        c.TFE_DeleteTensorHandle(x)

    def session_run(self) -> Iterator:
        """Runs a step that is fed one scalar and fetches one, as a number."""
        c, status, (graph, x) = self.c, self.status, self._graph()
        y, tensor, result = Output(self._sum(graph, x, "y"), 0), self.tensor, Pointer()
        session = c.TF_NewSession(graph, c.TF_NewSessionOptions(), status)
        x, y, feed, fetch = map(ctypes.byref, (x, y, tensor, result))

        def run() -> float:
            c.TF_SessionRun(
                *(session, None, x, feed, 1, y, fetch, 1, None, 0, None, status)
            )
            value = self._float_at(result).value
            c.TF_DeleteTensor(result)
            return value

        yield _timer(run)
        self._check()
        c.TF_DeleteSession(session, status)
        c.TF_DeleteGraph(graph)


def _seconds(case: Case) -> float:
    """Returns the seconds of one call: the best of some bursts."""
    times = []
    for _ in range(BURSTS):
        prepared = case()
        times.append(next(prepared)(CALLS) / CALLS)
        next(prepared, None)
    return min(times)


def _by_c(program: str, library: str) -> dict[str, Callable[[], float]]:
    """The C API of a library, called by ``c_api_calls.c``, which measures itself."""
    functions = ctypes.CDLL(program)
    functions.Open(library.encode())
    cases = {}
    for name in ("NewOperation", "EagerAdd", "SessionRun"):
        function = getattr(functions, name)
        function.restype = ctypes.c_double
        key = re.sub(r"\B([A-Z])", r"_\1", name).lower()
        cases[key] = lambda f=function: min(f(CALLS) for _ in range(BURSTS))
    return cases


BINDINGS = {
    "pybind11": ByPybind11,
    "SWIG": ByGenerator,
    "minitf_wrap": ByGenerator,
    "ctypes": ByCtypes,
}


def _cases(name: str, paths: Sequence[str]) -> dict[str, Callable[[], float]]:
    """Returns the cases of a binding, each with a function that gives seconds."""
    if name not in BINDINGS:
        cases = _by_c(*paths)
    else:
        binding = BINDINGS[name](*paths)
        made = {case: getattr(binding, case) for case in TITLES if case not in KIT}
        if isinstance(binding, ByGenerator):
            made |= {case: partial(binding.of_kit, text) for case, text in KIT.items()}
        cases = {case: partial(_seconds, function) for case, function in made.items()}
    library = ctypes.CDLL(options.PEAK)
    library.Spin.argtypes = (ctypes.c_int64, ctypes.c_float)
    spin = _timer(partial(library.Spin, STEPS_OF_SPIN, 0.5))
    return {**cases, "spin": lambda: spin(10) / 10}


def main() -> None:
    """Serves until standard input ends."""
    name, *paths = sys.argv[1:]
    cases = _cases(name, paths)
    hello = {"version": name, "cases": list(cases), "groups": {"bindings": TITLES}}
    print(json.dumps({**hello, "operations": {}, "bytes": {}}), flush=True)
    for line in sys.stdin:
        case, samples = line.split()
        print(json.dumps([cases[case]() for _ in range(int(samples))]), flush=True)


if __name__ == "__main__":
    main()
