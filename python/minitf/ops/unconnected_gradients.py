"""What a gradient is where nothing depends on the variable.

Read next: ``ops/gradients_impl.py``.
"""

import enum


class UnconnectedGradients(enum.Enum):
    """None, or zeros of the variable's shape."""

    NONE = "none"
    ZERO = "zero"
