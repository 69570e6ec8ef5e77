"""The result of an assignment to a variable in a graph.

Compare: tensorflow/python/ops/resource_variable_ops.py, _UnreadVariable. Read next:
    ``variable_store.py``.
"""

import functools
import inspect
from typing import Any

import numpy as np

from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape
from minitf.ops import operators


class AssignedValue:
    """The result of an assignment in a graph: the new value as a tensor, and the node.

    It has the methods of the variable, too: what they add to the graph, such as another
    assignment, comes after this one.
    """

    def __init__(self, variable: Any, op: Any, value: Tensor):
        self._variable = variable
        self.op = op
        self._value = value

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._variable, name)
        if not inspect.ismethod(found):
            return found

        @functools.wraps(found)
        def after(*args: Any, **kwargs: Any) -> Any:
            with self._variable.graph.control_dependencies([self.op]):
                return found(*args, **kwargs)

        return after

    def _as_tensor(self) -> Tensor:
        return self._value

    def _as_graph_element(self) -> Tensor:
        return self._value

    def _feed_parts(self, value: Any) -> tuple[list[Any], list[Any]]:
        return [self._value], [value]

    def _as_control_input(self) -> Any:
        return self.op

    def value(self) -> Tensor:
        """The new value."""
        return self._value

    @property
    def shape(self) -> TensorShape:
        """The static shape of the new value."""
        return self._value.shape

    def get_shape(self) -> TensorShape:
        """The static shape of the new value."""
        return self._value.shape

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> np.ndarray:
        """Assigns in ``session`` or the default one, and returns the new value."""
        return self._value.eval(feed_dict, session)

    def __repr__(self) -> str:
        return repr(self._variable)


operators.give_operators(AssignedValue)
