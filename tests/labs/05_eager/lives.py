"""How the driver of lab 05 runs scripts of tf.GradientTape."""

import gc
import weakref
from contextlib import ExitStack, suppress
from typing import Any

import numpy as np
from lab_05_eager.scripts import Step, error_of, run_steps

import minitf as tf
from minitf import _minitf
from minitf.eager import context, tape
from minitf.eager.graph_tape import GraphTape


class Tapes:
    """Runs events of tf.GradientTape in the mode that is entered.

    ``new`` (tape, options), ``enter``, ``leave``, ``reset`` (a tape); ``pause`` and
    ``resume`` (a tape, for a while); ``stop`` and ``go on`` (all tapes, for a while);
    ``watch`` (a tape, names, nested at will); ``steps`` (first, last) of the program;
    ``assign`` (a variable, a value, whether it is added); ``ask`` (a tape, ys, xs, dys,
    options, names for the gradients); ``jacobian`` (a tape, y, x); ``variables`` (a
    tape), those that it watches; ``listed`` (a tape), how often the thread's list has
    it; ``read`` (a value).
    """

    def __init__(
        self,
        program: list[Step],
        inputs: dict[str, np.ndarray],
        variables: dict,
        *,
        is_fed: bool = False,
    ) -> None:
        self._program = program
        self._values: dict[str, Any] = {
            name: tf.placeholder(value.dtype, None) if is_fed else tf.constant(value)
            for name, value in inputs.items()
        }
        self._feeds = {self._values[n]: v for n, v in inputs.items()} if is_fed else {}
        for name, (value, is_trainable) in variables.items():
            self._values[name] = tf.Variable(
                value, trainable=is_trainable, name=name, use_resource=True
            )
        self._variables = set(variables)
        self.tapes: dict[str, tf.GradientTape] = {}
        self._open: dict[str, list[ExitStack]] = {}
        self._results: list[Any] = []

    def _named(self, names: Any) -> Any:
        """The values of names in a structure."""
        if isinstance(names, str):
            return self._values[names]
        if isinstance(names, dict):
            return {key: self._named(name) for key, name in names.items()}
        if isinstance(names, (list, tuple)):
            return type(names)(self._named(name) for name in names)
        return names

    def do(self, event: list[Any]) -> None:
        """One event. An error is a result."""
        kind, *arguments = event
        try:
            getattr(self, "_" + kind.replace(" ", "_"))(*arguments)
        except Exception as error:
            self._results.append(error_of(error))

    def _new(self, name: str, options: dict[str, Any]) -> None:
        self.tapes[name] = tf.GradientTape(**options)

    def _enter(self, name: str) -> None:
        self.tapes[name].__enter__()

    def _leave(self, name: str) -> None:
        self.tapes[name].__exit__(None, None, None)

    def _reset(self, name: str) -> None:
        self.tapes[name].reset()

    def _pause(self, name: str) -> None:
        stack = ExitStack()
        stack.enter_context(self.tapes[name].stop_recording())
        self._open.setdefault(name, []).append(stack)

    def _resume(self, name: str) -> None:
        self._open[name].pop().close()

    def _stop(self) -> None:
        stack = ExitStack()
        stack.enter_context(tape.stop_recording())
        self._open.setdefault("", []).append(stack)

    def _go_on(self) -> None:
        self._open[""].pop().close()

    def _watch(self, name: str, names: Any) -> None:
        self.tapes[name].watch(self._named(names))

    def _steps(self, first: int, last: int) -> None:
        run_steps(self._program[first:last], self._values)

    def _assign(self, name: str, value: np.ndarray, is_added: bool) -> None:
        variable = self._values[name]
        (variable.assign_add if is_added else variable.assign)(value)

    def _weight(self, dy: Any) -> Any:
        if isinstance(dy, str):
            return self._values[dy]
        return None if dy is None else tf.constant(dy)

    def _ask(
        self,
        name: str,
        ys: Any,
        xs: Any,
        dys: Any = None,
        options: dict[str, Any] | None = None,
        names: list[str] = (),
    ) -> None:
        weights = None if dys is None else [self._weight(dy) for dy in dys]
        found = self.tapes[name].gradient(
            self._named(ys), self._named(xs), weights, **(options or {})
        )
        if names:
            self._values.update(zip(names, found, strict=True))
        self._results.append(found)

    def _jacobian(self, name: str, y: str, x: str, options: dict | None = None) -> None:
        found = self.tapes[name].jacobian(
            self._named(y), self._named(x), **(options or {})
        )
        self._results.append(found)

    def _variables_of(self, name: str) -> None:
        watched = self.tapes[name].watched_variables()
        self._results.append(" ".join(v.name.partition(":")[0] for v in watched))

    def _listed(self, name: str) -> None:
        times = tape.recorders.tapes.count(self.tapes[name])
        self._results.append(f"{times} times in the list of this thread")

    def _read(self, name: str) -> None:
        self._results.append(self._values[name])

    def close(self) -> None:
        """Ends what the script has left open, else it goes on in what runs after it."""
        for stack in [one for opened in self._open.values() for one in opened]:
            with suppress(Exception):
                stack.close()
        for record in self.tapes.values():
            with suppress(Exception):
                record.__exit__(None, None, None)

    def results(self, session: Any = None) -> list[Any]:
        """What the events gave, with arrays in place of tensors."""
        tensors: list[Any] = []

        def place(value: Any) -> Any:
            """``value`` with places among ``tensors`` for the tensors in it."""
            if isinstance(value, dict):
                return {key: place(part) for key, part in value.items()}
            if isinstance(value, (list, tuple)) and not hasattr(value, "indices"):
                return [place(part) for part in value]
            if value is None or isinstance(value, str):
                return value
            tensors.append(tf.convert_to_tensor(value))
            return len(tensors) - 1

        def array(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: array(part) for key, part in value.items()}
            if isinstance(value, list):
                return [array(part) for part in value]
            return arrays[value] if isinstance(value, int) else value

        placed = [place(value) for value in self._results]
        if session is None:
            arrays = [tensor.numpy() for tensor in tensors]
        else:
            arrays = session.run(tensors, self._feeds)
        return [array(value) for value in placed]


def places(
    events: list[list[Any]], program: list[Step], values: list[np.ndarray]
) -> list[list[Any]]:
    """Runs events with the same tapes in eager mode, which is place 0, and in graphs."""
    graphs = [None, *(tf.Graph() for _ in values[1:])]
    runners: list[Tapes] = []
    for graph, value in zip(graphs, values, strict=True):
        with context.entered(graph):
            runners.append(Tapes(program, {"x": value}, {}))
        runners[-1].tapes = runners[0].tapes
    with ExitStack() as stack:
        for runner in runners:
            stack.callback(runner.close)
        for place, *event in events:
            with context.entered(graphs[place]):
                runners[place].do(event)
        return _results(graphs, runners)


def _results(graphs: list[Any], runners: list[Tapes]) -> list[Any]:
    found = []
    for graph, runner in zip(graphs, runners, strict=True):
        with context.entered(graph), ExitStack() as stack:
            session = stack.enter_context(tf.Session(graph=graph)) if graph else None
            found.append(runner.results(session))
    return found


def loops(kind: str, x: np.ndarray, times: int) -> list[Any]:
    """The gradients of a loop's value y, and of y x, by one tape in a graph."""
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        at, one = tf.constant(x), tf.constant(np.float64(1))
        factor = 2.0 if kind == "from x" else at

        def run(start: Any, depth: int = 1) -> Any:
            def body(i: Any, a: Any) -> Any:
                inner = run(a, depth - 1) if depth > 1 else a * factor
                if kind == "paused within":
                    with record.stop_recording():
                        tf.negative(a)
                    inner = inner * 1.0
                return i + 1, inner

            count = 2 if depth > 1 else times
            return tf.while_loop(lambda i, a: i < count, body, [tf.constant(0), start])[1]

        def pass_on() -> Any:
            def body(i: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
                return i + 1, b, c, d, d * at

            first = [tf.constant(0), one, one, one, one]
            return tf.while_loop(lambda i, *_: i < times, body, first)[1]

        with tf.GradientTape(persistent=True) as record:
            record.watch(at)
            with ExitStack() as stack:
                if kind == "paused":
                    stack.enter_context(record.stop_recording())
                start = at if kind in {"from x", "both"} else one
                depth = 2 if kind == "within a loop" else 1
                y = pass_on() if kind == "passed on" else run(start, depth)
                y = run(y) if kind == "after a loop" else y
            z = y * at
        found = [record.gradient(target, at) for target in (y, z)]
        return [None if one is None else session.run(one) for one in found]


def long_graph(length: int) -> float:
    """dy/dx of a chain of Neg in a graph."""
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.constant(np.float64(1))
        with tf.GradientTape() as record:
            record.watch(x)
            y = x
            for _ in range(length):
                y = tf.negative(y)
        return float(session.run(record.gradient(y, x)))


def from_the_first_node(length: int, seen: int, is_stopped: bool) -> list[Any]:
    """The gradients of the first, second and so on of a chain of Neg, by a GraphTape.

    It is started before the graph has nodes, and stopped when ``seen`` of ``length`` Neg
    are there; if these are all, only if ``is_stopped``.
    """
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        record = GraphTape(graph)
        record.start()
        x = tf.constant(np.float64(1))
        record.watch(x)
        ys = [x]
        for i in range(length):
            if i == seen:
                record.stop()
            ys.append(tf.negative(ys[-1]))
        if is_stopped:
            record.stop()
        found = [record.gradient([y], [x], [None])[0] for y in ys[1:]]
        return [None if one is None else float(session.run(one)) for one in found]


def let_go(options: dict[str, Any], how: str) -> dict[str, Any]:
    """Whether the graph of a tape is alive, and how many eager tensors, if it is let go.

    It is asked ``once``, or in ``vain``, or it is ``reset``.
    """
    size, length = 1 << 14, 30
    record = tf.GradientTape(**options)

    def end(y: Any, x: Any) -> None:
        if how == "reset":
            record.reset()
            return
        with suppress(LookupError):
            record.gradient(y, x)

    def in_mode(graph: Any) -> Any:
        x = tf.constant(np.linspace(0.0, 1.0, size))
        with record:
            record.watch(x)
            y = x
            for _ in range(length):
                y = tf.sin(y)
            if how == "vain":
                y = tf.unique(y)[0]
            if how == "reset":
                record.reset()
        if how != "reset":
            end(y, x)
        return weakref.ref(graph) if graph is not None else None

    graph = tf.Graph()
    with context.entered(graph):
        alive = in_mode(graph)
    del graph
    gc.collect()
    is_alive = alive() is not None
    with context.entered(None):
        _minitf.forget_kernels()
        before = _minitf.allocator_stats()[0]
        in_mode(None)
        gc.collect()
        tensors = (_minitf.allocator_stats()[0] - before) / (8 * size)
    return {"graph": is_alive, "tensors": tensors}
