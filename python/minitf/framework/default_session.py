"""The session that ``eval`` and ``run`` use where none is given.

Tensors and nodes do not know what a session is: they ask for the one that their thread
has entered, and call its ``run``.

Compare: tensorflow/python/framework/ops.py, get_default_session.
Read next: ``operation.py``.
"""

import threading
from typing import Any

from minitf.util.arguments import require


class _Sessions(threading.local):
    """The sessions that one thread has entered, the innermost one last."""

    def __init__(self) -> None:
        self.entered: list[Any] = []


sessions = _Sessions()


def get_default_session() -> Any:
    """The innermost session that this thread has entered, or None."""
    return sessions.entered[-1] if sessions.entered else None


def session_for(element: Any, purpose: str, session: Any) -> Any:
    """``session``, or the default one, to run ``element`` in.

    Args:
        element: a tensor, an Operation or a variable.
        purpose: what the session is for, such as ``"evaluate tensor"``; the last word is
            what ``element`` is.
        session: what the caller was given.

    Raises:
        ValueError: there is none, or it is of another graph.
    """
    kind = purpose.rpartition(" ")[2]
    method, colon = ("run", ":") if kind == "operation" else ("eval", "")
    found = session or get_default_session()
    if found is None:
        raise ValueError(
            f"Cannot {purpose} using `{method}()`: No default session is registered. Use "
            f"`with sess.as_default(){colon}` or pass an explicit session to "
            f"`{method}(session=sess)`"
        )
    require(found, "graph", f"{method}(session=)", "a session")
    if found.graph is not element.graph:
        which = "given" if session else "default"
        advice = f" Pass an explicit session to `{method}(session=sess)`."
        raise ValueError(
            f"Cannot use the {which} session to {purpose}: the {kind}'s graph is "
            f"different from the session's graph.{'' if session else advice}"
        )
    return found
