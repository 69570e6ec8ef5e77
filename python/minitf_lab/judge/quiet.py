"""Nobody else measures, and nobody grades, while something is timed on this machine.

Whoever judges a lab with speed points shares a lock on a file of the machine, and holds
it alone while calls are timed. Each process waits for the others; nothing is left behind
by one that is killed. The file is the same for all users, and holds nothing.
"""

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from minitf_lab.project import LabError

PLACE = Path("/tmp/minitf-speed.lock")
LIMIT_S = 600
LOOK_S = 0.02

_held: list[int] = []  # the file of this process, if it judges


def _open(path: Path) -> int:
    """The file, made if it is not there.

    Raises:
        LabError: it cannot be opened, or is something else.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        # Not in one step: the kernel has nobody make anew what is another user's in /tmp.
        with contextlib.suppress(FileExistsError):
            made = os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o444)
            os.fchmod(made, 0o444)  # also if this user's files are for nobody else
            os.close(made)
        file = os.open(path, flags)
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}: no lock for what is timed") from error
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise LabError(f"{path} is not a plain file: no lock for what is timed")
    return file


def _take(file: int, kind: int, path: Path, limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    while True:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise LabError(
                    f"{path}: another process has held this lock for {limit_s:g} s, so "
                    "nothing can be timed"
                ) from None
        time.sleep(LOOK_S)


@contextlib.contextmanager
def at_work(path: Path = PLACE, limit_s: float = LIMIT_S) -> Iterator[None]:
    """Waits until nothing is timed, and has others wait who want to time something.

    Raises:
        LabError: that takes too long, or there can be no lock.
    """
    file = _open(path)
    try:
        _take(file, fcntl.LOCK_SH, path, limit_s)
        _held.append(file)
        try:
            yield
        finally:
            _held.remove(file)
    finally:
        os.close(file)


@contextlib.contextmanager
def alone(path: Path = PLACE, limit_s: float = LIMIT_S) -> Iterator[None]:
    """Waits until nobody else times anything, or is at work.

    Raises:
        LabError: as for ``at_work``.
    """
    if not _held:
        file = _open(path)
        try:
            _take(file, fcntl.LOCK_EX, path, limit_s)
            yield
        finally:
            os.close(file)
        return
    # The lock is changed: given back and taken anew, so that two never wait for each
    # other.
    _take(_held[-1], fcntl.LOCK_EX, path, limit_s)
    try:
        yield
    finally:
        fcntl.flock(_held[-1], fcntl.LOCK_SH)
