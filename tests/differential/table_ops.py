"""What is compared of ``tf.raw_ops``: every op that has a kernel for what can be drawn.

There is no line for each op here: a case follows from the op's definition. Inputs have the
types that the definition allows and, mostly, the same shape; attributes that have no
default get a small value of their kind.
"""

from typing import Any

from draw import Draw, Spec, Text, draw_shape
from programs import Entry
from values import ALL, Ranges, TensorArg, draw_array, pick_type

# Their results are random, or they wait, print or touch files and the like; or
# TensorFlow has none of the name.
_RANDOM = ("Random", "Multinomial", "TruncatedNormal", "ParameterizedTruncated")
_NOT_CALLED = (
    "Barrier", "Queue", "Reader", "File", "Print", "Summary", "Abort", "Assert", "Save",
    "Variable", "VarHandle", "Resource", "Stack", "TensorArray", "PyFunc", "Event",
    "Enter", "Exit", "Switch", "Merge", "NextIteration", "LoopCond", "Sparse", "Stage",
    "Const", "Placeholder", "Timestamp", "Decode", "Parse", "Encode", "ExtractJpeg",
    "DebugIdentity", "CheckNumerics", "PowerDifference",
)  # fmt: skip


def _type_of(draw: Draw, op: Any, attr: str, chosen: dict[str, str]) -> str:
    if attr not in chosen:
        allowed = {item.name for item in op.attrs[attr].allowed_types} or set(ALL)
        known = [name for name in ALL if name in allowed]
        chosen[attr] = pick_type(draw.pick, tuple(known or ("float32",)))
    return chosen[attr]


def _tensor(draw: Draw, dtype: str, shape: tuple[int, ...]) -> TensorArg:
    array = draw_array(draw.pick, shape, dtype, Ranges(edges=0.1, ints=(-1, 4)))
    arg = TensorArg(array, dtype, name=f"x{len(draw.tensors)}")
    if draw.hidden or draw.chance(0.3):
        arg.known = None
    draw.tensors.append(arg)
    return arg


def _attr(draw: Draw, definition: Any) -> Any:
    pick, kind = draw.pick, definition.kind
    if kind == "string" and definition.allowed_strings:
        return pick.choice(sorted(definition.allowed_strings))
    small = {
        "int": lambda: pick.randint(0, 3),
        "float": lambda: pick.choice((0.0, 0.5, 1.0)),
        "bool": lambda: pick.random() < 0.5,
        "string": lambda: pick.choice(("", "a", "VALID")),
        "shape": lambda: list(draw_shape(draw, 0, 2)),
        "list(int)": lambda: [1, pick.randint(1, 2), pick.randint(1, 2), 1],
        "type": lambda: Text("tf." + pick.choice(("float32", "int32", "float64"))),
    }
    return small[kind]() if kind in small else Text("None")


def _arguments(op: Any) -> Spec:
    """The keyword arguments of a call of ``op``."""
    from minitf.framework.op_functions import argument_names

    def make(draw: Draw) -> dict[str, Any]:
        chosen: dict[str, str] = {}
        shape = draw_shape(draw, 0, 4)
        found: dict[str, Any] = {}
        public = argument_names(op)
        for arg, argument in zip(op.inputs, public, strict=False):
            count = draw.pick.randint(1, 3) if arg.is_list else 1
            made = []
            for _ in range(count):
                if arg.type_attr:
                    dtype = _type_of(draw, op, arg.type_attr, chosen)
                else:
                    dtype = arg.dtype.name if arg.dtype else "float32"
                if dtype not in ALL:
                    raise ValueError(f"no value of type {dtype}")
                other = draw.chance(0.3)
                made.append(
                    _tensor(draw, dtype, draw_shape(draw, 0, 2) if other else shape)
                )
            found[argument] = made if arg.is_list else made[0]
        for attr, argument in zip(
            op.explicit_attrs, public[len(op.inputs) :], strict=True
        ):
            definition = op.attrs[attr]
            if not definition.has_default or draw.chance(0.2):
                found[argument] = _attr(draw, definition)
        return found

    return Spec(make)


def entries() -> list[Entry]:
    """A line for each op of the registry that can be called with such arguments."""
    from minitf import _minitf
    from minitf.framework import op_def_registry as op_defs

    found = []
    for name in sorted(_minitf.op_names()):
        if name.startswith("_") or any(part in name for part in _NOT_CALLED):
            continue
        op = op_defs.get(name)
        if any(arg.type_list_attr for arg in op.inputs):
            continue
        if any(arg.dtype and arg.dtype.name not in ALL for arg in op.inputs):
            continue
        found.append(
            Entry(
                f"raw_ops.{name}",
                kwargs={"**": _arguments(op)},
                values=not any(part in name for part in _RANDOM),
                gradients=1,
                weight=0.5,
            )
        )
    return found
