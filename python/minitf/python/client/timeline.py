"""``timeline.Timeline``, under the name by which TensorFlow's users import it.

Read next: ``python/minitf/timeline.py``.
"""

from minitf.timeline import Timeline

__all__ = ["Timeline"]
