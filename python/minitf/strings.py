"""``tf.strings``: ops on text.

Compare: tensorflow/python/ops/string_ops.py. Read next: ``printing.py``.
"""

from minitf.printing import format_string as format

__all__ = ["format"]
