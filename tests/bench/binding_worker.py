"""One binding, waiting to be asked for times: ``python binding_worker.py NAME PATH...``.

It speaks as ``worker.py`` does. A case makes some calls and returns the seconds of one
call. What the calls need beforehand is not timed, and neither is deleting the graph.

Read next: ``tests/bench/bindings.py``.
"""

import ctypes
import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
import options
from worker import STEPS_OF_SPIN

CALLS = 2000
KIT_CALLS = 20_000
BURSTS = 9  # The best of them is a sample: they are shorter than a time slice.
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
Case = Callable[[], float]


def _timed(call: Callable[[], object], calls: int = CALLS) -> float:
    """Returns the seconds of one call."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


class ByPybind11:
    """The module ``_minitf``, without the Python functions of minitf around it."""

    def __init__(self) -> None:
        import minitf as tf

        tf.enable_eager_execution()
        self.tf, self.module = tf, tf._minitf

    def new_operation(self) -> float:
        """Adds an AddV2 of two scalars to a graph."""
        graph = self.tf.Graph()
        with graph.as_default():
            fed = self.tf.placeholder(self.tf.float32)._handle
        add, names = graph._core.add_node, iter([f"sum_{i}" for i in range(CALLS)])
        return _timed(
            lambda: add("AddV2", next(names), [fed, fed], (), (), None, ("", ""))
        )

    def eager_add(self) -> float:
        """Computes an AddV2 of two scalars at once."""
        x, execute = self.tf.constant(2.0), self.module.execute_plain
        return _timed(lambda: execute("AddV2", x, x))

    def session_run(self) -> float:
        """Runs a step that is fed one scalar and fetches one."""
        graph = self.tf.Graph()
        with graph.as_default():
            fed = self.tf.placeholder(self.tf.float32)
            sum_ = self.tf.add(fed, fed)
        session = self.module.SessionCore(graph._core, b"")
        step = session.prepare([fed._handle], [sum_._handle], [], False)
        value = np.array(2, np.float32)
        step.run([value], np.asarray)
        return _timed(lambda: step.run([value], np.asarray))


class ByGenerator:
    """The module ``minitf_swig`` in a folder, by SWIG or by minitf_wrap, and a kit."""

    def __init__(self, folder: str, kit: str) -> None:
        sys.path[:0] = [folder, kit]
        self.tf, self.kit = map(importlib.import_module, ("minitf_swig", "kit"))

    def _sum(self, graph: object, fed: object, name: str) -> object:
        tf = self.tf
        desc = tf.TF_NewOperation(graph, "AddV2", name)
        tf.AddInput(desc, fed, 0)
        tf.AddInput(desc, fed, 0)
        return tf.TF_FinishOperation(desc)

    def _graph(self) -> tuple:
        tf = self.tf
        graph = tf.TF_NewGraph()
        desc = tf.TF_NewOperation(graph, "Placeholder", "fed")
        tf.TF_SetAttrType(desc, "dtype", tf.TF_FLOAT)
        return graph, tf.TF_FinishOperation(desc)

    def new_operation(self) -> float:
        """Adds an AddV2 of two scalars to a graph."""
        graph, fed = self._graph()
        names = iter([f"sum_{i}" for i in range(CALLS)])
        seconds = _timed(lambda: self._sum(graph, fed, next(names)))
        self.tf.TF_DeleteGraph(graph)
        return seconds

    def eager_add(self) -> float:
        """Computes an AddV2 of two scalars at once."""
        tf = self.tf
        configuration = tf.TFE_NewContextOptions()
        context = tf.TFE_NewContext(configuration)
        tf.TFE_DeleteContextOptions(configuration)
        x = tf.TFE_NewTensorHandle(np.float32(2))

        def add() -> None:
            op = tf.TFE_NewOp(context, "AddV2")
            tf.TFE_OpAddInput(op, x)
            tf.TFE_OpAddInput(op, x)
            (y,) = tf.TFE_Execute(op)
            tf.TFE_DeleteOp(op)
            tf.TFE_DeleteTensorHandle(y)

        seconds = _timed(add)
        tf.TFE_DeleteTensorHandle(x)
        tf.TFE_DeleteContext(context)
        return seconds

    def session_run(self) -> float:
        """Runs a step that is fed one scalar and fetches one."""
        tf = self.tf
        graph, fed = self._graph()
        step = tf.Step()
        step.feed(fed, 0, np.float32(2))
        step.fetch(self._sum(graph, fed, "sum"), 0)
        session = tf.NewSession(graph)

        def run() -> np.ndarray:
            step.run(session)
            return step.value(0)

        run()
        seconds = _timed(run)
        tf.TF_DeleteSession(session)
        tf.TF_DeleteGraph(graph)
        return seconds

    def call_kit(self, text: str) -> float:
        """A call of the kit, as the user of a module writes it."""
        names = {**vars(self.kit), "node": self.kit.Node(1)}
        loop = f"def calls():\n    for _ in range({KIT_CALLS}): {text}"
        exec(loop, names)  # the texts are those above
        return _timed(names["calls"], 1) / KIT_CALLS


class Output(ctypes.Structure):
    """TF_Output."""

    _fields_ = (("oper", ctypes.c_void_p), ("index", ctypes.c_int))


class ByCtypes:
    """The C API, called by ctypes."""

    def __init__(self, library: str) -> None:
        self.c = ctypes.CDLL(library)
        self.status = self.function("TF_NewStatus", ctypes.c_void_p)()

    def _timed(self, call: Callable[[], object]) -> float:
        seconds = _timed(call)
        code = self.function("TF_GetCode", ctypes.c_int, ctypes.c_void_p)(self.status)
        if code:
            raise RuntimeError(f"the last call of the C API has set status {code}")
        return seconds

    def function(self, name: str, result: type | None, *arguments: type) -> Callable:
        """Returns a function; an argument that has no type is a pointer."""
        function = getattr(self.c, name)
        function.restype, function.argtypes = result, arguments
        return function

    def _functions_of_graph(self) -> tuple:
        pointer, text = ctypes.c_void_p, ctypes.c_char_p
        return (
            self.function("TF_NewOperation", pointer, pointer, text, text),
            self.function("TF_AddInput", None, pointer, Output),
            self.function("TF_FinishOperation", pointer, pointer, pointer),
        )

    def _graph(self) -> tuple:
        pointer = ctypes.c_void_p
        new_operation, _, finish = self._functions_of_graph()
        set_type = self.function(
            "TF_SetAttrType", None, pointer, ctypes.c_char_p, ctypes.c_int
        )
        graph = self.function("TF_NewGraph", pointer)()
        desc = new_operation(graph, b"Placeholder", b"fed")
        set_type(desc, b"dtype", 1)  # TF_FLOAT
        return graph, Output(finish(desc, self.status), 0)

    def _tensor(self) -> int:
        pointer, number = ctypes.c_void_p, ctypes.c_size_t
        new = self.function(
            "TF_AllocateTensor", pointer, ctypes.c_int, pointer, ctypes.c_int, number
        )
        data = self.function("TF_TensorData", pointer, pointer)
        tensor = new(1, None, 0, 4)
        ctypes.c_float.from_address(data(tensor)).value = 2
        return tensor

    def new_operation(self) -> float:
        """Adds an AddV2 of two scalars to a graph."""
        graph, fed = self._graph()
        new_operation, add_input, finish = self._functions_of_graph()
        names = iter([f"sum_{i}".encode() for i in range(CALLS)])

        def add() -> None:
            desc = new_operation(graph, b"AddV2", next(names))
            add_input(desc, fed)
            add_input(desc, fed)
            finish(desc, self.status)

        seconds = self._timed(add)
        self.function("TF_DeleteGraph", None, ctypes.c_void_p)(graph)
        return seconds

    def eager_add(self) -> float:
        """Computes an AddV2 of two scalars at once."""
        pointer, text = ctypes.c_void_p, ctypes.c_char_p
        function, status = self.function, self.status
        configuration = function("TFE_NewContextOptions", pointer)()
        new_context = function("TFE_NewContext", pointer, pointer, pointer)
        context = new_context(configuration, status)
        new_handle = function("TFE_NewTensorHandle", pointer, pointer, pointer)
        x = new_handle(self._tensor(), status)
        new_op = function("TFE_NewOp", pointer, pointer, text, pointer)
        add_input = function("TFE_OpAddInput", None, pointer, pointer, pointer)
        execute = function("TFE_Execute", None, pointer, pointer, pointer, pointer)
        delete_op = function("TFE_DeleteOp", None, pointer)
        delete_handle = function("TFE_DeleteTensorHandle", None, pointer)
        outputs, count = (pointer * 1)(), ctypes.c_int(1)

        def add() -> None:
            op = new_op(context, b"AddV2", status)
            add_input(op, x, status)
            add_input(op, x, status)
            count.value = 1
            execute(op, outputs, ctypes.byref(count), status)
            delete_op(op)
            delete_handle(outputs[0])

        return self._timed(add)

    def session_run(self) -> float:
        """Runs a step that is fed one scalar and fetches one."""
        pointer, number = ctypes.c_void_p, ctypes.c_int
        function, status = self.function, self.status
        graph, fed = self._graph()
        new_operation, add_input, finish = self._functions_of_graph()
        desc = new_operation(graph, b"AddV2", b"sum")
        add_input(desc, fed)
        add_input(desc, fed)
        sum_ = Output(finish(desc, status), 0)
        configuration = function("TF_NewSessionOptions", pointer)()
        session = function("TF_NewSession", pointer, pointer, pointer, pointer)(
            graph, configuration, status
        )
        lists = (pointer, pointer, number)
        run = function(
            "TF_SessionRun",
            None,
            pointer,
            pointer,
            *lists,
            *lists,
            *lists[1:],
            pointer,
            pointer,
        )
        data = function("TF_TensorData", pointer, pointer)
        delete_tensor = function("TF_DeleteTensor", None, pointer)
        feeds, fetches = (Output * 1)(fed), (Output * 1)(sum_)
        values, results = (pointer * 1)(self._tensor()), (pointer * 1)()

        def step() -> float:
            run(
                session,
                None,
                feeds,
                values,
                1,
                fetches,
                results,
                1,
                None,
                0,
                None,
                status,
            )
            value = ctypes.c_float.from_address(data(results[0])).value
            delete_tensor(results[0])
            return value

        step()
        return self._timed(step)


class ByC:
    """The C API of a library, called by a program in C: ``c_api_calls.c``."""

    def __init__(self, program: str, library: str) -> None:
        self.program = ctypes.CDLL(program)
        self.program.Open(library.encode())

    def _seconds(self, name: str) -> float:
        function = getattr(self.program, name)
        function.restype = ctypes.c_double
        return function(CALLS)

    def new_operation(self) -> float:
        """Adds an AddV2 of two scalars to a graph."""
        return self._seconds("NewOperation")

    def eager_add(self) -> float:
        """Computes an AddV2 of two scalars at once."""
        return self._seconds("EagerAdd")

    def session_run(self) -> float:
        """Runs a step that is fed one scalar and fetches one."""
        return self._seconds("SessionRun")


BINDINGS = {
    "pybind11": ByPybind11,
    "SWIG": ByGenerator,
    "minitf_wrap": ByGenerator,
    "ctypes": ByCtypes,
    "C": ByC,
    "TensorFlow, C": ByC,
}


def _cases(name: str, paths: Sequence[str]) -> dict[str, Case]:
    """Returns the cases of a binding."""
    binding = BINDINGS[name](*paths)
    cases: dict[str, Case] = {
        "new_operation": binding.new_operation,
        "eager_add": binding.eager_add,
        "session_run": binding.session_run,
    }
    if isinstance(binding, ByGenerator):
        for case, text in KIT.items():
            cases[case] = lambda text=text: binding.call_kit(text)
    library = ctypes.CDLL(options.PEAK)
    library.Spin.argtypes = (ctypes.c_int64, ctypes.c_float)
    cases["spin"] = lambda: _timed(lambda: library.Spin(STEPS_OF_SPIN, 0.5), 10)
    return cases


def main() -> None:
    """Serves until standard input ends."""
    name, *paths = sys.argv[1:]
    cases = _cases(name, paths)
    hello = {"version": name, "cases": list(cases)}
    hello |= {"groups": {"bindings": TITLES}, "operations": {}, "bytes": {}}
    print(json.dumps(hello), flush=True)
    for line in sys.stdin:
        case, samples = line.split()
        times = [min(cases[case]() for _ in range(BURSTS)) for _ in range(int(samples))]
        print(json.dumps(times), flush=True)


if __name__ == "__main__":
    main()
