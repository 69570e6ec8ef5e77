"""Lab 05, tasks 3 and 4: what a call computes, and what is known of it afterwards."""

from typing import Any

import numpy as np
from lab_05_eager.cases_gradients import nested_trial
from lab_05_eager.tape_scripts import LOOK, begun, call, handle, value
from lab_05_eager.trials import (
    Request,
    answers_trial,
    calls_trial,
    error_is,
    events_trial,
    memory_trials,
    wrong_error,
)
from lab_common.checks import are_close, call_trial
from lab_common.programs import Program, describe_program, step

from minitf_lab.judge.case import Call, Trial, case, describe

# ---- 05.3 -----------------------------------------------------------------------------


def _refused(op: str, inputs: list, words: tuple, **attrs: Any) -> Trial:
    return calls_trial([Request(op, inputs, attrs=attrs, error=words)])


@case("05.3")
def shapes_that_do_not_fit(draw):
    """The op's shape function sees the shapes, and what it says is raised."""
    invalid = "InvalidArgumentError"
    for one, other in (((2, 3), (4,)), ((2,), (3,)), ((1, 2), (3, 4)), ((0,), (2,))):
        words = (invalid, "Add: ", *(str(list(s)).replace(" ", "") for s in (one, other)))
        yield _refused("Add", [draw.array(one), draw.array(other)], words)
    a, b = draw.array((2, 3)), draw.array((4, 5))
    yield _refused("MatMul", [a, b], (invalid, "MatMul: ", "[2,3]", "[4,5]"))
    yield _refused("MatMul", [a[0], b], (invalid, "MatMul: "))
    yield _refused("Pack", [a, b], (invalid, "Pack: "), N=2)
    yield _refused("Squeeze", [a], (invalid, "Squeeze: "), squeeze_dims=[0])
    yield _refused("BiasAdd", [a, b[0]], (invalid, "BiasAdd: "))
    # The kernels of these say it in other words, if at all.
    yield _refused("MatMul", [a[0], b], (invalid, "MatMul: ", "rank 2", "[3]"))
    yield _refused("Unique", [a], (invalid, "Unique: ", "rank 1", "[2,3]"))
    for sizes in ((0, 3), (2, 0), (0, 0)):
        empty, shown = np.zeros(sizes), f"[{sizes[0]},{sizes[1]}]"
        yield _refused("Unique", [empty], (invalid, "Unique: ", "rank 1", shown))
        yield _refused("MatMul", [np.zeros(0), b], (invalid, "MatMul: ", "rank 2", "[0]"))
        words = (invalid, "AddN: ", f"{shown} and [2,3] differ")
        yield _refused("AddN", [empty, a], words)
        yield _refused("AddN", [empty, empty, a], words)
    scalar = np.asarray(a[0, 0])
    yield _refused("MatMul", [scalar, b], (invalid, "MatMul: ", "rank 2", "[]"))
    yield _refused("MatMul", [b, scalar], (invalid, "MatMul: ", "rank 2", "[]"))
    yield _refused("Unique", [scalar], (invalid, "Unique: ", "rank 1", "[]"))
    for op in ("AddN", "TanhGrad"):
        words = (invalid, f"{op}: ", "[2,3] and [4,5] differ")
        yield _refused(op, [a, b], words)
    # Attributes alone may not fit, where there are no inputs.
    words = (invalid, "Const: ", "value is float64, dtype is float32")
    yield _refused("Const", [], words, value=a, dtype="float32")


@case("05.3")
def values_that_shapes_depend_on(draw):
    """The shape function sees the values of the inputs as well."""
    invalid = "InvalidArgumentError"
    x, one = draw.array((2, 3)), np.float64(1)
    for axis in (5, -3):
        words = (invalid, "Concat: ", str(axis))
        yield _refused("Concat", [np.int32(axis), x, x], words)
        words = (invalid, "Split: ", f"axis {axis} is not in [-2, 2)")
        yield _refused("Split", [np.int32(axis), x], words, num_split=2)
    for kind in (np.int32, np.int64):
        for sizes in ([4], [2, 4], [5, -1]):
            words = (invalid, "Reshape: ", "6")
            yield _refused("Reshape", [x, kind(sizes)], words)
        # The kernel of Fill says this in other words.
        words = (invalid, "Fill: ", "must be >= 0", "-1")
        for sizes in ([2, -1], [-1], [3, -1, 2], [1] * 20 + [-1], [-1] + [1] * 40):
            yield _refused("Fill", [kind(sizes), one], words)
        begin, size = kind([0, 2]), kind([1, 2])
        yield _refused("Slice", [x, begin, size], (invalid, "Slice: "))
        yield _refused("ExpandDims", [x, kind(7)], (invalid, "ExpandDims: "))
        yield _refused("Sum", [x, kind(5)], (invalid, "Sum: axis 5 is not in [-2, 2)"))
        yield _refused("Cumsum", [x, kind(5)], (invalid, "Cumsum: axis 5 is not in "))
        words = (invalid, "LinSpace: Requires num > 0: -2")
        yield _refused("LinSpace", [one, one + 1, kind(-2)], words)
        words = (invalid, "Range: Requires delta != 0: 0")
        yield _refused("Range", [kind(0), kind(5), kind(0)], words)
    yield _refused("Range", [one, one + 1, 0 * one], (invalid, "Range: Requires delta"))
    yield _refused("TopKV2", [x, np.int32(-1)], (invalid, "TopKV2: Need k >= 0, got -1"))


@case("05.3")
def what_kernels_report(draw):
    """An error that a kernel leaves is raised, with the op in front."""
    invalid = "InvalidArgumentError"
    x = draw.array((2, 3))
    for row in (2, 7, -1):
        yield _refused("Gather", [x, np.int32([0, row])], (invalid, "Gather: ", str(row)))
    bad = np.array([1.0, np.nan])
    words = (invalid, "CheckNumerics: ", "my word", "NaN")
    yield _refused("CheckNumerics", [bad], words, message="my word")
    words = (invalid, "Assert: ", "41")
    yield _refused("Assert", [np.array(False), np.int32([41])], words)
    words = (invalid, "FloorDiv: ")
    yield _refused("FloorDiv", [np.int32([3]), np.int32([0])], words)
    words = ("NotFoundError", "ReadFile: ", "/no/such/file")
    yield _refused("ReadFile", [np.array(b"/no/such/file")], words)
    device = "/job:localhost/replica:0/task:0/device:CPU:0"
    names = {"tensor_name": "x", "send_device": device, "recv_device": device}
    words = ("InternalError", "_Recv: ", "rendezvous")
    yield _refused(
        "_Recv", [], words, tensor_type="float32", send_device_incarnation=1, **names
    )
    kinds = {
        "a variable without a value": "FailedPreconditionError",
        "a closed queue that is empty": "OutOfRangeError",
        "a closed queue that is filled": "CancelledError",
    }
    for state, kind in kinds.items():
        yield call_trial(state, error_is(kind), "error_of_state", state=state)


@case("05.3")
def outputs_without_a_value(draw):
    """A branch that is not taken has no value, which eager mode refuses."""
    for shape in [(), (2,)]:
        for taken in (True, False):
            x = draw.array(shape)
            words = ("InvalidArgumentError", "Switch: ", "no value")
            yield _refused("Switch", [x, np.array(taken)], words)


@case("05.3")
def calls_within_calls(draw):
    """A kernel may call ops while it runs; its own outputs are left alone."""
    for depth in (1, 2, 3):
        for count in (1, 2, 4):
            x = draw.array((2,))
            expected = [2.0**i * x + j + 1 for i in range(depth) for j in range(count)]

            def check(got: Any, expected: list = expected) -> Any:
                if len(got) != len(expected):
                    return f"there are {len(got)} outputs, not {len(expected)}"
                names = [f"output {i}" for i in range(len(expected))]
                return are_close(expected, names, rtol=1e-9)(got)

            title = f"a kernel that calls {count} Add, and itself; {depth} of them"
            yield call_trial(
                title, check, "calls_within_calls", x=x, depth=depth, count=count
            )


@case("05.3")
def waiting_can_be_interrupted(draw):
    """A call that waits ends when the user interrupts it."""
    calls = [
        Call("interrupted", {"after_s": 0.05}),
        Call("waiting", {"after_s": 0.05, "value": 2.0}),
    ]

    def check(values: list[Any]) -> str | None:
        expected = ["interrupted", 2.0]
        return None if list(values) == expected else f"it gives {values}, not {expected}"

    yield Trial("Ctrl-C while a call waits; then another call waits", calls, check)


# ---- 05.4 -----------------------------------------------------------------------------


@case("05.4")
def identities_on_a_tape(draw):
    """Outputs that have elements of an input, or of each other, are not watched by it."""
    pair = [handle("h"), value("x"), ["main", "tape", "a"], ["main", "start", "a"]]
    for inputs, outputs in (("h", "k"), ("x", "y"), ("x x", "y z"), ("h x h", "k y l")):
        names = outputs.split()
        op = "Identity" if len(names) == 1 else "IdentityN"
        for name in names:
            use = [call(op, inputs, outputs), ["main", "watch", "a", name], LOOK]
            after = [call("Identity", one, f"{one}_") for one in (*names, "x", "h")]
            yield events_trial([*pair, *use, *after, LOOK])


@case("05.4")
def attributes_without_a_definition(draw):
    """Nor is one lost that no definition has: it names the gradient function to call."""
    for shape in [(), (2,), (2, 3)]:
        for before in (0, 1):
            x, dy = draw.array(shape), draw.array(shape)
            program = [step("Neg", ["x"], "y")] * before
            program.append(
                step("Tripled", [program[-1]["outputs"][0] if before else "x"], "z")
            )
            expected = (-3.0 if before else 3.0) * dy

            title = f"{describe_program(program)}, an Identity whose gradient is 3 dy"
            question = {"ys": ["z"], "xs": ["x"], "dys": [dy]}
            yield answers_trial(title, program, {"x": x}, [question], [[expected]])


@case("05.4", over=(1, 2, 5))
def gradient_functions_call_ops(draw, count):
    """An emitter runs a call at once, and gives a value for each output, in order."""
    for axis in (0, 1, -1):  # of Pack, whose gradients are the outputs of one call
        inputs = {f"x{i}": draw.array((2, 3)) for i in range(count)}
        program = [step("Pack", list(inputs), "z", axis=axis)]
        dy = draw.array(np.stack(list(inputs.values()), axis).shape)
        expected = [np.take(dy, i, axis) for i in range(count)]
        question = {"ys": ["z"], "xs": list(inputs), "dys": [dy]}
        title = f"the gradient of {describe_program(program)}"
        yield answers_trial(title, program, inputs, [question], [expected])


@case("05.4")
def calls_without_outputs(draw):
    """A call that gives nothing is recorded like any other."""
    made = [handle("h"), value("u")]
    write = ["main", "call", "AssignVariableOp", ["h", "x"], [], {}]
    other = ["main", "call", "AssignVariableOp", ["h", "u"], [], {}]
    for calls in ([write], [other], [other, write, write], [write, other]):
        yield events_trial([*begun("a"), *made, *calls, LOOK])
        watched = [*begun("a"), *made, ["main", "watch", "a", "h"], *calls]
        yield events_trial([*watched, LOOK])


@case("05.4")
def memory_of_a_call(draw):
    """A call keeps no tensor alive when it is over: not in its thread either."""
    yield from memory_trials("unwatched")


@case("05.4")
def shapes_are_checked(draw):
    """A call is checked as RunOp checks it, before its kernel runs."""
    x, sizes = draw.array((2, 3)), np.int32([2, -1])
    for op, inputs, words in (
        ("Unique", [x], ("rank 1", "[2,3]")),
        ("MatMul", [x[0], x], ("rank 2", "[3]")),
        ("AddN", [x, x[:1]], ("[2,3] and [1,3] differ",)),
        ("Fill", [sizes, np.float64(1)], ("must be >= 0", "-1")),
    ):
        yield _refused(op, inputs, ("InvalidArgumentError", f"{op}: ", *words))


@case("05.4")
def names_in_errors(draw):
    """Whatever goes wrong in a call, the message begins with its op."""
    x = draw.array((2, 3))
    for op, inputs, kind in (
        ("Nope", [x], "NotFoundError"),
        ("Neg", [x, x], "InvalidArgumentError"),
        ("MatMul", [x, x], "InvalidArgumentError"),
        ("Gather", [x, np.int32([9])], "InvalidArgumentError"),
    ):

        def check(got: Any, op: str = op, kind: str = kind) -> str | None:
            if wrong := wrong_error(got[0], kind, f"{op}: "):
                return wrong
            text = got[0]["text"]
            if text.startswith(f"{op}: ") and not text.startswith(f"{op}: {op}: "):
                return None
            return f"the message does not begin with the op, once: {text}"

        request = Request(op, inputs)
        yield call_trial(request.title, check, "calls", requests=[request.arguments])


@case("05.4", over=("Mul", "MatMul", "RealDiv"))
def names_in_errors_of_gradients(draw, op):
    """What a gradient function calls begins its errors in the same way."""
    for sizes in ((3, 3), (2, 2, 2, 5)):
        inputs = {"x": draw.array((2, 2)), "y": draw.array((2, 2))}
        question = {"ys": ["z"], "xs": ["x", "y"], "dys": [draw.array(sizes)]}

        def check(got: Any) -> str | None:
            (answer,) = got["answers"]
            if wrong := wrong_error(answer, "InvalidArgumentError", ": "):
                return wrong
            first, second = (*answer["text"].split(": "), "")[:2]
            if first.isalnum() and first != second:
                return None
            text = answer["text"]
            return f"the message does not begin with an op, once: {text}"

        program = [step(op, ["x", "y"], "z")]
        title = f"{describe_program(program)}, weighted by {describe(question['dys'][0])}"
        yield call_trial(
            title, check, "gradients", program=program, inputs=inputs, watched=["x", "y"],
            questions=[question],
        )  # fmt: skip


@case("05.4")
def lengths_of_a_call(draw):
    """How long the lists are goes with the call: a wrong length is refused."""
    for count in (1, 2, 4):
        inputs = [draw.array((2,)) for _ in range(count)]
        right = Request("Pack", inputs, [np.stack(inputs)], lengths=[count])
        refused = Request(
            "Pack", inputs, lengths=[count + 1], error=("InvalidArgumentError", "Pack")
        )
        yield calls_trial([refused, right, refused])


@case("05.4")
def second_calls(draw):
    """What an emitter has called is recorded by the tapes that are open."""
    for shape in [(2,), (2, 2)]:
        inputs = {"x": draw.array(shape), "y": draw.array(shape)}
        shapes = dict.fromkeys("xyz", shape)
        program = Program([step("Mul", ["x", "y"], "z")], inputs, shapes)
        yield nested_trial(draw, program, is_persistent=False)
