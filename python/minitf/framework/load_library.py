"""Ops from elsewhere: shared libraries.

Compare: tensorflow/python/framework/load_library.py. Read next:
``ops/custom_gradient.py``.
"""

import os
from types import SimpleNamespace

from minitf import _minitf
from minitf.framework import op_functions


def load_op_library(library_filename: str) -> SimpleNamespace:
    """Loads a shared library that registers ops, and returns their functions.

    A library is loaded once. A second call, by whatever path, returns the same functions.

    Args:
        library_filename: the path of the library.

    Returns:
        An object with a function for each of its ops, under the name in both forms.

    Raises:
        errors.NotFoundError: the library cannot be loaded.
        errors.AlreadyExistsError: another library has registered one of its ops.
    """
    names = sorted(_minitf.load_library(os.fspath(library_filename)))
    functions = {name: op_functions.function_of(name) for name in names}
    functions.update(
        {
            op_functions.snake_case(name): function
            for name, function in list(functions.items())
        }
    )
    return SimpleNamespace(OP_LIST=names, **functions)
