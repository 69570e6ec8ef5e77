"""Programs by chance: a few calls of ops, as jets.py computes with them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from lab_common import jets

from minitf_lab.judge.draw import Draw

Step = dict[str, Any]


def step(op: str, inputs: list[str], output: str | list[str], **attrs: Any) -> Step:
    """One call.

    >>> step("Sin", ["x"], "y")
    {'op': 'Sin', 'inputs': ['x'], 'attrs': {}, 'outputs': ['y']}
    """
    outputs = [output] if isinstance(output, str) else output
    return {"op": op, "inputs": inputs, "attrs": attrs, "outputs": outputs}


def describe_program(program: list[Step]) -> str:
    """A program as a person would write it.

    >>> describe_program([step("Sin", ["x"], "y"), step("Sum", ["y", "a"], "z")])
    'y = Sin(x); z = Sum(y, a)'
    """
    calls = []
    for one in program:
        attrs = [f"{key}={value}" for key, value in one["attrs"].items()]
        arguments = ", ".join([*one["inputs"], *attrs])
        calls.append(f"{', '.join(one['outputs'])} = {one['op']}({arguments})")
    return "; ".join(calls)


@dataclass
class Program:
    """A program with values for its inputs.

    Attributes:
        inputs: Values that no step makes.
        shapes: Of every value of the program's element type: what later steps may use.
    """

    steps: list[Step] = field(default_factory=list)
    inputs: dict[str, np.ndarray] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)


# What a call makes of one value whose shape it keeps. Each keeps numbers of size one
# small.
UNARY = ("Sin", "Neg", "Identity", "Square")
BINARY = ("Add", "Sub", "Mul")


class ProgramMaker:
    """Adds calls by chance to a program, one by one."""

    def __init__(self, draw: Draw, dtype: str) -> None:
        self._draw, self._dtype = draw, dtype
        self.program = Program()

    def add_input(self, shape: tuple[int, ...]) -> str:
        """A new input with numbers of both signs."""
        name = f"x{len(self.program.inputs)}"
        self.program.inputs[name] = self._draw.array(shape, self._dtype) / 2
        self.program.inputs[name] = self.program.inputs[name].astype(self._dtype)
        self.program.shapes[name] = shape
        return name

    def _constant(self, value: Any) -> str:
        name = f"c{len(self.program.inputs)}"
        self.program.inputs[name] = np.asarray(value, np.int32)
        return name

    def _emit(self, op: str, inputs: list[str], *shapes: tuple, **attrs: Any) -> None:
        at = len(self.program.steps)
        outputs = [f"v{at}"] if len(shapes) == 1 else [
            f"v{at}_{i}" for i in range(len(shapes))
        ]  # fmt: skip
        self.program.steps.append(step(op, inputs, outputs, **attrs))
        self.program.shapes.update(zip(outputs, shapes, strict=True))

    def _newest(self) -> str:
        """A value; late ones are likelier, so that programs are deep."""
        names = list(self.program.shapes)
        return self._draw.one_of(names[-3:] if self._draw.coin(0.7) else names)

    def add_call(self) -> None:
        """One more call, of any kind that fits."""
        kinds = [self._unary, self._binary, self._binary, self._reduce, self._reshape]
        kinds += [self._split, self._matmul]
        self._draw.one_of(kinds)()

    def _unary(self) -> None:
        x = self._newest()
        self._emit(self._draw.one_of(UNARY), [x], self.program.shapes[x])

    def _binary(self) -> None:
        x = self._newest()
        shape = self.program.shapes[x]
        fitting = [
            name
            for name, other in self.program.shapes.items()
            if len(other) <= len(shape)
            and all(a in (1, b) for a, b in zip(other[::-1], shape[::-1], strict=False))
        ]
        y = self._draw.one_of(fitting)
        pair = [x, y] if self._draw.coin() else [y, x]
        self._emit(self._draw.one_of(BINARY), pair, shape)

    def _reduce(self) -> None:
        x = self._newest()
        shape = self.program.shapes[x]
        axes = self._draw.some_of(range(len(shape)))
        keep = self._draw.coin()
        kept = [1 if i in axes else size for i, size in enumerate(shape)]
        left = [size for i, size in enumerate(kept) if keep or i not in axes]
        op = self._draw.one_of(("Sum", "Mean"))
        self._emit(op, [x, self._constant(axes)], tuple(left), keep_dims=keep)

    def _reshape(self) -> None:
        x = self._newest()
        size = int(np.prod(self.program.shapes[x]))
        shape = self._draw.one_of([(size,), (1, size), (size, 1)])
        self._emit("Reshape", [x, self._constant(shape)], shape)

    def _split(self) -> None:
        x = self._newest()
        shape = self.program.shapes[x]
        choices = [
            (axis, count)
            for axis, size in enumerate(shape)
            for count in (2, 3)
            if size % count == 0
        ]
        if not choices:
            self._unary()
            return
        axis, count = self._draw.one_of(choices)
        part = (*shape[:axis], shape[axis] // count, *shape[axis + 1 :])
        self._emit("Split", [self._constant(axis), x], *[part] * count, num_split=count)

    def _matmul(self) -> None:
        pairs = [
            (x, y)
            for x, one in self.program.shapes.items()
            for y, other in self.program.shapes.items()
            if len(one) == len(other) == 2 and one[1] == other[0]
        ]
        if not pairs:
            self._unary()
            return
        x, y = self._draw.one_of(pairs)
        shape = (self.program.shapes[x][0], self.program.shapes[y][1])
        self._emit("MatMul", [x, y], shape, transpose_a=False, transpose_b=False)


def make_program(draw: Draw, num_calls: int, dtype: str = "float64") -> Program:
    """A program of some calls, whose values are of moderate size."""
    maker = ProgramMaker(draw, dtype)
    for _ in range(draw.whole(1, 3)):
        maker.add_input(draw.shape(draw.whole(0, 3), 4))
    for _ in range(num_calls):
        maker.add_call()
    values = jets.run(maker.program.steps, maker.program.inputs)
    largest = max(np.max(np.abs(v.value), initial=0) for v in values.values())
    return maker.program if largest < 1e4 else make_program(draw, num_calls, dtype)
