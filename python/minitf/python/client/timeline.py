"""``timeline.Timeline``, under the name by which TensorFlow's users import it.

Read next: ``python/minitf/client/timeline.py``.
"""

from minitf.client.timeline import Timeline

__all__ = ["Timeline"]
