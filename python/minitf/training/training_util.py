"""The global step: a variable that counts training steps.

Compare: tensorflow/python/training/training_util.py.
Read next: ``learning_rate_decay.py``.
"""

from typing import Any

from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.collections_ import GraphKeys
from minitf.util.arguments import require, require_variable
from minitf.variables.init_ops import zeros_initializer
from minitf.variables.shared_variables import get_variable
from minitf.variables.variables import Variable


def global_step(sess: Any, global_step_tensor: Variable) -> int:
    """The number of steps that ``sess`` has counted."""
    if context.executing_eagerly():
        variable = require_variable(global_step_tensor, "tf.train.global_step")
        return int(variable.numpy())
    require(sess, "run", "tf.train.global_step", "a session")
    return int(sess.run(global_step_tensor))


def get_global_step(graph: Any = None) -> Variable | None:
    """The variable that counts the steps of ``graph``, or None.

    That is the one in the collection GLOBAL_STEP, else one that is called global_step.
    """
    graph = graph or context.get_default_graph()
    require(graph, "get_collection", "tf.train.get_global_step", "a graph")
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        raise RuntimeError("Multiple items found in collection global_step")
    if not found:
        variables = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
        found = [one for one in variables if one.name == "global_step:0"]
    if not found:
        return None
    assert_global_step(found[0])
    return found[0]


def create_global_step(graph: Any = None) -> Variable:
    """Makes the variable that counts steps. Raises ValueError if there is one."""
    graph = graph or context.get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    collections = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP]
    if context.executing_eagerly():
        step = get_variable(
            "global_step", [], dtypes.int64, zeros_initializer(), trainable=False
        )
        graph.add_to_collections(collections, step)
        return step
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            "global_step",
            [],
            dtypes.int64,
            zeros_initializer(),
            trainable=False,
            collections=collections,
        )


def get_or_create_global_step(graph: Any = None) -> Variable:
    """The variable that counts steps, made if there is none."""
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def assert_global_step(global_step_tensor: Any) -> None:
    """Raises TypeError unless this can count steps: one integer."""
    require(global_step_tensor, "dtype", "tf.train.assert_global_step", "a variable")
    if not dtypes.as_dtype(global_step_tensor.dtype).is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: '
            f"{global_step_tensor.dtype!r}"
        )
    if global_step_tensor.shape.ndims not in (None, 0):
        raise TypeError(
            f'Existing "global_step" is not scalar: {global_step_tensor.shape}'
        )
