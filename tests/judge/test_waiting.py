"""Nothing waits for what never comes: input of an answer, the end of a generator."""

import contextlib
import itertools
import os
import subprocess
import sys
from dataclasses import replace

import lab_folder
import made_up
import pytest
from lab_folder import judged

from minitf_lab.judge import own_cases
from minitf_lab.judge.case import Call, Case, Trial, case
from minitf_lab.judge.runner import Worker
from minitf_lab.project import LabError

READING = (
    "input()",
    "import sys; sys.stdin.readline() or 1 / 0",
    "import os; os.read(0, 9) or 1 / 0",
    "open('/dev/stdin').read() or 1 / 0",
)


@pytest.mark.parametrize("code", READING)
def test_input_is_at_its_end(tmp_path, box, code):
    with Worker(made_up.put_driver(tmp_path), box=box) as worker:
        for _ in range(2):
            result = worker.run(made_up.doing(code), made_up.PATIENT)
            assert result.verdict == "raised", result
            assert worker.run(made_up.GOOD, made_up.PATIENT).passed


def test_input_is_at_its_end_when_an_answer_is_loaded(tmp_path, box):
    folder = lab_folder.in_python(tmp_path)
    text = lab_folder.PYTHON.replace("LAB(", "TODO(")
    record = judged(folder, tmp_path, text + "\nname = input('name? ')\n", box)
    assert record["score"] == 0
    assert "EOFError" in record["tests"][0]["message"]


COMPUTES = """
end = time.process_time() + 0.3
while time.process_time() < end: pass
"""


@contextlib.contextmanager
def _one_busy_processor():
    """Gives this process, and what it starts, a processor that others keep busy."""
    before = os.sched_getaffinity(0)
    with contextlib.ExitStack() as stack:
        stack.callback(os.sched_setaffinity, 0, before)
        os.sched_setaffinity(0, {min(before)})
        for _ in range(3):
            command = [sys.executable, "-c", "while True: pass"]
            process = subprocess.Popen(command, start_new_session=True)
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


def test_a_case_that_waits_for_a_processor_gets_more_time(tmp_path, box):
    """The time is that of the clock: a right answer is not late since others compute."""
    limits = replace(made_up.LIMITS, seconds=0.8)
    with _one_busy_processor(), Worker(made_up.put_driver(tmp_path), box=box) as worker:
        result = worker.run(made_up.doing(COMPUTES), limits)
        assert result.passed, result
        waits = made_up.doing("time.sleep(60)")
        hangs = worker.run(waits, replace(limits, seconds=2))
        assert hangs.status == "timeout" and "running after 2 s" in hangs.message
        loops = worker.run(made_up.doing("while True: pass"), limits)
        assert loops.status == "timeout" and "running after 0.8 s" not in loops.message


def _endless(draw):
    while True:
        yield Trial("once more", [Call("one", {})], lambda values: None)


def _silent(draw):
    for _ in itertools.count():
        pass
    yield


@pytest.mark.parametrize("make", [_endless, _silent])
def test_a_case_without_end_is_named(monkeypatch, make):
    monkeypatch.setattr(own_cases, "TRIALS_S", 1)
    monkeypatch.setattr(own_cases, "MAX_TRIALS", 1000)
    with pytest.raises(LabError, match=r"the case again .* is it endless"):
        own_cases.trials_of(Case("again", "97.1", "it ends", make), 0)


def test_cases_without_end_are_named():
    with pytest.raises(ValueError, match="again: over has more than 1000 members"):

        @case("97.1", over=itertools.count())
        def again(draw, number):
            """It ends."""


@pytest.mark.parametrize(
    "loop", ["while True: yield trial('number', 1, 2)", "while 1: 1"]
)
def test_judging_with_a_case_without_end_ends(tmp_path, box, monkeypatch, loop):
    monkeypatch.setattr(own_cases, "TRIALS_S", 1)
    monkeypatch.setattr(own_cases, "MAX_TRIALS", 1000)
    folder = lab_folder.in_python(tmp_path)
    cases = lab_folder.CASES.replace(
        'yield trial("word"', f'{loop}\n    yield trial("word"'
    )
    (folder / "cases.py").write_text(cases)
    text = lab_folder.PYTHON.replace("LAB(", "TODO(")
    record = judged(folder, tmp_path, text, box)
    assert record["status"] == "grader_error"
    assert "is it endless" in record["tests"][0]["message"]
