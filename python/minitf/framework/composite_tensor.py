"""Values of several tensors: structures that hold SparseTensors and IndexedSlices.

Such a value has a method ``_fetch_parts``, whose second result is its tensors, and
``_of_parts``, which makes another one of others. Nothing here knows more of it.

Compare: tensorflow/python/framework/composite_tensor.py.
Read next: ``indexed_slices.py``.
"""

from collections.abc import Mapping
from typing import Any

from minitf.util.nest import flatten, pack_like


def has_parts(leaf: Any) -> bool:
    """Whether ``leaf`` is a SparseTensor or IndexedSlices: one value of some tensors."""
    return hasattr(leaf, "_of_parts")


def parts_of(leaf: Any) -> list[Any]:
    """The tensors of a SparseTensor or of IndexedSlices; of anything else, itself."""
    return leaf._fetch_parts()[1] if has_parts(leaf) else [leaf]


def flatten_parts(structure: Any) -> list[Any]:
    """The leaves of ``structure``, with their tensors for those that have several."""
    return [part for leaf in flatten(structure) for part in parts_of(leaf)]


def outline(structure: Any) -> Any:
    """``structure`` with its lists as tuples, and of each leaf what parts it has.

    What has the same outline can be packed like the other.
    """
    if isinstance(structure, Mapping):
        return {key: outline(structure[key]) for key in structure}
    if isinstance(structure, (list, tuple)):
        return tuple(outline(item) for item in structure)
    return (type(structure), len(parts_of(structure))) if has_parts(structure) else None


def pack_parts(structure: Any, parts: Any) -> Any:
    """``structure`` with other leaves, in the order of ``flatten_parts``."""
    following = iter(parts)
    leaves = []
    for leaf in flatten(structure):
        own = [next(following) for _ in parts_of(leaf)]
        leaves.append(leaf._of_parts(own) if has_parts(leaf) else own[0])
    return pack_like(structure, leaves)
