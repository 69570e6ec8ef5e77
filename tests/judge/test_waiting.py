"""Nothing waits for what never comes: input of an answer, the end of a generator."""

import itertools

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
