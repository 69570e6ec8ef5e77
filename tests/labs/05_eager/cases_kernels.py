"""Lab 05, task 2: kernels that are made, and kept."""

from typing import Any

import numpy as np
from lab_05_eager.numpy_calls import (
    cwise,
    leaky,
    matmul,
    pack,
    squeeze,
    sum_over,
)
from lab_05_eager.trials import Request, calls_trial, known
from lab_common.checks import call_trial

from minitf_lab.judge.case import Trial, case


def _random_call(op: str, seed: int, seed2: int, dtype: str) -> dict[str, Any]:
    attrs: dict[str, Any] = {"seed": seed, "seed2": seed2}
    if op == "RandomUniformInt":
        limits = [np.asarray(limit, dtype) for limit in (0, 1 << 30)]
        return {"op": op, "inputs": [np.int32([3]), *limits], "attrs": attrs}
    if op == "RandomShuffle":
        places = np.arange(12).astype("S" if dtype == "string" else dtype)
        return {"op": op, "inputs": [places], "attrs": attrs}
    return {"op": op, "inputs": [np.int32([3])], "attrs": {**attrs, "dtype": dtype}}


def _series_trial(
    keys: list[tuple[int, int, str]], epochs: list[int], op: str = "RandomUniform"
) -> Trial:
    """Random numbers; all kernels are forgotten before the calls with these places."""
    requests = [
        {**_random_call(op, *key), "forget": i in epochs} for i, key in enumerate(keys)
    ]

    def check(got: Any) -> str | None:
        seen: dict[Any, np.ndarray] = {}
        turn: dict[Any, int] = {}
        for i, (key, one) in enumerate(zip(keys, got, strict=True)):
            if "raised" in one:
                return f"call {i + 1} raised {one['raised']}: {one['text']}"
            turn = {} if i in epochs else turn
            turn[key] = turn.get(key, 0) + 1
            numbers = one["outputs"][0]
            first = seen.setdefault((key, turn[key]), numbers)
            if not np.array_equal(first, numbers):
                return (
                    f"call {i + 1}: numbers {turn[key]} of seeds {key[:2]} since kernels "
                    f"were forgotten are {numbers}, they were {first}"
                )
        for (key, i), numbers in seen.items():
            for (other, j), others in seen.items():
                if (key[:2], i) == (other[:2], j):
                    continue
                if key[2] == other[2] and np.array_equal(numbers, others):
                    return f"numbers {i} of {key} are numbers {j} of {other}: {numbers}"
        return None

    title = f"{op} with seeds {keys}, kernels forgotten before {epochs}"
    return call_trial(title, check, "calls", requests=requests)


@case("05.2")
def a_kernel_is_kept(draw):
    """The next equal call has the kernel of the one before, with its state."""
    one, two = (5, 0, "float32"), (5, 6, "float32")
    yield _series_trial([one, one], [])
    yield _series_trial([one, one, one, one], [2])
    yield _series_trial([one, two, one, two, two, one], [3])
    wide = (5, 0, "float64")
    yield _series_trial([one, wide, wide, one, one, wide], [3])
    for _ in range(4):
        keys = [draw.one_of([one, two, (7, 1, "float64")]) for _ in range(12)]
        yield _series_trial(keys, draw.some_of(range(1, 12)))
    for op, dtypes in (
        ("RandomUniformInt", ("int32", "int64")),
        ("TruncatedNormal", ("float16", "float32")),
        ("RandomShuffle", ("float64", "complex64", "int32", "int64", "string")),
    ):
        for dtype in dtypes:
            one, two = (4, 1, dtype), (draw.whole(5, 99), 2, dtype)
            yield _series_trial([one, one, two, one, two], [2], op)


@case("05.2", over=("VarHandleOp", "StackV2", "IdentityReaderV2", "TextLineReaderV2",
                    "FIFOQueueV2", "RandomShuffleQueueV2"))  # fmt: skip
def each_call_makes_its_own(draw, op):
    """So do calls that make anything else, each of which is used for itself."""
    for counts in ([1, 0], [0, 2], [3, 1, 2]):
        title = f"states of equal calls of {op}, used {counts} times"
        yield known("states", {"op": op, "counts": counts}, counts, title)


@case("05.2")
def errors_between_calls(draw):
    """A call that fails leaves the kernels of other calls, with their state."""
    x = draw.array((2, 2))
    failing = [
        {"op": "Nope", "inputs": [x], "attrs": {}},
        {"op": "MatMul", "inputs": [x, x], "attrs": {"_kernel": "no"}},
        {"op": "Add", "inputs": [x, np.float32(1)], "attrs": {}},
        {"op": "MatMul", "inputs": [x, x[:1]], "attrs": {}},
        {"op": "Gather", "inputs": [x, np.int32([9])], "attrs": {}},
        {"op": "StringFormat", "inputs": [], "attrs": {"T": []}},
    ]
    for op in ("RandomUniform", "RandomUniformInt", "RandomShuffle"):
        dtype = "int32" if op == "RandomUniformInt" else "float64"
        one = _random_call(op, 8, draw.whole(1, 99), dtype)
        for count in (1, 3, len(failing)):
            others = draw.shuffled(failing)[:count]
            requests = [{**one, "forget": i == 0} for i in range(count + 1)]
            requests.append({**one, "forget": True})
            for other in others:
                requests += [other, one]

            def check(result: Any, count: int = count) -> str | None:
                first, later = result[: count + 1], result[count + 1 :]
                for i, request in enumerate(later[1::2]):
                    if "raised" not in request:
                        return f"the call that must fail, number {i + 1}, does not"
                for i, (got, other) in enumerate(zip(later[::2], first, strict=True)):
                    for one in (got, other):
                        if "raised" in one:
                            return f"it raised {one['raised']}: {one['text']}"
                    got, other = got["outputs"][0], other["outputs"][0]
                    if not np.array_equal(got, other):
                        return f"numbers {i + 1} are {got}, without the errors {other}"
                return None

            shown = ", ".join(other["op"] for other in others)
            title = f"{op}, between its calls errors of {shown}"
            yield call_trial(title, check, "calls", requests=requests)


@case("05.2")
def defaults(draw):
    """An attribute that is left out has the default of the definition."""
    for rank in (1, 2, 4):
        x = draw.array(draw.shape(rank))
        yield calls_trial([sum_over(x, np.array([0], np.int32))])
        yield calls_trial([leaky(x, None)])
        yield calls_trial([pack([x, x], None)])
    x = draw.array((2, 2))
    yield calls_trial([matmul(x, x + 1)])
    yield calls_trial([squeeze(draw.array((1, 2, 1)), None)])


@case("05.2")
def calls_that_make_no_sense(draw):
    """An unknown op, wrong types, wrong numbers and missing attributes are refused."""
    x, y = draw.array((2, 2)), draw.array((2, 2), "float32")
    invalid = "InvalidArgumentError"
    for op, inputs, attrs, words in (
        ("Nope", [x], {}, ("NotFoundError", "Nope")),
        ("Summ", [x], {}, ("NotFoundError", "Summ", "Sum")),
        ("Add", [x], {}, (invalid, "Add", "2", "1")),
        ("Add", [x, x, x], {}, (invalid, "Add", "2", "3")),
        ("Add", [x, y], {}, (invalid, "Add", "float32", "float64")),
        ("Sin", [np.array([1])], {}, (invalid, "Sin", "int64")),
        ("Cast", [x], {}, (invalid, "Cast", "DstT")),
        ("Split", [np.int32(0), x], {"num_split": 0}, (invalid, "Split", "num_split")),
        ("BiasAdd", [x, x[0]], {"data_format": "N"}, (invalid, "BiasAdd", "data_format")),
        ("MatMul", [x, x], {"_kernel": "no"}, ("NotFoundError", "MatMul", "'no'")),
    ):
        request = Request(op, inputs, attrs=attrs, error=words)
        yield calls_trial([request, request, cwise(draw, "Add", "float64")])
    for lengths in ([1], [3], [1, 1], [], [2, 0]):
        request = Request("Pack", [x, x], lengths=lengths, error=(invalid, "Pack"))
        if lengths:
            yield calls_trial([request, request])
