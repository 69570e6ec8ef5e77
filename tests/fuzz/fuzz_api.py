"""``./lab fuzz api``: every public function with unexpected arguments.

A worker process (``fuzz_api_worker.py``) makes the calls; its addresses are limited. A
call must end within ``CALL_S`` in a result or in an error that says what was wrong with
the call. One that ends otherwise, or takes the worker with it, is a finding. Findings
from one place are one; the shortest call that leads there is made shorter still, and
printed as a script. The same seed makes the same calls.

Read next: ``fuzz_api_calls.py``.
"""

import argparse
import ast
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from minitf_lab import project
from minitf_lab.labs import report

CALL_S = 20
CALLS_OF_A_WORKER = 1000
SIMPLE = ("0", "1.0", "None", "[]", "[1.0]", "''")
WORKER = pathlib.Path(__file__).with_name("fuzz_api_worker.py")
PRELUDE = pathlib.Path(__file__).with_name("fuzz_api_prelude.py")


class Worker:
    """A process that makes calls in a folder of its own."""

    def __init__(self, folder: str, arguments: list[str]):
        path = os.pathsep.join([str(project.ROOT / "python"), *sys.path])
        self._errors = pathlib.Path(folder, "stderr")
        errors = os.open(self._errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self._process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", str(WORKER), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "1"},
            start_new_session=True,
        )
        os.close(errors)

    def outcomes(self) -> Iterator[tuple[str, int, dict[str, Any]]]:
        """Each call with its number and how it ended; a crash or a hang comes last."""
        buffer, call, number = b"", "", -1
        stream = self._process.stdout.fileno()
        while True:
            ready, _, _ = select.select([stream], [], [], CALL_S)
            data = os.read(stream, 1 << 16) if ready else b""
            if not data:
                break
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                message = json.loads(line)
                if "call" in message:
                    call, number = message["call"], message["number"]
                else:
                    yield call, number, message
                    call = ""
        if ready and self._process.wait() == 0 and not call:
            return
        yield call, number, self._how_it_died(hung=not ready)

    def _how_it_died(self, hung: bool) -> dict[str, Any]:
        if hung:
            what = f"takes longer than {CALL_S} s"
        else:
            status = self._process.wait()
            what = f"exit status {status}"
            if status < 0:
                what = f"the process dies of {signal.Signals(-status).name}"
        lines = self._errors.read_text(errors="replace")[-3000:].splitlines()
        site = next((line.strip() for line in lines if "minitf/" in line), "")
        return {"end": "wrong", "what": what, "site": site, "error": "\n".join(lines)}

    def end(self) -> None:
        """Ends the process, and what it may have started."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdout.close()


def _try(folder: str, call: str) -> dict[str, Any]:
    """How ``call``, made alone, ends."""
    worker = Worker(folder, [call])
    try:
        return next((outcome for _, _, outcome in worker.outcomes()), {"end": "result"})
    finally:
        worker.end()


def _key(call: str, outcome: dict[str, Any]) -> tuple[str, str]:
    """What findings of one cause have in common."""
    place = outcome["site"] or call.partition("(")[0]
    return outcome["what"].partition(" whose ")[0], place


def _smaller(text: str) -> Iterator[str]:
    """Calls like ``text`` with an argument less, or a simpler one."""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call):
        return
    for arguments in (call.keywords, call.args):
        for i in reversed(range(len(arguments))):
            taken = arguments.pop(i)
            yield ast.unparse(call)
            arguments.insert(i, taken)
    holders = [(call.args, i) for i in range(len(call.args))]
    for items, i in holders:
        taken = items[i]
        for simple in SIMPLE:
            if len(simple) < len(ast.unparse(taken)):
                items[i] = ast.parse(simple, mode="eval").body
                yield ast.unparse(call)
        items[i] = taken


def _shrink(folder: str, call: str, key: tuple[str, str], seconds: float) -> str:
    """The smallest call found in ``seconds`` that ends like ``call``."""
    end = time.monotonic() + seconds
    mode, _, text = call.partition(":")
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(text):
            if time.monotonic() > end:
                return f"{mode}:{text}"
            candidate = f"{mode}:{smaller}"
            outcome = _try(folder, candidate)
            if outcome["end"] == "wrong" and _key(candidate, outcome) == key:
                text, progress = smaller, True
                break
    return f"{mode}:{text}"


def script(call: str) -> str:
    """A program that makes ``call``."""
    mode, _, text = call.partition(":")
    return (
        PRELUDE.read_text()
        + f"\n\nif __name__ == '__main__':\n    run(lambda: {text}, {mode == 'eager'})\n"
    )


class Run:
    """Makes calls until the time or the calls are over, and keeps what went wrong."""

    def __init__(self, seed: int, seconds: float, count: int | None):
        self.findings: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {}
        self.num_passed = self.num_failed = 0
        self._seed = seed
        self._end = time.monotonic() + seconds
        self._count = count

    def run(self, folder: str) -> None:
        """Makes the calls."""
        number = 0
        while time.monotonic() < self._end and number != self._count:
            last = number + CALLS_OF_A_WORKER
            if self._count is not None:
                last = min(last, self._count)
            worker = Worker(folder, [str(self._seed), str(number), str(last)])
            try:
                for call, at, outcome in worker.outcomes():
                    self._note(call, outcome)
                    number = at + 1
                    if time.monotonic() > self._end:
                        break
            finally:
                worker.end()

    def _note(self, call: str, outcome: dict[str, Any]) -> None:
        if outcome["end"] != "wrong":
            self.num_passed += 1
            return
        self.num_failed += 1
        key = _key(call, outcome)
        if key not in self.findings or len(call) < len(self.findings[key][0]):
            self.findings[key] = (call, outcome)


def main(args: argparse.Namespace) -> int:
    """Runs for ``args.minutes``, or makes ``args.cases`` calls."""
    out = report.console()
    seconds = 1e9 if args.cases is not None else args.minutes * 60
    run = Run(args.seed, seconds, args.cases)
    with tempfile.TemporaryDirectory() as folder:
        run.run(folder)
        for key, (call, outcome) in sorted(run.findings.items()):
            small = _shrink(folder, call, key, seconds=CALL_S)
            lines = [f"{key[0]} at {key[1]}", f"  {small}", f"  {outcome['error']}"]
            out.print("\n".join(lines), markup=False, soft_wrap=True)
        if run.findings:
            key = min(run.findings, key=lambda key: len(run.findings[key][0]))
            small = _shrink(folder, run.findings[key][0], key, seconds=CALL_S)
            out.print(script(small), markup=False, highlight=False, soft_wrap=True)
    out.print(f"{run.num_passed} passed, {run.num_failed} failed")
    return int(run.num_failed > 0)
