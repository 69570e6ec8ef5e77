"""How full queues are, for summaries, where there is a family that makes them.

Compare: tensorflow/python/training/input.py, summary.scalar. Read next: ``input.py``.
"""

from collections.abc import Callable
from typing import Any

_make_scalar: Callable[[str, Any], Any] | None = None


def set_scalar(make_scalar: Callable[[str, Any], Any]) -> None:
    """``make_scalar`` adds a summary of a name and a scalar to the graph."""
    global _make_scalar
    _make_scalar = make_scalar


def add(name: str, fullness: Any) -> None:
    """Adds a summary of ``fullness``, a scalar; none without the family ``summary``."""
    if _make_scalar is not None:
        _make_scalar(name, fullness)
