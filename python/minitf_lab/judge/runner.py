"""Runs cases in a worker, and says what became of each.

A case passes if the worker gave the values of all its trials, and every check is content.
What the worker prints and how it ends say nothing.
"""

import contextlib
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from minitf_lab import project
from minitf_lab.judge import worker
from minitf_lab.judge.case import Case, Mismatch, Trial
from minitf_lab.judge.symptom import symptom_of
from minitf_lab.judge.wire import Raised, dumps, loads
from minitf_lab.results import (
    MAX_TEXT,
    NOT_WRITTEN,
    SIGNALS,
    Limits,
    Result,
    own_lines,
    plain,
)

START_LIMIT_S = 30
MAX_LINE = 64 << 20


class WorkerError(project.LabError):
    """The worker does not even start."""


@dataclass
class _Replies:
    """What came back for one case.

    Attributes:
        num_answers: How many trials came to their end.
        found: What is wrong with the last of them, if that is so.
        is_done: Whether the case says that all is over.
        status: The exit status of the child; None if it was stopped.
        is_in_time: Whether that was before the deadline.
    """

    num_answers: int = 0
    found: Result | None = None
    is_done: bool = False
    status: int | None = None
    is_in_time: bool = False


def _kill_group(number: int) -> None:
    """Ends a process and what it has started; 0 is none."""
    if number:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(number, signal.SIGKILL)


def _as_mismatch(wrong: Mismatch | str) -> Mismatch:
    return Mismatch(wrong) if isinstance(wrong, str) else wrong


def judge_trial(case: Case, trial: Trial, answer: dict[str, Any]) -> Result | None:
    """What is wrong with the answer to a trial; None if nothing is."""
    found = _compared(case, trial, answer)
    if found is not None and found.status == "failed":
        found.symptom = symptom_of(case.name, trial.title, answer)
    return found


def _compared(case: Case, trial: Trial, answer: dict[str, Any]) -> Result | None:
    details = {"claim": case.claim, "case": trial.title}
    raised = answer.get("raised")
    if isinstance(raised, Raised):
        if found := NOT_WRITTEN.search(raised.message):
            return Result(case.name, "not written", found[0], details)
        message = plain(f"it raised {raised.type}: {raised.message}")
        return Result(case.name, "failed", message, details)
    values = answer.get("values")
    num_values = sum(not call.name for call in trial.calls)
    if not isinstance(values, list) or len(values) != num_values:
        return Result(case.name, "failed", "there is no answer", details)
    try:
        wrong = trial.check(values)
    except Exception as error:  # a check does not foresee every odd value
        wrong = Mismatch(f"the value is none that can be checked: {error}")
    if wrong is None:
        return None
    wrong = _as_mismatch(wrong)
    details |= {key: plain(text) for key, text in asdict(wrong).items() if text}
    return Result(case.name, "failed", details.pop("message", ""), details)


def run_here(driver: ModuleType, case: Case, seed: int = 0) -> Result:
    """Runs a case in this process: a debugger sees all of it."""
    for trial in case.trials(seed):
        # Through text and back, as in a worker.
        script = loads(dumps([vars(call) for call in trial.calls]))
        answer = loads(dumps(worker.run_trial(driver, script)))
        if found := judge_trial(case, trial, answer):
            return found
    return Result(case.name, "passed")


class Worker:
    """A running worker, as a context manager.

    Args:
        driver: The file whose functions scripts call.
        library: libminitf.so with a student's code; minitf's own if None.
        environment: Variables of the worker's process, besides those of this one.
    """

    def __init__(
        self,
        driver: Path,
        library: Path | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        self._command = [sys.executable, "-m", "minitf_lab.judge.worker", str(driver)]
        if library:
            self._command += ["--library", str(library)]
        self._environment = {
            **os.environ,
            "OPENBLAS_NUM_THREADS": "1",  # a process with threads cannot be forked
            **(environment or {}),
        }
        build = project.build_folder()
        folders = [project.ROOT / "python", build / "python", build / "labs" / "drivers"]
        folders.append(Path(__file__).parents[2])
        first = (environment or {}).get("PYTHONPATH")
        path = [*([first] if first else []), *map(str, folders)]
        self._environment["PYTHONPATH"] = os.pathsep.join(path)
        self._prepared: dict[tuple[Case, int], tuple[list[Trial], str]] = {}

    def __enter__(self) -> "Worker":
        self._folder = tempfile.TemporaryDirectory(prefix="minitf-lab-")
        self.printed = Path(self._folder.name) / "printed"
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()
        self._folder.cleanup()

    def _start(self) -> None:
        errors = self.printed.with_name("errors")
        with errors.open("wb") as file:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                env=self._environment,
                start_new_session=True,
            )
        self._buffer = bytearray()
        self._token = ""
        ready = self._read(time.monotonic() + START_LIMIT_S)
        if not ready or "ready" not in ready:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.5)  # if its output has ended, so has it nearly
            status = self._process.poll()
            self._stop()
            text = errors.read_text(errors="replace")[-MAX_TEXT:]
            if found := NOT_WRITTEN.search(text):
                text = found[0]
            elif status is None:
                text = f"it is still being loaded after {START_LIMIT_S} s"
            elif status < 0:
                text += "\n" + _sentence_of(-status)
            raise WorkerError(f"the tests do not start:\n{text.strip()}")

    def _stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def _read(self, deadline: float) -> dict[str, Any] | None:
        """The next message; None if there is none in time, or none that makes sense."""
        output = self._process.stdout.fileno()
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            start = len(self._buffer)
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                return None
            part = os.read(output, 1 << 16)
            self._buffer += part
            if not part or len(self._buffer) > MAX_LINE:
                return None
        line = self._buffer[:end]
        del self._buffer[: end + 1]
        try:
            message = loads(line.decode(errors="replace"))
        except ValueError:
            return None
        return message if isinstance(message, dict) else {}

    def _messages(self, deadline: float) -> Iterator[dict[str, Any]]:
        """The messages of the case that runs; those of none, or of another, are left."""
        while (message := self._read(deadline)) is not None:
            if not message or message.get("token") == self._token:
                yield message

    def _own_child(self, number: Any) -> int:
        """``number`` if it is that of a child of the worker, else 0."""
        try:
            status = Path(f"/proc/{int(number)}/stat").read_text()
        except (OSError, ValueError, TypeError):
            return 0
        parent = int(status.rpartition(")")[2].split()[1])
        return int(number) if parent == self._process.pid else 0

    def _send(self, task: str, scripts: str, limits: Limits) -> bool:
        """Sends the scripts of a case; whether the worker is there to read them."""
        self._token = secrets.token_hex(8)
        request = {
            "token": self._token,
            "task": task,
            "scripts": scripts,
            "memory_mb": limits.memory_mb,
            "printed": str(self.printed),
        }
        try:
            self._process.stdin.write((dumps(request) + "\n").encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            return False
        return True

    def _collect(self, case: Case, trials: list[Trial], deadline: float) -> _Replies:
        """Judges the answers to a case as they come; stops it at the first wrong one."""
        replies = _Replies()
        child = 0  # no message but the first says who it is
        for message in self._messages(deadline):
            if "started" in message:
                child = child or self._own_child(message["started"])
            elif isinstance(message.get("ended"), int):
                replies.status = message["ended"]
                break
            elif "done" in message:
                replies.is_done = True
            elif replies.found is None and replies.num_answers < len(trials):
                trial = trials[replies.num_answers]
                replies.num_answers += 1
                replies.found = judge_trial(case, trial, message)
                if replies.found:
                    _kill_group(child)
        replies.is_in_time = replies.status is not None or time.monotonic() < deadline
        _kill_group(child)
        return replies

    def _prepare(self, case: Case, seed: int) -> tuple[list[Trial], str]:
        """The trials of a case, and their scripts as text; kept for other answers."""
        key = (case, seed)
        if key not in self._prepared:
            trials = list(case.trials(seed))
            scripts = dumps([[vars(call) for call in trial.calls] for trial in trials])
            self._prepared[key] = trials, scripts
        return self._prepared[key]

    def run(self, case: Case, limits: Limits, *, seed: int = 0, task: str = "") -> Result:
        """Runs a case.

        Args:
            case: Which one.
            limits: What it may use.
            seed: Which numbers it draws.
            task: Whose answer is used; that of the case's own task if empty, and every
                answer if "all".
        """
        trials, scripts = self._prepare(case, seed)
        deadline = time.monotonic() + limits.seconds
        replies = _Replies(is_in_time=True)
        if self._send(task or case.task, scripts, limits):
            replies = self._collect(case, trials, deadline)
            if replies.status is None:
                self._stop()
                self._start()
        if replies.found:
            replies.found.printed = self._own_output()
            return replies.found
        if replies.num_answers >= len(trials) and replies.is_done:
            return Result(case.name, "passed")
        position = min(replies.num_answers, len(trials) - 1)
        details = {"claim": case.claim, "case": trials[position].title}
        status, message = _end(replies, limits)
        return Result(case.name, status, message, details, self._own_output())

    def _own_output(self) -> str:
        """The end of what the case has printed."""
        try:
            with self.printed.open("rb") as file:
                file.seek(-min(self.printed.stat().st_size, MAX_TEXT), os.SEEK_END)
                return own_lines(file.read().decode(errors="replace"))
        except OSError:
            return ""


def _sentence_of(number: int) -> str:
    """What a signal that ended a process means."""
    known = {one.value: one.name for one in signal.Signals}
    name = known.get(number, f"signal {number}")
    return f"{name}: {SIGNALS.get(name, 'a signal ended it')}"


def _end(replies: _Replies, limits: Limits) -> tuple[str, str]:
    """How a case without all its answers ended: a status, and a sentence."""
    if not replies.is_in_time:
        sentence = (
            f"still running after {limits.seconds:g} s: an endless loop, or a wait "
        )
        return "timeout", sentence + "that nothing ends?"
    if replies.status is not None and replies.status < 0:
        return "crashed", _sentence_of(-replies.status)
    return "left", "it ended the process before the case was over"
