"""Random numbers, and where their seeds come from.

An op's numbers follow from two seeds: that of the graph (``tf.set_random_seed``) and its
own. With neither, they differ from run to run. With one of them, a default or a number
that counts the random ops of the graph stands in for the other, so that two ops do not
give the same numbers, and a program that is built again gives the same ones. (TensorFlow
1.15 counted all ops; since 2.4, compat.v1 counts those without a seed of their own.)

Compare: tensorflow/python/framework/random_seed.py, ops/random_ops.py. Read next:
``variables/init_ops.py``.
"""

import random
from typing import Any

import numpy as np

from minitf import _minitf
from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.dtypes import as_dtype
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape

DEFAULT_GRAPH_SEED = 87654321
_LARGEST_SEED = 2**31 - 1

_eager_counter = random.Random()


def set_random_seed(seed: int | None) -> None:
    """Sets the seed of the default graph; in eager mode, that of the program."""
    if context.executing_eagerly():
        context.process.eager_seed = seed
        _eager_counter.seed(seed)
        _minitf.forget_kernels()
    else:
        context.get_default_graph().seed = seed


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The graph's and the op's seed for an op that is made now; both None for no seed."""
    is_eager = context.executing_eagerly()
    global_seed = (
        context.process.eager_seed if is_eager else context.get_default_graph().seed
    )
    if global_seed is None and op_seed is None:
        return None, None
    if global_seed is None:
        global_seed = DEFAULT_GRAPH_SEED
    if op_seed is None and is_eager:
        op_seed = _eager_counter.randint(0, _LARGEST_SEED)
    elif op_seed is None:
        graph = context.get_default_graph()
        op_seed, graph._seeds_given = graph._seeds_given, graph._seeds_given + 1
    for seed in (global_seed, op_seed):
        if not isinstance(seed, (int, np.integer)):
            raise TypeError(f"a seed is an integer, not {seed!r}")
    # Any integer is a seed; ops take those below 2^31 - 1.
    seeds = int(global_seed) % _LARGEST_SEED, int(op_seed) % _LARGEST_SEED
    # 0 and 0 would mean "no seed" to the op.
    return (0, _LARGEST_SEED) if seeds == (0, 0) else seeds


def _seed_attrs(seed: int | None) -> dict[str, int]:
    seed1, seed2 = get_seed(seed)
    return {} if seed1 is None else {"seed": seed1, "seed2": seed2}


def _numbers(op_type: str, shape: Tensor, dtype: Any, seed: int | None) -> Tensor:
    return call(op_type, [shape], {"dtype": dtype, **_seed_attrs(seed)})


def _sizes(shape: Any) -> Tensor:
    """``shape`` as a tensor, whose node is called "shape"."""
    if isinstance(shape, (list, tuple, TensorShape)) and len(shape) == 0:
        return convert_to_tensor([], dtypes.int32, name="shape")
    return convert_to_tensor(shape, name="shape")


def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from a normal distribution."""
    return _scaled(
        "RandomStandardNormal",
        shape,
        mean,
        stddev,
        as_dtype(dtype),
        seed,
        name or "random_normal",
    )


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from a normal distribution, none more than two deviations from the mean."""
    return _scaled(
        "TruncatedNormal",
        shape,
        mean,
        stddev,
        as_dtype(dtype),
        seed,
        name or "truncated_normal",
    )


def _scaled(
    op_type: str,
    shape: Any,
    mean: Any,
    stddev: Any,
    dtype: Any,
    seed: int | None,
    name: str,
) -> Tensor:
    with name_scope(name) as scope:
        sizes = _sizes(shape)
        mean = convert_to_tensor(mean, dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype, name="stddev")
        stretched = call(
            "Mul", [_numbers(op_type, sizes, dtype, seed), stddev], name="mul"
        )
        return call("AddV2", [stretched, mean], None, scope)


def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from [minval, maxval), all equally likely. Integers need a maxval."""
    dtype = as_dtype(dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    with name_scope(name, "random_uniform") as scope:
        sizes = _sizes(shape)
        low = convert_to_tensor(minval, dtype, name="min")
        high = convert_to_tensor(maxval, dtype, name="max")
        if dtype.is_integer:
            return call("RandomUniformInt", [sizes, low, high], _seed_attrs(seed), scope)
        numbers = _numbers("RandomUniform", sizes, dtype, seed)
        stretched = call("Mul", [numbers, high - low], name="mul")
        return call("AddV2", [stretched, low], None, scope)


def random_shuffle(
    value: Any, seed: int | None = None, name: str | None = None
) -> Tensor:
    """The slices along axis 0 in random order."""
    return call("RandomShuffle", [value], _seed_attrs(seed), name)


def multinomial(
    logits: Any,
    num_samples: Any,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: Any = None,
) -> Tensor:
    """``num_samples`` classes for each row, with the probabilities softmax(logits)."""
    return _samples(logits, num_samples, seed, name, "multinomial", output_dtype)


def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """As ``multinomial``; the classes are of type ``dtype``, int64 if that is None."""
    return _samples(logits, num_samples, seed, name, "categorical", dtype)


def _samples(
    logits: Any, num_samples: Any, seed: int | None, name: Any, default: str, dtype: Any
) -> Tensor:
    with name_scope(name, default, [logits]):
        logits = convert_to_tensor(logits, name="logits")
        attrs = {**_seed_attrs(seed), "output_dtype": dtype}
        return call("Multinomial", [logits, num_samples], attrs)


normal = random_normal
uniform = random_uniform
shuffle = random_shuffle
