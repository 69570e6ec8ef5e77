"""What a graph gives, by numpy: the oracle of lab 07.

``run`` computes a graph as the driver returns it, before a pass or after it. It knows the
nodes that passes make, too. What is random, or read from a variable, is a number that
depends on the name of the node: so two such nodes cannot be taken for one, nor one be
computed beforehand, without a change of the result. A value that a branch does not give
is ``DEAD``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from minitf_lab.judge.draw import Draw

Node = dict[str, Any]

DEAD = "dead"
RANDOM = {"RandomUniform", "RandomStandardNormal", "RandomShuffle", "ReadVariableOp"}
EFFECTS = {"Print", "PrintV2", "Assert", "AssignVariableOp", "CheckNumerics"}


def _relu(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, np.where(np.isnan(x), x, x * 0))


UNARY: dict[str, Callable] = {
    "Identity": lambda x: x,
    "Snapshot": lambda x: x,
    "StopGradient": lambda x: x,
    "Neg": np.negative,
    "Abs": np.abs,
    "Exp": np.exp,
    "Tanh": np.tanh,
    "Sin": np.sin,
    "Sqrt": np.sqrt,
    "Floor": np.floor,
    "Square": lambda x: x * x,
    "Relu": _relu,
    "Relu6": lambda x: np.minimum(_relu(x), x.dtype.type(6)),
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "LogicalNot": np.logical_not,
    "Invert": np.invert,
    "Conj": np.conj,
    "ZerosLike": np.zeros_like,
    "OnesLike": np.ones_like,
    "IsNan": np.isnan,
}


def _div(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.kind in "fc":
        return x / y
    if np.any(y == 0):
        raise ZeroDivisionError("integer division by zero")
    wide = [np.asarray(value).astype(object) for value in (x, y)]
    quotient = np.abs(wide[0]) // np.abs(wide[1]) * np.sign(wide[0]) * np.sign(wide[1])
    return np.vectorize(lambda n: int(n) & (2**64 - 1), otypes=[np.uint64])(
        quotient
    ).astype(x.dtype)


def _floor_div(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.kind in "iu" and np.any(y == 0):
        raise ZeroDivisionError("integer division by zero")
    return np.floor_divide(x, y)


BINARY: dict[str, Callable] = {
    "Add": np.add,
    "AddV2": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": _div,
    "RealDiv": np.divide,
    "FloorDiv": _floor_div,
    "Maximum": lambda x, y: np.where((x > y) | (x != x), x, y),
    "Minimum": lambda x, y: np.where((x < y) | (x != x), x, y),
    "SquaredDifference": lambda x, y: (x - y) * np.conj(x - y),
    "Equal": np.equal,
    "NotEqual": np.not_equal,
    "Less": np.less,
    "LogicalAnd": np.logical_and,
    "LogicalOr": np.logical_or,
    "BitwiseAnd": np.bitwise_and,
    "BitwiseXor": np.bitwise_xor,
}


def _matrix(x: np.ndarray, is_adjoint: bool) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2)) if is_adjoint else x


def _matmul(node: Node, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    attrs = node["attrs"]
    if attrs["transpose_a"]:
        a = a.T
    if attrs["transpose_b"]:
        b = b.T
    return a @ b


def _conv2d(node: Node, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    attrs = node["attrs"]
    is_nchw = attrs["data_format"] == "NCHW"
    if is_nchw:
        x = np.transpose(x, (0, 2, 3, 1))
    steps = attrs["strides"][2:] if is_nchw else attrs["strides"][1:3]
    window, outs = w.shape[:2], []
    pads = []
    for size, step, reach in zip(x.shape[1:3], steps, window, strict=True):
        if attrs["padding"] == "SAME":
            outs.append(-(-size // step))
            total = max((outs[-1] - 1) * step + reach - size, 0)
            pads.append((total // 2, total - total // 2))
        else:
            outs.append((size - reach) // step + 1)
            pads.append((0, 0))
    padded = np.pad(x, ((0, 0), *pads, (0, 0)))
    y = np.zeros((x.shape[0], *outs, w.shape[3]), x.dtype)
    for r, s in np.ndindex(*window):
        rows = slice(r, r + (outs[0] - 1) * steps[0] + 1, steps[0])
        columns = slice(s, s + (outs[1] - 1) * steps[1] + 1, steps[1])
        y = y + padded[:, rows, columns] @ w[r, s]
    return np.transpose(y, (0, 3, 1, 2)) if is_nchw else y


def _bias_add(node: Node, x: np.ndarray, bias: np.ndarray) -> np.ndarray:
    is_first = node["attrs"].get("data_format") == "NCHW" and x.ndim > 2
    return x + bias.reshape((-1,) + (1,) * (x.ndim - 2)) if is_first else x + bias


def _fused_product(node: Node, *inputs: np.ndarray) -> np.ndarray:
    product = _conv2d if "Conv2D" in node["op"] else _matmul
    y = product(node, *inputs[:2])
    ops, arguments = list(node["attrs"]["fused_ops"]), list(inputs[2:])
    if len(arguments) != node["attrs"]["num_args"]:
        raise ValueError(f"num_args is not {len(arguments)}")
    for op in ops:
        y = _bias_add(node, y, arguments.pop(0)) if op == "BiasAdd" else UNARY[op](y)
    return y


def _fused_elementwise(node: Node, *inputs: np.ndarray) -> np.ndarray:
    values = list(inputs)
    ops, arguments = node["attrs"]["ops"], node["attrs"]["arguments"]
    if len(arguments) != 2 * len(ops):
        raise ValueError(f"{len(ops)} ops have {len(arguments)} arguments")
    for i, op in enumerate(ops):
        x, y = arguments[2 * i : 2 * i + 2]
        if not 0 <= x < len(values) or not -1 <= y < len(values):
            raise ValueError(f"step {i} takes what is not there: {x} and {y}")
        if (y < 0) != (op in UNARY):
            raise ValueError(f"step {i}, {op}, has arguments {x} and {y}")
        values.append(UNARY[op](values[x]) if y < 0 else BINARY[op](values[x], values[y]))
    shape = np.broadcast_shapes(*(x.shape for x in inputs))
    return np.broadcast_to(values[-1], shape)


def _reduced(function: Callable) -> Callable:
    def reduce(node: Node, x: np.ndarray, axes: np.ndarray) -> np.ndarray:
        chosen = tuple(int(a) for a in np.ravel(axes))
        return function(x, axis=chosen, keepdims=node["attrs"]["keep_dims"])

    return reduce


def _slice(_node: Node, x: np.ndarray, begin: np.ndarray, size: np.ndarray) -> np.ndarray:
    ends = [n if s < 0 else b + s for b, s, n in zip(begin, size, x.shape, strict=True)]
    return x[tuple(slice(b, e) for b, e in zip(begin, ends, strict=True))]


def _strided_slice(node: Node, x: np.ndarray, *limits: np.ndarray) -> np.ndarray:
    """Of one axis, which may go."""
    begin, end, step = (int(limit[0]) for limit in limits)
    part = x[begin:end:step]
    return part[0] if node["attrs"]["shrink_axis_mask"] else part


def _squeeze(node: Node, x: np.ndarray) -> np.ndarray:
    return np.squeeze(x, tuple(node["attrs"].get("squeeze_dims") or ()) or None)


def _drawn(node: Node, *inputs: np.ndarray) -> np.ndarray:
    draw = Draw(f"{node['op']} {node['name']}")
    if node["op"] == "ReadVariableOp":
        (shape,) = node["shapes"]
    else:
        shape = [int(n) for n in inputs[0]]
    return draw.array(tuple(shape), node["types"][0], "plain")


def _gives_shape(function: Callable) -> Callable:
    return lambda node, x: np.asarray(function(x), node["types"][0])


OTHERS: dict[str, Callable] = {
    "Const": lambda node: node["attrs"]["value"],
    "Print": lambda _node, x, *_: x,
    "CheckNumerics": lambda _node, x: x,
    "Cast": lambda node, x: x.astype(node["types"][0]),
    "Transpose": lambda _node, x, perm: np.transpose(x, [int(p) for p in perm]),
    "Reshape": lambda _node, x, shape: x.reshape([int(n) for n in shape]),
    "Squeeze": _squeeze,
    "ExpandDims": lambda _node, x, axis: np.expand_dims(x, int(axis)),
    "MatMul": _matmul,
    "BatchMatMul": lambda node, x, y: (
        _matrix(x, node["attrs"]["adj_x"]) @ _matrix(y, node["attrs"]["adj_y"])
    ),
    "Sum": _reduced(np.sum),
    "Mean": _reduced(np.mean),
    "Max": _reduced(np.max),
    "Fill": lambda _node, dims, value: np.full([int(n) for n in dims], value),
    "Shape": _gives_shape(lambda x: x.shape),
    "Size": _gives_shape(lambda x: x.size),
    "Rank": _gives_shape(lambda x: x.ndim),
    "Pack": lambda node, *xs: np.stack(xs, node["attrs"].get("axis", 0)),
    "ConcatV2": lambda _node, *xs: np.concatenate(xs[:-1], int(xs[-1])),
    "Slice": _slice,
    "StridedSlice": _strided_slice,
    "Where": lambda _node, x: np.argwhere(x),
    "PlaceholderWithDefault": lambda _node, x: x,
    "AddN": lambda _node, *xs: sum(xs[1:], xs[0]),
    "Conv2D": _conv2d,
    "BiasAdd": _bias_add,
    "_FusedMatMul": _fused_product,
    "_FusedConv2D": _fused_product,
    "_FusedElementwise": _fused_elementwise,
    **dict.fromkeys(RANDOM, _drawn),
}
OTHERS["BatchMatMulV2"] = OTHERS["BatchMatMul"]


def _outputs(node: Node, inputs: list[np.ndarray]) -> list[Any]:
    """The outputs of a node whose inputs are alive."""
    op = node["op"]
    if op in UNARY:
        return [UNARY[op](*inputs)]
    if op in BINARY:
        return [BINARY[op](*inputs)]
    if op == "Switch":
        data, taken = inputs
        return [DEAD if taken else data, data if taken else DEAD]
    if op in {"Unpack", "Split"}:
        is_split = op == "Split"
        axis = int(inputs[0]) if is_split else node["attrs"].get("axis", 0)
        count = len(node["types"])
        parts = np.split(inputs[-1], count, axis)
        return parts if is_split else [np.squeeze(part, axis) for part in parts]
    if op == "IdentityN":
        return inputs
    if not node["types"]:
        return []
    return [OTHERS[op](node, *inputs)]


def _merged(inputs: list[Any]) -> list[Any]:
    alive = [i for i, value in enumerate(inputs) if value is not DEAD]
    if not alive:
        return [DEAD, DEAD]
    return [inputs[alive[0]], np.asarray(alive[0], np.int32)]


def _typed(node: Node, i: int, value: Any) -> Any:
    """A value with the type that the graph gives it, if its shape is as said."""
    if value is DEAD or node["types"][i] in {"resource", "string"}:
        return value
    array = np.asarray(value).astype(node["types"][i])
    known = node["shapes"][i]
    if known is not None and (
        len(known) != array.ndim
        or any(n not in (None, m) for n, m in zip(known, array.shape, strict=True))
    ):
        raise ValueError(
            f"'{node['name']}' is said to have the shape {known}, and gives {array.shape}"
        )
    return array


def run(nodes: list[Node], feeds: list[np.ndarray]) -> list[Any]:
    """The fetches of a graph, whose nodes come each after those that it needs.

    Raises:
        ValueError: the graph makes no sense, such as a fused node without its steps.
    """
    values: dict[str, list[Any]] = {}
    fetches: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for node in nodes:
            inputs = [values[name][index] for name, index in node["inputs"]]
            waits = [values[name] for name in node["waits"]]
            op = node["op"]
            if op == "_Arg":
                outputs = [feeds[node["attrs"]["index"]]]
            elif op == "_Retval":
                fetches[node["attrs"]["index"]] = inputs[0]
                outputs = []
            elif op == "Merge":
                outputs = _merged(inputs)
            elif op == "VarHandleOp":
                outputs = ["a variable"]
            elif any(v is DEAD for v in inputs) or any(
                # A Switch has a dead output and is alive itself.
                wait and all(v is DEAD for v in wait)
                for wait in waits
            ):
                outputs = [DEAD] * len(node["types"]) or [DEAD]
            else:
                outputs = _outputs(node, inputs)
            typed = [
                _typed(node, i, value) if i < len(node["types"]) else value
                for i, value in enumerate(outputs)
            ]
            values[node["name"]] = typed
    return [fetches[i] for i in sorted(fetches)]
