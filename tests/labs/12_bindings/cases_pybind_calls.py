"""Lab 12, tasks 9 to 11: errors, Python's lock, and gradients from Python."""

from typing import Any

import numpy as np
from lab_12_bindings.pybind_looks import Begins, is_like, trial
from lab_common.checks import call_trial

from minitf_lab.judge.case import case, describe

CLASSES = (
    "Cancelled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound",
    "AlreadyExists", "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted", "OutOfRange", "Unimplemented", "Internal", "Unavailable", "DataLoss",
)  # fmt: skip
KINDS = (
    "StoppedError", "KeyboardInterrupt", "RuntimeError", "LookupError", "MemoryError",
    "GeneratorExit", "NotFoundError", "UnicodeError",
)  # fmt: skip
MODES = ("eager", "graph")


def _error(code: int, message: Any, node: str) -> dict[str, Any]:
    kind = f"{CLASSES[code - 1]}Error"
    told = {"type": kind, "is of tf": True, "code": code}
    return {**told, "message": message, "node": node}


def _text(draw: Any) -> str:
    return "".join(chr(draw.one_of([97, 98, 99, 228, 8364, 128512])) for _ in range(9))


# ---- 12.9 -----------------------------------------------------------------------------


@case("12.9", over=("eager", "step"))
def a_status_becomes_an_error(draw, way):
    """An error has the class of its code, the whole message, and the node."""
    for code in range(1, 16):
        for _ in range(3):
            some = [0, 97, 195, 164, draw.whole(1, 255)]  # some pairs are a letter
            message = bytes(draw.one_of(some) for _ in range(draw.whole(1, 9)))
            text = "PyFunc: " + message.decode("utf-8", "replace")
            node = f"n{draw.whole(1, 99)}"
            said, at = (text, "") if way == "eager" else (Begins(text), node)
            expected = _error(code, said, at)
            title = f"code {code}, message {message!r}, {way}"
            arguments = {"code": code, "message": message, "node": node, "way": way}
            yield trial(title, expected, "failing", **arguments)


@case("12.9", over=("inputs", "lengths"))
def exceptions_of_python_pass(draw, way):
    """An exception that Python code raises below C++ comes out as the same object."""
    for kind in KINDS:
        text = _text(draw)
        expected = {"type": kind, "text": text, "is same": True}
        arguments = {"kind": kind, "text": text, "way": way}
        yield trial(f"{kind}, {way}", expected, "passing", **arguments)


@case("12.9")
def exceptions_of_cpp(draw):
    """A TypeError of pybind11 stays one; other exceptions of C++ are RuntimeErrors."""
    n = draw.whole(5, 40)
    needed = {"type": "TypeError", "text": f"an EagerTensor is needed, not {n}"}
    expected: list[Any] = [
        ["no tensor", n, needed],
        ["count", n, {"type": "TypeError", "text": "execute() takes 4 arguments"}],
        ["no output", 0, {"type": "RuntimeError", "text": Begins("vector")}],
        ["unknown op", n, _error(5, Begins(f"Neg{n}: "), "")],
        ["no gradient", n, _error(3, "no gradient is being made", "")],
    ]
    for what, number, told in expected:
        yield trial(f"{what}, {number}", told, "refused", what=what, number=number)


@case("12.9", over=("memory, C", "memory, pybind11"))
def memory_that_is_not_there(draw, what):
    """A list that no memory can hold is a ResourceExhaustedError."""
    for number in (draw.whole(45, 56), draw.whole(61, 62)):
        title = f"{what}: a list of 2^{number} numbers"
        expected = _error(8, Begins(""), "")
        yield trial(title, expected, "refused", what=what, number=number)


@case("12.9", over=("C", "pybind11"))
def nothing_is_left_of_errors(draw, way):
    """The factory gets code, message and node; 10,000 exceptions are freed."""
    text = Begins("Neg7: ") if way == "C" else "no gradient is being made"
    expected = [0, 5 if way == "C" else 3, text, ""]
    yield trial(f"10,000 exceptions, {way}", expected, "growth_of_errors", way=way)


# ---- 12.10 ----------------------------------------------------------------------------


@case("12.10")
def others_run_while_a_step_waits(draw):
    """A step that waits in C++ leaves Python to the thread that ends its wait."""
    for count in (1, 2, 4):
        # Each thread takes one number: all of them, in any order.
        def look(got: Any, count=count) -> Any:
            numbers = [one for one in got if isinstance(one, int)]
            return is_like([*range(count + 1)])(
                sorted(numbers) if len(numbers) == len(got) else got
            )

        yield call_trial(f"{count} steps wait for a queue", look, "blocked", count=count)


@case("12.10")
def functions_overlap(draw):
    """Functions in the steps of several threads are inside at the same time."""
    for count in (2, 3, 5):
        yield trial(f"{count} threads", [True] * count, "overlapping", count=count)


@case("12.10")
def functions_that_fail(draw):
    """An exception in the runner is the status of the node. The next step is right."""
    for length in range(1, 9):
        pairs = [_event(draw) for _ in range(length)]
        events = [event for event, _ in pairs]
        expected = [expected for _, expected in pairs]
        yield trial(f"{events}", expected, "scripted", events=events)


def _event(draw: Any) -> tuple[list[Any], Any]:
    """An event in the runner, and the expected result of the step."""
    kind, text, code = draw.one_of(KINDS[:3]), _text(draw), draw.whole(1, 15)
    odd, number, message = draw.one_of(
        [
            ((code, text.encode()), code, text),
            (3, 13, "TypeError: "),
            ((1,), 13, ""),  # a message is missing: some error of Python
            ([], 13, "output 0 has no value"),
        ]
    )
    failed = _error(13, Begins(f"PyFunc: {kind}: {text}"), "node")
    returned = _error(number, Begins(f"PyFunc: {message}"), "node")
    rows = [(["raise", kind, text], failed), (["return", odd], returned)]
    return draw.one_of([*rows, (["inputs"], np.float32([1, 2]))])


@case("12.10", over=("StoppedError", "KeyboardInterrupt", "RuntimeError"))
def a_signal_ends_a_step(draw, kind):
    """A step raises the exception of a signal's handler, and no CancelledError."""
    text = _text(draw)
    expected = [{"type": kind, "text": text, "is of tf": False}, np.float32([2, 4])]
    yield trial(kind, expected, "signalled", kind=kind, text=text)


# ---- 12.11 ----------------------------------------------------------------------------


def _gradients(title: str, expected: Any, mode: str, op: str, **more: Any) -> Any:
    title = f"{title}, {mode}"
    return trial(title, expected, "gradients", mode=mode, op=op, **more)


@case("12.11", over=MODES)
def gradients_of_python(draw, mode):
    """A Python function is the gradient of an op; None is no gradient."""
    for op, count in {"Tanh": 1, "Sub": 2, "AddN": 3, "IdentityN": 3}.items():
        for _ in range(4):
            xs = [draw.array(draw.shape(draw.whole(0, 3)))]
            xs += [draw.array(xs[0].shape) for _ in range(count - 1)]
            factors = [None if draw.coin(0.3) else draw.whole(2, 9) for _ in xs]
            outputs, dy = (3, 6) if op == "IdentityN" else (1, 1)
            expected = {
                "gradients": [None if f is None else dy * xs[0] * f for f in factors],
                "seen": [[op, count, outputs, outputs, False]],
            }
            title = f"{op} of {describe(xs[0])}, factors {factors}"
            yield _gradients(title, expected, mode, op, xs=xs, results=factors)


@case("12.11", over=MODES)
def gradients_of_gradients(draw, mode):
    """The result of a Python gradient function has gradients again."""
    for order, shape in ((1, ()), (2, ()), (2, (2, 3)), (3, (2,))):
        x, factor = draw.array(shape), draw.whole(2, 9)
        expected = [factor * x, np.full(shape, float(factor)), None][order - 1]
        arguments = {"xs": [x], "results": [factor], "order": order}
        title = f"order {order}, {describe(x)}"
        yield _gradients(title, {"gradients": [expected]}, mode, "Tanh", **arguments)


@case("12.11", over=MODES)
def gradients_of_few_rows(draw, mode):
    """Slices go into a Python gradient function and come out of it."""
    for count in (1, 3):
        x, rows = draw.array((4, 2)), draw.shuffled(range(4))[:count]
        for result, looked_up in (("dy", rows), (rows, None), (rows, rows)):
            values = np.ones((count, 2)) if result == "dy" else 3 * x[rows]
            seen = ["Tanh", 1, 1, 1, looked_up is not None]
            expected = {"gradients": [[values, np.int32(rows)]], "seen": [seen]}
            arguments = {"xs": [x], "results": [result], "rows": looked_up}
            yield _gradients(f"{arguments}", expected, mode, "Tanh", **arguments)


@case("12.11", over=MODES)
def gradients_that_raise(draw, mode):
    """An exception in a gradient function comes out as the same object."""
    for kind in (*KINDS[:3], "ValueError", "MemoryError"):
        text = _text(draw)
        expected = {"type": kind, "text": text, "is same": True}
        arguments = {"xs": [np.ones(2)], "results": [(kind, text)]}
        yield _gradients(kind, expected, mode, "Tanh", **arguments)


@case("12.11", over=MODES)
def odd_lists_of_gradients(draw, mode):
    """A wrong number of gradients is an error. An empty list of parts means None."""
    ones = np.ones(2)
    few, tensor = _error(3, Begins("the gradient of Mul must be 2 values"), ""), ["dy"]
    rows = [
        ([tensor, tensor], [ones, ones]), ([tensor, []], [ones, None]),
        ([[], tensor], [None, ones]), ([[], []], [None, None]), ([tensor], few),
        ([], few), ([tensor] * 3, few),
    ]  # fmt: skip
    for result, expected in draw.shuffled(rows):
        title = f"the caller of Python returns {result}, {mode}"
        yield trial(title, expected, "odd_gradients", mode=mode, result=result)
