"""Collections: lists that a graph carries around under names, such as its variables.

Compare: tensorflow/python/framework/ops.py, GraphKeys.
Read next: ``variables/variables.py``.
"""

import re
from typing import Any

from minitf.eager import context


class GraphKeys:
    """The names of the collections that TensorFlow's programs share."""

    GLOBAL_VARIABLES = "variables"
    VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    CONCATENATED_VARIABLES = "concatenated_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    REGULARIZATION_LOSSES = "regularization_losses"
    LOSSES = "losses"
    SAVERS = "savers"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    TRAIN_OP = "train_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


class Collections:
    """The part of a Graph that knows about collections.

    It is the Graph that says whether they must stay as they are.
    """

    def __init__(self) -> None:
        super().__init__()
        self._collections: dict[Any, list] = {}

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    def get_all_collection_keys(self) -> list[str]:
        """The names of the collections, without those that are no strings."""
        return [name for name in self._collections if isinstance(name, str)]

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Puts ``value`` at the end of the collection ``name``.

        Raises:
            RuntimeError: the graph is finalized.
        """
        self._require_not_finalized()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Puts ``value`` at the end of each of the collections, once."""
        names = (names,) if isinstance(names, str) else names
        for name in dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The list itself: what is changed in it is changed in the graph."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """What the collection holds: all, or what has a name that matches."""
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        pattern = re.compile(scope)
        return [
            item for item in items if hasattr(item, "name") and pattern.match(item.name)
        ]

    def clear_collection(self, name: Any) -> None:
        """Empties a collection. Raises RuntimeError if the graph is finalized."""
        self._require_not_finalized()
        self._collections.pop(name, None)


def add_to_collection(name: Any, value: Any) -> None:
    """Puts ``value`` at the end of a collection of the default graph."""
    context.get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Puts ``value`` at the end of several collections of the default graph."""
    context.get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """What a collection of the default graph holds; see ``Graph.get_collection``."""
    return context.get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """The list itself of a collection of the default graph."""
    return context.get_default_graph().get_collection_ref(key)
