"""Names of ops in the public interface: which op ``tf.multiply`` is.

An op is public under its name in Python's form: ``Sin`` is ``tf.sin``. The table has
those that TensorFlow calls otherwise. A name that is in no file of minitf is looked up
here, in ``tf``, ``tf.math`` and ``tf.nn`` alike, so a new op is public without a further
line.

Compare: tensorflow/core/api_def/base_api. Read next: ``raw_ops.py``.
"""

from collections.abc import Callable
from typing import Any

RENAMED = {
    "ceil": "Ceil",
    "erf": "Erf",
    "floor_div": "FloorDiv",
    "floormod": "FloorMod",
    "matrix_determinant": "MatrixDeterminant",
    "mod": "FloorMod",
    "multiply": "Mul",
    "negative": "Neg",
    "realdiv": "RealDiv",
    "reverse": "ReverseV2",
    "subtract": "Sub",
    "truncatediv": "TruncateDiv",
    "truncatemod": "TruncateMod",
}


def find(name: str) -> Any:
    """The function of the op that is public as ``name``, or None."""
    from minitf import op_functions

    if name.startswith("_"):
        return None
    if name in RENAMED:
        name = op_functions.snake_case(RENAMED[name])
    return op_functions.by_snake_case(name)


def fallback(module: str) -> Callable[[str], Any]:
    """A ``__getattr__`` for ``module`` that finds ops by their public names."""

    def get(name: str) -> Any:
        found = find(name)
        if found is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return found

    return get
