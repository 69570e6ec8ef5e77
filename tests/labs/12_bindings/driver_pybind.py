"""Functions for the cases of part B of lab 12: minitf through its pybind11 module.

The functions report addresses, counts, values and errors. Nothing here knows what is
expected.
"""

import gc
import signal
import sys
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from lab_12_bindings.pybind_errors import (
    StoppedError,
    error_of,
    in_threads,
    outcome,
    throw,
    told_of,
)
from lab_12_bindings.pybind_views import view_of

import minitf as tf
from minitf import _minitf
from minitf.eager import context

Told = dict[str, Any]
MANY = 10_000
PATIENCE_S = 4.0
EXTRAS = 100  # references of a common object that others may take meanwhile


class WatchedArray(np.ndarray):
    """An array of a class of the user's."""


def _tensor(array: np.ndarray, *, copy: bool) -> Any:
    return _minitf.tensor_of_array(array, copy)


def _script(dtype: str, shape: Any, runner: Callable, name: str = "call") -> Any:
    """A session, its feed, and a node that calls ``runner`` with what is fed."""
    _minitf.set_script_runner(runner)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.as_dtype(dtype), shape)
        y = tf.raw_ops.PyFunc(input=[x], token="t", Tout=[x.dtype], name=name)[0]
    return tf.Session(graph=graph), x, y


def _used_bytes() -> int:
    gc.collect()
    return _minitf.allocator_stats()[0]


# ---- 12.7: from an array to a Tensor --------------------------------------------------


def borrow(values: np.ndarray, layout: str) -> Told:
    """Converts a view. Then changes all of its elements, if it may be written to."""
    array = view_of(values, layout)
    references = sys.getrefcount(array)
    tensor = _tensor(array, copy=False)
    told = {
        "same address": tensor._address() == array.ctypes.data, "value": tensor.numpy(),
        "references": sys.getrefcount(array) - references,
    }  # fmt: skip
    if array.flags.writeable:
        array[...] = np.roll(values.reshape(-1), 1).reshape(values.shape)
    return {**told, "value then": tensor.numpy(), "array then": np.array(array)}


def freed(values: np.ndarray, order: list[int]) -> list[bool]:
    """Whether an array is alive when its owner and each of several tensors has gone."""
    array = view_of(values, "plain").view(WatchedArray)
    watch = weakref.ref(array)
    tensors = {i: _tensor(array, copy=False) for i in order}
    del array
    alive = [watch() is not None]
    for i in order:
        del tensors[i]
        alive.append(watch() is not None)
    return alive


def fed(values: np.ndarray, layout: str, steps: int) -> Told:
    """Feeds arrays that only the step owns: addresses in it, and arrays that are gone.

    The callback of a weak reference runs Python where the last reference goes.
    """
    seen: list[Any] = []
    gone: list[Any] = []
    watches: list[Any] = []

    def convert(i: int, value: Any) -> np.ndarray:
        array = view_of(values, layout).view(WatchedArray)
        watches.append(weakref.ref(array, gone.append))
        seen.append(array.ctypes.data)
        return array

    def runner(token: bytes, inputs: list[Any]) -> list[Any]:
        seen[-1] = inputs[0]._address() == seen[-1]
        return [_tensor(inputs[0].numpy(), copy=True)]

    session, x, y = _script(str(values.dtype), list(values.shape), runner)
    prepared = session._core.prepare([x._handle], [y._handle], [], False)
    results = [prepared.run([None], convert)[0] for _ in range(steps)]
    return {"same address": seen, "results": results[-1], "gone": len(gone)}


# ---- 12.8: from a Tensor to an array --------------------------------------------------


def _elements(values: Any, dtype: str, shape: list[int]) -> np.ndarray:
    if dtype != "string":
        return np.array(values, dtype)
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape)


def _as_told(value: Any, address: int) -> Told:
    told = {"type": type(value).__name__, "value": value}
    if not isinstance(value, np.ndarray):
        return told
    if value.dtype == object:
        told["value"] = value.reshape(-1).tolist()
    return {
        **told, "shape": list(value.shape), "may write": value.flags.writeable,
        "same address": value.ctypes.data == address,
    }  # fmt: skip


def show(values: Any, dtype: str, shape: list[int], *, borrowed: bool) -> Told:
    """A tensor as the caller's own array, and as one that shares the elements.

    Then changes the caller's own array, and reads the tensor again.
    """
    tensor = _tensor(_elements(values, dtype, shape), copy=not borrowed)
    own, shared = tensor.numpy(), tensor._shared_array()
    told = {
        "own": _as_told(own, tensor._address()),
        "shared": _as_told(shared, tensor._address()),
    }
    if isinstance(own, np.ndarray) and own.dtype != object and own.flags.writeable:
        told["own"]["value"] = own.copy()
        own[...] = np.zeros((), own.dtype)
    return {**told, "then": _as_told(tensor.numpy(), 0)["value"]}


def fetched(values: np.ndarray, *, kept: bool, borrowed: bool) -> Told:
    """Fetches what a node makes. Python may keep that tensor, or own its elements."""
    source, tensors, addresses = np.array(values), [], []

    def runner(token: bytes, inputs: list[Any]) -> list[Any]:
        tensor = _tensor(source, copy=not borrowed)
        addresses.append(tensor._address())
        tensors.extend([tensor] if kept else [])
        return [tensor]

    session, x, y = _script(str(values.dtype), None, runner)
    result = session.run(y, {x: np.zeros_like(values)})
    told = _as_told(result, addresses[0])
    told["value"] = np.array(result)
    if result.flags.writeable:
        result[...] = np.zeros((), result.dtype)
    return {**told, "source then": [source, *(one.numpy() for one in tensors)]}


def memory_of_arrays(values: np.ndarray, views: int) -> list[float]:
    """How many tensors of that size are in use, event by event.

    A tensor is made; an array and views of it are taken; the tensor and the array go;
    one view after the other goes. The end is the sum of the last view.
    """
    used = [_used_bytes()]
    tensor = _tensor(values, copy=True)
    used.append(_used_bytes())
    array = tensor._shared_array()
    parts = [array[i:] for i in range(views)]
    del tensor, array
    used.append(_used_bytes())
    total = np.asarray(np.sum(parts[-1]))
    while parts:
        parts.pop(0)
        used.append(_used_bytes())
    return [*((one - used[0]) / values.nbytes for one in used[1:]), total]


def growth(values: Any, dtype: str, shape: list[int], layout: str) -> Told:
    """Counts what MANY tensors of one array, or arrays of one tensor, leave.

    The numbers are references of common and of own objects, and bytes of tensors and of
    Python. Without a ``layout`` the tensor is the one that is converted.
    """
    array = _elements(values, dtype, shape)
    array = view_of(array, layout) if layout else array
    tensor = _tensor(array, copy=True)

    def work() -> Any:
        if layout:
            return _tensor(array, copy=False)
        return tensor.numpy(), tensor._shared_array()

    def counted() -> list[int]:
        objects = [None, array.dtype, array, tensor]
        return [sys.getrefcount(one) for one in objects]

    work()
    used, before = _used_bytes(), counted()
    tracemalloc.start()
    begin = tracemalloc.get_traced_memory()[0]
    for _ in range(MANY):
        work()
    left = tracemalloc.get_traced_memory()[0] - begin
    tracemalloc.stop()
    more = [int((b - a) / EXTRAS) for a, b in zip(before, counted(), strict=True)]
    return {"references": more, "tensors": _used_bytes() - used, "64 KB": left >> 16}


# ---- 12.9: errors ---------------------------------------------------------------------


def failing(code: int, message: bytes, node: str, way: str) -> Told:
    """The error of a kernel that states a code and a message.

    The kernel runs in an ``eager`` call, or in a ``step``.
    """
    session, x, y = _script("float32", None, lambda token, inputs: (code, message), node)
    array = np.zeros(2, np.float32)
    if way == "step":
        return outcome(lambda: session.run(y, {x: array}))
    attrs = {"token": b"t", "Tin": [1], "Tout": [1]}
    inputs = [_tensor(array, copy=True)]
    return outcome(lambda: _minitf.execute("PyFunc", inputs, attrs, [1]))


class _Hostile:
    """A list that raises an error when C++ looks into it."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: Any) -> Any:
        raise self.error


def passing(kind: str, text: str, way: str) -> Told:
    """An exception of Python on its way through C++, and whether it is the same object.

    A C function is called with ``inputs`` or ``lengths`` that raise it.
    """
    error = error_of(kind, text)
    error.__cause__ = cause = ValueError("the cause")
    hostile, x = _Hostile(error), _tensor(np.float32([1, 2]), copy=True)
    arguments = [hostile, None, None] if way == "inputs" else [[x], None, hostile]
    try:
        return {"type": type(_minitf.execute("Neg", *arguments)).__name__}
    except BaseException as caught:
        is_same = caught is error and caught.__cause__ is cause
        return {**told_of(caught), "is same": is_same}


def refused(what: str, number: int) -> Told:
    """Calls with arguments that C++ refuses by itself."""
    x = _tensor(np.float32([1, 2]), copy=True)
    calls = {
        "no tensor": lambda: _minitf.execute("Neg", [number], None, None),
        "count": lambda: _minitf.execute(*["Neg"] * number),
        "no output": lambda: _minitf.execute_plain("NoOp"),
        "unknown op": lambda: _minitf.execute(f"Neg{number}", [x], None, None),
        "no gradient": lambda: _minitf.pivot_of_present_flow([number]),
        "memory, C": lambda: _minitf.execute("Neg", [x], None, range(1 << number)),
        "memory, pybind11": lambda: _minitf.pivot_of_present_flow(range(1 << number)),
    }
    return outcome(calls[what])


def growth_of_errors(way: str) -> list[Any]:
    """How many of MANY exceptions are alive in the end, and what the last was made of."""
    alive: Any = weakref.WeakSet()
    last: list[Any] = []

    def factory(*arguments: Any) -> BaseException:
        last[:] = arguments
        error = StoppedError(*arguments)
        alive.add(error)
        return error

    _minitf.set_error_factory(factory)
    for _ in range(MANY):
        refused("unknown op" if way == "C" else "no gradient", 7)
    gc.collect()
    return [len(alive), *last]


# ---- 12.10: Python's lock -------------------------------------------------------------


def blocked(count: int) -> list[Any]:
    """Steps that wait in C++ in so many threads, until another thread enqueues.

    A function in each step says that the step has begun.
    """
    begun = threading.Semaphore(0)

    def begins() -> np.bool_:
        begun.release()
        return np.bool_(True)

    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(count, [tf.int32], shapes=[[]])
        number = tf.placeholder(tf.int32, [])
        put = queue.enqueue(number)
        with tf.control_dependencies([tf.py_func(begins, [], tf.bool)]):
            taken = queue.dequeue()
    session = tf.Session(graph=graph)
    options = tf.RunOptions(timeout_in_ms=int(PATIENCE_S * 1000))

    def work(i: int) -> Any:
        if i < count:
            return int(session.run(taken, options=options))
        for _ in range(count):
            begun.acquire(timeout=PATIENCE_S)
        for i in range(count):
            session.run(put, {number: i})
        return count

    return in_threads(work, count + 1)


def overlapping(count: int) -> list[Any]:
    """Functions in steps of so many threads: whether each meets all others inside."""
    inside = [threading.Event() for _ in range(count)]

    def meets(i: np.ndarray) -> np.bool_:
        inside[int(i)].set()
        return np.bool_(all(event.wait(PATIENCE_S) for event in inside))

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.int32, [])
        y = tf.py_func(meets, [x], tf.bool)
    session = tf.Session(graph=graph)
    return in_threads(lambda i: bool(session.run(y, {x: i})), count)


def scripted(events: list[Any]) -> list[Any]:
    """Steps in which the runner of functions does one thing after the other.

    It raises (a kind and a text), returns a value, or returns its ``inputs``.
    """
    waiting = iter(events)

    def runner(token: bytes, inputs: list[Any]) -> Any:
        verb, *rest = next(waiting)
        if verb == "raise":
            raise error_of(*rest)
        return list(inputs) if verb == "inputs" else rest[0]

    session, x, y = _script("float32", [2], runner, "node")
    array = np.float32([1, 2])
    return [outcome(lambda: session.run(y, {x: array})) for _ in events]


def signalled(kind: str, text: str) -> list[Any]:
    """A handler of a signal raises in this thread while its step waits; one step more."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2])
        y = tf.FIFOQueue(1, [tf.float32], shapes=[[2]]).dequeue()
    session, array = tf.Session(graph=graph), np.float32([1, 2])
    options = tf.RunOptions(timeout_in_ms=int(PATIENCE_S * 1000))
    signal.signal(signal.SIGUSR1, lambda *_: throw(error_of(kind, text)))
    here = threading.get_ident(), signal.SIGUSR1
    timer = threading.Timer(0.1, signal.pthread_kill, here)
    timer.start()
    try:
        told = outcome(lambda: session.run(y, {x: array}, options=options))
    finally:
        timer.cancel()
    return [told, session.run(x * 2, {x: array})]


# ---- 12.11: gradients -----------------------------------------------------------------


def _gradients(mode: str, build: Callable, xs: list[np.ndarray], order: int = 1) -> Any:
    """The gradients of what ``build`` returns, ``eager`` or in a ``graph``, as arrays.

    Those of a higher order are gradients of the sum of the lower ones.
    """
    if mode == "eager":
        with context.entered(None):
            found = _on_tape(build, [tf.constant(x) for x in xs], order)
            return [_plain(g, lambda value: value.numpy()) for g in found]
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        inputs = [tf.constant(x) for x in xs]
        found = [build(*inputs)]
        for _ in range(order):
            found = tf.gradients([g for g in found if g is not None], inputs)
        return [_plain(g, session.run) for g in found]


def _on_tape(build: Callable, inputs: list[Any], order: int) -> list[Any]:
    with tf.GradientTape() as tape:
        for x in inputs:
            tape.watch(x)
        lower = _on_tape(build, inputs, order - 1) if order > 1 else [build(*inputs)]
        ys = [y for y in lower if y is not None]
    return tape.gradient(ys, inputs)


def _plain(gradient: Any, value_of: Callable) -> Any:
    """A gradient as an array, slices as two."""
    if isinstance(gradient, tf.IndexedSlices):
        return [value_of(gradient.values), value_of(gradient.indices)]
    return None if gradient is None else value_of(gradient)


OPS: dict[str, Callable] = {
    "Tanh": tf.tanh, "Sub": tf.subtract, "IdentityN": lambda *xs: tf.identity_n(list(xs)),
    "AddN": lambda *xs: tf.add_n(list(xs)),
}  # fmt: skip


def gradients(
    mode: str,
    op: str,
    xs: list[Any],
    results: list[Any],
    rows: Any = None,
    order: int = 1,
) -> Told:
    """Gradients of an op whose gradient is written in Python.

    A result can be None, a factor of dy * x[0], "dy", rows of 3 * x[0] as slices, or the
    kind and the text of an error. Output i has the weight i + 1; or ``rows`` of it are
    summed. ``seen`` is what the Python function gets.
    """
    seen: list[Any] = []
    errors = [error_of(*result) for result in results if isinstance(result, tuple)]

    def gradient(op_: Any, *dys: Any) -> Any:
        is_sliced = isinstance(dys[0], tf.IndexedSlices)
        seen.append([op_.type, len(op_.inputs), len(op_.outputs), len(dys), is_sliced])
        return [_result(result, op_.inputs[0], dys, errors) for result in results]

    def build(*inputs: Any) -> Any:
        outputs = OPS[op](*inputs)
        if rows:
            return tf.reduce_sum(tf.gather(outputs, rows))
        outputs = outputs if isinstance(outputs, list) else [outputs]
        return sum(tf.reduce_sum(y) * (i + 1.0) for i, y in enumerate(outputs))

    _minitf.register_gradient(op, gradient)
    try:
        return {"gradients": _gradients(mode, build, xs, order), "seen": seen}
    except BaseException as caught:
        return {**told_of(caught), "is same": caught in errors}


def _result(result: Any, x: Any, dys: Any, errors: list[BaseException]) -> Any:
    if isinstance(result, tuple):
        raise errors[0]
    if isinstance(result, list):
        values = tf.gather(x, result) * 3.0
        return tf.IndexedSlices(values, tf.constant(result), tf.shape(x))
    if result == "dy":
        return dys[0]
    return None if result is None else tf.add_n(list(dys)) * x * result


def odd_gradients(mode: str, result: Any) -> Any:
    """Gradients of Mul if Python's callers return such a list of parts for it.

    In a list of parts "dy" stands for the gradient of the output.
    """

    def parts(result: Any, dy: Any) -> Any:
        if isinstance(result, list):
            return [parts(one, dy) for one in result]
        return dy if result == "dy" else result

    _minitf.register_gradient("Mul", print)
    _minitf.set_gradient_callers(
        lambda function, graph, node, dy, scope, in_flow: parts(result, dy[0][0]),
        lambda function, op, attrs, inputs, outputs, dy: parts(result, dy[0][0]),
    )
    x = [np.float64([1, 2]), np.float64([3, 4])]
    return outcome(lambda: _gradients(mode, lambda a, b: a * b, x))
