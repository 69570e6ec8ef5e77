"""The process that holds a student's code: it gets scripts and gives values.

    python -m minitf_lab.judge.worker DRIVER [--library FILE] [--boxed MB] [--guard FILE]

With ``--timed`` it is for calls that are timed. Else:

One line of standard input is a case: the task, the scripts of its trials as text, and
limits. Each is run in a child of this process, so that a crash costs one case and none
sees what another one left behind. The lines that come back: ``started`` with the child's
process number, ``values`` or ``raised`` for each trial in order, ``done``, and ``ended``
with the child's status and the most memory that it had. What is printed goes to standard
error.

In a box the limits and a filter of system calls are set before the student's code is
loaded, since loading runs some of it.

Nothing here knows what is expected.
"""

import argparse
import contextlib
import ctypes
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from minitf_lab.judge import overlay, packed, seccomp
from minitf_lab.judge.case import load_module
from minitf_lab.judge.guard import Guard
from minitf_lab.judge.wire import (
    REPLY_BYTES,
    REPLY_PARTS,
    TOO_LARGE,
    Raised,
    Ref,
    dumps,
    is_too_large,
    loads,
    raised_by,
    unsent,
)
from minitf_lab.leftovers import Leftovers

MODULE = "minitf._minitf"
MAX_OUTPUT_MB = 64
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
GO, DONE = b"g", b"done\n"  # what begins a timed call, and what ends it
MAX_THREADS, MAX_FILES = 64, 256  # in a box
OTHER_PROCESSES = 1  # beside that of a case: this one
NUM_FRAMES = 3  # of the student's, in the text of an error


def _place_of(error: BaseException, driver: Path) -> str:
    """Where in a Python answer an error arose, as lines of text."""
    answers = {unit.file for unit in overlay.installed_units()}
    trace = BaseException.__traceback__.__get__(error)  # not a property of a subclass
    theirs = [f for f in traceback.extract_tb(trace) if f.filename in answers]
    return "".join(
        f"\n  {Path(frame.filename).name}:{frame.lineno}, in {frame.name}: {frame.line}"
        for frame in theirs[-NUM_FRAMES:]
        if Path(frame.filename) != driver
    )


def _raised(error: BaseException, driver: Path) -> Raised:
    """An error as a value: its type, its text, and where in a Python answer it arose."""
    raised = raised_by(error)
    return Raised(raised.type, raised.message + _place_of(error, driver))


def as_line(reply: dict[str, Any]) -> str:
    """A reply as a line; if its value cannot be sent, that is an error of the answer."""
    try:
        line = dumps(reply)
    except BaseException as error:  # the value may have methods of the student's
        return dumps(reply | {"values": None, "raised": unsent(error)})
    if is_too_large(line.encode()):
        said = (
            f"the value has more than {REPLY_BYTES >> 20} MB or {REPLY_PARTS} parts, "
            "and no case expects so much"
        )
        return dumps(reply | {"values": None, "raised": Raised(TOO_LARGE, said)})
    return line


def _resolve(value: Any, known: dict[str, Any], guard: Guard | None) -> Any:
    """``value`` with what was named in place of each Ref, and arrays under guard."""
    if isinstance(value, Ref):
        return known[value.name]
    if isinstance(value, np.ndarray) and guard:
        return guard.sealed(value)
    if isinstance(value, list):
        return [_resolve(part, known, guard) for part in value]
    if isinstance(value, tuple):
        return tuple(_resolve(part, known, guard) for part in value)
    if isinstance(value, dict):
        return {key: _resolve(part, known, guard) for key, part in value.items()}
    return value


def run_script(
    driver: ModuleType, script: list[dict[str, Any]], guard: Guard | None = None
) -> list[Any]:
    """Makes the calls of a trial; the values of those without a name.

    Raises:
        BaseException: what a call that may not raise has raised.
    """
    known: dict[str, Any] = {}
    values = []
    for call in script:
        function = getattr(driver, call["function"])
        try:
            value = function(**_resolve(call["arguments"], known, guard))
        except BaseException as error:
            if not call["may_raise"] or "is not written yet" in raised_by(error).message:
                raise
            value = _raised(error, Path(driver.__file__))
        if call["name"]:
            known[call["name"]] = value
        else:
            values.append(value)
    if guard:
        guard.check()
    return values


def run_trial(
    driver: ModuleType, script: list[dict[str, Any]], guard: Guard | None = None
) -> dict[str, Any]:
    """The reply to one trial."""
    try:
        return {"values": run_script(driver, script, guard)}
    except BaseException as error:  # a student's code may raise anything
        return {"raised": _raised(error, Path(driver.__file__))}


def _limit(left_out: list[str], **limits: int) -> None:
    """Sets limits of this process, such as ``nofile``; those that are 0 stay."""
    for name, most in limits.items():
        if most and not {name, "limits"} & set(left_out):
            resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (most, most))


def _restrict(left_out: list[str], memory_mb: int, output_kb: int = 0) -> None:
    """Sets the limits that a case has for itself."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    output = output_kb << 10 or MAX_OUTPUT_MB << 20
    _limit(left_out, fsize=output, data=memory_mb << 20)


def _enclose(memory_mb: int, left_out: list[str], *, may_fork: bool) -> None:
    """What a process in a box gives up before it loads a student's code.

    Args:
        memory_mb: What it, and each process that it starts, may use.
        left_out: For tests of what a protection is good for: ``limits`` or the name of
            one, ``filter``, or names of system calls that are not refused.
        may_fork: Whether processes may be started, such as one for each case.
    """
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, for ever
    _restrict(left_out, memory_mb)
    _limit(left_out, nproc=MAX_THREADS, nofile=MAX_FILES)
    # Whoever runs out of memory, it is not the judge that is ended.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    # No case looks into the process that the next one is a copy of.
    if "dumpable" not in left_out:
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    if "filter" not in left_out:
        seccomp.install(may_fork=may_fork, left_out=left_out)


def _flush() -> None:
    """Has what Python and C++ print go where it belongs."""
    with contextlib.suppress(Exception):  # the answer may have closed or replaced it
        sys.stdout.flush()
    ctypes.CDLL(None).fflush(None)


def _run_case(
    driver: ModuleType,
    use_answer: Callable[[str], object],
    guard: Guard | None,
    request: dict[str, Any],
    left_out: list[str],
    reply: Callable[[dict[str, Any]], None],
) -> None:
    """What the child does."""
    os.dup2(2, 1)
    _restrict(left_out, request["memory_mb"], request["output_kb"])
    if request["threads"]:
        most = min(request["threads"] + OTHER_PROCESSES, MAX_THREADS)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    if guard:
        guard.begin(at_end=request["at_end"])
    use_answer(request["task"])
    for script in loads(request["scripts"]):
        answer = run_trial(driver, script, guard)
        _flush()  # before the answer: the case is stopped at its first wrong one
        reply(answer)
    reply({"done": True})


class _ModuleFinder:
    """Finds a student's ``minitf._minitf``; other modules are left to Python."""

    def __init__(self, file: Path) -> None:
        self._file = str(file)

    def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        """Returns the module that ``import name`` loads, or None."""
        if name != MODULE:
            return None
        loader = importlib.machinery.ExtensionFileLoader(name, self._file)
        return importlib.util.spec_from_file_location(name, self._file, loader=loader)


def _load(library: Path) -> ctypes.CDLL:
    """Loads libminitf.so, or makes Python use a ``_minitf`` and loads ours for it."""
    if library.name.startswith(MODULE.rpartition(".")[2]):
        sys.meta_path.insert(0, _ModuleFinder(library))
        places = (Path(entry) / "minitf" / "libminitf.so" for entry in sys.path)
        library = next(place for place in places if place.is_file())
    return ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)


def _answer_switch(library: Path | None) -> Callable[[str], object]:
    """Loads the library; what says whose answers are used, in C++ and in Python."""
    loaded = _load(library) if library else None

    def use_answer(task: str) -> None:
        overlay.use_answer(task)
        if loaded:
            loaded.minitf_use_answer(task.encode())

    return use_answer


def _send_all(out: int, text: str) -> None:
    """Writes a line, however long it is."""
    rest = memoryview((text + "\n").encode())
    while rest:
        rest = rest[os.write(out, rest) :]


def _serve(
    line: str,
    run: Callable[[dict[str, Any]], None],
    out: int,
    leftovers: Leftovers | None,
) -> None:
    """Runs one case in a child and says how that ended.

    Nothing that it has written is left in ``leftovers``. If something cannot be removed,
    this process ends, and the judge starts another sandbox for the next case.
    """
    request = loads(line)
    token = {"token": request["token"]}
    may_begin, begin = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(begin)
            os.read(may_begin, 1)
            os.close(may_begin)
            run(request)
        finally:
            os._exit(0)
    os.close(may_begin)
    # Before the student's code runs, which could send a message of this kind too.
    _send_all(out, dumps({"started": child, **token}))
    os.close(begin)
    _, status, used = os.wait4(child, 0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)  # what it leaves behind; in a box nothing can
    if leftovers:
        leftovers.remove()
    ended = {"ended": os.waitstatus_to_exitcode(status), "peak_kb": used.ru_maxrss}
    _send_all(out, dumps(ended | token))


def _serve_timed(
    driver: ModuleType,
    use_answer: Callable[[str], object],
    requests: int,
    out: int,
    args: argparse.Namespace,
) -> None:
    """Makes calls that the judge times, in this process, on all of the answer.

    The judge has this process stand still (SIGSTOP) but for a call. The script lies in
    a file of memory only when a call begins. The values must lie in another one when
    this process says that it is done.
    """
    inputs, outputs = args.timed
    os.dup2(2, 1)
    use_answer("all")
    _end_with_parent()  # a judge that is killed cannot continue what it has stopped
    while os.read(requests, 1) == GO:
        answer = run_trial(driver, packed.read_mapped(inputs))
        _flush()
        try:
            packed.write(outputs, answer)
        except BaseException as error:  # of no type that is sent, or too much
            packed.write(outputs, {"raised": unsent(error)})
        os.write(out, DONE)


def _end_with_parent() -> None:
    """Has the kernel kill this process when its parent ends.

    A child does not inherit this, and a change of user or capabilities clears it.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def main() -> None:
    """Serves cases until standard input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("driver", type=Path)
    parser.add_argument("--library", type=Path, help="libminitf.so or _minitf to use")
    parser.add_argument("--boxed", type=int, metavar="MB", help="give up all but this")
    parser.add_argument("--guard", type=Path, help="the library that guards tensors")
    parser.add_argument("--timed", type=int, nargs=2, help="files of memory, by number")
    parser.add_argument("--left-out", nargs="*", default=[], help="for tests of the box")
    args = parser.parse_args()

    if args.boxed is None:  # a box ends with its judge by itself
        _end_with_parent()
    # The answer has neither: it reads the end of a file, and what it prints is not sent.
    requests, out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    if args.boxed is not None:
        # What is timed has one process for ever, so no clock misses another one.
        _enclose(args.boxed, args.left_out, may_fork=not args.timed)
    guard = Guard(args.guard) if args.guard else None
    leftovers = Leftovers() if args.boxed is not None else None
    # First, so that the Python module finds a library of this name loaded already.
    try:
        use_answer = _answer_switch(args.library)
        driver = load_module(args.driver)
    except BaseException as error:  # what a file of the student's raises when imported
        # What is printed shows why, but anything may be printed: this says how it ended.
        _send_all(out, dumps({"raised": raised_by(error)}))
        try:
            text = overlay.explain(error, overlay.installed_units())
        except BaseException:  # the error's text is a student's code, too
            text = f"{raised_by(error).type}: {raised_by(error).message}"
        sys.stderr.write(text)
        sys.stderr.flush()
        os._exit(1)
    if leftovers:
        leftovers.remove()
    _send_all(out, dumps({"ready": True}))
    if args.timed:
        _serve_timed(driver, use_answer, requests, out, args)
        return

    def run(request: dict[str, Any]) -> None:
        """What the child does; a message that has another token is of another case."""
        os.close(requests)
        if args.boxed is None:
            os.setsid()
            _end_with_parent()
        elif "filter" not in args.left_out:
            seccomp.install(may_fork=False, left_out=args.left_out)
        token = request["token"]
        _run_case(
            driver,
            use_answer,
            guard,
            request,
            args.left_out,
            lambda message: _send_all(out, as_line(message | {"token": token})),
        )

    for line in os.fdopen(requests, closefd=False):
        _serve(line, run, out, leftovers)


if __name__ == "__main__":
    main()
