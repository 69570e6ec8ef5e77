"""What is killed from outside is run once more: that costs nobody a point."""

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from minitf_lab import results
from minitf_lab.judge import compile_box
from minitf_lab.judge.case import Call, Case, Trial
from minitf_lab.judge.runner import KILLED, Worker, WorkerError
from minitf_lab.judge.sandbox import Box

DRIVER = '''"""A function, and what kills a process the first time, or always."""

import os, pathlib, signal

MARK = pathlib.Path({mark!r})


def kill(number, always=False):
    with MARK.open("a") as file:
        file.write("x")
    if always or MARK.stat().st_size == 1:
        os.kill(number, signal.SIGKILL)


def one(code):
    exec(code, globals())
    return [1.0]

{first}
'''
HERE = str(Path(__file__).parent)
LIMITS = results.Limits(seconds=5)


def within(seconds, ask):
    """Calls ``ask`` until its result is true or the time is over; returns that result."""
    end = time.monotonic() + seconds
    while not (said := ask()) and time.monotonic() < end:
        time.sleep(0.05)
    return said


def driver(folder, first=""):
    path = folder / "97_killed" / "driver.py"
    path.parent.mkdir()
    path.write_text(DRIVER.format(mark=str(folder / "mark"), first=first))
    return path, folder / "mark"


def doing(code):
    trial = Trial("one", [Call("one", {"code": code})], lambda values: None)
    return Case("one", "97.1", "It is one", lambda draw: [trial])


# In a box a case ends with its worker, here it ends itself.
WITH_WORKER = "first = not MARK.exists(); kill(os.getppid()); first and os._exit(0)"


@pytest.mark.parametrize("code", ["kill(os.getpid())", WITH_WORKER])
def test_a_case_or_a_worker_that_is_killed_runs_again(tmp_path, code):
    path, mark = driver(tmp_path)
    with Worker(path) as worker:
        assert worker.run(doing(code), LIMITS).passed
        assert mark.read_text() == "xx"
        assert worker.run(doing("pass"), LIMITS).passed


JUDGE = """
import sys
from pathlib import Path
from minitf_lab.judge.runner import Worker
from test_killed import LIMITS, doing

with Worker(Path(sys.argv[1])) as worker:
    code = "print(os.getppid(), os.getpid(), file=MARK.open('w'))\\nwhile True: pass"
    worker.run(doing(code), LIMITS)
"""


def test_nothing_runs_on_when_the_judge_is_killed(tmp_path):
    """A worker without a box, and its case, end with their judge."""
    path, mark = driver(tmp_path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, HERE])}
    command = [sys.executable, "-c", JUDGE, str(path)]
    with subprocess.Popen(command, env=environment) as judge:
        started = within(20, lambda: mark.exists() and mark.read_text())
        judge.kill()
    numbers = started.split()
    assert len(numbers) == 2
    assert within(4, lambda: not any(Path(f"/proc/{one}").exists() for one in numbers))


def test_a_case_that_is_killed_twice_has_crashed(tmp_path):
    path, mark = driver(tmp_path)
    with Worker(path) as worker:
        result = worker.run(doing("kill(os.getpid(), True)"), LIMITS)
        assert (result.verdict, result.message) == ("crashed", KILLED)
        assert mark.read_text() == "xx"


def test_what_ends_otherwise_is_not_run_again(tmp_path):
    path, mark = driver(tmp_path)
    with Worker(path) as worker:
        for code, verdict in (
            ("MARK.open('a').write('x'); os._exit(0)", "exited"),
            ("MARK.open('a').write('x'); os.kill(os.getpid(), 11)", "crashed"),
        ):
            mark.write_text("")
            assert worker.run(doing(code), LIMITS).verdict == verdict
            assert mark.read_text() == "x"


def test_a_worker_that_is_killed_while_it_starts_is_started_again(tmp_path):
    path, mark = driver(tmp_path, "kill(os.getpid())")
    with Worker(path) as worker:
        assert worker.run(doing("pass"), LIMITS).passed
    assert mark.read_text() == "xx"


def test_a_worker_that_is_always_killed_does_not_start(tmp_path):
    path, mark = driver(tmp_path, "kill(os.getpid(), True)")
    with pytest.raises(WorkerError, match="SIGKILL"), Worker(path):
        pass
    assert mark.read_text() == "xx"


@pytest.mark.parametrize(
    ("said", "tries"),
    [
        (["g++: fatal error: Killed signal terminated program cc1plus", ""], 2),
        (["collect2: fatal error: ld terminated with signal 9 [Killed]", ""], 2),
        (["x86_64-linux-gnu-g++-12: fatal error: Killed signal terminated", ""], 2),
        (["a.cc:1: error: g++: fatal error: Killed", ""], 1),
        (["a.cc:1:1: error: no", ""], 1),
    ],
)
def test_a_compiler_that_is_killed_runs_again(monkeypatch, said, tries):
    left = list(said)

    def once(*args):
        text = left.pop(0)
        return compile_box.Said(text, "compile_error" if text else "")

    monkeypatch.setattr(compile_box, "_run_once", once)
    found = compile_box.run_tool(Box("bwrap"), [], None, [])
    assert len(said) - len(left) == tries and bool(found.cause) == (tries == 1)


def test_a_compiler_that_is_killed_itself_says_so():
    read, write = os.pipe()
    os.close(write)
    process = SimpleNamespace(
        stdout=os.fdopen(read, "rb"), pid=0, returncode=-9, wait=lambda: -9
    )
    stopped = compile_box.stop_tree
    compile_box.stop_tree = lambda process: None
    try:
        found = compile_box.listen(process)
    finally:
        compile_box.stop_tree = stopped
    assert compile_box._says_killed(found.text) and found.cause == "compile_error"
