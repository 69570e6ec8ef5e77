"""A hand-in is judged: whose fault is what, and what a record shows."""

import io
import json
import shutil
import subprocess
import sys

import pytest

from minitf_lab import project
from minitf_lab.course import judging
from minitf_lab.judge.runner import WorkerError
from minitf_lab.labs import builds, grade, report
from minitf_lab.labs.answers import Answer
from minitf_lab.labs.handin import intake, records
from minitf_lab.labs.marks import TaskGrade

LAB = project.find_lab("00")
CODE = "approximate_equal.cc"
SOLUTION = (project.ROOT / LAB.files[0]).read_text().replace("LAB(", "TODO(")


def lab_tool(*words):
    return subprocess.run(
        [sys.executable, "-m", "minitf_lab", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def hand_in(tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / CODE).write_text(SOLUTION)
    return intake.take(LAB, tmp_path / "source", tmp_path / "into")


def test_the_fault_of_the_machine_is_no_mark(hand_in, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(builds, "build_answer", full)
    record = judging.judge(LAB, hand_in, b"k")
    assert (record["status"], record["score"]) == ("grader_error", None)
    assert {test["verdict"] for test in record["tests"]} == {"grader_error"}
    assert "No space left" in record["tests"][0]["message"]
    records.check(record, b"k")


KILLED = "g++: fatal error: Killed signal terminated program cc1plus"


@pytest.mark.parametrize(
    ("fails", "said", "status", "verdict"),
    [
        # Which compilations fail: of the hand-in, of minitf's own, of the hand-in again.
        ([True, True], KILLED, "grader_error", "grader_error"),
        ([True, True], "bwrap: no permission", "grader_error", "grader_error"),
        ([True, True], "collect2: cannot find 'ld'", "grader_error", "grader_error"),
        ([True, False, True], KILLED, "graded", "compile_error"),
        ([True, False, True], "x.cc:9:1: internal compiler error: Segmentation fault",
         "graded", "compile_error"),
        ([True, False, False], KILLED, "graded", "ok"),
        ([True], "x.cc:1:1: error: no\n" + KILLED, "graded", "compile_error"),
        ([True], "ld: a.o: undefined reference to `f()'", "graded", "compile_error"),
    ],
)  # fmt: skip
def test_the_compiler_is_ended(hand_in, monkeypatch, fails, said, status, verdict):
    real, rest = builds.build_answer, iter(fails)

    def build(*arguments, **options):
        if next(rest):
            raise project.BuildError(said, said)
        return real(*arguments, **options)

    monkeypatch.setattr(builds, "build_answer", build)
    record = judging.judge(LAB, hand_in, b"k")
    assert (record["status"], record["tests"][0]["verdict"]) == (status, verdict)
    assert next(rest, None) is None


def test_a_compiler_on_a_full_disk_is_no_compile_error(hand_in, monkeypatch):
    def broken(*arguments, **options):
        raise project.BuildError("no", "x.cc:1:1: error: no")

    monkeypatch.setattr(builds, "build_answer", broken)
    assert judging.judge(LAB, hand_in, b"k")["status"] == "graded"
    usage = shutil.disk_usage("/")._replace(free=200 << 20)
    left = iter([usage._replace(free=1 << 40), usage])
    monkeypatch.setattr(judging.shutil, "disk_usage", lambda folder: next(left))
    record = judging.judge(LAB, hand_in, b"k")
    assert record["status"] == "grader_error"
    assert "is full: 200 MB are left, 256 MB are" in record["tests"][0]["message"]


@pytest.mark.parametrize(
    ("status", "cause", "verdict"),
    [
        ("failed", "compile_error", "compile_error"),
        ("failed", "raised", "raised"),
        ("crashed", "", "crashed"),
        ("timeout", "", "timeout"),
        ("left", "", "exited"),
    ],
)
def test_code_that_ends_the_worker_before_the_cases_is_at_fault(
    hand_in, monkeypatch, status, cause, verdict
):
    def broken(*arguments, **options):
        raise WorkerError("the tests do not start", status, cause)

    monkeypatch.setattr(builds, "build_answer", lambda *a, **b: Answer(None, {}))
    monkeypatch.setattr(grade, "grade_answer", broken)
    record = judging.judge(LAB, hand_in, b"k")
    assert (record["status"], record["score"]) == ("graded", 0)
    assert {test["verdict"] for test in record["tests"]} == {verdict}
    monkeypatch.setattr(grade, "Worker", broken)
    assert judging.judge(LAB, hand_in, b"k")["status"] == "grader_error"


def test_seeds_are_of_the_key_the_lab_and_the_files():
    seeds = {
        judging.seed_of(lab, sha256, key)
        for lab in (LAB, project.find_lab("01"))
        for sha256 in ("a" * 64, "b" * 64)
        for key in (b"k", b"l")
    }
    assert len(seeds) == 8
    assert judging.seed_of(LAB, "a" * 64, b"k") == judging.seed_of(LAB, "a" * 64, b"k")


def test_hidden_cases_show_no_more_than_a_verdict():
    from minitf_lab.results import Result

    details = {"case": "secret", "index": "[0]", "expected": "1", "got": "2"}
    result = Result(
        "one", "failed", "secret", details | {"diagnosis": "secret"}, "secret"
    )
    task = project.Task("00.1", "A task", 4, 2, "doc")
    one = TaskGrade(task, [Result("good", "passed"), result], 2)
    test = judging._test(one, {"one"}, LAB)
    assert "secret" not in json.dumps(test)
    assert test["cases"][1] == {
        "id": "one",
        "verdict": "wrong_answer",
        "visibility": "hidden",
    }
    assert (test["verdict"], test["score"]) == ("wrong_answer", 2)
    shown = judging._test(one, set(), LAB)
    assert shown["message"] == "secret" and shown["cases"][1]["diagnosis"] == "secret"


def test_a_record_has_the_size_of_an_error_and_what_a_task_took():
    from minitf_lab.results import Result

    details = {"differ": "2 of 6", "max_abs": "0.25", "max_rel": "1.5e-07"}
    bad = Result("one", "failed", "wrong", details, seconds=1.204, memory_mb=90)
    good = Result("two", "passed", seconds=0.3, memory_mb=40)
    task = project.Task("00.1", "A task", 4, 2, "doc")
    test = judging._test(TaskGrade(task, [bad, good], 2), set(), LAB)
    assert (test["time_ms"], test["mem_mb"]) == (1500, 90)
    case = test["cases"][0]
    assert (case["n_bad"], case["n"]) == (2, 6)
    assert (case["max_abs"], case["max_rel"]) == (0.25, 1.5e-07)
    told = dict(report.failure_lines(task, bad))
    assert (told["at most by"], told["as a part"]) == ("0.25", "1.5e-07")


def test_what_is_printed_is_cut_and_plain():
    from minitf_lab.results import Result

    result = Result("one", "failed", "\x1b[2J" * 9999, {}, "é" * 99_999)
    case = judging._case(result, False)
    assert "\x1b" not in case["message"] and len(case["printed"].encode()) < 8100


def test_a_hand_in_that_is_not_taken_has_a_record_too(tmp_path):
    (tmp_path / "a.zip").write_bytes(io.BytesIO().getvalue())
    out = tmp_path / "out.json"
    done = lab_tool("judge", "00", tmp_path / "a.zip", "--out", out, "--no-build")
    assert done.returncode == 1 and "a.zip: the file is empty" in done.stdout
    assert records.read(out)["status"] == "rejected"
    done = lab_tool("judge", "00", tmp_path, "--out", tmp_path / "a.zip" / "x.json")
    assert done.returncode == 1 and "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
