"""Verdicts that are kept by content: what was found good once is not asked again.

A question, such as "do the tests find this fault?", has a key: a hash of everything that
the answer depends on (``contents.py``). A good answer is kept in a file of that name, in
``$XDG_CACHE_HOME/minitf`` or ``~/.cache/minitf``: outside of the checkout, so that a new
clone on the same machine knows it as well. A bad answer is never kept, so that the
question is asked until the fault is put right.

Any number of runs may share the folder: a file appears in it as a whole, and runs that
ask the same question get the same answer.
"""

import contextlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

KEPT_DAYS = 60  # an answer not asked for in so long is removed


def default_folder() -> Path | None:
    """Where verdicts are kept; None if there is no home folder."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG base directory specification (0.8) has a path that is not absolute ignored.
    if os.path.isabs(cache):
        return Path(cache) / "minitf"
    try:
        return Path.home() / ".cache" / "minitf"
    except RuntimeError:
        return None


class Verdicts:
    """The good answers so far.

    Nothing is kept if ``folder`` is None. If ``fresh``, every question
    is asked again, and the new answers are kept.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     known = Verdicts(Path(folder))
    ...     known.find("fault", "ab12")
    ...     known.keep("fault", "ab12", {"named": "04.2"})
    ...     known.find("fault", "ab12")
    {'named': '04.2'}
    """

    def __init__(self, folder: Path | None, *, fresh: bool = False) -> None:
        self._folder = folder
        self._fresh = fresh

    def find(self, question: str, key: str) -> dict[str, Any] | None:
        """The answer to the question of this kind and key; None if it must be asked."""
        if self._folder is None or self._fresh:
            return None
        path = self._folder / question / key
        try:
            verdict = json.loads(path.read_text())
            os.utime(path)  # so that forget_old sees that it is in use
        except (OSError, ValueError):
            return None
        return verdict if isinstance(verdict, dict) else None

    def keep(self, question: str, key: str, verdict: dict[str, Any]) -> None:
        """Keeps an answer. A folder that cannot be written to keeps nothing."""
        if self._folder is None:
            return
        with contextlib.suppress(OSError):
            folder = self._folder / question
            folder.mkdir(parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(dir=folder, prefix=".part-")
            try:
                with os.fdopen(handle, "w") as file:
                    json.dump(verdict, file)
                os.replace(part, folder / key)
            except OSError:
                os.unlink(part)
                raise

    def forget_old(self) -> None:
        """Removes what was not asked for in ``KEPT_DAYS``."""
        if self._folder is None:
            return
        oldest = time.time() - KEPT_DAYS * 24 * 3600
        for path in self._folder.glob("*/*"):
            with contextlib.suppress(OSError):  # another run may remove it first
                if path.stat().st_mtime < oldest:
                    path.unlink()
