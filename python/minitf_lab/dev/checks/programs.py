"""Programs beside the tests of minitf, such as its fuzzers, as modules.

They are no part of the tool, which only starts them: ``tests/bench``, ``tests/fuzz``,
``tests/differential`` and ``tests/python``.
"""

import importlib
import sys
from types import ModuleType

from minitf_lab import project


def load(folder: str, name: str) -> ModuleType:
    """The module ``name`` of a folder of tests; it imports its neighbours by name."""
    path = str(project.ROOT / "tests" / folder)
    if path not in sys.path:
        sys.path.insert(0, path)
    return importlib.import_module(name)
