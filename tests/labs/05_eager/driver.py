"""What cases of lab 05 call: ops at once, tapes of C++, and tf.GradientTape.

Scripts of events say what happens, in which order. Nothing here knows what is expected.
"""

import gc
import signal
import threading
from contextlib import ExitStack
from typing import Any

import numpy as np
from lab_05_eager.lives import (
    Tapes,
    from_the_first_node,
    let_go,
    long_graph,
    loops,
    places,
)
from lab_05_eager.scripts import (
    Worker,
    calls_within_calls,
    error_of,
    run_steps,
    states,
    stopped_meanwhile,
    tape_events,
)

import minitf as tf
from minitf import _minitf
from minitf.eager import context
from minitf.eager.tape import stop_recording, variables_read

Step = dict[str, Any]
TYPES = {"DstT", "T", "dtype", "out_type", "output_type", "sparse_types", "tensor_type"}


# ---- Calls ----------------------------------------------------------------------------


def _attrs_of(attrs: dict[str, Any]) -> dict[str, Any]:
    """Attributes as C++ takes them."""

    def converted(name: str, value: Any) -> Any:
        if isinstance(value, list):
            return [converted(name, member) for member in value]
        if name in TYPES:
            return tf.as_dtype(value).as_datatype_enum
        return tf.constant(value) if isinstance(value, np.ndarray) else value

    return {name: converted(name, value) for name, value in attrs.items()}


def _execute(request: dict[str, Any], inputs: list[Any]) -> list[Any]:
    attrs = _attrs_of(request.get("attrs", {})) or None
    return _minitf.execute(request["op"], inputs, attrs, request.get("lengths"))


def _outcome(request: dict[str, Any]) -> Any:
    inputs = [tf.constant(value) for value in request["inputs"]]
    if request.get("forget"):
        _minitf.forget_kernels()
    try:
        outputs = _execute(request, inputs)
    except Exception as error:
        return error_of(error)
    after = [value.numpy() for value in inputs]
    return {"outputs": [value.numpy() for value in outputs], "inputs": after}


def calls(requests: list[dict[str, Any]]) -> list[Any]:
    """Runs ops, one after the other.

    Args:
        requests: Each an ``op`` with its ``inputs``, ``attrs`` and ``lengths``; with
            ``forget`` all kernels are forgotten before.

    Returns:
        For each the ``outputs``, and the ``inputs`` as they are afterwards; or the error.
    """
    _minitf.forget_kernels()
    with context.entered(None):
        return [_outcome(request) for request in requests]


_OF = {"component_types": [tf.float64.as_datatype_enum]}


def _queue() -> Any:
    return _minitf.execute("FIFOQueueV2", [], _OF, None)[0]


def _enqueue(queue: Any, value: float) -> Any:
    element = tf.constant(np.float64(value))
    return _minitf.execute("QueueEnqueueV2", [queue, element], {}, [1, 1])


def waiting(after_s: float, value: float) -> float:
    """Takes from an empty queue; another thread fills it somewhat later."""
    with context.entered(None):
        queue = _queue()

        def fill() -> None:
            with context.entered(None):
                _enqueue(queue, value)

        timer = threading.Timer(after_s, fill)
        timer.start()
        taken = _minitf.execute("QueueDequeueV2", [queue], _OF, None)
        timer.join()
        return float(taken[0].numpy())


def interrupted(after_s: float) -> str:
    """Takes from an empty queue until the user interrupts the program."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(
        after_s, signal.pthread_kill, (threading.get_ident(), signal.SIGINT)
    )
    try:
        with context.entered(None):
            queue = _queue()
            timer.start()
            _minitf.execute("QueueDequeueV2", [queue], _OF, None)
        return "it returns"
    except KeyboardInterrupt:
        return "interrupted"
    finally:
        if timer.is_alive():
            timer.join()
        signal.signal(signal.SIGINT, former)


def error_of_state(state: str) -> Any:
    """What a kernel reports of a queue or a variable in this state."""
    with context.entered(None):
        try:
            if "variable" in state:
                of = tf.float64.as_datatype_enum
                attrs = {"dtype": of, "shape": [], "shared_name": ""}
                handle = _minitf.execute("VarHandleOp", [], attrs, None)[0]
                return _minitf.execute("ReadVariableOp", [handle], {"dtype": of}, None)
            queue = _queue()
            _minitf.execute("QueueCloseV2", [queue], None, None)
            if "empty" in state:
                return _minitf.execute("QueueDequeueV2", [queue], _OF, None)
            return _enqueue(queue, 1)
        except Exception as error:
            return error_of(error)


# ---- Tapes of C++ ---------------------------------------------------------------------


def _in_use() -> int:
    return _minitf.allocator_stats()[0]


def _parts(tape: Any, ys: list, xs: list, dys: list) -> list[Any]:
    """Of each gradient its parts as arrays; or the error."""
    try:
        gradients = tape.gradient(ys, xs, dys)
    except Exception as error:
        return error_of(error)
    return [[part.numpy() for part in parts] for parts in gradients]


def gradients(
    program: list[Step],
    inputs: dict[str, np.ndarray],
    watched: list[str],
    questions: list[dict[str, Any]],
    *,
    is_persistent: bool = False,
    asks_within: bool = False,
    restarts: bool = False,
) -> dict[str, Any]:
    """Records a program on a tape that watches some inputs, and asks for gradients.

    Questions have ``ys``, ``xs`` and ``dys``, of which some may be None. If
    ``asks_within`` the tape records meanwhile, and then the program is run again; if it
    ``restarts`` it is started and stopped before each question.

    Returns:
        ``answers``: for each question the parts of each gradient; ``records``: how many
        records there are before the first question, after each, and at the end;
        ``is_recording``: whether the tape is still started.
    """
    with context.entered(None):
        values = {name: tf.constant(value) for name, value in inputs.items()}
        tape = _minitf.Tape(is_persistent)
        tape.start()
        for name in watched:
            tape.watch(values[name])
        run_steps(program, values)
        if not asks_within:
            tape.stop()
        records, answers = [tape.num_records], []
        for question in questions:
            ys, xs = ([values[name] for name in question[key]] for key in ("ys", "xs"))
            dys = [None if dy is None else tf.constant(dy) for dy in question["dys"]]
            if restarts:
                tape.start()
                tape.stop()
            answers.append(_parts(tape, ys, xs, dys))
            records.append(tape.num_records)
        if asks_within:
            run_steps(program, values)
        records.append(tape.num_records)
        is_recording = tape.is_recording
        tape.stop()
        return {"answers": answers, "records": records, "is_recording": is_recording}


def by_nested_tapes(
    program: list[Step],
    inputs: dict[str, np.ndarray],
    ys: dict[str, np.ndarray],
    weights: dict[str, np.ndarray],
    *,
    is_persistent: bool = False,
) -> list[Any]:
    """The gradient of the sum of dL/dx times its weight, for each x that has a weight.

    One tape that is persistent does it alone; two that are not, one within the other.
    """
    with context.entered(None):
        values = {name: tf.constant(value) for name, value in inputs.items()}
        outer = _minitf.Tape(is_persistent)
        inner = outer if is_persistent else _minitf.Tape(False)
        for tape in (outer, inner):
            tape.start()
            for x in weights:
                tape.watch(values[x])
        run_steps(program, values)
        if inner is not outer:
            inner.stop()
        xs = [values[x] for x in weights]
        dys = [tf.constant(dy) for dy in ys.values()]
        first = inner.gradient([values[y] for y in ys], xs, dys)
        outer.stop()
        there = [i for i, parts in enumerate(first) if parts]
        dxs = [first[i][0] for i in there]
        given = [tf.constant(list(weights.values())[i]) for i in there]
        return _parts(outer, dxs, xs, given)


def memory(length: int, ask: str) -> dict[str, float]:
    """Live tensors of a chain of calls, in units of one of them.

    Nothing is watched (``unwatched``), or the tape is asked ``once``, and lets go; one
    that is ``persistent`` does not.
    """
    size = 1 << 14
    with context.entered(None):
        x = tf.constant(np.linspace(0.0, 1.0, size))
        dy = tf.constant(np.ones(size))
        _minitf.forget_kernels()
        gc.collect()
        before = _in_use()
        tape = _minitf.Tape(ask == "persistent")
        tape.start()
        if ask != "unwatched":
            tape.watch(x)
        y = x
        for _ in range(length):
            y = _minitf.execute("Sin", [y], {}, None)[0]
        found = {"forward": (_in_use() - before) / (8 * size)}
        tape.stop()
        if ask != "unwatched":
            tape.gradient([y], [x], [dy])
        found["after"] = (_in_use() - before) / (8 * size)
        return found


# ---- tf.GradientTape ------------------------------------------------------------------


def variables_listed(
    variables: dict[str, Any],
    reads: list[str],
    depth: int,
    how: str,
    late: int,
) -> list[list[str]]:
    """Which variables each of so many nested lists has, if these are read within.

    A list has them by identity; all have one name. After ``late`` reads one more list is
    opened, and a tape is started; what these have comes last. ``recorded``: by another
    tape, too; or that one is ``stopped``; ``without tapes``: also without the late one.
    """
    with context.entered(None), ExitStack() as stack:
        made = {
            name: tf.Variable(value, trainable=is_trainable, name="variable")
            for name, (value, is_trainable) in variables.items()
        }
        names = {id(variable): name for name, variable in made.items()}
        lists = [stack.enter_context(variables_read()) for _ in range(depth)]
        if how != "without tapes":
            stack.enter_context(tf.GradientTape())
        if how == "stopped":
            stack.enter_context(stop_recording())
        late_tape = tf.GradientTape()
        for i, name in enumerate([*reads, ""]):
            if i == late:
                lists.append(stack.enter_context(variables_read()))
                if how != "without tapes":
                    stack.enter_context(late_tape)
            if name:
                made[name].read_value()
        watched = late_tape.watched_variables()
        keys = [list(one) for one in [*lists, {id(v): v for v in watched}]]
        return [[names.get(key, "another") for key in one] for one in keys]


def tapes(
    mode: str,
    script: list[list[Any]],
    program: list[Step],
    inputs: dict[str, np.ndarray],
    variables: dict[str, Any],
) -> list[Any]:
    """Runs events (``lives.Tapes``) in ``eager`` mode or in a graph; their results.

    Events run steps of the program; those that begin with ``in`` come in another thread.
    Variables have a first value, and whether they are trainable.
    """
    with ExitStack() as stack:
        graph = None if mode == "eager" else tf.Graph()
        stack.enter_context(context.entered(graph))
        if graph is not None:
            tf.compat.v1.set_random_seed(1)
        is_fed = mode == "graph of unknown shapes"
        runner = Tapes(program, inputs, variables, is_fed=is_fed)
        stack.callback(runner.close)
        worker = Worker()
        stack.callback(worker.end)
        for event in script:
            if event[0] == "in":
                worker.run(lambda event=event: runner.do(event[1:]))
            else:
                runner.do(event)
        if graph is None:
            return runner.results()
        with tf.Session(graph=graph) as session:
            session.run(tf.global_variables_initializer())
            return runner.results(session)
