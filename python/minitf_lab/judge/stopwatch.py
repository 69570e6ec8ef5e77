"""Times calls of a worker, one at a time, from outside of it.

The worker stands still but for its calls: all its threads are stopped (SIGSTOP) when the
inputs of a call are put where it can read them, and again before its values are read. The
clock stops when the worker does. So what it does early, it does without inputs; what it
does late comes too late, or counts; and it cannot disturb what else is timed. Whether it
really stood still, the kernel's count of its processor time tells.

The worker is one process: a filter that is set before the answer is loaded refuses to
start another one, in all threads. The judge looks for other processes around each call.
"""

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minitf_lab.endings import STRANGERS, Replies, how_it_ended
from minitf_lab.judge import packed, worker
from minitf_lab.judge.case import Case, Trial
from minitf_lab.judge.process import is_at_work
from minitf_lab.judge.runner import Worker, judge_trial, result_of
from minitf_lab.judge.sandbox import Box
from minitf_lab.results import Limits, Result, own_lines

TASKSET = "/usr/bin/taskset"
STOP_LIMIT_S = 5
END_LIMIT_S = 2  # from the end of its output to its own
MAX_LINE = 1 << 12  # of what says that a call is done
# The kernel shows a thread as stopped a little before it leaves its processor. Its count
# of a running thread is as old as the last tick. The judge therefore looks twice.
SETTLE_S = 0.002
# Processor time that a thread may need after that in order to leave. It counts too.
STILL_NS = 200_000


class Failed(Exception):  # noqa: N818
    """A call has no time, since it went wrong.

    Attributes:
        result: Of the case, for the report.
    """

    def __init__(self, result: Result) -> None:
        super().__init__(result.message)
        self.result = result


@dataclass(frozen=True)
class Time:
    """How long a call took.

    Attributes:
        seconds: By the judge's clock, from the first to the last thing it did.
        busy: Of its processors, in all threads together, since the call before.
    """

    seconds: float
    busy: float


def processor_ns(number: int) -> int:
    """How long the threads of a process have run so far, as the kernel counts."""
    return time.clock_gettime_ns((~number << 3) | 2)  # CPUCLOCK_SCHED of a process


def _is_still(number: int) -> bool:
    """Whether no thread of a process runs."""
    for task in Path(f"/proc/{number}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state = (task / "stat").read_text().rpartition(")")[2].split()[0]
            if state not in "TtZX":
                return False
    return True


class Stopwatch(Worker):
    """A worker whose calls are timed, as a context manager.

    The arguments are those of ``Worker``; it runs on no processors but ``cores``.
    """

    def __init__(
        self,
        driver: Path,
        library: Path | None = None,
        environment: dict[str, str] | None = None,
        box: Box | None = None,
        *,
        cores: list[int],
        devices: Sequence[Path] = (),
    ) -> None:
        # The guard would be timed as well.
        super().__init__(driver, library, environment, box, devices, is_guarded=False)
        self._files = [os.memfd_create(name) for name in ("inputs", "outputs")]
        self._shared = tuple(self._files)
        names = ",".join(map(str, cores))
        self._command = [TASKSET, "-c", names, *self._command]
        self._command += ["--timed", *map(str, self._files)]

    def __exit__(self, *error: Any) -> None:
        try:
            super().__exit__(*error)
        finally:
            self._close()

    def _close(self) -> None:
        for file in self._files:
            os.close(file)
        self._files = []

    def _start(self) -> None:
        try:
            super()._start()
        except BaseException:
            self._close()
            raise
        self._inner = self._process.inner()
        self._stopped_at = self._halt(time.monotonic() + STOP_LIMIT_S)
        self._stood_at = self._count()

    def _count(self) -> int:
        """The processor time of the worker; 0 if it is gone."""
        try:
            return processor_ns(self._inner)
        except OSError:
            return 0

    def _halt(self, deadline: float) -> float | None:
        """Stops all threads of the worker.

        Returns:
            When they were stopped, by the monotonic clock. None if they were not before
            the deadline, or the worker is gone.
        """
        with contextlib.suppress(OSError):
            os.kill(self._inner, signal.SIGSTOP)
            while (now := time.monotonic()) < deadline:
                if not _is_still(self._inner):
                    continue
                count = self._count()
                time.sleep(SETTLE_S)
                if _is_still(self._inner) and self._count() == count:
                    return now
        return None

    def _accusation(self) -> str:
        """The forbidden act of the worker between two calls; empty if there is none."""
        if self._box and self._process.strangers():
            return STRANGERS
        has_run = self._count() - self._stood_at > STILL_NS
        if self._stopped_at is None or has_run:
            return "it ran when it was to stand still"
        return ""

    def time(self, case: Case, trial: Trial, limits: Limits) -> Time:
        """Makes the calls of a trial, and checks their values.

        The worker has never seen the inputs of the trial.

        Raises:
            Failed: they took too long, their values are wrong, or the worker is gone.
        """
        packed.clear(self._files[1])
        packed.write(self._files[0], [vars(call) for call in trial.calls])
        self._output.clear()
        if accusation := self._accusation():
            raise self._failed(case, trial, accusation, cause="policy")
        busy = self._stood_at
        begin = time.monotonic()
        deadline = begin + limits.seconds
        self._process.send(worker.GO, deadline)
        with contextlib.suppress(OSError):
            os.kill(self._inner, signal.SIGCONT)
        line = self._process.read(deadline, longest=MAX_LINE, memory_mb=limits.memory_mb)
        halting = time.monotonic()
        self._stopped_at = self._halt(halting + STOP_LIMIT_S)
        seconds = (self._stopped_at or time.monotonic()) - begin
        if line is None or not is_at_work(self._inner):
            is_in_time = halting - begin < limits.seconds
            status = self._process.status(END_LIMIT_S) if is_in_time else None
            is_too_large = self._process.is_too_large
            ended = Replies(
                status=status, is_in_time=is_in_time, is_too_large=is_too_large
            )
            word, message, cause = how_it_ended(ended, limits)
            raise self._failed(case, trial, message, word, cause)
        self._stood_at = self._count()
        if self._box and self._process.strangers():
            raise self._failed(case, trial, STRANGERS, cause="policy")
        try:
            answer = packed.read(self._files[1])
            if not isinstance(answer, dict):
                raise ValueError("there is no answer")
        except ValueError as error:
            message = f"it says that it is done, but {error}"
            raise self._failed(case, trial, message, cause="protocol_error") from error
        if found := judge_trial(case, trial, answer):
            found.printed = own_lines(self._output.end())
            raise Failed(found)
        return Time(seconds, (self._stood_at - busy) / 1e9)

    def _failed(
        self,
        case: Case,
        trial: Trial,
        message: str,
        status: str = "failed",
        cause: str = "",
    ) -> Failed:
        """The error that says what became of a call."""
        printed = own_lines(self._output.end())
        return Failed(
            result_of(case, status, message, trial, printed=printed, cause=cause)
        )
