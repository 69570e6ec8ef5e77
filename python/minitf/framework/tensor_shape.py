"""Shapes that may be known in part: ``tf.TensorShape`` and ``tf.Dimension``.

A shape ``(?, 784)`` is that of any number of rows of 784; ``<unknown>`` is that of a
tensor of which not even the rank is known.

Compare: tensorflow/python/framework/tensor_shape.py. Read next: ``errors.py``.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from minitf.framework import messages

__all__ = ["Dimension", "TensorShape", "broadcast_static_shape"]

MAX_RANK = 254  # as in TensorFlow


class Dimension:
    """One size, or None when it is not known.

    Arithmetic with an unknown size gives an unknown size; comparing with one gives None.

    >>> Dimension(3) * 2, Dimension(None) + 1
    (Dimension(6), Dimension(None))
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any):
        if value is None or isinstance(value, Dimension):
            self._value = None if value is None else value._value
            return
        try:
            self._value = value.__index__()
        except AttributeError:
            raise TypeError(
                f"Dimension value must be integer or None or have an __index__ method, "
                f"got value {value!r} with type {type(value)!r}"
            ) from None
        if self._value < 0:
            raise ValueError(f"Dimension {self._value} must be >= 0")

    @property
    def value(self) -> int | None:
        """The size, or None."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both may be the same size."""
        other = Dimension(other)._value
        return self._value is None or other is None or self._value == other

    def merge_with(self, other: Any) -> "Dimension":
        """What both know together. Raises ValueError if they differ."""
        other = Dimension(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")
        return other if self._value is None else self

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError if the sizes differ."""
        self.merge_with(other)

    def __eq__(self, other: object) -> Any:
        try:
            other = Dimension(other)._value
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or other is None else self._value == other

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented or equal is None else not equal

    __hash__ = None  # two sizes that are not known are not equal

    def __bool__(self) -> bool:
        return bool(self._value)

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and "
            f"'{type(other).__name__}', please use // instead"
        )

    def __rtruediv__(self, other: Any) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: '{type(other).__name__}' and "
            f"'Dimension', please use // instead"
        )

    def __reduce__(self) -> tuple:
        return Dimension, (self._value,)

    def __int__(self) -> int:
        return self._value

    def __index__(self) -> int:
        return self._value

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)


def _combined(function: Callable) -> Callable:
    """An operator on sizes, unknown when one of them is."""

    def operator(self: Dimension, other: Any) -> Any:
        try:
            other = Dimension(other)._value
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other is None:
            return Dimension(None)
        return Dimension(function(self._value, other))

    return operator


def _compared(function: Callable) -> Callable:
    def operator(self: Dimension, other: Any) -> Any:
        other = Dimension(other)._value
        return (
            None if self._value is None or other is None else function(self._value, other)
        )

    return operator


for _name, _function in {
    "add": lambda a, b: a + b,
    "radd": lambda a, b: b + a,
    "sub": lambda a, b: a - b,
    "rsub": lambda a, b: b - a,
    "mul": lambda a, b: a * b,
    "rmul": lambda a, b: b * a,
    "floordiv": lambda a, b: a // b,
    "rfloordiv": lambda a, b: b // a,
    "mod": lambda a, b: a % b,
    "rmod": lambda a, b: b % a,
}.items():
    setattr(Dimension, f"__{_name}__", _combined(_function))
for _name, _function in {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}.items():
    setattr(Dimension, f"__{_name}__", _compared(_function))


class TensorShape:
    """The sizes of a tensor's axes, as far as they are known.

    Args:
        dims: a sequence of sizes, None for one that is not known; or None when the rank
            is not known; or a ``TensorShapeProto``.

    >>> shape = TensorShape([None, 784])
    >>> print(shape)
    (?, 784)
    >>> shape.is_compatible_with([32, 784]), shape.ndims, shape[1].value
    (True, 2, 784)
    """

    __slots__ = ("_sizes",)

    def __init__(self, dims: Any):
        if dims is None:
            self._sizes = None
        elif isinstance(dims, TensorShape):
            self._sizes = dims._sizes
        elif isinstance(dims, (int, Dimension)):
            self._sizes = (Dimension(dims)._value,)
        elif hasattr(dims, "unknown_rank"):  # a TensorShapeProto
            sizes = (None if axis.size == -1 else axis.size for axis in dims.dim)
            self._sizes = None if dims.unknown_rank else tuple(sizes)
        else:
            self._sizes = tuple(
                size if type(size) is int and size >= 0 else Dimension(size)._value
                for size in _sizes_in(dims)
            )

    @classmethod
    def _of(cls, sizes: Sequence[int | None] | None) -> "TensorShape":
        """The shape of sizes from C++, which need no check: a sixth of the time."""
        shape = cls.__new__(cls)
        shape._sizes = None if sizes is None else tuple(sizes)
        return shape

    @property
    def ndims(self) -> int | None:
        """The number of axes, or None."""
        return None if self._sizes is None else len(self._sizes)

    rank = ndims

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes, or None if the rank is not known."""
        return None if self._sizes is None else [Dimension(size) for size in self._sizes]

    def num_elements(self) -> int | None:
        """The product of all sizes, or None."""
        if not self.is_fully_defined():
            return None
        product = 1
        for size in self._sizes:
            product *= size
        return product

    def is_fully_defined(self) -> bool:
        """Whether the rank and all sizes are known."""
        return self._sizes is not None and None not in self._sizes

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError if something is not known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def as_list(self) -> list[int | None]:
        """The sizes, with None for those not known. Raises ValueError without a rank."""
        if self._sizes is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._sizes)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a tensor may have both shapes."""
        other = as_shape(other)
        if self._sizes is None or other._sizes is None:
            return True
        return len(self._sizes) == len(other._sizes) and all(
            a is None or b is None or a == b
            for a, b in zip(self._sizes, other._sizes, strict=True)
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless a tensor may have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {as_shape(other)} are incompatible")

    def merge_with(self, other: Any) -> "TensorShape":
        """What both know together. Raises ValueError if they contradict each other."""
        other = as_shape(other)
        if self._sizes is None:
            return other
        if other._sizes is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape(
            [
                b if a is None else a
                for a, b in zip(self._sizes, other._sizes, strict=True)
            ]
        )

    def concatenate(self, other: Any) -> "TensorShape":
        """The axes of this shape, followed by those of ``other``."""
        other = as_shape(other)
        if self._sizes is None or other._sizes is None:
            return TensorShape(None)
        return TensorShape(self._sizes + other._sizes)

    def with_rank(self, rank: int | None) -> "TensorShape":
        """This shape with that many axes. Raises ValueError if it has another number."""
        if rank is not None and self.ndims not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")
        return self if self._sizes is not None else unknown_shape(rank)

    def with_rank_at_least(self, rank: int) -> "TensorShape":
        """This shape. Raises ValueError if it has fewer axes."""
        if self._sizes is not None and len(self._sizes) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> "TensorShape":
        """This shape. Raises ValueError if it has more axes."""
        if self._sizes is not None and len(self._sizes) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError if the number of axes is known and another."""
        if self.ndims not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError if both numbers of axes are known and differ."""
        other = as_shape(other)
        if None not in (self.ndims, other.ndims) and self.ndims != other.ndims:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def most_specific_compatible_shape(self, other: Any) -> "TensorShape":
        """What holds of both shapes: where sizes differ, that the size is not known.

        >>> print(TensorShape([2, 3]).most_specific_compatible_shape([2, 5]))
        (2, ?)
        """
        other = as_shape(other)
        if self.ndims is None or self.ndims != other.ndims:
            return TensorShape(None)
        pairs = zip(self._sizes, other._sizes, strict=True)
        return TensorShape([a if a == b else None for a, b in pairs])

    def as_proto(self) -> Any:
        """The shape as a ``TensorShapeProto``, in which -1 is a size not known."""
        proto = messages.get("TensorShapeProto")()
        if self._sizes is None:
            proto.unknown_rank = True
        for size in self._sizes or ():
            proto.dim.add(size=-1 if size is None else size)
        return proto

    def __add__(self, other: Any) -> "TensorShape":
        return self.concatenate(other)

    def __radd__(self, other: Any) -> "TensorShape":
        return as_shape(other).concatenate(self)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return self._slice(key)
        if self._sizes is None:
            return Dimension(None)
        try:
            return Dimension(self._sizes[key])
        except IndexError:
            raise IndexError(f"shape {self} has no axis {key}") from None
        except TypeError:
            raise TypeError(f"an axis of a shape is a number, not {key!r}") from None

    def _slice(self, key: slice) -> "TensorShape":
        if self._sizes is not None:
            return TensorShape(self._sizes[key])
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        start = key.start or 0
        if key.stop is None or start < 0 or key.stop < 0:
            return TensorShape(None)
        return unknown_shape(key.stop - start)

    def __len__(self) -> int:
        if self._sizes is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._sizes)

    def __iter__(self) -> Iterator[Dimension]:
        if self._sizes is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self.dims)

    def __bool__(self) -> bool:
        return self._sizes is not None

    def __eq__(self, other: object) -> bool:
        try:
            return self._sizes == as_shape(other)._sizes
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._sizes)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._sizes is None else self.dims})"

    def __str__(self) -> str:
        if self._sizes is None:
            return "<unknown>"
        texts = ["?" if size is None else str(size) for size in self._sizes]
        return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def _sizes_in(dims: Any) -> Iterator[Any]:
    try:
        return iter(dims)
    except TypeError:
        raise TypeError(f"a shape is a list of sizes, not {dims!r}") from None


def as_shape(shape: Any) -> TensorShape:
    """``shape`` as a TensorShape."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None) -> TensorShape:
    """The shape of which nothing but, at most, the rank is known."""
    if rank is not None and not 0 <= rank <= MAX_RANK:
        raise ValueError(f"a shape has at most {MAX_RANK} axes, not {rank}")
    return TensorShape(None if rank is None else [None] * rank)


def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape of ``x + y``, as far as it follows from the shapes of x and y.

    Raises:
        ValueError: no tensors of these shapes broadcast.

    >>> print(broadcast_static_shape(TensorShape([2, 1]), TensorShape([None, 3])))
    (2, 3)
    """
    x, y = as_shape(shape_x), as_shape(shape_y)
    if x.ndims is None or y.ndims is None:
        return TensorShape(None)
    rank = max(x.ndims, y.ndims)
    pairs = zip(*([1] * (rank - s.ndims) + s.as_list() for s in (x, y)), strict=True)
    sizes = []
    for a, b in pairs:
        if a == 1 or b == 1:
            sizes.append(b if a == 1 else a)
        elif None not in (a, b) and a != b:
            raise ValueError(f"Incompatible shapes for broadcasting: {x} and {y}")
        else:
            # An unknown size beside a known one is 1 or the same; beside 0 it stays open.
            known = b if a is None else a
            sizes.append(known if a == b or known > 1 else None)
    return TensorShape(sizes)
