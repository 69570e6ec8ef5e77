"""Collections: lists that a graph carries around under names, such as its variables.

Compare: tensorflow/python/framework/ops.py, GraphKeys. Read next: ``variables.py``.
"""

from typing import Any

from minitf import context


class GraphKeys:
    """The names of the collections that minitf itself uses."""

    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    REGULARIZATION_LOSSES = "regularization_losses"
    LOSSES = "losses"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    TRAIN_OP = "train_op"
    GLOBAL_STEP = "global_step"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    SUMMARY_OP = "summary_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


def add_to_collection(name: Any, value: Any) -> None:
    """Puts ``value`` at the end of a collection of the present graph."""
    context.get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Puts ``value`` at the end of several collections of the present graph."""
    context.get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """What a collection of the present graph holds; see ``Graph.get_collection``."""
    return context.get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """The list itself of a collection of the present graph."""
    return context.get_default_graph().get_collection_ref(key)
