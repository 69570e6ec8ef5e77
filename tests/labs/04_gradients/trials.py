"""What trials of lab 04 are made of: gradients against jets (judge/jets.py).

A case goes over element types, ranks 0 to 5, sizes 0 and 1, and what is known of the
sizes while a graph is built; a task's functions are differentiated in graphs and on
tapes, once and twice.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from lab_common import jets
from lab_common.programs import describe_program, step

from minitf_lab.judge.case import Call, Mismatch, Trial, close, describe
from minitf_lab.judge.draw import Draw

ROLES = ("graph", "shape", "batch", "rank", "nothing", "tape")
TOLERANCE = {"float32": 2e-4, "complex64": 2e-4, "float64": 1e-9, "complex128": 1e-9}
WIDE = {"float32": "float64", "complex64": "complex128"}

WITHOUT_GRADIENT = "Unique"  # an op that has no gradient function

Arrays = dict[str, np.ndarray]


# ---- Trials ---------------------------------------------------------------------------


def _wide(value: np.ndarray | None) -> np.ndarray | None:
    """The same numbers with more digits."""
    return (
        None if value is None else value.astype(WIDE.get(value.dtype.name, value.dtype))
    )


def _compare(
    got: Any, expected: np.ndarray | None, dtype: np.dtype, what: str
) -> Mismatch | None:
    if expected is None or got is None:
        return close(got, expected, what=what)
    with np.errstate(all="ignore"):
        expected = expected.astype(dtype)
    tolerance = TOLERANCE[dtype.name]
    finite = np.abs(expected[np.isfinite(expected)])
    scale = np.max(finite, initial=0)
    return close(got, expected, rtol=tolerance, atol=tolerance * scale, what=what)


def title_of(program: list, inputs: Arrays, role: str) -> str:
    kinds = ", ".join(f"{name} {describe(value)}" for name, value in inputs.items())
    place = {
        "graph": "in a graph",
        "tape": "on a tape",
        "shape": "in a graph that knows no values",
        "batch": "in a graph that does not know the first size",
        "rank": "in a graph that knows no sizes",
        "nothing": "in a graph that knows not even ranks",
    }[role]
    return f"{describe_program(program)}, {place}, with {kinds}"


def gradient_trial(
    program: list,
    inputs: Arrays,
    xs: list[str],
    dys: dict[str, np.ndarray],
    *,
    role: str = "graph",
    stopped: tuple[str, ...] = (),
    is_twice: bool = False,
    expected: list[np.ndarray] | None = None,
    ops: Callable[[dict[str, int]], str | None] = lambda ops: None,
) -> Trial:
    """Differentiates the ys, which ``dys`` names, and compares with jets.

    Args:
        program: Its steps.
        inputs: Values that no step makes.
        xs: With respect to what.
        dys: dL/dy for each y.
        role: A graph, and what is known in it of the xs and the dys; or a tape.
        stopped: Values that count as constants.
        is_twice: Whether the gradients of the gradients count too.
        expected: In place of what jets give, which mix infinities of different elements.
        ops: What is wrong with the nodes that were added, by type.
    """
    draw = Draw(describe_program(program))
    wide = {name: _wide(value) for name, value in inputs.items()}
    wide_dys = {name: _wide(dy) for name, dy in dys.items()}
    if expected is None:
        expected = [jets.gradient(program, wide, x, wide_dys, stopped) for x in xs]
    arguments: dict[str, Any] = {
        "program": program,
        "inputs": inputs,
        "ys": list(dys),
        "xs": xs,
        "dys": list(dys.values()),
    }
    dtype = next(iter(dys.values())).dtype
    if role != "tape":
        hidden = "value" if role == "graph" else role
        arguments["known"] = {name: hidden for name in xs if name in inputs}
        if role in {"rank", "nothing"}:  # nor are axes, shapes and conditions known
            fed = {name for name, value in inputs.items() if value.dtype.kind in "ib"}
            arguments["known"] |= dict.fromkeys(fed, "shape")
        arguments["known_dys"] = hidden
        arguments["stopped"] = list(stopped)
    weights = {
        x: draw.array(one.shape, dtype.name)
        for x, one in zip(xs, expected, strict=True)
        if is_twice and one is not None
    }
    if is_twice:
        arguments["weights"] = [weights.get(x) for x in xs]

    def check_twice(got: list) -> Mismatch | None:
        for x, second in zip(xs, got, strict=True):
            total = jets.second(program, wide, x, wide_dys, weights)
            if second is None and not np.any(total):
                continue  # zeros may be left out
            wrong = _compare(second, total, dtype, f"the second gradient of {x}")
            if wrong:
                return wrong
        return None

    def check(values: list[Any]) -> Mismatch | None:
        (result,) = values
        for x, got, one in zip(xs, result["gradients"], expected, strict=True):
            if wrong := _compare(got, one, dtype, f"dL/d{x}"):
                return wrong
        if is_twice and (wrong := check_twice(result["second"])):
            return wrong
        sentence = ops(result.get("ops", {}))
        return Mismatch(sentence) if sentence else None

    function = "on_tape" if role == "tape" else "in_graph"
    title = title_of(program, inputs, role) + (", twice" if is_twice else "")
    return Trial(title, [Call(function, arguments)], check)


def op_trials(
    draw: Draw,
    op: str,
    inputs: Arrays,
    xs: list[str],
    dtype: str,
    *,
    roles: tuple[str, ...] = ROLES,
    attrs: dict[str, Any] | None = None,
    **options: Any,
) -> Iterator[Trial]:
    """One call of ``op``, in each of ``roles``."""
    program = [step(op, list(inputs), "z", **(attrs or {}))]
    shape = jets.run(program, inputs)["z"].value.shape
    dys = {"z": draw.array(shape, dtype)}
    for role in roles:
        yield gradient_trial(program, inputs, xs, dys, role=role, **options)


def weighted_trials(
    draw: Draw,
    op: str,
    inputs: Arrays,
    xs: list[str],
    *,
    roles: tuple[str, ...] = ("graph", "nothing", "tape"),
    attrs: dict[str, Any] | None = None,
) -> Iterator[Trial]:
    """Second derivatives of v w, where v is a call of ``op`` and w is 0 at some places.

    There dL/dv is 0, and changes all the same if w does.
    """
    program = [step(op, list(inputs), "v", **(attrs or {})), step("Mul", ["v", "w"], "z")]
    shape = jets.run(program[:1], inputs)["v"].value.shape
    inputs = {**inputs, "w": draw.array(shape, "float64", "whole")}
    dys = {"z": draw.array(shape)}
    for role in roles:
        yield gradient_trial(program, inputs, [*xs, "w"], dys, role=role, is_twice=True)


def shapes(draw: Draw, *, times: int = 2) -> Iterator[tuple[int, ...]]:
    """Ranks 0 to 5, from small to large; sizes 0 and 1 among them."""
    yield ()
    yield (1,)
    for rank in range(1, 6):
        for _ in range(times):
            yield draw.shape(rank, 4 if rank < 4 else 3)
    yield (0,)
    yield draw.shape(2, empty=True)
    yield (1, 1, 1)


def pairs(draw: Draw) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Pairs of shapes that broadcast, either of which may be stretched, or both."""
    yield from [((), ()), ((2,), ()), ((), (2,)), ((3,), (3,)), ((1,), (3,))]
    yield from [((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((1,), ())]
    yield from [((1, 2), (2,)), ((3, 1), (1, 3, 2)), ((1, 1, 2), (1,))]  # ones in front
    for axis in range(5):  # each axis of the largest rank, alone
        whole = [2, 3, 1, 2, 2]
        yield tuple(whole), tuple(1 if i == axis else whole[i] for i in range(5))
    for shape in shapes(draw, times=1):
        yield shape, draw.stretched(shape)
        yield draw.stretched(shape), shape
        one, other = draw.stretched(shape), draw.stretched(shape)
        yield one, other


def rows_trial(
    draw: Draw, program: list, inputs: Arrays, slices: dict[str, bool]
) -> Trial:
    """Gradients where dL/dz comes in slices, as that of a lookup of rows.

    Args:
        draw: Where rows and weights come from.
        program: Its steps; the last one makes z.
        inputs: Values that no step makes.
        slices: For each x, whether its gradient must come in slices again.
    """
    z = jets.run(program, inputs)["z"].value
    rows = [draw.whole(0, len(z) - 1) for _ in range(3)]
    weights = draw.array((3, *z.shape[1:]))
    dz = np.zeros(z.shape)
    np.add.at(dz, rows, weights)

    def check(values: list[Any]) -> Mismatch | str | None:
        result = values[0]
        for i, (x, must_be) in enumerate(slices.items()):
            expected = jets.gradient(program, inputs, x, {"z": dz})
            got = result["gradients"][i]
            if wrong := close(got, expected, rtol=1e-9, atol=1e-9, what=f"dL/d{x}"):
                return wrong
            if must_be and not result["are_slices"][i]:
                return f"dL/d{x} is dL/dz as it is, which is slices, yet it is dense"
        return None

    arguments = {
        "program": program, "inputs": inputs, "y": "z", "xs": list(slices),
        "rows": rows, "weights": weights,
    }  # fmt: skip
    title = f"{title_of(program, inputs, 'graph')}, of z only the rows {rows}"
    return Trial(title, [Call("of_rows", arguments)], check)


def count(ops: dict[str, int], *names: str) -> int:
    return sum(ops.get(name, 0) for name in names)


def by_hand(op: str, x: Any, y: Any, dy: Any, expected: list, **attrs: Any) -> Trial:
    """A call with numbers that can be checked in the head."""
    inputs = {"x": np.asarray(x), "y": np.asarray(y)}
    program = [step(op, ["x", "y"], "z", **attrs)]
    dys = {"z": np.asarray(dy, np.float64)}
    trial = gradient_trial(program, inputs, ["x", "y"], dys)

    def check(values: list[Any]) -> Mismatch | str | None:
        got = values[0]["gradients"]
        for name, one, other in zip("xy", got, expected, strict=True):
            wanted = None if other is None else np.asarray(other, np.float64)
            if wrong := close(one, wanted, rtol=1e-12, what=f"dL/d{name}"):
                return wrong
        return None

    return Trial(trial.title, trial.calls, check)


def special_trials(
    draw: Draw, program: list, inputs: Arrays, xs: list[str], formula: Callable
) -> Iterator[Trial]:
    """Infinities, NaN and zeros in dL/dz; ``formula`` gives dL/dx of it for each x."""
    shape = jets.run(program, inputs)["z"].value.shape
    dz = draw.array(shape, "float64", "special")
    for role in ("graph", "shape", "tape"):
        with np.errstate(all="ignore"):
            expected = [np.asarray(one) for one in formula(dz)]
        yield gradient_trial(program, inputs, xs, {"z": dz}, role=role, expected=expected)


def none_trial(
    op: str, inputs: list[np.ndarray], dy: np.ndarray, which: list[bool]
) -> Trial:
    """The gradient function gives none for those inputs that are marked by False."""

    def check(values: list[Any]) -> str | None:
        got = values[0]
        if len(got) != len(which):
            return f"it returns {len(got)} values, expected {len(which)}, one an input"
        for i, (one, expected) in enumerate(zip(got, which, strict=True)):
            if (one is not None) != expected:
                there = "a gradient" if expected else "none: it is nothing to vary"
                return f"input {i} gets {describe(one)}, expected {there}"
        return None

    kinds = ", ".join(map(describe, inputs))
    arguments = {"op": op, "inputs": inputs, "attrs": {}, "dy": dy}
    return Trial(
        f"the gradient function of {op}({kinds})", [Call("of_a_call", arguments)], check
    )


def values_trial(
    program: list, inputs: Arrays, xs: list[str], expected: list, ys: list[str]
) -> Trial:
    """Gradients of ys, with ones for dL/dy, that are known by hand."""
    arguments = {"program": program, "inputs": inputs, "ys": ys, "xs": xs}

    def check(values: list[Any]) -> Mismatch | None:
        for x, got, one in zip(xs, values[0]["gradients"], expected, strict=True):
            if wrong := close(got, one, rtol=1e-6, what=f"dL/d{x}"):
                return wrong
        return None

    title = title_of(program, inputs, "graph") + f", dL/d({', '.join(ys)}) = 1"
    return Trial(title, [Call("in_graph", arguments)], check)


def axes_of(draw: Draw, rank: int) -> Iterator[Any]:
    """Axes as users give them: none, one, all, from the end, out of order, a scalar."""
    yield []
    if rank:
        yield draw.whole(-rank, rank - 1)
        yield [draw.whole(0, rank - 1)]
        yield list(range(rank))
        chosen = draw.some_of(range(rank), 1)
        yield draw.shuffled([axis - rank if draw.coin() else axis for axis in chosen])
