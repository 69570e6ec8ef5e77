"""Lab 05, task 1: which kernel a call gets."""

from dataclasses import replace
from typing import Any

import numpy as np
from lab_05_eager.numpy_calls import (
    NUMBERS,
    bias_add,
    cast,
    constant,
    leaky,
    numbers,
    pack,
    split,
    squeeze,
    sum_over,
)
from lab_05_eager.trials import Request, answers_trial, calls_trial
from lab_common.checks import call_trial
from lab_common.programs import step

from minitf_lab.judge.case import case


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
            expected = [[slopes[kind or op] * dy] for kind in kinds]

            questions = [
                {"ys": [f"y{i}"], "xs": ["x"], "dys": [dy]} for i in range(len(kinds))
            ]
            shown = ", ".join(kind or "its own" for kind in kinds)
            title = f"calls of {op} that name the gradients of {shown}"
            yield answers_trial(title, program, {"x": x}, questions, expected)


def _rows(rest: tuple[int, ...]) -> list[np.ndarray]:
    """Nine rows, each of which is a tensor of its number."""
    numbers_ = np.arange(9).reshape(9, *[1] * len(rest))
    return [np.broadcast_to(numbers_, (9, *rest)).copy()]


@case("05.1", over=("shapes", "ranks", "values"))
def what_does_not_count(draw, what):
    """A random op that gets other shapes or values goes on with its numbers."""
    attrs = {"seed": 3, "seed2": draw.whole(1, 99)}
    attrs |= {"dtype": "float32"} if what == "shapes" else {}
    op, inputs_of, groups = {
        "shapes": (
            "RandomUniform", lambda shape: [np.int32(shape)],
            ([[6], [2, 3]], [[4], [2, 2], [1, 4, 1], [4]], [[4], [2, 2], [4], [4, 1]]),
        ),
        "ranks": (
            "RandomShuffle", _rows,
            ([(), (2,)], [(), (3,), (), (1, 2), (3,)], [(), (1,), (2, 1, 2), (), (4,)]),
        ),
        "values": (
            "RandomUniformInt", lambda limit: [np.int32(n) for n in ([6], 0, limit)],
            ([7, 9, 7], [1000, 10, 1000, 20], [100, 50, 25, 100]),
        ),
    }[what]  # fmt: skip
    for group in groups:
        count = len(group)
        requests = [
            {"op": op, "inputs": inputs_of(one), "attrs": attrs, "forget": i % count == 0}
            for i, one in enumerate([group[0]] * count + group)
        ]

        def look(got: Any, group: list = group) -> str | None:
            for i, one in enumerate(group):
                alone, other = got[i], got[len(group) + i]
                for call in (alone, other):
                    if "raised" in call:
                        return f"it raised {call['raised']}: {call['text']}"
                if what == "values" and one != group[0]:
                    continue
                width = 9 if what == "ranks" else alone["outputs"][0].size
                x, y = (
                    call["outputs"][0].reshape(width, -1)[:, 0] for call in (alone, other)
                )
                if not np.array_equal(x, y):
                    return f"call {i + 1} gives {y}; after calls of one kind it is {x}"
            return None

        title = f"{op}; of its calls these {what} differ: {group}"
        yield call_trial(title, look, "calls", requests=requests)
