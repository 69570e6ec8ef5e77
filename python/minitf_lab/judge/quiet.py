"""Nobody else measures, and nobody grades, while something is timed on this machine.

Whoever judges a lab with speed points shares a lock on a file of the machine, and holds
it alone while calls are timed. Each process waits for the others; nothing is left behind
by one that is killed, and one that hangs loses the lock after ``HOLD_S``. The file is the
same for all users, and holds nothing.
"""

import contextlib
import fcntl
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from minitf_lab.project import LabError

PLACE = Path("/tmp/minitf-speed.lock")
LIMIT_S = 600  # of waiting
HOLD_S = 300
LOOK_S = 0.02

_held: list["_Lock"] = []  # that of this process, if it judges

# This program unlocks the file unless its input ends before. Input also ends when the
# parent ends.
_WATCH = """
import fcntl, select, sys
if not select.select([0], [], [], float(sys.argv[1]))[0]:
    fcntl.flock(1, fcntl.LOCK_UN)
    sys.exit(1)
"""


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


class _Lock:
    """The lock of a file, which a process of its own gives back if nobody else does.

    A thread could not: code that hangs may never let another thread run.
    """

    def __init__(self, path: Path, limit_s: float) -> None:
        self._path = path
        self._limit_s = limit_s
        self._file = _open(path)
        self._watcher: subprocess.Popen | None = None

    def take(self, kind: int) -> None:
        """Waits for the lock, shared or alone; it is given back first, if it is held.

        Raises:
            LabError: that takes too long.
        """
        self.stop_watcher()
        _take(self._file, kind, self._path, self._limit_s)
        self._watcher = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _WATCH, str(HOLD_S)],
            stdin=subprocess.PIPE,
            stdout=self._file,
            start_new_session=True,
        )

    def stop_watcher(self) -> bool:
        """Whether the lock was held all the time."""
        if self._watcher is None:
            return True
        self._watcher.communicate()
        is_held = self._watcher.returncode == 0
        self._watcher = None
        return is_held

    def close(self) -> None:
        """Gives the lock back."""
        self.stop_watcher()
        os.close(self._file)


@contextlib.contextmanager
def at_work(path: Path = PLACE, limit_s: float = LIMIT_S) -> Iterator[None]:
    """Waits until nothing is timed, and has others wait who want to time something.

    They wait for ``HOLD_S`` at most.

    Raises:
        LabError: that takes too long, or there can be no lock.
    """
    lock = _Lock(path, limit_s)
    with contextlib.closing(lock):
        lock.take(fcntl.LOCK_SH)
        _held.append(lock)
        try:
            yield
        finally:
            _held.remove(lock)


@contextlib.contextmanager
def alone(path: Path = PLACE, limit_s: float = LIMIT_S) -> Iterator[None]:
    """Waits until nobody else times anything, or is at work.

    Raises:
        LabError: as for ``at_work``; or what was timed took longer than ``HOLD_S``, so
            others may have run beside it.
    """
    with contextlib.ExitStack() as stack:
        if _held:
            # The lock is changed: given back and taken anew, so that two never wait for
            # each other.
            lock = _held[-1]
            stack.callback(lock.take, fcntl.LOCK_SH)
        else:
            lock = stack.enter_context(contextlib.closing(_Lock(path, limit_s)))
        lock.take(fcntl.LOCK_EX)
        yield
        if not lock.stop_watcher():
            raise LabError(
                f"{path}: what is timed took longer than {HOLD_S:g} s, so others may "
                "have run beside it"
            )
