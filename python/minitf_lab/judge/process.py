"""A process with a student's code, as its judge sees it: lines in, lines out, and an end.

Whatever it does costs the judge a bounded time and a bounded amount of memory. It may be
in a box (``sandbox.py``); all that it has started ends with it.
"""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from minitf_lab.judge.sandbox import Box, Room
from minitf_lab.results import MAX_TEXT

MAX_LINE = 64 << 20
LOOK_S = 0.2  # between two looks at how much memory it uses
END_LIMIT_S = 5
PAGE = os.sysconf("SC_PAGE_SIZE")


def children_of(number: int) -> list[int]:
    """The processes that a process has started and not waited for."""
    try:
        text = Path(f"/proc/{number}/task/{number}/children").read_text()
        return [int(word) for word in text.split()]
    except OSError:  # it is gone
        return []


def descendants_of(number: int) -> list[int]:
    """All that a process and those after it have started; the oldest first."""
    found = children_of(number)
    for one in found:
        found += children_of(one)
    return found


def resident_mb(numbers: list[int]) -> int:
    """How much memory processes use."""
    total = 0
    for number in numbers:
        with contextlib.suppress(OSError, IndexError):
            total += int(Path(f"/proc/{number}/statm").read_text().split()[1])
    return total * PAGE >> 20


def waited_s(numbers: list[int]) -> float:
    """How long a thread of processes was ready to run and had no processor, at most.

    It is 0 where the kernel does not count that (schedstat).
    """
    longest = 0
    for number in numbers:
        with contextlib.suppress(OSError, ValueError, IndexError):
            for thread in Path(f"/proc/{number}/task").iterdir():
                text = (thread / "schedstat").read_text()
                longest = max(longest, int(text.split()[1]))
    return longest / 1e9


def is_at_work(number: int) -> bool:
    """Whether a process, or a thread of it, is there and has not ended.

    One that has ended holds nothing any more, but is there until somebody waits for it:
    an orphan until the first process of the machine does, which may take its time.
    """
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
        return state not in "ZX" or len(os.listdir(f"/proc/{number}/task")) > 1
    except OSError:
        return False


def _kill(number: int, *, group: bool = False) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        (os.killpg if group else os.kill)(number, signal.SIGKILL)


def stop_tree(process: subprocess.Popen) -> None:
    """Ends a process and all that it has started, and waits until they are gone."""
    inside = descendants_of(process.pid)
    for number in inside:
        _kill(number)
    _kill(process.pid, group=True)
    process.wait()
    deadline = time.monotonic() + END_LIMIT_S
    # The first process of a name space has not ended until all others are gone.
    while time.monotonic() < deadline and any(map(is_at_work, inside)):
        time.sleep(0.001)


class Process:
    """A running process.

    Args:
        command: What is run.
        room: What it may use; without a box only its environment and folder count.
        box: In which it runs; in none if None.
        printed: Where what it writes to standard error goes: a file in memory.
        shared: Numbers of open files that it has as well.

    Attributes:
        is_too_large: Whether it was stopped because of its memory.
    """

    def __init__(
        self,
        command: list[str],
        room: Room,
        box: Box | None,
        printed: "Printed",
        shared: tuple[int, ...] = (),
    ) -> None:
        self._box = box
        self._buffer = bytearray()
        self.is_too_large = False
        files: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        files |= {"stderr": printed.file, "pass_fds": shared}
        if box:
            self._process = box.start(command, room, **files)
        else:
            self._process = subprocess.Popen(
                command,
                env=room.environment,
                cwd=room.folder,
                start_new_session=True,
                **files,
            )
        os.set_blocking(self._process.stdin.fileno(), False)

    @property
    def pid(self) -> int:
        """Its number; in a box, that of the box."""
        return self._process.pid

    def inner(self) -> int:
        """The number of the process itself, 0 if it is gone."""
        number = self.pid
        for _ in range(self._box.depth if self._box else 0):
            number = next(iter(children_of(number)), 0)
        return number

    def waited_s(self) -> float:
        """How long a thread of what it has started had to wait for a processor."""
        inner = self.inner()
        return waited_s(descendants_of(inner)) if inner else 0

    def strangers(self) -> list[int]:
        """What runs in the box besides the process itself."""
        expected = self._box.depth if self._box else 0
        return descendants_of(self.pid)[expected:]

    def own_child(self, number: object) -> int:
        """``number`` if the process has a child that is called so, else 0.

        In a box it is called otherwise than here, and leaves nothing behind.
        """
        is_one = isinstance(number, int) and number in children_of(self.pid)
        return number if is_one and not self._box else 0

    def kill_children(self, group: int = 0) -> None:
        """Ends what the process has started and waits for, and all of a group."""
        if group:
            _kill(group, group=True)
            return
        inner = self.inner()
        for child in children_of(inner) if inner else []:
            _kill(child)

    def send(self, line: bytes, deadline: float) -> bool:
        """Sends a line; whether the process took all of it in time."""
        file = self._process.stdin.fileno()
        rest = memoryview(line)
        while rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([], [file], [], left)[1]:
                return False
            try:
                rest = rest[os.write(file, rest) :]
            except OSError:  # it does not read any more
                return False
        return True

    def _wait(self, deadline: float, memory_mb: int) -> bool:
        """Whether there is something to read before the deadline."""
        output = self._process.stdout.fileno()
        while (left := deadline - time.monotonic()) > 0:
            if select.select([output], [], [], min(left, LOOK_S))[0]:
                return True
            if memory_mb and resident_mb(descendants_of(self.pid)) > memory_mb:
                self.is_too_large = True
                return False
        return False

    def read(
        self, deadline: float, *, longest: int = MAX_LINE, memory_mb: int = 0
    ) -> bytes | None:
        """The next line; None if there is none in time, or no more.

        Args:
            deadline: By the monotonic clock.
            longest: A line may have so many bytes.
            memory_mb: The process, with all that it started, may use so much while it is
                waited for; any amount if 0.
        """
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            start = len(self._buffer)
            if not self._wait(deadline, memory_mb):
                return None
            part = os.read(self._process.stdout.fileno(), 1 << 16)
            self._buffer += part
            if not part or len(self._buffer) > longest:
                return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def status(self, seconds: float) -> int | None:
        """How it ended, as ``subprocess`` says it; None if it still runs after that."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = self._process.wait(seconds)
            # So bubblewrap tells of a signal.
            is_signal = self._box and self._box.depth and 128 < status < 128 + signal.NSIG
            return 128 - status if is_signal else status
        return None

    def stop(self) -> None:
        """Ends it and all that it has started, and waits until they are gone."""
        stop_tree(self._process)
        self._process.stdin.close()
        self._process.stdout.close()


class Printed:
    """What a process prints: a file in memory, which has no name in any folder."""

    def __init__(self) -> None:
        self.file = os.memfd_create("printed", os.MFD_CLOEXEC)
        fcntl.fcntl(self.file, fcntl.F_SETFL, os.O_APPEND)

    @property
    def path(self) -> Path:
        """How this process can open it."""
        return Path(f"/proc/self/fd/{self.file}")

    def clear(self) -> None:
        """Forgets what was printed so far."""
        os.ftruncate(self.file, 0)

    def end(self) -> str:
        """The last of it."""
        size = os.fstat(self.file).st_size
        part = os.pread(self.file, MAX_TEXT, max(0, size - MAX_TEXT))
        return part.decode(errors="replace")

    def close(self) -> None:
        """Gives the memory back."""
        os.close(self.file)
