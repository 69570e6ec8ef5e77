"""Whatever an answer returns, raises or prints, each case gets a verdict."""

import json
import re
import time

import made_up
import numpy as np
import pytest
import values

from minitf_lab.course import judging
from minitf_lab.judge import runner, wire
from minitf_lab.judge.case import Call, Case, Trial, close, close_to
from minitf_lab.judge.runner import Worker
from minitf_lab.judge.trials import refused, value_trial

ARRAY = np.float32([[1, 2], [3, 4]])
CHECKS = {
    "equal": made_up.equal_to([]),
    "list": close_to([ARRAY], rtol=1e-3),
    "array": lambda found: close(found[0], ARRAY),
    "value": value_trial("x", "do", {}, [1, 2]).check,
    "error": refused("x", "do", {}, names=["y"]).check,
}
CODES = values.codes()


def case_of(code, check):
    call = Call("do", {"code": values.HEAD + code}, may_raise=check == "error")
    trial = Trial("a hostile value", [call], CHECKS[check])
    return Case("hostile", "97.1", "it is right", lambda draw: [trial])


def check_result(result):
    """A record can be made of it, and shows nothing that a terminal obeys."""
    record = judging._case(result, is_hidden=False)
    text = json.dumps(record, ensure_ascii=False)
    text.encode()
    assert record["verdict"] not in {"ok", "grader_error"}, record
    assert "\x1b" not in text
    assert len(text) < 40_000


@pytest.fixture(scope="module")
def worker(tmp_path_factory, box):
    driver = made_up.put_driver(tmp_path_factory.mktemp("values"))
    with Worker(driver, box=box) as found:
        yield found


@pytest.mark.parametrize("code", CODES)
def test_a_value_an_error_or_a_print(worker, code):
    for check in CHECKS if code.startswith("reached") else ("equal", "error"):
        result = worker.run(case_of(code, check), made_up.PATIENT)
        if result.passed:
            assert code in values.PRINTING  # what is printed changes nothing
            continue
        check_result(result)
        # The child tells what is wrong: it is not said to have left.
        assert result.verdict != "exited" or "builtins" in code, result


@pytest.mark.parametrize("line", values.LINES)
def test_a_line_in_place_of_a_value(line):
    """The judge takes a line from a process that may send anything."""
    try:
        message = wire.loads(line)
    except ValueError:
        return
    if not isinstance(message, dict):
        return
    for name, check in CHECKS.items():
        trial = Trial("a hostile line", [Call("do", {})], check)
        case = Case("hostile", "97.1", "it is right", lambda draw: [])
        result = runner.judge_trial(case, trial, message)
        assert result is not None, name
        check_result(result)


def test_a_large_array_costs_the_judge_little():
    """A symptom takes the first elements; all of them cost 8 s and 1 GB."""
    case = Case("large", "97.1", "it is right", lambda draw: [])
    line = wire.dumps({"values": [np.zeros(11_500_000, bool)]})
    begin = time.process_time()
    trial = Trial("a large array", [Call("do", {})], CHECKS["array"])
    result = runner.judge_trial(case, trial, wire.loads(line))
    assert result is not None
    assert result.symptom
    assert time.process_time() - begin < 1.5


def test_a_value_that_is_too_large_is_the_answers_fault(worker):
    code = "reached = list(range(300_000))"
    result = worker.run(case_of(code, "equal"), made_up.PATIENT)
    assert result.verdict == "output_limit", result
    assert "parts" in result.message


def test_a_check_that_takes_for_ever_is_ended(monkeypatch):
    """An instructor's check may have a regular expression that takes exponential time."""
    monkeypatch.setattr(runner, "CHECK_S", 0.5)

    def check(found):
        return None if re.search("(a+)+$", found[0]) else "wrong"

    trial = Trial("a slow check", [Call("do", {})], check)
    case = Case("slow", "97.1", "it is right", lambda draw: [])
    result = runner.judge_trial(case, trial, {"values": ["a" * 40 + "b"]})
    assert "processor time" in result.message
