"""Graphviz's program ``dot``: lays out graphs for pictures.

Read next: ``contrib/viz/layout.py``.
"""

import shutil
import subprocess

from minitf.framework.errors import FailedPreconditionError


def quoted(text: str) -> str:
    r"""The text as a string in the language of Graphviz.

    >>> print(quoted('a "b" \\ c'))
    "a \"b\" \\ c"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def run_dot(text: str, output: str) -> str:
    """Lays out the graphs in ``text``; ``output`` is a format of ``dot``, such as "svg".

    Raises:
        errors.FailedPreconditionError: Graphviz is not installed.
    """
    if shutil.which("dot") is None:
        raise FailedPreconditionError(
            None, None, "drawing needs Graphviz's program `dot`, which is not installed"
        )
    done = subprocess.run(
        ["dot", f"-T{output}"], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout
