"""Commands that run at the same time and would write to the same folder take turns."""

import contextlib
import fcntl
import sys
from collections.abc import Iterator

from minitf_lab import project


@contextlib.contextmanager
def alone(name: str, waiting: str) -> Iterator[None]:
    """Holds the lock ``name`` of this checkout, and first waits until it is free.

    The lock is on a file in ``.lab``, and goes with the process, however that ends.

    Who waits is told that it is for ``waiting``.

    Raises:
        LabError: the file cannot be written to.
    """
    path = project.ROOT / ".lab" / f"{name}.lock"
    try:
        path.parent.mkdir(exist_ok=True)
        file = path.open("a")
    except OSError as error:
        raise project.LabError(f"{project.shown(path)}: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for {waiting}", file=sys.stderr, flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
