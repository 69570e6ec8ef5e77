"""How the driver of lab 05 runs scripts: programs, and events of tapes."""

import threading
from contextlib import ExitStack
from typing import Any

import numpy as np

import minitf as tf
from minitf import _minitf
from minitf.eager import context, tape
from minitf.framework import op_def_library

Step = dict[str, Any]


def error_of(error: BaseException) -> dict[str, str]:
    """An error as a value."""
    if "is not written yet" in str(error):
        raise error
    return {"raised": type(error).__name__, "text": str(error)}


def run_steps(program: list[Step], values: dict[str, Any]) -> None:
    """Calls the ops of ``program`` and adds their outputs to ``values``."""
    for step in program:
        inputs = [values[name] for name in step["inputs"]]
        attrs = {
            key: tf.as_dtype(value) if key in {"DstT", "T"} else value
            for key, value in step["attrs"].items()
        }
        if step["op"] in {"Pack", "AddN", "IdentityN"}:
            inputs = [inputs]
        made = op_def_library.call(step["op"], inputs, attrs)
        outputs = made if isinstance(made, (list, tuple)) else [made]
        values.update(zip(step["outputs"], outputs, strict=True))


# ---- Tapes of C++ ---------------------------------------------------------------------


class _Recording:
    """What a script of ``tape_events`` has made so far."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.tapes: dict[str, Any] = {}
        self.stops: dict[str, list[Any]] = {}

    def do(self, thread: str, kind: str, arguments: list[Any]) -> Any:
        """One event, in the thread that runs it."""
        if kind == "look":
            return {
                name: {
                    "records": one.num_records,
                    "recording": one.is_recording,
                    "watched": sorted(
                        value for value, at in self.values.items() if one.is_watched(at)
                    ),
                }
                for name, one in sorted(self.tapes.items())
            }
        if kind == "value":
            name, value = arguments
            self.values[name] = tf.constant(value)
        elif kind == "call":
            self._call(*arguments)
        elif kind == "tape":
            self.tapes[arguments[0]] = _minitf.Tape(True)
        elif kind == "drop":
            del self.tapes[arguments[0]]
        elif kind == "watch":
            self.tapes[arguments[0]].watch(self.values[arguments[1]])
        elif kind == "pause":
            stop = _minitf.StopRecording()
            stop.enter()
            self.stops.setdefault(thread, []).append(stop)
        elif kind == "go on":
            self.stops[thread].pop().exit()
        else:
            getattr(self.tapes[arguments[0]], kind)()  # start, stop, reset
        return None

    def _call(self, op: str, inputs: list[str], outputs: list[str], attrs: dict) -> None:
        given = [self.values[name] for name in inputs]
        made = _minitf.execute(op, given, attrs, None)
        self.values.update(zip(outputs, made, strict=True))


class _Worker:
    """A thread that runs what it is told, one thing after the other."""

    def __init__(self) -> None:
        self._work: Any = None
        self._told, self._done = threading.Semaphore(0), threading.Semaphore(0)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._loop, daemon=True)
        self._thread.start()

    def _loop(self) -> None:
        with context.entered(None):
            while True:
                self._told.acquire()
                if self._work is None:
                    return
                try:
                    self._work()
                except BaseException as error:
                    self._error = error
                self._done.release()

    def run(self, work: Any) -> None:
        """Runs ``work`` there, and waits; raises what it raises."""
        self._work = work
        self._told.release()
        self._done.acquire()
        if self._error is not None:
            raise self._error

    def end(self) -> None:
        """Ends the thread."""
        self._work = None
        self._told.release()
        self._thread.join()


def tape_events(events: list[list[Any]]) -> list[Any]:
    """Runs events ``[thread, kind, argument...]``; what each ``look`` sees.

    Kinds: ``value`` (name, array), ``tape`` (name), ``drop``, ``start``, ``stop``,
    ``reset`` (a tape), ``watch`` (a tape, a value), ``call`` (op, inputs, outputs,
    attributes), ``pause`` and ``go on`` (a StopRecording), ``look``. The thread ``main``
    is this one; others are made.
    """
    found: list[Any] = []
    recording = _Recording()
    workers: dict[str, _Worker] = {}

    def do(thread: str, kind: str, arguments: list[Any]) -> None:
        seen = recording.do(thread, kind, arguments)
        if kind == "look":
            found.append(seen)

    with context.entered(None):
        try:
            for thread, kind, *arguments in events:
                if thread == "main":
                    do(thread, kind, arguments)
                    continue
                if thread not in workers:
                    workers[thread] = _Worker()
                workers[thread].run(lambda t=thread, k=kind, a=arguments: do(t, k, a))
        finally:
            for thread, stops in recording.stops.items():
                while stops:
                    stop = stops.pop()
                    if thread == "main":
                        stop.exit()
                    else:
                        workers[thread].run(stop.exit)
            for one in recording.tapes.values():
                one.stop()
            for worker in workers.values():
                worker.end()
    return found


# ---- tf.GradientTape ------------------------------------------------------------------


class Tapes:
    """Runs events of tf.GradientTape in the mode that is entered.

    ``new`` (tape, options), ``enter``, ``leave``, ``reset`` (a tape); ``pause`` and
    ``resume`` (a tape, for a while); ``stop`` and ``go on`` (all tapes, for a while);
    ``watch`` (a tape, names, nested at will); ``steps`` (first, last) of the program;
    ``assign`` (a variable, a value, whether it is added); ``ask`` (a tape, ys, xs, dys,
    options, names for the gradients); ``jacobian`` (a tape, y, x); ``variables`` (a
    tape), those that it watches; ``read`` (a value).
    """

    def __init__(
        self, program: list[Step], inputs: dict[str, np.ndarray], variables: dict
    ) -> None:
        self._program = program
        self._values: dict[str, Any] = {n: tf.constant(v) for n, v in inputs.items()}
        for name, (value, is_trainable) in variables.items():
            self._values[name] = tf.Variable(
                value, trainable=is_trainable, name=name, use_resource=True
            )
        self._variables = set(variables)
        self._tapes: dict[str, tf.GradientTape] = {}
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
        self._tapes[name] = tf.GradientTape(**options)

    def _enter(self, name: str) -> None:
        self._tapes[name].__enter__()

    def _leave(self, name: str) -> None:
        self._tapes[name].__exit__(None, None, None)

    def _reset(self, name: str) -> None:
        self._tapes[name].reset()

    def _pause(self, name: str) -> None:
        stack = ExitStack()
        stack.enter_context(self._tapes[name].stop_recording())
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
        self._tapes[name].watch(self._named(names))

    def _steps(self, first: int, last: int) -> None:
        run_steps(self._program[first:last], self._values)

    def _assign(self, name: str, value: np.ndarray, is_added: bool) -> None:
        variable = self._values[name]
        (variable.assign_add if is_added else variable.assign)(value)

    def _ask(
        self,
        name: str,
        ys: Any,
        xs: Any,
        dys: Any = None,
        options: dict[str, Any] | None = None,
        names: list[str] = (),
    ) -> None:
        weights = (
            None if dys is None else [None if d is None else tf.constant(d) for d in dys]
        )
        found = self._tapes[name].gradient(
            self._named(ys), self._named(xs), weights, **(options or {})
        )
        if names:
            self._values.update(zip(names, found, strict=True))
        self._results.append(found)

    def _jacobian(self, name: str, y: str, x: str, options: dict | None = None) -> None:
        found = self._tapes[name].jacobian(
            self._named(y), self._named(x), **(options or {})
        )
        self._results.append(found)

    def _variables_of(self, name: str) -> None:
        watched = self._tapes[name].watched_variables()
        self._results.append(" ".join(v.name.partition(":")[0] for v in watched))

    def _read(self, name: str) -> None:
        self._results.append(self._values[name])

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
            arrays = session.run(tensors)
        return [array(value) for value in placed]
