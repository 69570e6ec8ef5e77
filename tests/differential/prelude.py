"""What programs of the differential tester find under their names.

It is the same text for both frameworks, and for a program that is printed: ``python
prelude.py minitf|tensorflow FILE`` runs one by itself and prints what it shows.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np


def framework(name: str) -> Any:
    """The module ``tf``, with the switches that make TensorFlow 2 behave like 1.15."""
    if name == "minitf":
        import minitf as tf

        tf.enable_eager_execution()
        return tf
    import tensorflow.compat.v1 as tf

    tf.disable_control_flow_v2()
    tf.disable_v2_tensorshape()
    tf.disable_tensor_equality()
    tf.enable_resource_variables()
    return tf


def _plain(array: Any) -> Any:
    """An array of types that every NumPy has: bfloat16 is sent as float32."""
    array = np.asarray(array)
    if array.dtype.name == "bfloat16":
        return array.astype(np.float32)
    if array.dtype.kind in "OUS":
        return [str(item) for item in array.reshape(-1)], list(array.shape)
    return array


def _is_slices(value: Any) -> bool:
    return type(value).__name__ in {"IndexedSlices", "IndexedSlicesValue"}


def flat(value: Any) -> list:
    """The tensors, variables, slices and nodes in a structure, without the Nones."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [item for key in sorted(value) for item in flat(value[key])]
    if isinstance(value, (list, tuple)) and not _is_slices(value):
        return [item for part in value for item in flat(part)]
    return [value]


def real(value: Any) -> list:
    """The tensors of a structure that can be differentiated."""
    return [
        item for item in flat(value) if hasattr(item, "dtype") and item.dtype.is_floating
    ]


class _Shower:
    """Turns what a program shows into facts."""

    def __init__(self, tf: Any, tell: Callable[[str, Any], None]):
        self.tf = tf
        self.tell = tell

    def show(self, label: str, value: Any) -> None:
        """Tells all that can be said of ``value``, part by part."""
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
            self.tell(label, value)
        elif isinstance(value, (np.ndarray, np.generic)):
            self.tell(label, _plain(value))
        elif isinstance(value, type):
            self.tell(label, value.__name__)
        elif _is_slices(value):
            for part in ("values", "indices", "dense_shape"):
                self.show(f"{label}.{part}", getattr(value, part))
        elif isinstance(value, Mapping):
            for key in sorted(value, key=str):
                self.show(f"{label}[{key}]", value[key])
        elif isinstance(value, (list, tuple)):
            self.tell(f"{label}.length", len(value))
            for i, item in enumerate(value):
                self.show(f"{label}[{i}]", item)
        else:
            self._show_object(label, value)

    def _show_object(self, label: str, value: Any) -> None:
        if isinstance(value, (self.tf.TensorShape, self.tf.Dimension, self.tf.DType)):
            self.tell(label, str(value))
        elif hasattr(value, "numpy") and not hasattr(value, "initializer"):
            self.tell(label, _plain(value.numpy()))
        elif hasattr(value, "dtype") and hasattr(value, "shape"):
            self._show_tensor(label, value)
        elif hasattr(value, "outputs"):
            self.tell(f"{label}.type", value.type)
            self.tell(f"{label}.name", value.name)
        else:
            self.tell(label, type(value).__name__)

    def _show_tensor(self, label: str, value: Any) -> None:
        if hasattr(value, "initializer") and self.tf.executing_eagerly():
            self.tell(label, _plain(value.numpy()))
        shape = value.shape
        sizes = None if shape.ndims is None else [item.value for item in shape.dims]
        self.tell(f"{label}.dtype", value.dtype.base_dtype.name)
        self.tell(f"{label}.shape", sizes)
        self.tell(f"{label}.name", value.name)


def printed(run: Callable[[], Any]) -> bytes:
    """Returns what ``run`` writes to the error stream, in Python or in C++."""
    with tempfile.TemporaryFile() as file:
        stream = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            run()
        finally:
            os.dup2(stream, 2)
            os.close(stream)
        file.seek(0)
        return file.read()


def names(tf: Any, tell: Callable[[str, Any], None]) -> dict[str, Any]:
    """The names that a program finds; ``tell`` gets each fact."""
    shower = _Shower(tf, tell)

    def weights(ys: list) -> list:
        """Different numbers for all elements of ``ys``, as weights of a gradient."""
        return [
            tf.reshape(
                tf.cast(tf.range(tf.size(y)), y.dtype) * tf.cast(0.5, y.dtype)
                - tf.cast(1.25, y.dtype),
                tf.shape(y),
            )
            for y in ys
        ]

    def hidden(*args: Any, **kwargs: Any) -> Any:
        """``tf.constant``, whose shape only the step knows."""
        return tf.placeholder_with_default(tf.constant(*args, **kwargs), None)

    @contextmanager
    def attempt(label: str) -> Iterator[None]:
        """Goes on after an exception, whose type is a fact."""
        try:
            yield
        except Exception as error:
            tell(f"{label} raises", type(error).__name__)

    @contextmanager
    def reference_variables() -> Iterator[None]:
        """Makes variables as 1.15 does by default: TensorFlow's are references."""
        tf.disable_resource_variables()
        try:
            yield
        finally:
            tf.enable_resource_variables()

    return {
        "__name__": "program",
        "attempt": attempt,
        "flat": flat,
        "hidden": hidden,
        "inf": np.inf,
        "nan": np.nan,
        "np": np,
        "printed": printed,
        "real": real,
        "reference_variables": reference_variables,
        "show": shower.show,
        "tf": tf,
        "weights": weights,
    }


def main() -> None:
    """Runs the program in a file by itself."""
    with open(sys.argv[2]) as file:
        code = compile(file.read(), sys.argv[2], "exec")
    exec(code, names(framework(sys.argv[1]), lambda label, fact: print(label, "=", fact)))


if __name__ == "__main__":
    main()
