"""Structures of tensors: lists, tuples and dicts, nested at will.

Compare: tensorflow/python/util/nest.py. Read next: ``eager.py``.
"""

from collections.abc import Mapping
from typing import Any


def flatten(structure: Any) -> list[Any]:
    """The leaves of ``structure``; those of a dict in the order of its sorted keys.

    >>> flatten({"b": 3, "a": [1, (2,)]})
    [1, 2, 3]
    """
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in flatten(item)]
    if isinstance(structure, Mapping):
        return [leaf for key in sorted(structure) for leaf in flatten(structure[key])]
    return [structure]


def pack_like(structure: Any, leaves: list[Any]) -> Any:
    """``structure`` with other leaves, in the order of ``flatten``.

    >>> pack_like({"b": 0, "a": [0, (0,)]}, [1, 2, 3])
    {'b': 3, 'a': [1, (2,)]}
    """
    return _pack(structure, iter(leaves))


def _pack(structure: Any, leaves: Any) -> Any:
    if isinstance(structure, (list, tuple)):
        items = [_pack(item, leaves) for item in structure]
        if hasattr(structure, "_fields"):
            return type(structure)(*items)
        return type(structure)(items)
    if isinstance(structure, Mapping):
        packed = {key: _pack(structure[key], leaves) for key in sorted(structure)}
        return type(structure)({key: packed[key] for key in structure})
    return next(leaves)
