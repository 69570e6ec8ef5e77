"""``@tf.RegisterGradient``: gradient functions that are written in Python.

They go into the same table as those of C++ (``minitf/framework/gradient.h``), in which
each stands for a call back to Python (``ops/gradients_impl.py``).

Compare: tensorflow/python/framework/ops.py, RegisterGradient. Read next:
``ops/gradients_impl.py``.
"""

from collections.abc import Callable

from minitf import _minitf

_registered: dict[str, Callable | None] = {}


class RegisterGradient:
    """Makes the function below it the gradient of an op.

    It is written in front of the function::

        @tf.RegisterGradient("Sin")
        def _SinGrad(op, grad):
            return grad * tf.cos(op.inputs[0])

    The function takes the op and a gradient for each output, and returns one for each
    input, or None for those that have none. It serves both modes, and takes the place of
    a gradient that C++ has registered.

    Raises:
        KeyError: Python has registered one for the op already.
    """

    def __init__(self, op_type: str):
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, function: Callable) -> Callable:
        """Registers ``function`` and returns it."""
        _register(self._op_type, function)
        return function


def _register(op_type: str, function: Callable | None) -> None:
    if op_type in _registered:
        raise KeyError(f"Registering two gradient with name '{op_type}'!")
    _registered[op_type] = function
    _minitf.register_gradient(op_type, function)


def NotDifferentiable(op_type: str) -> None:  # noqa: N802
    """States that the outputs of an op do not depend smoothly on its inputs."""
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _register(op_type, None)


NoGradient = NotDifferentiable
