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

    Args:
        library_filename: the path of the library.

    Returns:
        An object with a function for each new op, under its name in both forms.

    Raises:
        errors.NotFoundError: the library cannot be loaded.
    """
    before = set(_minitf.op_names())
    _minitf.load_library(os.fspath(library_filename))
    new = [name for name in _minitf.op_names() if name not in before]
    functions = {name: op_functions.function_of(name) for name in new}
    functions.update(
        {
            op_functions.snake_case(name): function
            for name, function in list(functions.items())
        }
    )
    return SimpleNamespace(OP_LIST=new, **functions)
