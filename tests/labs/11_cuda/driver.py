"""What cases of lab 11 call: one kernel each, on the emulated card, in check mode.

Each function returns a dict:

    y             the result, if the launch went well
    error         CUDA's name of what went wrong, or empty
    findings      what check mode has found: kind, memory, lines, sentences
    counts        if they are asked for, for each kind of access (``global-load`` and so
                  on): requests of warps, sectors or wavefronts, as few as could be, bytes
    shared_bytes  that a block uses

``options`` are ``seed``, an order of threads; ``preempt``, how often of 100 accesses
another thread goes on; ``counts``. Nothing here knows what is expected.
"""

from typing import Any

import lab_11_driver
import numpy as np

Outcome = dict[str, Any]
Numbers = dict[str, int]


def strided_copy(
    options: Numbers,
    loops: list[tuple[int, int, int]],
    x: np.ndarray,
    x_offset: int,
    y: np.ndarray,
    y_offset: int,
) -> Outcome:
    """``y`` after a nest of loops has moved elements of ``x`` there.

    Args:
        options: See above.
        loops: Size, stride in x and stride in y of each loop, outermost first.
        x: All that lies in the memory of the source, 1-dimensional.
        x_offset: Of the first element.
        y: What the target holds before.
        y_offset: Of the first element.
    """
    nest = [tuple(loop) for loop in loops]
    return lab_11_driver.strided_copy(options, nest, x, x_offset, y, y_offset)


def far_copy(
    options: Numbers, x: np.ndarray, y: np.ndarray, least: int, is_backwards: bool
) -> Outcome:
    """The two lines of ``x`` [2,n], copied to where those of ``y`` lie.

    Args:
        options: See above.
        x: The lines, more than ``least`` elements apart on the card.
        y: What is there before, as far apart.
        least: See above.
        is_backwards: Whether the second line comes first.
    """
    return lab_11_driver.far_copy(options, x, y, least, is_backwards)


def transpose(options: Numbers, x: np.ndarray) -> Outcome:
    """Matrices [batch,rows,columns] as [batch,columns,rows]."""
    like = np.empty((x.shape[0], x.shape[2], x.shape[1]), x.dtype)
    return lab_11_driver.transpose(options, x, like)


def reduce(options: Numbers, function: int, x: np.ndarray, has_room: bool) -> Outcome:
    """Reduces x [outer,length,inner] to [outer,inner]; adds ``room``, what is left there.

    Args:
        options: See above.
        function: The number of a ReduceFunction.
        x: The numbers.
        has_room: Whether there is room for a first step.
    """
    like = np.empty((x.shape[0], x.shape[2]), x.dtype)
    return lab_11_driver.reduce(options, function, x, like, has_room)


def reduce_in_trouble(
    options: Numbers, function: int, x: np.ndarray, y: np.ndarray, trouble: str
) -> Outcome:
    """A reduction in two steps, of which the first cannot be launched.

    Args:
        options: See above.
        function: The number of a ReduceFunction.
        x: The numbers.
        y: What is in the place of the results before.
        trouble: ``error`` if an earlier call has left one, ``stream`` for one that is
            destroyed.

    Returns:
        ``error``; ``y`` and ``room``, what is there in the end. It began with zeros.
    """
    return lab_11_driver.reduce_in_trouble(options, function, x, y, trouble)


def matmul(
    options: Numbers, tier: int, sizes: Numbers, a: np.ndarray, b: np.ndarray
) -> Outcome:
    """Products of matrices.

    Args:
        options: See above.
        tier: The number of a MatMulTier.
        sizes: The members of MatMulSizes.
        a: As it lies in memory.
        b: As well.
    """
    like = np.empty((sizes["batch"], sizes["m"], sizes["n"]), a.dtype)
    return lab_11_driver.matmul(options, tier, sizes, a, b, like)


def conv(
    options: Numbers,
    kernel: str,
    geometry: Numbers,
    a: np.ndarray,
    b: np.ndarray,
    shape: list[int],
    shift: int,
) -> Outcome:
    """A convolution or one of its gradients.

    Args:
        options: See above.
        kernel: ``direct``, ``shared``, ``im2col`` or ``tiles``, of x and w; ``input``, of
            dy and w; or ``filter``, of x and dy.
        geometry: The members of Conv2dSizes.
        a: The first input.
        b: The second one.
        shape: Of the result.
        shift: How many numbers stand in front of the first input.
    """
    like = np.empty(tuple(shape), a.dtype)
    placed = np.concatenate([np.zeros(shift, a.dtype), a.reshape(-1)])
    return lab_11_driver.conv(options, kernel, geometry, placed, shift, b, like)
