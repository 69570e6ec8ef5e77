"""The language of the tables: what the arguments of a function may be.

A line of a table reads ``call("nn.softmax", tensor(FLOATS), axis=maybe(axis()))``. Each
argument is a value that is the same in every case, or a ``Spec``, which draws another one
for each case and may look at those that were drawn before it.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from values import FLOATS, Ranges, TensorArg, draw_array, pick_type

MAX_ELEMENTS = 60
OMITTED = object()


@dataclass
class Text:
    """A piece of program text that stands for itself."""

    text: str

    def __repr__(self) -> str:
        return self.text


@dataclass
class Draw:
    """The case that is being drawn.

    Attributes:
        pick: where all chances come from.
        tensors: the tensors drawn so far.
        spoil: how likely an argument is drawn wrong on purpose.
        hidden: whether only the step knows the shapes of tensors; then some have a last
            axis of size 1 too many, which functions with static shapes drop or refuse.
        dense_shape: the shape of the sparse tensor whose parts are drawn.
    """

    pick: random.Random
    spoil: float = 0.0
    hidden: bool = False
    tensors: list[TensorArg] = field(default_factory=list)
    dense_shape: tuple[int, ...] = ()

    def chance(self, probability: float) -> bool:
        """Whether something of this probability happens."""
        return self.pick.random() < probability

    def is_spoilt(self) -> bool:
        """Whether this argument is to be wrong."""
        return self.chance(self.spoil)


@dataclass
class Spec:
    """What an argument may be: a function that draws it."""

    draw: Callable[[Draw], Any]


def draw_value(value: Any, draw: Draw) -> Any:
    """``value`` with every Spec in it drawn."""
    if isinstance(value, Spec):
        return value.draw(draw)
    if isinstance(value, list):
        return [draw_value(item, draw) for item in value]
    if isinstance(value, tuple):
        return tuple(draw_value(item, draw) for item in value)
    return value


def draw_shape(draw: Draw, low: int = 0, high: int = 5) -> tuple[int, ...]:
    """Sizes of ``low`` to ``high`` axes, now and then with an empty one."""
    pick = draw.pick
    ranks = range(low, high + 1)
    rank = pick.choices(ranks, [4 if 1 <= rank <= 3 else 1 for rank in ranks])[0]
    while True:
        shape = tuple(pick.choice((1, 2, 2, 3, 3, 4, 5)) for _ in range(rank))
        if np.prod(shape, dtype=int) <= MAX_ELEMENTS:
            break
    if rank and draw.chance(0.06):
        place = pick.randrange(rank)
        shape = (*shape[:place], 0, *shape[place + 1 :])
    return shape


def add_tensor(
    draw: Draw, array: np.ndarray, dtype: str, literal: bool = True
) -> TensorArg:
    """A new tensor of the case: a constant, a literal or some placeholder."""
    if draw.hidden and draw.is_spoilt():
        array = array[..., None]
    arg = TensorArg(array, dtype, name=f"x{len(draw.tensors)}")
    way = draw.pick.random()
    if draw.hidden:
        arg.known = None if way < 0.75 else [None] * array.ndim
    elif way < 0.25:
        arg.known = list(array.shape)
    elif way < 0.45:
        arg.known = [None if draw.chance(0.6) else size for size in array.shape]
    elif way < 0.6:
        arg.known = None
    elif way < 0.7 and literal and dtype in {"float32", "int32", "bool", "string"}:
        arg.how = "literal"
    draw.tensors.append(arg)
    return arg


# ---- Tensors ---------------------------------------------------------------------------


def tensor(
    types: Any = FLOATS, rank: Any = (0, 5), shape: Any = None, **ranges: Any
) -> Spec:
    """A tensor of one of ``types`` with ``rank`` axes, or of ``shape``."""
    low, high = (rank, rank) if isinstance(rank, int) else rank
    kinds = (types,) if isinstance(types, str) else types

    def make(draw: Draw) -> TensorArg:
        dtype = pick_type(draw.pick, kinds)
        if draw.is_spoilt():
            low_now, high_now = 0, 5
            if draw.chance(0.3):
                dtype = draw.pick.choice(("int32", "bool", "float64", "string"))
        else:
            low_now, high_now = low, high
        sizes = draw_value(shape, draw)
        if sizes is None or draw.is_spoilt():
            sizes = draw_shape(draw, low_now, high_now)
        return add_tensor(
            draw, draw_array(draw.pick, tuple(sizes), dtype, Ranges(**ranges)), dtype
        )

    return Spec(make)


def like(of: int = 0, types: Any = None, **ranges: Any) -> Spec:
    """A tensor of the type and shape of tensor ``of``; of another type if ``types``."""

    def make(draw: Draw) -> TensorArg:
        other = draw.tensors[of]
        dtype = pick_type(draw.pick, types) if types else other.dtype
        shape = other.array.shape
        if draw.is_spoilt():
            shape = draw_shape(draw)
        elif draw.is_spoilt():
            dtype = draw.pick.choice(("int32", "float64", "float32"))
        return add_tensor(
            draw, draw_array(draw.pick, shape, dtype, Ranges(**ranges)), dtype
        )

    return Spec(make)


def stretched(of: int = 0, types: Any = None, **ranges: Any) -> Spec:
    """A tensor whose shape broadcasts with that of tensor ``of``."""

    def make(draw: Draw) -> TensorArg:
        other = draw.tensors[of]
        dtype = pick_type(draw.pick, types) if types else other.dtype
        shape = [1 if draw.chance(0.25) else size for size in other.array.shape]
        shape = shape[draw.pick.randint(0, len(shape)) if draw.chance(0.3) else 0 :]
        if len(shape) < 4 and draw.chance(0.1):
            shape = [2, *shape]
        if draw.is_spoilt():
            shape = list(draw_shape(draw))
        elif draw.is_spoilt():
            dtype = draw.pick.choice(("int32", "float64", "float32"))
        array = draw_array(draw.pick, tuple(shape), dtype, Ranges(**ranges))
        return add_tensor(draw, array, dtype)

    return Spec(make)


def shaped(
    sizes: Callable[[Draw], tuple[int, ...]],
    types: Any = None,
    of: int = 0,
    literal: bool = True,
    **ranges: Any,
) -> Spec:
    """A tensor of the shape that ``sizes`` computes, of ``types`` or tensor ``of``'s."""
    kinds = (types,) if isinstance(types, str) else types

    def make(draw: Draw) -> TensorArg:
        dtype = pick_type(draw.pick, kinds) if kinds else draw.tensors[of].dtype
        shape = tuple(sizes(draw))
        if draw.is_spoilt():
            shape = draw_shape(draw)
        array = draw_array(draw.pick, shape, dtype, Ranges(**ranges))
        return add_tensor(draw, array, dtype, literal)

    return Spec(make)


def numbers(
    values: Callable[[Draw], Any], types: Any = ("int32", "int64"), spoils: bool = True
) -> Spec:
    """A tensor of the integers that ``values`` computes: axes, sizes, indices."""

    def make(draw: Draw) -> TensorArg:
        found = np.array(values(draw))
        if spoils and found.size and draw.is_spoilt():
            found = found.copy()
            place = draw.pick.randrange(found.size)
            found.reshape(-1)[place] = draw.pick.choice((-1, -7, 0, 3, 100))
        dtype = pick_type(draw.pick, types)
        return add_tensor(draw, found.astype(dtype), dtype)

    return Spec(make)


def several(spec: Spec, low: int = 1, high: int = 4) -> Spec:
    """A list of what ``spec`` draws."""
    return Spec(
        lambda draw: [spec.draw(draw) for _ in range(draw.pick.randint(low, high))]
    )


# ---- Plain values ----------------------------------------------------------------------


def rank_of(draw: Draw, of: int = 0) -> int:
    """The number of axes of tensor ``of``."""
    return draw.tensors[of].array.ndim


def size_of(draw: Draw, of: int = 0) -> tuple[int, ...]:
    """The shape of tensor ``of``."""
    return draw.tensors[of].array.shape


def axis(of: int = 0, more: int = 0) -> Spec:
    """An axis of tensor ``of``, also counted from the end; ``more``: one beyond it."""

    def make(draw: Draw) -> int:
        rank = rank_of(draw, of) + more
        if draw.is_spoilt() or not rank:
            return draw.pick.choice((-6, -2, -1, 0, 1, 2, 5))
        return draw.pick.randrange(-rank, rank)

    return Spec(make)


def axes(of: int = 0) -> Spec:
    """None, one axis of tensor ``of``, or a list of several."""

    def make(draw: Draw) -> Any:
        rank = rank_of(draw, of)
        way = draw.pick.random()
        if way < 0.2:
            return None
        if way < 0.5:
            return axis(of).draw(draw)
        chosen = draw.pick.sample(range(rank), draw.pick.randint(0, rank))
        chosen = [item - rank if draw.chance(0.3) else item for item in chosen]
        if draw.is_spoilt():
            chosen.append(draw.pick.choice((0, -1, 5)))
        return chosen

    return Spec(make)


def maybe(value: Any, probability: float = 0.5) -> Spec:
    """The argument, or nothing in its place."""
    return Spec(
        lambda draw: draw_value(value, draw) if draw.chance(probability) else OMITTED
    )


def one_of(*values: Any) -> Spec:
    """One of ``values``."""
    return Spec(lambda draw: draw_value(draw.pick.choice(values), draw))


def flag() -> Spec:
    """True or False."""
    return one_of(True, False)


def number(low: float, high: float) -> Spec:
    """A Python float of three digits."""
    return Spec(lambda draw: round(draw.pick.uniform(low, high), 3))


def whole(low: int, high: int) -> Spec:
    """A Python integer."""
    return Spec(lambda draw: draw.pick.randint(low, high))


def computed(function: Callable[[Draw], Any]) -> Spec:
    """What ``function`` makes of the case drawn so far."""
    return Spec(function)


def dtype(*names: str) -> Spec:
    """A type such as ``tf.float32``."""
    return Spec(lambda draw: Text(f"tf.{draw.pick.choice(names)}"))


def text(value: str) -> Text:
    """Program text that stands for itself."""
    return Text(value)
