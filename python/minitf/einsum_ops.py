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

from minitf import array_ops, math_ops, reductions
from minitf.constant_op import convert_to_tensor
from minitf.ops import call
from minitf.scopes import name_scope
from minitf.tensor import Tensor
from minitf.volumes import product, reshaped, sizes_of

# A dot in a parsed equation is "...". The axes it stands for get letters from here on.
_FIRST_HIDDEN = 0x100


def _parse(equation: str, count: int) -> tuple[list[str], str]:
    """The letters of the inputs and of the result, with a dot for an ellipsis."""
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


def _expanded(x: Tensor, letters: str) -> str:
    """The letters of x, with those of its ellipsis, after a check of its rank."""
    rank = x.shape.ndims
    if rank is None:
        raise ValueError(f"the rank of an input of einsum must be known: {x}")
    named = len(letters.replace(".", ""))
    if rank < named or (rank > named and "." not in letters):
        raise ValueError(
            f"subscripts {letters.replace('.', '...')!r} stand for {named} axes, the "
            f"input has shape {x.shape}"
        )
    return letters.replace(".", _hidden(rank - named))


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
            if not x.shape[first : first + 1].is_compatible_with(
                x.shape[second : second + 1]
            ):
                raise ValueError(
                    f"axes {first} and {second} of an input of einsum have one letter, "
                    f"and not one size: {x.shape}"
                )
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
        *inputs: tensors of known rank and one type.
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
        tensors += [convert_to_tensor(x, tensors[0].dtype) for x in inputs[1:]]
        expanded = [_expanded(x, y) for x, y in zip(tensors, letters, strict=True)]
        hidden = max(len(y) - len(x) for x, y in zip(letters, expanded, strict=True)) + 1
        result = result.replace(".", _hidden(hidden if "." in equation else 0))

        x, of_x = tensors[0], expanded[0]
        for i in range(1, len(tensors)):
            later = set("".join(expanded[i + 1 :])) | set(result)
            x, of_x = _pair(x, of_x, tensors[i], expanded[i], later)
        x, of_x = _without(x, of_x, set(result))
        return array_ops.identity(_transposed(x, of_x, result), name="Einsum")
