"""Lab 05, task 1: which kernel a call gets."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from lab_05_eager.numpy_calls import (
    NUMBERS,
    bias_add,
    cast,
    constant,
    cumsum,
    cwise,
    decode_raw,
    leaky,
    matmul,
    numbers,
    pack,
    split,
    squeeze,
    sum_over,
)
from lab_05_eager.trials import Request, calls_trial
from lab_common.checks import call_trial, first_wrong
from lab_common.programs import step

from minitf_lab.judge.case import Call, Trial, case, close


@case("05.1", over=["Add", "Mul", "Neg", "Square"])
def types_of_inputs(draw, op):
    """Calls of one op with other element types have other kernels."""
    for count in (2, 4, 8):
        dtypes = [draw.one_of(NUMBERS) for _ in range(count)]
        yield calls_trial([cwise(draw, op, dtype) for dtype in dtypes])
    yield calls_trial([cwise(draw, op, dtype) for dtype in draw.shuffled(NUMBERS * 2)])


@case("05.1")
def types_of_later_inputs(draw):
    """All inputs count: those that are axes or indices, too."""
    x = draw.array((3, 4))
    for kinds in (("int32", "int64"), ("int64", "int32", "int64")):
        yield calls_trial([sum_over(x, np.array([1], kind)) for kind in kinds])
        rows = [np.array([2, 0], kind) for kind in kinds]
        yield calls_trial([Request("Gather", [x, row], [x[row]]) for row in rows])
        shapes = [np.array([2, 6], kind) for kind in kinds]
        yield calls_trial([Request("Reshape", [x, s], [x.reshape(2, 6)]) for s in shapes])
    for one, other in (("int32", "int64"), ("int64", "int32")):
        turned = ((one, other), (other, one), (one, other))
        values = [(x.astype(first), np.array([2, 1], last)) for first, last in turned]
        yield calls_trial([Request("Gather", [y, row], [y[row]]) for y, row in values])
        values = [(np.array([3], first), np.array(2, last)) for first, last in turned]
        yield calls_trial(
            [Request("Fill", [n, y], [np.repeat(y, n[0])]) for n, y in values]
        )
    axis, chosen = np.int32(0), np.array([True, False])
    for count in (2, 4, 8):
        arrays = [numbers(draw, (4, 2), draw.one_of(NUMBERS)) for _ in range(count)]
        yield calls_trial([split(x, 0, 2) for x in arrays])
        joined = [[np.concatenate([x, x])] for x in arrays]
        yield calls_trial(
            [
                Request("Concat", [axis, x, x], y)
                for x, y in zip(arrays, joined, strict=True)
            ]
        )
        pairs = [(x[:2, 0], x[2:, 1]) for x in arrays]
        yield calls_trial(
            [Request("Select", [chosen, *p], [np.where(chosen, *p)]) for p in pairs]
        )


@case("05.1")
def switches(draw):
    """A flag that is set is not one that is not; nor is it another one."""
    for rank in (1, 2, 3):
        x = draw.array(draw.shape(rank))
        axes = np.array([rank - 1], np.int32)
        forms = [{}, {"keep_dims": True}, {"keep_dims": False}, {"keep_dims": True}, {}]
        yield calls_trial([sum_over(x, axes, **attrs) for attrs in forms])
        yield calls_trial([sum_over(x, axes, **attrs) for attrs in forms[1:]])
    x, y = draw.array((3, 3)), draw.array((3, 3))
    for names in (("transpose_a", "transpose_b"), ("transpose_b", "transpose_a")):
        yield calls_trial([matmul(x, y, **{name: True}) for name in names])
    flags = [{}] + [
        {"transpose_a": a, "transpose_b": b} for a in (True, False) for b in (True, False)
    ]
    yield calls_trial([matmul(x, y, **attrs) for attrs in draw.shuffled(flags * 2)])
    flags = [{}, {"little_endian": True}, {"little_endian": False}]
    yield calls_trial([decode_raw([1, 2, 3, 4], **f) for f in draw.shuffled(flags * 2)])
    yield calls_trial([decode_raw([1, 2], **f) for f in (flags[0], flags[2], flags[1])])
    yield calls_trial([decode_raw([1, 2], **f) for f in (flags[2], flags[0], flags[1])])
    names = ["exclusive", "reverse"]
    forms = [{}, {names[0]: True}, {names[1]: True}, dict.fromkeys(names, True)]
    yield calls_trial([cumsum(x[0], **attrs) for attrs in draw.shuffled(forms * 2)])


@case("05.1", over=["int", "float", "string", "type", "ints", "tensor"])
def settings(draw, kind):
    """Attributes of every kind count, by their values."""
    x = draw.array((4, 6))
    y = draw.array((1, 3, 1, 2, 1))
    near = np.float32(0.1) + np.arange(4, dtype=np.float32) * np.float32(1e-8)
    big = draw.array((20, 20))
    forms = {
        "tensor": lambda: [
            constant(value)
            for value in (x, x + 1, big, np.where(big == big[10, 10], 0, big), x[0], x)
        ],
        "int": lambda: [
            *[split(x, 1, count) for count in (2, 3, 6, 2)],
            *[pack([x, x + 1], axis) for axis in (None, 0, 1, 2, -1)],
        ],
        "float": lambda: [
            leaky(x, alpha)
            for alpha in draw.shuffled(
                [None, 0.2, 0.1, 0.25, 0.0, 1.0, 0.5, 0.1, *map(float, near)]
            )
        ],
        "string": lambda: [
            bias_add(draw.array((2, 3, 3)), draw.array((3,)), data_format)
            for data_format in draw.shuffled([None, "NHWC", "NCHW", "NHWC", "NCHW"])
        ],
        "type": lambda: [
            cast(x, to) for to in draw.shuffled([*NUMBERS, "bool", "float16", "float32"])
        ],
        "ints": lambda: [
            squeeze(y, axes)
            for axes in draw.shuffled([None, [0], [2], [4], [0, 2], [2, 4], [0, 2, 4]])
        ],
    }
    for _ in range(3):
        yield calls_trial(forms[kind]())


@case("05.1")
def settings_that_are_empty(draw):
    """An empty list or string is a value; nothing is the default, which is another."""
    inputs = [draw.array((1, 3, 3, 1)), np.ones((1, 1, 1, 1))]
    attrs = {"strides": [1, 1, 1, 1], "padding": "VALID"}
    usual = Request("Conv2D", inputs, [inputs[0]], attrs)
    words = ("InvalidArgumentError", "Conv2D: ", "dimensions", "[]")
    empty = Request("Conv2D", inputs, attrs={**attrs, "dilations": []}, error=words)
    text = Request("StringFormat", [], [np.array(b"")], {"template": "", "T": []})
    words = ("InvalidArgumentError", "StringFormat: ", "num placeholders")
    template = Request("StringFormat", [], attrs={"T": []}, error=words)
    pads = Request("Conv2D", inputs, [inputs[0]], {**attrs, "explicit_paddings": []})
    for one, other in ((usual, empty), (pads, empty), (text, template)):
        yield calls_trial([one, other, one])
        yield calls_trial([other, one, other])


@case("05.1")
def settings_among_others(draw):
    """A call gives what it gives alone, whatever settings the calls before it had."""
    image = (100 * draw.array((8, 8, 3), kind="plain")).astype(np.uint8)
    names = ["progressive", "optimize_size", "chroma_downsampling"]
    single = [{name: flag} for name in names for flag in (False, True)]
    for count in (0, 0, 6, 12):
        forms = draw.shuffled([{}, *single]) + [
            {name: draw.coin() for name in draw.shuffled(draw.some_of(names, 1))}
            for _ in range(count)
        ]
        requests = [
            {"op": "EncodeJpeg", "inputs": [image], "attrs": form,
             "forget": i <= len(forms)}
            for i, form in enumerate(forms * 2)
        ]  # fmt: skip

        def check(got: Any, forms: list[dict] = forms) -> str | None:
            if raised := [one for one in got if "raised" in one]:
                return f"it raised {raised[0]['raised']}: {raised[0]['text']}"
            for i, form in enumerate(forms):
                alone, among = got[i]["outputs"][0], got[len(forms) + i]["outputs"][0]
                if alone != among:
                    return f"call {i + 1}, with {form}, gives another image than alone"
            return None

        title = f"EncodeJpeg of one image with {forms}"
        yield call_trial(title, check, "calls", requests=requests)


@case("05.1")
def lengths_of_lists(draw):
    """A call whose inputs are divided in another way is another call."""
    x = draw.array((2,))
    inputs = [x, x + 1, x + 2]
    packed = np.stack(inputs)
    right = Request("Pack", inputs, [packed], lengths=[3])
    for wrong in ([2], [4], [1], [5], [3 + 256], [3 + (1 << 16)], [3, 0], [1, 2]):
        refused = Request(
            "Pack", inputs, lengths=wrong, error=("InvalidArgumentError", "Pack")
        )
        yield calls_trial([right, refused, right])
    rows = [np.int32([i]) for i in range(12)]
    parts = [x[None] + i for i in range(12)]
    joined = Request(
        "DynamicStitch", rows + parts, [np.concatenate(parts)], lengths=[12, 12]
    )
    for wrong in (
        [11, 13], [1, 23], [13, 11], [12], [24], [12 + 256, 12 - 256], [121, 2],
        [1, 212], [1212], [12, 1, 2],
    ):  # fmt: skip
        refused = Request(
            joined.op, joined.inputs, lengths=wrong, error=("InvalidArgumentError",)
        )
        yield calls_trial([joined, refused, joined])
    counts = draw.shuffled([1, 2, 3, 4, 2, 5, 1])
    many = [[draw.array((2,)) for _ in range(count)] for count in counts]
    yield calls_trial([Request("AddN", m, [sum(m)], lengths=[len(m)]) for m in many])
    yield calls_trial([Request("AddN", m, [sum(m)]) for m in many])
    # A number of a length may be that of a type.
    for dtype in ("float32", "float64", "int32"):
        x = numbers(draw, (2,), dtype)
        same = [Request("IdentityN", [x] * n, [x] * n) for n in range(1, 6)]
        told = [replace(one, lengths=[len(one.inputs)]) for one in same]
        yield calls_trial(draw.shuffled(same + told))


@case("05.1")
def lists_that_are_empty(draw):
    """Which of several lists is empty counts, and not only how long the others are."""
    for count in (1, 2):
        strings = [np.full(rows, b"", object) for rows in (2, 0)]
        keys = [np.array(f"key {i}".encode()) for i in range(count)]
        attrs = {"sparse_types": ["int64"] * count, "dense_shapes": []}
        parts = (np.zeros((0, 2), np.int64), np.zeros(0, np.int64), np.int64([2, 0]))
        outputs = [part for part in parts for _ in keys]
        inputs = [*strings, *keys]
        right = Request("ParseExample", inputs, outputs, attrs, [1, 1, count, 0, 0])
        for wrong in ([1, 1, 0, count, 0], [1, 1, 0, 0, count]):
            error = ("InvalidArgumentError", "ParseExample: ")
            refused = Request("ParseExample", inputs, [], attrs, wrong, error)
            yield calls_trial([right, refused, right])
            yield calls_trial([refused, right, refused])


@case("05.1")
def names_with_an_underscore(draw):
    """Attributes that no definition has count: a kernel is asked for by its label."""
    x, y = draw.array((2, 2)), draw.array((2, 2))
    unknown = ("NotFoundError", "MatMul", "nope")
    for label in ("", "naive"):
        plain = matmul(x, y)
        named = Request("MatMul", [x, y], [x @ y], {"_kernel": label})
        refused = Request("MatMul", [x, y], attrs={"_kernel": "nope"}, error=unknown)
        yield calls_trial([plain, refused, named, refused, plain])


@case("05.1")
def attributes_that_name_a_gradient(draw):
    """So does the attribute that names the gradient function of a call, on a tape."""
    for op in ("Neg", "Square"):
        for _ in range(3):
            x, dy = draw.array((2,)), draw.array((2,))
            kinds = draw.shuffled(["", "Neg", "Square", "Identity"] * 2)
            program = [
                step(op, ["x"], f"y{i}", **{"_gradient_op_type": kind} if kind else {})
                for i, kind in enumerate(kinds)
            ]
            slopes = {"Neg": -1, "Square": 2 * x, "Identity": 1}
            expected = [slopes[kind or op] * dy for kind in kinds]

            def check(values: list[Any], expected: list = expected) -> Any:
                for i, (got, one) in enumerate(
                    zip(values[0]["answers"], expected, strict=True)
                ):
                    if isinstance(got, dict):
                        return f"it raised {got['raised']}: {got['text']}"
                    wrong = close(
                        got[0][0], one, rtol=1e-9, what=f"dL/dx of call {i + 1}"
                    )
                    if wrong:
                        return wrong
                return None

            arguments = {
                "program": program, "inputs": {"x": x}, "watched": ["x"],
                "questions": [
                    {"ys": [f"y{i}"], "xs": ["x"], "dys": [dy]} for i in range(len(kinds))
                ],
                "is_persistent": True,
            }  # fmt: skip
            shown = ", ".join(kind or "its own" for kind in kinds)
            title = f"calls of {op} that name the gradients of {shown}"
            yield Trial(title, [Call("gradients", arguments)], check)


def _goes_on_trial(
    title: str,
    op: str,
    inputs: list[list[Any]],
    attrs: dict[str, Any],
    differs: Callable[[int, np.ndarray, np.ndarray], str | None],
) -> Trial:
    """Calls of a random op, then as many with other inputs, after kernels are forgotten.

    The first half of the inputs are of one kind, the second half of several. ``differs``
    compares the outputs of both calls of a number, and returns what is wrong.
    """
    count = len(inputs) // 2
    requests = [
        {"op": op, "inputs": one, "attrs": attrs, "forget": i in (0, count)}
        for i, one in enumerate(inputs)
    ]

    def look(got: Any) -> str | None:
        if raised := [one for one in got if "raised" in one]:
            return f"it raised {raised[0]['raised']}: {raised[0]['text']}"
        outputs = [one["outputs"][0] for one in got]
        return first_wrong(
            differs(i, outputs[i], outputs[count + i]) for i in range(count)
        )

    return call_trial(title, look, "calls", requests=requests)


@case("05.1")
def shapes_do_not_count(draw):
    """The next call has the same kernel whatever its shapes are, with its state."""

    def differs(i: int, one: np.ndarray, other: np.ndarray) -> str | None:
        if np.array_equal(one.ravel(), other.ravel()):
            return None
        alone = f"with one shape in all calls it is {one.ravel()}"
        return f"call {i + 1} gives {other.ravel()}; {alone}"

    for shapes in ([[6], [2, 3]], [[4], [2, 2], [1, 4, 1], [4]], [[2, 2], [4], [4, 1]]):
        vectors = [[int(np.prod(shapes[0]))]] * len(shapes)
        attrs = {"seed": 3, "seed2": draw.whole(1, 99), "dtype": "float32"}
        inputs = [[np.int32(shape)] for shape in vectors + shapes]
        title = f"RandomUniform of the shapes {shapes}"
        yield _goes_on_trial(title, "RandomUniform", inputs, attrs, differs)


@case("05.1")
def ranks_do_not_count(draw):
    """Rows are in the same order whatever each of them is: an element, or a tensor."""
    rows = 9
    attrs = {"seed": 4, "seed2": draw.whole(1, 99)}

    def differs(i: int, vector: np.ndarray, tensor: np.ndarray) -> str | None:
        order, alone = tensor.reshape(rows, -1)[:, 0], vector.reshape(rows, -1)[:, 0]
        if np.array_equal(order, alone):
            return None
        text = f"call {i + 1} gives the order {order}; with a vector in all calls "
        return text + f"it is {alone}"

    for rests in ([(), (2,)], [(3,), (), (1, 2), (3,)], [(1,), (2, 1, 2), (), (4,)]):
        inputs = [[np.arange(rows)]] * len(rests)
        for rest in rests:
            whole = np.arange(rows).reshape(rows, *[1] * len(rest))
            inputs.append([np.broadcast_to(whole, (rows, *rest)).copy()])
        title = f"RandomShuffle of {rows} rows, each of which has the shapes {rests}"
        yield _goes_on_trial(title, "RandomShuffle", inputs, attrs, differs)


@case("05.1")
def values_do_not_count(draw):
    """Nor do values of inputs: a random op that gets others goes on with its numbers."""
    attrs = {"seed": 5, "seed2": draw.whole(1, 99)}
    for limits in ([7, 9, 7], [1000, 10, 1000, 20], [100, 50, 25, 100]):

        def differs(
            i: int, one: np.ndarray, other: np.ndarray, limits: list[int] = limits
        ) -> str | None:
            if limits[i] != limits[0] or np.array_equal(one, other):
                return None
            return f"call {i + 1} gives {other}; with one limit always it is {one}"

        both = [limits[0]] * len(limits) + limits
        inputs = [[np.int32([6]), np.int32(0), np.int32(limit)] for limit in both]
        title = f"RandomUniformInt below {limits}"
        yield _goes_on_trial(title, "RandomUniformInt", inputs, attrs, differs)


@case("05.1", hidden=True)
def types_of_mixed_lists(draw):
    """A list of tensors of several types has a kernel for these, in this order."""
    for _ in range(6):
        lists = []
        for _ in range(5):
            dtypes = [draw.one_of(NUMBERS) for _ in range(draw.whole(1, 4))]
            values = [numbers(draw, (2,), dtype) for dtype in dtypes]
            lists.append(Request("IdentityN", values, values))
        yield calls_trial(draw.shuffled(lists * 2))


@case("05.1", hidden=True)
def ops_and_types_mixed(draw):
    """Any call between any others is the same as alone."""
    for count in (4, 16, 40):
        ops = [draw.one_of(["Add", "Sub", "Mul", "Neg", "Square"]) for _ in range(count)]
        yield calls_trial([cwise(draw, op, draw.one_of(NUMBERS)) for op in ops])
