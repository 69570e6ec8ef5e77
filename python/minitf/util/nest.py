"""Structures of tensors: lists, tuples and dicts, nested at will.

Compare: tensorflow/python/util/nest.py. Read next: ``eager/backprop.py``.
"""

from collections.abc import Mapping
from typing import Any

_MAX_DEPTH = 200


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of ``structure``; those of a dict in the order of its sorted keys.

    Raises:
        ValueError: a structure contains itself, or is nested without an end in sight; or
            ``expand_composites``: a sparse tensor is always one leaf.

    >>> flatten({"b": 3, "a": [1, (2,)]})
    [1, 2, 3]
    """
    if expand_composites:
        raise ValueError("expand_composites=True: composite tensors are always leaves")
    leaves: list[Any] = []
    _add_leaves(structure, leaves, 0)
    return leaves


def _add_leaves(structure: Any, leaves: list[Any], depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise ValueError(f"a structure is nested more than {_MAX_DEPTH} deep")
    if isinstance(structure, (list, tuple)):
        for item in structure:
            _add_leaves(item, leaves, depth + 1)
    elif isinstance(structure, Mapping):
        for key in sorted(structure):
            _add_leaves(structure[key], leaves, depth + 1)
    else:
        leaves.append(structure)


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
