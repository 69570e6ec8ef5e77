"""``tf.app.run``: reads the flags, then calls the program's function ``main``.

Compare: tensorflow/python/platform/app.py. Read next: ``resources.py``.
"""

import sys
from collections.abc import Callable
from typing import Any

from absl import app

from minitf.contrib.app.flags import FLAGS


def _known_flags(argv: list[str] | None) -> list[str]:
    """Reads the flags that are defined; returns the rest of the command line."""
    return FLAGS(sys.argv if argv is None else argv, known_only=True)


def run(
    main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None
) -> None:
    """Reads the flags, calls ``main(rest)``, and ends the program with its result.

    Args:
        main: called with the command line without the flags that are defined; the
            function ``main`` of the program if None.
        argv: the command line; ``sys.argv`` if None.

    Raises:
        SystemExit: with what main returned.
        AttributeError: the program has no function ``main``.
    """
    app.run(main or sys.modules["__main__"].main, argv, flags_parser=_known_flags)
