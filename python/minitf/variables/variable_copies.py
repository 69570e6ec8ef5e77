"""What Python does with variables by itself: copies, and assignments like ``v += 1``.

Compare: tensorflow/python/ops/resource_variable_ops.py. Read next: ``state_ops.py``.
"""

from typing import Any

import numpy as np

from minitf.framework.dtypes import as_dtype


class CopyMethods:
    """How a variable is copied, kept in a file, and not changed by accident."""

    def __deepcopy__(self, memo: dict) -> Any:
        """In eager mode another variable of the same value, in a graph the same one."""
        if self._in_graph:
            return self
        copied = memo[id(self)] = _restored(type(self), *self.__reduce__()[1][1:])
        copied.constraint = self.constraint
        return copied

    def __reduce__(self) -> tuple:
        """In eager mode a variable can be pickled, with its value."""
        if self._in_graph:
            raise NotImplementedError(
                f"{self!r} belongs to a graph, and cannot be pickled: fetch its value"
            )
        name = self.name.removesuffix(":0")
        value = np.asarray(self.numpy())
        return _restored, (type(self), value, self.trainable, name, self.dtype.name)

    def __iadd__(self, other: Any) -> Any:
        return self._changed_in_place("+", "assign_add", self + other)

    def __isub__(self, other: Any) -> Any:
        return self._changed_in_place("-", "assign_sub", self - other)

    def __imul__(self, other: Any) -> Any:
        return self._changed_in_place("*", "assign", self * other)

    def __itruediv__(self, other: Any) -> Any:
        return self._changed_in_place("/", "assign", self / other)

    def __ipow__(self, other: Any) -> Any:
        return self._changed_in_place("**", "assign", self**other)

    def _changed_in_place(self, sign: str, method: str, result: Any) -> Any:
        """``result``, in a graph. In eager mode nobody expects it to be a tensor."""
        if not self._in_graph:
            raise RuntimeError(
                f"`variable {sign}= value` with `tf.Variable`s is not supported. Use "
                f"`variable.{method}(...)` to modify the variable, or `out = variable "
                f"{sign} value` if you need to get a new output Tensor."
            )
        return result


def _restored(
    variable: type, value: np.ndarray, trainable: bool, name: str, dtype: str
) -> Any:
    return variable(value, trainable=trainable, name=name, dtype=as_dtype(dtype))
