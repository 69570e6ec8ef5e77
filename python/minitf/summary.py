"""``tf.summary``: what a program says about its training, for TensorBoard.

Compare: tensorflow/python/summary/summary.py.
Read next: ``contrib/summary/summary_ops.py``.
"""

from minitf.contrib.summary.summary_ops import (
    audio,
    histogram,
    image,
    merge,
    merge_all,
    scalar,
    tensor_summary,
    text,
)
from minitf.contrib.summary.writer import FileWriter, FileWriterCache
from minitf.framework import messages as _messages

__all__ = [
    "FileWriter",
    "FileWriterCache",
    "audio",
    "histogram",
    "image",
    "merge",
    "merge_all",
    "scalar",
    "tensor_summary",
    "text",
]


def __getattr__(name: str):
    if name not in _messages.IN_SUMMARY:
        raise AttributeError(f"module 'minitf.summary' has no attribute {name!r}")
    found = globals()[name] = _messages.get(name)
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *_messages.IN_SUMMARY})
