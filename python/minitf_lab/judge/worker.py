"""The process that holds a student's code: it gets scripts and gives values.

    python -m minitf_lab.judge.worker DRIVER [--library FILE]

One line of standard input is a case: the task, the scripts of its trials as text, and
limits. Each is run in a child of this process, so that a crash costs one case and none
sees what another one left behind. The lines that come back: ``started`` with the child's
process number, ``values`` or ``raised`` for each trial in order, and ``ended`` with the
child's status.

Nothing here knows what is expected.
"""

import argparse
import ctypes
import os
import resource
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from minitf_lab import overlay
from minitf_lab.judge.case import load_module
from minitf_lab.judge.wire import Raised, Ref, dumps, loads

MAX_OUTPUT_MB = 64
MAX_MESSAGE = 4000
NUM_FRAMES = 3  # of the student's, in the text of an error


def _raised(error: BaseException, driver: Path) -> Raised:
    """An error as a value: its type, its text, and where in a Python answer it arose."""
    frames = traceback.extract_tb(error.__traceback__)
    answers = {unit.file for unit in overlay.installed_units()}
    theirs = [frame for frame in frames if frame.filename in answers]
    place = "".join(
        f"\n  {Path(frame.filename).name}:{frame.lineno}, in {frame.name}: {frame.line}"
        for frame in theirs[-NUM_FRAMES:]
        if Path(frame.filename) != driver
    )
    return Raised(type(error).__name__, f"{error}"[:MAX_MESSAGE] + place)


def _resolve(value: Any, known: dict[str, Any]) -> Any:
    """``value`` with what was named in place of each Ref."""
    if isinstance(value, Ref):
        return known[value.name]
    if isinstance(value, list):
        return [_resolve(part, known) for part in value]
    if isinstance(value, tuple):
        return tuple(_resolve(part, known) for part in value)
    if isinstance(value, dict):
        return {key: _resolve(part, known) for key, part in value.items()}
    return value


def run_script(driver: ModuleType, script: list[dict[str, Any]]) -> list[Any]:
    """Makes the calls of a trial; the values of those without a name.

    Raises:
        BaseException: what a call that may not raise has raised.
    """
    known: dict[str, Any] = {}
    values = []
    for call in script:
        function = getattr(driver, call["function"])
        try:
            value = function(**_resolve(call["arguments"], known))
        except BaseException as error:
            if not call["may_raise"] or "is not written yet" in str(error):
                raise
            value = _raised(error, Path(driver.__file__))
        if call["name"]:
            known[call["name"]] = value
        else:
            values.append(value)
    return values


def run_trial(driver: ModuleType, script: list[dict[str, Any]]) -> dict[str, Any]:
    """The reply to one trial."""
    try:
        return {"values": run_script(driver, script)}
    except BaseException as error:  # a student's code may raise anything
        return {"raised": _raised(error, Path(driver.__file__))}


def _restrict(request: dict[str, Any]) -> None:
    """Sets the limits of this process."""
    output = MAX_OUTPUT_MB << 20
    resource.setrlimit(resource.RLIMIT_FSIZE, (output, output))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if request["memory_mb"]:
        memory = request["memory_mb"] << 20
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def _redirect(path: str) -> None:
    """Has what is printed go to a file."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)


def _flush() -> None:
    """Has what Python and C++ print go where it belongs."""
    sys.stdout.flush()
    ctypes.CDLL(None).fflush(None)


def _run_case(
    driver: ModuleType,
    use_answer: Callable[[str], object],
    request: dict[str, Any],
    reply: Callable[[dict[str, Any]], None],
) -> None:
    """What the child does."""
    _redirect(request["printed"])
    _restrict(request)
    use_answer(request["task"])
    for script in loads(request["scripts"]):
        answer = run_trial(driver, script)
        _flush()  # before the answer: the case is stopped at its first wrong one
        try:
            reply(answer)
        except TypeError as error:
            reply({"raised": Raised("TypeError", str(error))})
    reply({"done": True})


def _answer_switch(library: str | None) -> Callable[[str], object]:
    """Loads the library; what says whose answers are used, in C++ and in Python."""
    loaded = ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL) if library else None

    def use_answer(task: str) -> None:
        overlay.use_answer(task)
        if loaded:
            loaded.minitf_use_answer(task.encode())

    return use_answer


def main() -> None:
    """Serves cases until standard input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("driver", type=Path)
    parser.add_argument("--library", help="libminitf.so to be used")
    args = parser.parse_args()

    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    token = ""  # of the case that runs: a message with another one is not of it

    def reply(message: dict[str, Any]) -> None:
        os.write(out, (dumps(message | {"token": token}) + "\n").encode())

    # First, so that the Python module finds a library of this name loaded already.
    use_answer = _answer_switch(args.library)
    try:
        driver = load_module(args.driver)
    except BaseException as error:  # what a file of the student's raises when imported
        sys.stderr.write(overlay.explain(error, overlay.installed_units()))
        sys.exit(1)
    reply({"ready": True})
    for line in sys.stdin:
        request = loads(line)
        token = request["token"]
        may_begin, begin = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setsid()
                os.close(begin)
                os.read(may_begin, 1)
                os.close(may_begin)
                _run_case(driver, use_answer, request, reply)
            finally:
                os._exit(0)
        os.close(may_begin)
        # Before the student's code runs, which could send a message of this kind too.
        reply({"started": child})
        os.close(begin)
        _, status = os.waitpid(child, 0)
        reply({"ended": os.waitstatus_to_exitcode(status)})


if __name__ == "__main__":
    main()
