"""Runs cases in a worker, and says what became of each.

A case passes if the worker gave the values of all its trials, and every check is content.
What the worker prints and how it ends say nothing.
"""

import functools
import os
import re
import secrets
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from minitf_lab import bounded, project
from minitf_lab.endings import KILLED, STRANGERS, Replies, how_it_ended, sentence_of
from minitf_lab.judge import guard, own_cases, wire, worker
from minitf_lab.judge.case import Case, Mismatch, Trial
from minitf_lab.judge.process import MAX_LINE, Printed, Process
from minitf_lab.judge.rooms import room_of_worker
from minitf_lab.judge.sandbox import OPTIONS, Box, Room, check_addresses
from minitf_lab.judge.symptom import symptom_of
from minitf_lab.judge.wire import Raised, dumps, loads
from minitf_lab.leftovers import remove_tree
from minitf_lab.results import (
    NOT_WRITTEN,
    VERDICTS,
    Limits,
    Result,
    own_lines,
    plain,
)

START_LIMIT_S = 30
# In a box: memory of a worker that is loaded, with what the student's code does then; and
# what a worker uses besides its case.
BOXED_MB, MORE_MB = 2000, 1000
CHECK_S = 60  # of processor time for the check of a trial
MAX_STATUS = 255  # of a process
MAX_KB = 1 << 40  # of memory that a worker may claim
MAX_MESSAGE, MAX_DETAIL = 8000, 2000  # characters
# Types and texts of errors by which a limit makes itself felt.
CAUSES = {
    "memory_limit": (("MemoryError", "ResourceExhaustedError"), ("std::bad_alloc",)),
    "output_limit": ((wire.TOO_LARGE,), ("File too large",)),
    "process_limit": (("BlockingIOError",), ("Resource temporarily unavailable",)),
    "policy": (("PermissionError",), ("Operation not permitted",)),
}
# Verdicts behind which there may be a use of memory beyond a tensor.
BEYOND = {"wrong_answer", "crashed", "raised"}
NOT_PYTHON = re.compile(r"\b(Syntax|Indentation|Tab)Error: ")


class WorkerError(project.LabError):
    """The worker does not even start.

    Attributes:
        status: What that makes of every case, as in a ``Result``.
        cause: The same.
    """

    def __init__(self, text: str, status: str = "crashed", cause: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.cause = cause

    @property
    def verdict(self) -> str:
        """The one word of a record."""
        return self.cause or VERDICTS[self.status]

    def result_of(self, case: Case) -> Result:
        """The result of a case if the answer cannot even be loaded."""
        return result_of(case, self.status, str(self), cause=self.cause)


def _library_of_guard() -> Path:
    """What gives tensors memory with guards around it.

    Raises:
        LabError: it is not built, or ``check_addresses`` refuses the machine.
    """
    check_addresses()
    path = project.build_folder() / "labs" / "drivers" / guard.NAME
    if not path.exists():
        raise project.LabError(f"{project.shown(path)} is not built: run ./lab build")
    return path


def result_of(
    case: Case, status: str, message: str, trial: Trial | None = None, **more: Any
) -> Result:
    """A result with what a report says of its case, and of the trial that decides."""
    details = {"claim": case.claim, **({"case": trial.title} if trial else {})}
    return Result(case.name, status, message, details, **more)


def judge_trial(case: Case, trial: Trial, answer: dict[str, Any]) -> Result | None:
    """What is wrong with the answer to a trial; None if nothing is."""
    try:
        with bounded.cpu_time(CHECK_S):
            found = _compared(case, trial, answer)
            if found is not None and found.status == "failed":
                found.symptom = symptom_of(case.name, trial.title, answer)
            return found
    except bounded.TimeUpError:
        message = f"its value is not compared within {CHECK_S} s of processor time"
        return result_of(case, "failed", message, trial)


def _compared(case: Case, trial: Trial, answer: dict[str, Any]) -> Result | None:
    raised = answer.get("raised")
    if isinstance(raised, Raised):
        raised = Raised(raised.type[:MAX_DETAIL], raised.message[:MAX_MESSAGE])
        if found := NOT_WRITTEN.search(raised.message):
            return result_of(case, "not written", found[0], trial)
        message = plain(f"it raised {raised.type}: {raised.message}")[:MAX_MESSAGE]
        return result_of(case, "failed", message, trial, cause=_cause_of(raised))
    values = answer.get("values")
    num_values = sum(not call.name for call in trial.calls)
    if not isinstance(values, list) or len(values) != num_values:
        return result_of(case, "failed", "there is no answer", trial)
    try:
        wrong = trial.check(values)
    except Exception as error:  # a check does not foresee every odd value
        said = f"{error}"[:MAX_DETAIL]
        wrong = Mismatch(f"the value is none that can be checked: {said}")
    if wrong is None:
        return None
    wrong = Mismatch(wrong) if isinstance(wrong, str) else wrong
    found = {key: plain(text) for key, text in asdict(wrong).items() if text}
    details = {key: text[:MAX_DETAIL] for key, text in found.items()}
    result = result_of(case, "failed", details.pop("message", ""), trial)
    result.details |= details
    return result


def _cause_of(raised: Raised) -> str:
    """The verdict on an error that nobody expected."""
    for cause, (types, texts) in CAUSES.items():
        if raised.type in types or any(text in raised.message for text in texts):
            return cause
    return "raised"


@functools.lru_cache(maxsize=512)
def _prepare(case: Case, seed: int) -> tuple[list[Trial], str]:
    """The trials of a case, and their scripts as text; kept for the next answer."""
    trials = own_cases.trials_of(case, seed)
    return trials, dumps([[vars(call) for call in trial.calls] for trial in trials])


def run_here(driver: ModuleType, case: Case, seed: int = 0) -> Result:
    """Runs a case in this process: a debugger sees all of it."""
    for trial in case.trials(seed):
        # Through text and back, as in a worker.
        script = loads(dumps([vars(call) for call in trial.calls]))
        answer = loads(worker.as_line(worker.run_trial(driver, script)))
        if found := judge_trial(case, trial, answer):
            return found
    return Result(case.name, "passed")


# A late case runs again if it waited for a processor for more than this part of its time.
# The second limit makes up for the wait. It is at most this many times the first one.
WAITED, MOST_TIME = 0.25, 6

# What malloc hands out holds 0x7f7f7f7f, as a float 3.4e38, and never zeros by chance: an
# answer that reads what nobody has written errs, and errs alike each time (mallopt(3)).
UNWRITTEN = {"MALLOC_PERTURB_": str(0x7F ^ 0xFF)}


class Worker:
    """A running worker, as a context manager.

    Args:
        driver: The file whose functions scripts call.
        library: libminitf.so with a student's code; minitf's own if None.
        environment: Variables of the worker's process, besides those of this one; in a
            box they are all that it has.
        box: What contains it; nothing does if None.
        devices: Files of devices that it needs.
        is_native: Whether the answer is in C++, also if there is no library.
        is_guarded: Whether the memory of tensors is watched; if that is not said, it
            is in a box, unless the box leaves it out.

    Attributes:
        printed: A file with what the last case has printed.
    """

    def __init__(
        self,
        driver: Path,
        library: Path | None = None,
        environment: dict[str, str] | None = None,
        box: Box | None = None,
        devices: Sequence[Path] = (),
        *,
        is_native: bool = False,
        is_guarded: bool | None = None,
    ) -> None:
        self._box = box
        self._command = [sys.executable, "-m", "minitf_lab.judge.worker", str(driver)]
        if library:
            self._command += ["--library", str(library)]
        own = {
            **({"HOME": "/tmp", "PYTHONDONTWRITEBYTECODE": "1"} if box else os.environ),
            "OPENBLAS_NUM_THREADS": "1",  # a process with threads cannot be forked
            **UNWRITTEN,
            **(environment or {}),
        }
        build = project.build_folder()
        folders = [project.ROOT / "python", build / "python", build / "labs" / "drivers"]
        folders.append(Path(__file__).parents[2])
        first = (environment or {}).get("PYTHONPATH")
        path = [*([first] if first else []), *map(str, folders)]
        own["PYTHONPATH"] = os.pathsep.join(path)
        self._room = Room(environment=own)
        if box:
            room = room_of_worker(driver, library, own)
            self._room = replace(room, devices=tuple(devices))
            self._command += ["--boxed", str(BOXED_MB)]
            if box.left_out:
                self._command += ["--left-out", *sorted(box.left_out - OPTIONS)]
        if is_guarded is None:
            is_guarded = box is not None and "guard" not in box.left_out
        if is_guarded:
            self._command += ["--guard", str(_library_of_guard())]
        self._may_go_beyond = "--guard" in self._command and (is_native or bool(library))
        self._shared: tuple[int, ...] = ()  # files that the worker has as well
        self._waited_s = 0.0  # the last case's wait for a processor, if the case was late

    def __enter__(self) -> "Worker":
        self._folder = tempfile.TemporaryDirectory(prefix="minitf-lab-")
        self._output = Printed()
        self.printed = self._output.path
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.stop()
        self._output.close()
        remove_tree(self._folder.name)  # it may be too deep for cleanup()
        self._folder.cleanup()

    def _start(self) -> None:
        try:
            self._start_once()
        except WorkerError as error:
            if KILLED not in str(error) and STRANGERS not in str(error):
                raise
            self._start_once()  # it is the answer's doing if that comes again

    def _make_folder(self) -> None:
        """Gives each worker an empty folder to start in, which bubblewrap does."""
        if not self._box or self._box.kind == "landlock":
            os.chmod(self._folder.name, 0o711)  # the user in the box goes through it
            folder = Path(tempfile.mkdtemp(dir=self._folder.name))
            variables = {**self._room.environment, "TMPDIR": str(folder)}
            self._room = replace(
                self._room, write=folder, folder=folder, environment=variables
            )

    def _start_once(self) -> None:
        self._output.clear()
        self._make_folder()
        self._process = Process(
            self._command, self._room, self._box, self._output, self._shared
        )
        self._token = ""
        deadline = time.monotonic() + START_LIMIT_S
        ready = self._read(deadline, BOXED_MB if self._box else 0)
        strangers = self._process.strangers() if self._box else []
        if ready and "ready" in ready and not strangers:
            return
        raise self._not_ready((ready or {}).get("raised"), bool(ready and strangers))

    def _not_ready(self, raised: object, has_strangers: bool) -> WorkerError:
        """Why the worker does not start; it is stopped.

        ``raised`` is the error that the worker tells of, if any. ``has_strangers`` says
        whether something else ran in the box.
        """
        status = self._process.status(0.5)  # if its output has ended, so has it nearly
        self._process.stop()
        text, kind, cause = self._output.end(), "failed", "raised"
        if found := NOT_WRITTEN.search(text):
            text, kind, cause = found[0], "not written", ""
        elif isinstance(raised, Raised):
            cause = "compile_error" if NOT_PYTHON.search(text) else _cause_of(raised)
        elif self._process.is_too_large:
            text, kind = f"it uses more than {BOXED_MB} MB", "crashed"
            cause = "memory_limit"
        elif has_strangers:
            text, cause = STRANGERS, "policy"
        elif status is None:
            text = f"it is still being loaded after {START_LIMIT_S} s"
            kind, cause = "timeout", ""
        elif status < 0:
            text += "\n" + sentence_of(-status)
            kind, cause = "crashed", ""
        else:
            text += "\nit ended the process when it was loaded"
            kind, cause = "left", ""
        text = f"the tests do not start:\n{plain(text).strip()}"
        return WorkerError(text, kind, cause)

    def _read(self, deadline: float, memory_mb: int = 0) -> dict[str, Any] | None:
        """The next message; None at the end, {} if a box sends nonsense."""
        longest = wire.REPLY_BYTES if self._box else MAX_LINE
        line = self._process.read(deadline, longest=longest, memory_mb=memory_mb)
        if line is None:
            return None
        nonsense: dict[str, Any] | None = {} if self._box else None
        if self._box and wire.is_too_large(line):
            return nonsense
        try:
            message = loads(line.decode(errors="replace"))
        except (ValueError, MemoryError):
            return nonsense
        return message if isinstance(message, dict) else {}

    def _send(self, request: dict[str, Any], deadline: float) -> bool:
        """Sends a case; whether the worker is there to read it."""
        self._token = request["token"] = secrets.token_hex(8)
        self._output.clear()
        return self._process.send((dumps(request) + "\n").encode(), deadline)

    def _collect(
        self, case: Case, trials: list[Trial], deadline: float, memory_mb: int
    ) -> Replies:
        """Judges the answers to a case as they come; stops it at the first wrong one."""
        replies = Replies()
        child, is_first = 0, True  # no message but the first says who it is
        while (message := self._read(deadline, memory_mb)) is not None:
            is_mine = message.get("token") == self._token
            if is_mine and is_first and "started" in message:
                child, is_first = self._process.own_child(message["started"]), False
                continue
            ended = message.get("ended")
            if is_mine and isinstance(ended, int) and abs(ended) <= MAX_STATUS:
                replies.status = ended
                peak = message.get("peak_kb")  # a worker's word, and no more
                is_amount = isinstance(peak, int) and 0 <= peak <= MAX_KB
                replies.memory_mb = peak >> 10 if is_amount else 0
                replies.has_strangers = bool(self._box and self._process.strangers())
                break
            is_extra = (
                not is_mine or replies.is_done or replies.num_answers == len(trials)
            )
            if is_mine and "done" in message and not replies.is_done:
                replies.is_done = True
            elif is_extra:
                if self._box:
                    # A case that is killed for a wrong value can leave half a message.
                    replies.is_odd = replies.found is None
                    break
            elif replies.found is None:
                trial = trials[replies.num_answers]
                replies.num_answers += 1
                replies.found = judge_trial(case, trial, message)
                if replies.found:
                    self._process.kill_children(child)
        replies.is_too_large = self._process.is_too_large
        replies.is_in_time = replies.status is not None or time.monotonic() < deadline
        if not replies.is_in_time:
            self._waited_s = self._process.waited_s()
        self._process.kill_children(child)
        return replies

    def _killed(self, replies: Replies) -> int | None:
        """The status of a case whose worker was killed, by none of ours."""
        if replies.is_too_large or replies.is_odd or not replies.is_in_time:
            return None
        status = self._process.status(0.5)
        return status if status == -signal.SIGKILL else None

    def run(self, case: Case, limits: Limits, *, seed: int = 0, task: str = "") -> Result:
        """Runs a case; once more if it was killed, which may have been the machine.

        In a box, tensors end where a page of memory ends. If an answer in C++ crashes, or
        is wrong, it is run again with tensors that begin where one begins: it may have
        gone beyond the other end, or count on the addresses that tensors always have.

        Args:
            case: Which one.
            limits: What it may use.
            seed: Which numbers it draws.
            task: Whose answer is used; that of the case's own task if empty, and every
                answer if "all".
        """
        first = self._run(case, limits, seed, task, at_end=True)
        if not self._may_go_beyond or first.verdict not in BEYOND:
            return first
        second = self._run(case, limits, seed, task, at_end=False)
        is_first = first.status == "failed" or not second.passed
        return first if is_first and second.cause != "out_of_bounds" else second

    def _run(
        self, case: Case, limits: Limits, seed: int, task: str, *, at_end: bool
    ) -> Result:
        """Runs a case, as ``run``; ``at_end`` is where tensors lie.

        A worker that was killed, or had processes of its own, is tried a second time: a
        new one must confirm that the answer is to blame. On a busy machine a case can be
        late because others had the processor: it is tried a second time with more time.
        """
        result = self._run_once(case, limits, seed, task, at_end=at_end)
        if result.message in {KILLED, STRANGERS}:
            result = self._run_once(case, limits, seed, task, at_end=at_end)
        if result.status == "timeout" and self._waited_s > WAITED * limits.seconds:
            part = 1 - self._waited_s / limits.seconds  # of the time that was its own
            times = min(1.5 / part, MOST_TIME) if part > 0 else MOST_TIME
            longer = replace(limits, seconds=round(times * limits.seconds, 1))
            result = self._run_once(case, longer, seed, task, at_end=at_end)
        return result

    def _run_once(
        self, case: Case, limits: Limits, seed: int, task: str, *, at_end: bool
    ) -> Result:
        """Runs a case, as ``_run``, however it ends."""
        trials, scripts = _prepare(case, seed)
        self._waited_s = 0.0
        begin = time.monotonic()
        deadline = begin + limits.seconds
        replies = Replies(is_in_time=True)
        request = {"task": task or case.task, "scripts": scripts, "at_end": at_end}
        request["memory_mb"] = limits.memory_mb
        request["output_kb"] = limits.output_kb
        # Elsewhere the processes of the same user count too.
        is_apart = self._box is not None and self._box.kind == "bwrap"
        request["threads"] = limits.threads if is_apart else 0
        memory_mb = limits.memory_mb + MORE_MB if self._box and limits.memory_mb else 0
        if self._send(request, deadline):
            replies = self._collect(case, trials, deadline, memory_mb)
        seconds = time.monotonic() - begin
        printed = self._output.end()
        found = guard.finding(printed) if replies.status == -signal.SIGSEGV else ""
        is_gone = replies.status is None
        if is_gone:
            replies.status = self._killed(replies)
        if is_gone or replies.has_strangers:
            self._process.stop()
            self._start()
        result = _result(case, trials, replies, limits, found)
        result.seconds, result.memory_mb = seconds, replies.memory_mb
        if not result.passed:
            result.printed = own_lines(guard.MARK.sub("", printed))
        return result


def _result(
    case: Case, trials: list[Trial], replies: Replies, limits: Limits, found: str
) -> Result:
    """What the replies make of a case; ``found`` is what the guard has seen."""
    if replies.found and not replies.is_odd:
        return replies.found
    is_complete = replies.num_answers >= len(trials) and replies.is_done
    if is_complete and not replies.is_odd and not replies.has_strangers:
        return Result(case.name, "passed")
    trial = trials[min(replies.num_answers, len(trials) - 1)]
    if is_complete and replies.has_strangers:
        return result_of(case, "failed", STRANGERS, trial, cause="policy")
    status, message, cause = how_it_ended(replies, limits)
    if found:
        message, cause = found, "out_of_bounds"
    return result_of(case, status, message, trial, cause=cause)
