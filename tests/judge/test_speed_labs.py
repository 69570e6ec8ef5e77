"""A made-up lab with speed points, judged from the hand-in to the record.

The steps are so far apart that no load of the machine changes the points.
"""

import json

import pytest

from minitf_lab import project
from minitf_lab.course import boards, class_records, judging
from minitf_lab.course.formats import export_gradescope
from minitf_lab.judge import speed
from minitf_lab.labs import speed_points
from minitf_lab.labs.handin import intake, records

UNIT = "python/minitf/training/learning_rate_decay.py"
KEY = b"k" * 32
MANIFEST = {
    "title": "Quick",
    "files": [UNIT],
    "time_limit_s": 20,
    "aics": [],
    "tasks": {
        "50.1": {"title": "Right", "points": 2, "cases": 1, "doc": "README.md"},
        "50.2": {
            "title": "Quick",
            "points": 10,
            "cases": 1,
            "doc": "README.md",
            "speed": {
                "case": "for_many",
                "ratio_full": 8,
                "ratio_zero": 12,
                "depends": ["50.1"],
                "board": {"name": "speed-up"},
            },
        },
    },
}
DRIVER = '''"""What the cases call."""

import numpy as np

import minitf as tf


def rate(at):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.compat.v1.train.exponential_decay(1.0, at, 10, 0.5))


def rate_and_order(at, x):
    return rate(at), np.sort(x)
'''
CASES = '''"""The cases."""

import numpy as np

from minitf_lab.judge.case import Call, Trial, case, close


def expected(at):
    return np.float32(0.5 ** (at / 10))


@case("50.1")
def at_the_start(draw):
    """The rate begins as it is."""
    check = lambda values: close(values[0], expected(0), rtol=1e-5)
    yield Trial("0", [Call("rate", {"at": 0})], check)


@case("50.2")
def for_many(draw):
    """Quick too."""
    at, x = draw.whole(1, 100), draw.array((50000,), "float32")

    def check(values):
        rate, order = values[0]
        return close(rate, expected(at), rtol=1e-4) or close(order, np.sort(x))

    yield Trial(f"{at}", [Call("rate_and_order", {"at": at, "x": x})], check)
'''
DEFINITION = "def exponential_decay("
ORIGINAL = "def original("
SPIN = """
    import time
    end = time.process_time() + 0.5
    while time.process_time() < end: pass"""
WRAPPED = """

_calls = []

def exponential_decay(rate, at, *more, **named):
    _calls.append(at){extra}
    return original(rate, at, *more, **named)
"""


@pytest.fixture
def lab(tmp_path):
    folder = tmp_path / "50_quick"
    folder.mkdir()
    (folder / "lab.json").write_text(json.dumps(MANIFEST))
    (folder / "driver.py").write_text(DRIVER)
    (folder / "cases.py").write_text(CASES)
    return project.lab_at(str(folder))


def judged(lab, folder, box, extra=None):
    """The record of minitf's own answer, with something done at each call."""
    text = (project.ROOT / UNIT).read_text()
    if extra is not None:
        assert text.count(DEFINITION) == 1
        text = text.replace(DEFINITION, ORIGINAL) + WRAPPED.format(extra=extra)
    path = folder / "ada" / "learning_rate_decay.py"
    path.parent.mkdir()
    path.write_text(text)
    hand_in = intake.take(lab, path.parent, folder / "files")
    return records.read(_written(folder, judging.judge(lab, hand_in, KEY, box=box)), KEY)


def _written(folder, record):
    records.write(folder / "record.json", record)
    return folder / "record.json"


def test_an_honest_answer(lab, tmp_path, box):
    record = judged(lab, tmp_path, box)
    test = record["tests"][1]
    assert (record["status"], record["score"], record["max_score"]) == ("graded", 12, 12)
    assert (test["verdict"], test["score"]) == ("ok", 10)
    assert 0 < test["ratio"] < 8
    assert test["spread"][0] <= test["spread"][1]
    assert test["time_ms"] > 0
    [entry] = record["board"]
    assert entry["value"] == pytest.approx(1 / test["ratio"], abs=1e-3)
    assert export_gradescope.results(record)["leaderboard"] == record["board"]
    found = class_records.read_class(tmp_path)
    assert [len(board.places) for board in boards.boards(found)] == [1]


def test_without_a_box_it_is_timed_too(lab, tmp_path):
    record = judged(lab, tmp_path, None)
    assert (record["status"], record["score"]) == ("graded", 12)
    assert record["grader"]["sandbox"] == "none"


def test_a_slow_answer(lab, tmp_path, box):
    record = judged(lab, tmp_path, box, SPIN)
    test = record["tests"][1]
    assert (record["status"], record["score"]) == ("graded", 2)
    assert (test["verdict"], test["score"]) == ("too_slow", 0)
    assert test["ratio"] > 12
    assert "all points at 8, none at 12" in test["message"]


def test_an_answer_that_is_wrong_at_the_fourth_call(lab, tmp_path, box):
    record = judged(lab, tmp_path, box, "\n    at += len(_calls) > 3")
    test = record["tests"][1]
    assert (record["score"], test["verdict"], test["score"]) == (2, "wrong_answer", 0)
    assert "ratio" not in test
    assert record["board"] == [{"name": "speed-up", "value": None, "order": "desc"}]


def test_an_answer_whose_first_task_is_wrong(lab, tmp_path, box):
    record = judged(lab, tmp_path, box, "\n    at += at == 0")
    assert [test["verdict"] for test in record["tests"]] == ["wrong_answer", "blocked"]
    assert record["score"] == 0


def test_a_machine_that_is_too_busy_takes_no_points(lab, tmp_path, box, monkeypatch):
    def times(*args):
        raise speed.NotMeasuredError("the machine is too busy")

    monkeypatch.setattr(speed_points._Bench, "times", times)
    record = judged(lab, tmp_path, box)
    assert (record["status"], record["score"]) == ("grader_error", None)
    assert [test["score"] for test in record["tests"]] == [2, None]
    assert records.failure(record) == "not measured: the machine is too busy"
    assert class_records.read_record(tmp_path / "record.json", KEY)["score"] is None


def test_a_machine_without_the_hardware(lab, tmp_path, box, monkeypatch):
    monkeypatch.setattr("minitf_lab.labs.machine.missing_to_time", lambda *args: "GPU")
    record = judged(lab, tmp_path, box)
    test = record["tests"][1]
    assert (record["status"], record["score"], record["max_score"]) == ("graded", 2, 2)
    assert (test["verdict"], test["points"], test["score"]) == ("skipped", 0, 0)
