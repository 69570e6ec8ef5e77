"""The rules of an op's shape function, found by calls with partly known shapes.

A shape function is C++ code, not data. This file adds nodes of the op to a graph that no
program sees, with inputs of every rank, and notes which ranks the op refuses. It then
sets one size at a time and looks for this size among the sizes of the outputs.

Compare: tensorflow/core/framework/shape_inference.h. Read next:
    ``framework/op_functions.py``.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from minitf import _minitf
from minitf.framework import errors
from minitf.framework.op_def_registry import ArgDef, AttrDef, OpDef
from minitf.framework.tensor import OUTPUT_BITS

Sizes = list[int | None] | None

_MAX_RANK = 5  # that ops are tried with
_SIZE = 1009  # a prime: no other size of a probe has it as a factor
_LENGTH = 2  # of an input that is a list of tensors
_FLOAT = 1
# Lists of integers that ops take: strides of images and of volumes, axes, nothing.
_INTEGERS: tuple[list[int], ...] = (
    [1, 1, 1, 1],
    [1, 2, 2, 1],
    [1, 1, 1, 1, 1],
    [1, 2, 2, 2, 1],
    [1],
    [],
)


class Probe:
    """Calls the shape function of an op, with several values of each attribute.

    Attributes that have a default keep it. Several threads may use one at a time.

    Raises:
        LookupError: no attributes were found with which the op takes unknown shapes.
    """

    def __init__(self, op: OpDef):
        self._op = op
        unknown: list[Sizes] = [None] * len(op.inputs)
        self._variants = [
            attrs for attrs in _variants(op) if self._outputs(unknown, attrs) is not None
        ]
        if not self._variants:
            raise LookupError(f"{op.name}: no attributes are known to fit its inputs")

    def outputs(self, shapes: list[Sizes]) -> list[Sizes] | None:
        """The shapes of the outputs, or None if the op refuses the shapes of the inputs.

        A size that depends on attributes without a default is None.

        Args:
            shapes: one for each argument; all tensors of a list have the same.
        """
        results = [self._outputs(shapes, attrs) for attrs in self._variants]
        first, *others = [result for result in results if result is not None] or [None]
        for other in others:
            if len(other) != len(first):
                return [None] * len(self._op.outputs)
            first = [_common(a, b) for a, b in zip(first, other, strict=True)]
        return first

    def _outputs(self, shapes: list[Sizes], attrs: dict[str, Any]) -> Any:
        graph = _minitf.GraphCore()
        handles: list[int] = []
        lengths: list[int] = []
        for arg, shape in zip(self._op.inputs, shapes, strict=True):
            lengths.append(self._length(arg))
            values = {"dtype": self._dtype(arg), "shape": shape}
            for _ in range(lengths[-1]):
                name = f"x{len(handles)}"
                node = graph.add_node("Placeholder", name, [], [], [], values, ("", ""))
                handles.append(node << OUTPUT_BITS)
        if not self._op.has_lists:
            lengths = []
        try:
            node = graph.add_node(
                self._op.name, "op", handles, lengths, [], attrs, ("", "")
            )
        except (ValueError, TypeError, errors.OpError):
            return None
        count = graph.num_outputs(node)
        return [graph.shape((node << OUTPUT_BITS) + i) for i in range(count)]

    def _length(self, arg: ArgDef) -> int:
        if arg.number_attr:
            return max(self._op.attrs[arg.number_attr].minimum or 0, _LENGTH)
        return _LENGTH if arg.type_list_attr else 1

    def _dtype(self, arg: ArgDef) -> int:
        if arg.dtype is not None and not arg.type_attr:
            return arg.dtype.as_datatype_enum
        definition = self._op.attrs.get(arg.type_attr)
        return _FLOAT if definition is None else _type_of(definition)

    def ranks(self, index: int) -> list[int]:
        """The ranks up to ``_MAX_RANK`` that argument ``index`` may have."""
        return [
            rank
            for rank in range(_MAX_RANK + 1)
            if self.outputs(self._with(index, [None] * rank)) is not None
        ]

    def _with(self, index: int, sizes: Sizes) -> list[Sizes]:
        shapes: list[Sizes] = [None] * len(self._op.inputs)
        shapes[index] = sizes
        return shapes


def _type_of(definition: AttrDef) -> int:
    if definition.has_default and isinstance(definition.default, int):
        return definition.default
    numbers = {dtype.as_datatype_enum for dtype in definition.allowed_types}
    return _FLOAT if not numbers or _FLOAT in numbers else min(numbers)


def _variants(op: OpDef) -> Iterator[dict[str, Any]]:
    """Values for the attributes that have no default."""
    needed = [op.attrs[name] for name in op.explicit_attrs]
    needed = [definition for definition in needed if not definition.has_default]
    has_integers = any(definition.kind == "list(int)" for definition in needed)
    strings = max((len(definition.allowed_strings) for definition in needed), default=0)
    for integers in _INTEGERS if has_integers else _INTEGERS[:1]:
        for i in range(strings or 1):
            yield {known.name: _example(known, integers, i) for known in needed}


def _example(definition: AttrDef, integers: list[int], index: int) -> Any:
    kind = definition.kind
    if kind == "type":
        return _type_of(definition)
    if kind == "tensor":
        return _minitf.tensor_of_array(np.zeros((), np.float32), True)
    if kind == "string" and definition.allowed_strings:
        return definition.allowed_strings[index % len(definition.allowed_strings)]
    length = definition.minimum or 1
    return {
        "bool": False,
        "float": 1.0,
        "int": length,
        "list(int)": integers,
        "list(shape)": [None] * length,
        "list(string)": ["x"] * length,
        "list(type)": [_FLOAT] * max(length, _LENGTH),
        "shape": None,
        "string": "x",
    }.get(kind)


def _common(a: Sizes, b: Sizes) -> Sizes:
    """The shape that two shapes have in common."""
    if a is None or b is None or len(a) != len(b):
        return None
    return [m if m == n else None for m, n in zip(a, b, strict=True)]


def ranks_text(ranks: list[int]) -> str:
    """The ranks that an input may have, in words; empty for any rank.

    >>> ranks_text([2]), ranks_text([1, 2, 3, 4, 5]), ranks_text([0, 1])
    ('rank 2', 'rank at least 1', 'rank 0 or 1')
    """
    if len(ranks) in (0, _MAX_RANK + 1):
        return ""
    if ranks == list(range(ranks[0], _MAX_RANK + 1)):
        return f"rank at least {ranks[0]}"
    *first, last = map(str, ranks)
    return f"rank {', '.join(first)} or {last}" if first else f"rank {last}"


def output_texts(op: OpDef, probe: Probe, ranks: list[list[int]]) -> list[str]:
    """The known part of each output's shape; empty if nothing is known.

    Args:
        op: The definition.
        probe: Calls its shape function.
        ranks: Those that each argument may have.
    """
    none = [None if len(known) != 1 else [None] * known[0] for known in ranks]
    unknown = probe.outputs(none)
    if unknown is None or any(arg.is_list for arg in op.outputs):
        return [""] * len(op.outputs)
    texts = [""] * len(op.outputs)
    for i, sizes in enumerate(unknown):
        if sizes is None:
            texts[i] = _like_text(op, probe, ranks, none, i)
        else:
            texts[i] = f"shape {_sizes_text(op, probe, none, i, sizes)}"
    return texts


def _broadcasts(
    probe: Probe, indices: tuple[int, int], none: list[Sizes], output: int
) -> bool:
    """Whether an output has the larger of two shapes, whichever input has it."""
    for large, small in (indices, indices[::-1]):
        shapes = list(none)
        shapes[large], shapes[small] = [_SIZE, 1], [1, 3]
        results = probe.outputs(shapes)
        if results is None or results[output] != [_SIZE, 3]:
            return False
    return True


def _like_text(
    op: OpDef, probe: Probe, ranks: list[list[int]], none: list[Sizes], output: int
) -> str:
    """Which inputs an output, whose rank is not fixed, takes its shape from."""
    free = [i for i, known in enumerate(ranks) if len(known) > 1]
    for i in free:
        sizes = list(range(_SIZE, _SIZE + max(ranks[i])))
        results = probe.outputs([*none[:i], sizes, *none[i + 1 :]])
        if results is not None and results[output] == sizes:
            return f"the shape of {op.inputs[i].name}"
    for i in free:
        for j in free:
            if i < j and _broadcasts(probe, (i, j), none, output):
                names = f"{op.inputs[i].name} and {op.inputs[j].name}"
                return f"the shape to which {names} broadcast"
    return ""


def _sizes_text(
    op: OpDef, probe: Probe, none: list[Sizes], output: int, sizes: list[int | None]
) -> str:
    """The sizes of an output of known rank, by the names of the inputs that have them."""
    texts = ["?" if size is None else str(size) for size in sizes]
    for i, axis in _axes(none):
        known = list(none[i] or [])
        known[axis] = _SIZE
        results = probe.outputs([*none[:i], known, *none[i + 1 :]])
        for k, size in enumerate((results and results[output]) or ()):
            if size == _SIZE and texts[k] == "?":
                texts[k] = f"{op.inputs[i].name}.shape[{axis}]"
    return f"[{', '.join(texts)}]"


def _axes(shapes: list[Sizes]) -> Iterator[tuple[int, int]]:
    for i, sizes in enumerate(shapes):
        for axis in range(len(sizes or ())):
            yield i, axis
