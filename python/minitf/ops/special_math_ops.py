"""``tf.einsum``: sums of products, written with a letter for each axis.

    ij,jk->ik      a product of matrices: j is in both, and not in the result
    bij,bjk->bik   the same for each of b pairs: b is in both, and in the result
    ij->ji         a transpose
    ii->           the sum of a diagonal

Two tensors at a time are brought into the form of one product of matrices, with all axes
of a kind folded into one: ``[both, only a, summed] x [both, summed, only b]``.

Compare: tensorflow/python/ops/special_math_ops.py. Read next: ``linalg_ops.py``.
"""

import re
from typing import Any

from minitf.eager import context
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.dtypes import DType
from minitf.framework.errors import InvalidArgumentError
from minitf.framework.graph import control_dependencies
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.ops import array_ops, math_ops, reductions, step_checks
from minitf.ops.op_arguments import ensure_shape
from minitf.ops.sizes import product, reshaped, sizes_of

# A dot in a parsed equation is "...". The axes it stands for get letters from here on.
_FIRST_HIDDEN = 0x100


def _parse(equation: str, count: int) -> tuple[list[str], str]:
    """The letters of the inputs and of the result, with a dot for an ellipsis."""
    if not isinstance(equation, str):
        raise TypeError(f"the equation of einsum is a string, not {equation!r}")
    text = equation.replace(" ", "").replace("...", ".")
    side = r"[a-zA-Z]*\.?[a-zA-Z]*"
    if not re.fullmatch(rf"{side}(,{side})*(->{side})?", text):
        raise ValueError(f"Indices have incorrect format: {equation}")
    left, arrow, result = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != count:
        raise ValueError(
            f'Got {count} arguments for equation "{equation}", expecting {len(inputs)}'
        )
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        once = sorted(x for x in set(letters) if letters.count(x) == 1)
        result = "." * ("." in left) + "".join(once)
    if len(set(result)) != len(result):
        raise ValueError(f'Output subscripts of "{equation}" repeat a letter: {result}')
    unknown = set(result) - set(left)
    if unknown:
        raise ValueError(
            f'Unknown subscripts in the output of "{equation}": {sorted(unknown)}'
        )
    return inputs, result


def _hidden(count: int) -> str:
    """Letters for the axes of an ellipsis. They are counted from the last axis."""
    return "".join(chr(_FIRST_HIDDEN + i) for i in range(count - 1, -1, -1))


def _of_known_rank(x: Tensor, letters: str) -> Tensor:
    """X with the rank that its letters say."""
    if x.shape.ndims is not None or "." in letters:
        return x
    return ensure_shape(x, [None] * len(letters))


def _has_unknown_ellipsis(tensors: list[Tensor], letters: list[str]) -> bool:
    """Whether it is open which axes of ellipses are to be stretched."""
    of_ellipses = [x.shape for x, y in zip(tensors, letters, strict=True) if "." in y]
    if any(shape.ndims is None for shape in of_ellipses):
        return True
    return len(of_ellipses) > 1 and not all(x.is_fully_defined() for x in of_ellipses)


def _joined_ellipses(tensors: list[Tensor], letters: list[str]) -> tuple[list, Tensor]:
    """The tensors with one axis in place of the ellipsis, and the sizes it stands for.

    For sizes that are known only when the step runs: all are stretched to them.
    """
    parts = [_around_ellipsis(x, y) for x, y in zip(tensors, letters, strict=True)]
    counts = [array_ops.size(inner) for _, inner, _ in parts]
    most = counts[0]
    for count in counts[1:]:
        most = math_ops.maximum(most, count)
    padded = [
        array_ops.concat([array_ops.fill([most - count], 1), inner], 0)
        for count, (_, inner, _) in zip(counts, parts, strict=True)
    ]
    common = padded[0]
    for sizes in padded[1:]:
        common = array_ops.where(call("Equal", [common, 1]), sizes, common)

    joined = []
    for x, y, inner, (front, _, back) in zip(
        tensors, letters, padded, parts, strict=True
    ):
        if "." not in y:
            joined.append(x)
            continue
        x = array_ops.reshape(x, array_ops.concat([front, inner, back], 0))
        x = call("BroadcastTo", [x, array_ops.concat([front, common, back], 0)])
        x = array_ops.reshape(x, array_ops.concat([front, [-1], back], 0))
        x.set_shape([None] * len(y))
        joined.append(x)
    return joined, common


def _around_ellipsis(x: Tensor, letters: str) -> tuple[Tensor, Tensor, Tensor]:
    """The sizes before, of, and after the ellipsis; of no axes if there is none."""
    sizes = array_ops.shape(x)
    if "." not in letters:
        return sizes, sizes[:0], sizes[:0]
    before = letters.index(".")
    end = array_ops.rank(x) - (len(letters) - before - 1)
    return sizes[:before], sizes[before:end], sizes[end:]


def _restored_ellipsis(x: Tensor, letters: str, sizes: Tensor) -> Tensor:
    """X with axes of ``sizes`` in place of the one that stands for the ellipsis."""
    if "." not in letters:
        return x
    at = letters.index(".")
    shape = array_ops.shape(x)
    return array_ops.reshape(x, array_ops.concat([shape[:at], sizes, shape[at + 1 :]], 0))


def _expanded(x: Tensor, letters: str) -> str:
    """The letters of x, with those of its ellipsis, after a check of its rank."""
    rank = x.shape.ndims
    named = len(letters.replace(".", ""))
    if rank < named or (rank > named and "." not in letters):
        raise ValueError(
            f"subscripts {letters.replace('.', '...')!r} stand for {named} axes, the "
            f"input has shape {x.shape}"
        )
    return letters.replace(".", _hidden(rank - named))


def _agreed(tensors: list[Tensor], expanded: list[str]) -> list[Tensor]:
    """The tensors with what is known of each letter's size, which must be one.

    A size that is known nowhere is compared when the step runs.
    """
    known: dict[str, int] = {}
    unknown: dict[str, list[Any]] = {}
    for x, letters in zip(tensors, expanded, strict=True):
        for axis, (letter, size) in enumerate(
            zip(letters, x.shape.as_list(), strict=True)
        ):
            if ord(letter) >= _FIRST_HIDDEN:
                continue
            if size is None:
                unknown.setdefault(letter, []).append((x, axis))
            elif known.setdefault(letter, size) != size:
                raise ValueError(
                    f"the letter {letter!r} of einsum stands for {known[letter]} and for "
                    f"axis {axis} of shape {x.shape}"
                )
    checks = []
    for letter, (first, *others) in unknown.items():
        if letter in known:
            continue
        sizes = [array_ops.shape(x)[axis] for x, axis in [first, *others]]
        problem = f"the letter {letter!r} of einsum stands for several sizes:"
        checks += [
            step_checks.Assert(call("Equal", [sizes[0], size]), [problem, sizes[0], size])
            for size in sizes[1:]
        ]
    with control_dependencies(checks):
        tensors = [array_ops.identity(x) for x in tensors] if checks else tensors
    return [_of_sizes(x, y, known) for x, y in zip(tensors, expanded, strict=True)]


def _of_sizes(x: Tensor, letters: str, known: dict[str, int]) -> Tensor:
    """X, whose axes have the known sizes of their letters or fail when the step runs."""
    sizes = x.shape.as_list()
    wanted = [
        known.get(letter) if size is None else size
        for letter, size in zip(letters, sizes, strict=True)
    ]
    return x if wanted == sizes else ensure_shape(x, wanted)


def _transposed(x: Tensor, letters: str, wanted: str) -> Tensor:
    if letters == wanted:
        return x
    return array_ops.transpose(x, [letters.index(letter) for letter in wanted])


def _without(x: Tensor, letters: str, kept: set[str]) -> tuple[Tensor, str]:
    """X with diagonals in place of repeated letters, and summed over letters not kept."""
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            first = letters.index(letter)
            rest = letters.replace(letter, "", 2)
            second = letters.index(letter, first + 1)
            order = [i for i in range(len(letters)) if i not in (first, second)]
            moved = array_ops.transpose(x, [*order, first, second])
            x, letters = call("MatrixDiagPart", [moved]), rest + letter
    axes = [i for i, letter in enumerate(letters) if letter not in kept]
    if axes:
        x = reductions.reduce_sum(x, axes)
        letters = "".join(letter for letter in letters if letter in kept)
    return x, letters


def _folded(x: Tensor, letters: str, groups: list[str]) -> tuple[Tensor, dict[str, Any]]:
    """X with one axis for each group of letters, and the size of every letter."""
    sizes = dict(zip(letters, sizes_of(x), strict=True))
    x = _transposed(x, letters, "".join(groups))
    folded = [product([sizes[y] for y in group]) if group else 1 for group in groups]
    return reshaped(x, folded), sizes


def _stretched(x: Tensor, letters: str, other: Tensor, others: str) -> Tensor:
    """X with axes of an ellipsis that have size 1 as long as those of the other input."""
    multiples = [1] * len(letters)
    for i, letter in enumerate(letters):
        if ord(letter) >= _FIRST_HIDDEN and letter in others and x.shape[i].value == 1:
            multiples[i] = sizes_of(other)[others.index(letter)]
    if all(isinstance(multiple, int) and multiple == 1 for multiple in multiples):
        return x
    return call("Tile", [x, array_ops.stack(multiples)])


def _pair(
    a: Tensor, in_a: str, b: Tensor, in_b: str, kept: set[str]
) -> tuple[Tensor, str]:
    """The product of two tensors, summed over the letters of both that are not kept."""
    a, in_a = _without(a, in_a, kept | set(in_b))
    b, in_b = _without(b, in_b, kept | set(in_a))
    a, b = _stretched(a, in_a, b, in_b), _stretched(b, in_b, a, in_a)
    both = "".join(x for x in in_a if x in in_b and x in kept)
    summed = "".join(x for x in in_a if x in in_b and x not in kept)
    only_a = "".join(x for x in in_a if x not in in_b)
    only_b = "".join(x for x in in_b if x not in in_a)
    left, sizes = _folded(a, in_a, [both, only_a, summed])
    right, sizes_of_b = _folded(b, in_b, [both, summed, only_b])
    sizes |= {letter: sizes_of_b[letter] for letter in only_b}
    letters = both + only_a + only_b
    result = math_ops.matmul(left, right)
    return reshaped(result, [sizes[letter] for letter in letters]), letters


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """The sum of products of elements that an equation says.

    Args:
        equation: letters for the axes of each input, separated by commas, and after
            ``->`` those of the result. Without ``->``, the letters that stand once, in
            order. ``...`` stands for axes in front that go along.
        *inputs: tensors of one type.
        **kwargs: ``name`` of the scope; ``optimize``, which changes nothing.

    Raises:
        ValueError: the equation does not make sense, or does not fit the inputs.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 10])).tolist()
    [21, 43]
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(f"invalid keyword arguments for einsum: {', '.join(kwargs)}")
    with name_scope(name, "einsum", list(inputs)):
        letters, result = _parse(equation, len(inputs))
        tensors = [convert_to_tensor(inputs[0])]
        tensors += [_of_type(x, tensors[0].dtype) for x in inputs[1:]]
        tensors = [_of_known_rank(x, y) for x, y in zip(tensors, letters, strict=True)]
        if not _has_unknown_ellipsis(tensors, letters):
            return array_ops.identity(_einsum(tensors, letters, result), name="Einsum")
        joined, sizes = _joined_ellipses(tensors, letters)
        x = _einsum(joined, letters, result)
        return array_ops.identity(_restored_ellipsis(x, result, sizes), name="Einsum")


def _of_type(value: Any, dtype: DType) -> Tensor:
    """A tensor of the type; one of another type is no cast."""
    x = convert_to_tensor(value, None if isinstance(value, Tensor) else dtype)
    if x.dtype.base_dtype is not dtype.base_dtype:
        problem = f"inputs must have one type, they have {dtype.name} and {x.dtype.name}"
        if context.executing_eagerly():
            raise InvalidArgumentError(None, None, f"Einsum: {problem}")
        raise TypeError(f"einsum: {problem}")
    return x


def _einsum(tensors: list[Tensor], letters: list[str], result: str) -> Tensor:
    """The sum of products of tensors of known ranks."""
    expanded = [_expanded(x, y) for x, y in zip(tensors, letters, strict=True)]
    tensors = _agreed(tensors, expanded)
    hidden = max(len(y) - len(x) for x, y in zip(letters, expanded, strict=True)) + 1
    result = result.replace(".", _hidden(hidden if "." in "".join(letters) else 0))

    x, of_x = tensors[0], expanded[0]
    for i in range(1, len(tensors)):
        later = set("".join(expanded[i + 1 :])) | set(result)
        x, of_x = _pair(x, of_x, tensors[i], expanded[i], later)
    x, of_x = _without(x, of_x, set(result))
    return _transposed(x, of_x, result)
