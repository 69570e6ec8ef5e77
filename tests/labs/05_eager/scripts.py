"""How the driver of lab 05 runs scripts: programs, and events of tapes of C++."""

import ctypes
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import minitf as tf
from minitf import _minitf
from minitf.eager import context
from minitf.framework import op_def_library
from minitf.ops import script_ops

Step = dict[str, Any]
_M_PERTURB = -6  # of malloc.h


def error_of(error: BaseException) -> dict[str, str]:
    """An error as a value."""
    if "is not written yet" in str(error):
        raise error
    return {"raised": type(error).__name__, "text": str(error)}


@tf.custom_gradient
def _raising(x: Any) -> tuple[Any, Any]:
    """``x``, whose gradient function raises ZeroDivisionError."""
    return tf.identity(x), lambda dy: dy / (1 // 0)


@tf.custom_gradient
def _tripled(x: Any) -> tuple[Any, Any]:
    """``x``, whose gradient function gives three times what it gets."""
    return tf.identity(x), lambda dy: 3 * dy


@tf.custom_gradient
def _read(x: Any) -> tuple[Any, Any]:
    """``x``, whose gradient function reads a file that there is not."""
    return tf.identity(x), lambda dy: tf.cast(tf.io.read_file("/gone/file"), dy.dtype)


@tf.custom_gradient
def _not_found(x: Any) -> tuple[Any, Any]:
    """``x``, whose gradient function says that something is not found."""

    def gradient(_dy: Any) -> Any:
        raise tf.errors.NotFoundError(None, None, "a table is gone")

    return tf.identity(x), gradient


_CUSTOM = {
    "Raising": _raising, "Tripled": _tripled, "Read": _read, "NotFound": _not_found
}  # fmt: skip


def run_steps(program: list[Step], values: dict[str, Any]) -> None:
    """Calls the ops of ``program`` and adds their outputs to ``values``."""
    for step in program:
        inputs = [values[name] for name in step["inputs"]]
        if step["op"] in _CUSTOM:
            values[step["outputs"][0]] = _CUSTOM[step["op"]](*inputs)
            continue
        attrs = {
            key: tf.as_dtype(value) if key in {"DstT", "T"} else value
            for key, value in step["attrs"].items()
        }
        if step["op"] in {"Pack", "AddN", "IdentityN"}:
            inputs = [inputs]
        made = op_def_library.call(step["op"], inputs, attrs)
        outputs = made if isinstance(made, (list, tuple)) else [made]
        values.update(zip(step["outputs"], outputs, strict=True))


def calls_within_calls(x: np.ndarray, depth: int, count: int) -> list[np.ndarray]:
    """The outputs of a kernel that calls ops while it runs, and itself, so many deep.

    Its outputs are x + 1, x + 2 and so on up to ``count``; then, unless it is the last,
    those of the next one, whose x is 2 x.
    """
    kept = []

    def values_of(value: Any, left: int) -> list[Any]:
        found = [tf.add(value, np.float64(i + 1)) for i in range(count)]
        return found + (run(tf.add(value, value), left - 1) if left > 1 else [])

    def run(value: Any, left: int) -> list[Any]:
        types = [tf.float64] * (count * left)
        function = script_ops._TensorFunction(lambda at: values_of(at, left), types)
        kept.append(function)
        attrs = {"token": function.token, "Tout": [t.as_datatype_enum for t in types]}
        return _minitf.execute("EagerPyFunc", [value], attrs, None)

    with context.entered(None):
        return [value.numpy() for value in run(tf.constant(x), depth)]


# ---- States ---------------------------------------------------------------------------

_FLOAT, _STRING = (t.as_datatype_enum for t in (tf.float64, tf.string))


def _state(op: str) -> Any:
    """A new state, by a call of ``op``."""
    if op == "StackV2":
        return _minitf.execute(op, [tf.constant(-1)], {"elem_type": _FLOAT}, None)[0]
    attrs: dict[str, Any] = {}
    if op == "VarHandleOp":
        attrs = {"dtype": _FLOAT, "shape": [], "shared_name": ""}
    elif "Queue" in op:
        attrs = {"component_types": [_STRING]}
    return _minitf.execute(op, [], attrs or None, None)[0]


def _use(op: str, state: Any, path: str) -> None:
    """Uses a state once."""
    if op == "VarHandleOp":
        one = tf.constant(np.float64(1))
        _minitf.execute("AssignAddVariableOp", [state, one], {"dtype": _FLOAT}, None)
    elif op == "StackV2":
        _minitf.execute("StackPushV2", [state, tf.constant(np.float64(1))], None, None)
    elif "Queue" in op:
        _minitf.execute("QueueEnqueueV2", [state, tf.constant(path)], {}, [1, 1])
    else:
        work = _state("FIFOQueueV2")
        _use("FIFOQueueV2", work, path)
        _minitf.execute("ReaderReadV2", [state, work], None, None)


def _uses(op: str, state: Any) -> int:
    """How often a state was used."""
    if op == "StackV2":
        count = 0
        with suppress(tf.errors.OpError):
            while True:
                _minitf.execute("StackPopV2", [state], {"elem_type": _FLOAT}, None)
                count += 1
        return count
    ask, attrs = "ReaderNumRecordsProducedV2", None
    if op == "VarHandleOp":
        ask, attrs = "ReadVariableOp", {"dtype": _FLOAT}
    elif "Queue" in op:
        ask = "QueueSizeV2"
    return int(_minitf.execute(ask, [state], attrs, None)[0].numpy())


def states(op: str, counts: list[int]) -> list[int]:
    """Makes and uses states by equal calls; how often each was used, as it says."""
    with context.entered(None), tempfile.NamedTemporaryFile() as file:
        file.write(b"line\n" * sum(counts))
        file.flush()
        made = [_state(op) for _ in counts]
        if op == "VarHandleOp":
            for state in made:
                zero = tf.constant(np.float64(0))
                _minitf.execute("AssignVariableOp", [state, zero], None, None)
        for state, count in zip(made, counts, strict=True):
            for _ in range(count):
                _use(op, state, file.name)
        return [_uses(op, state) for state in made]


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
        elif kind == "ignore":
            self.tapes[arguments[0]].ignore_stops(arguments[1])
        else:
            getattr(self.tapes[arguments[0]], kind)()  # start, stop, reset
        return None

    def _call(self, op: str, inputs: list[str], outputs: list[str], attrs: dict) -> None:
        given = [self.values[name] for name in inputs]
        made = _minitf.execute(op, given, attrs, None)
        self.values.update(zip(outputs, made, strict=True))


def _overwrite_freed_memory(byte: int) -> None:
    """Has the C library fill memory that is freed from now on; 0 for: leave it.

    So that whoever still uses it is found out.
    """
    ctypes.CDLL(None).mallopt(_M_PERTURB, byte)


class Worker:
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
        """Ends the thread; memory that it frees at its end is overwritten."""
        self._work = None
        _overwrite_freed_memory(0xA5)
        self._told.release()
        self._thread.join()
        # Python has done with it; what C++ keeps for each thread goes a little later.
        task = Path(f"/proc/self/task/{self._thread.native_id}")
        while task.exists():
            time.sleep(1e-4)
        _overwrite_freed_memory(0)


def tape_events(events: list[list[Any]]) -> list[Any]:
    """Runs events ``[thread, kind, argument...]``; what each ``look`` sees.

    Kinds: ``value`` (name, array), ``tape`` (name), ``drop``, ``start``, ``stop``,
    ``reset`` (a tape), ``ignore`` (a tape, how many stops), ``watch`` (a tape, a value),
    ``call`` (op, inputs, outputs, attributes), ``pause`` and ``go on`` (a StopRecording),
    ``look``, ``end`` (of the thread). The thread ``main`` is this one; others are made.
    """
    found: list[Any] = []
    recording = _Recording()
    workers: dict[str, Worker] = {}

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
                if kind == "end":
                    workers.pop(thread).end()
                    continue
                if thread not in workers:
                    workers[thread] = Worker()
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


def stopped_meanwhile(meanwhile: str, count: int) -> int:
    """Stops tapes of this thread in another one, while this one does something.

    It ``calls`` ops, which other tapes record, or ``starts`` other tapes. Returns how
    many tapes have another number of records than the calls that they saw.
    """
    num_calls, num_others = 40, 50 if meanwhile == "calls" else count
    with context.entered(None):
        x = tf.constant(np.ones(1 << 13))  # so big that other threads run meanwhile
        gone, others = (
            [_minitf.Tape(True) for _ in range(n)] for n in (count, num_others)
        )
        for tape_ in gone + others:
            tape_.watch(x)
        for tape_ in gone + (others if meanwhile == "calls" else []):
            tape_.start()
        # Several threads: while they wait for each other, one has the list all the time.
        ready = threading.Barrier(5)

        def stop_all(part: list[Any]) -> None:
            ready.wait()
            for one in part:
                one.stop()

        workers = [
            threading.Thread(target=stop_all, args=(gone[i::4],)) for i in range(4)
        ]
        for worker in workers:
            worker.start()
        ready.wait()
        if meanwhile == "calls":
            for _ in range(num_calls):
                _minitf.execute("Neg", [x], None, None)
        else:
            for tape_ in others:
                tape_.start()
        for worker in workers:
            worker.join()
        seen = [one.num_records for one in gone]
        if meanwhile == "starts":
            _minitf.execute("Neg", [x], None, None)
        expected = num_calls if meanwhile == "calls" else 1
        wrong = sum(one.num_records != expected for one in others)
        wrong += sum(now.num_records != n for now, n in zip(gone, seen, strict=True))
        for tape_ in others:
            tape_.stop()
        return wrong
