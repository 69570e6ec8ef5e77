"""Speed points: the rule in the manifest, the ratio, and what becomes of them.

No assertion depends on how quick this machine is: where time matters, it is made up, or
an answer is slower by far more than any load can hide.
"""

import dataclasses
import json
import os

import numpy as np
import pytest

from minitf_lab import cuda, project
from minitf_lab.judge import own_cases, quiet, speed
from minitf_lab.judge.case import Call, Case, Trial
from minitf_lab.judge.speed import Times, measure
from minitf_lab.judge.stopwatch import Failed, Time
from minitf_lab.labs import machine, speed_points
from minitf_lab.labs.answers import Answer
from minitf_lab.labs.handin import records
from minitf_lab.labs.marks import TaskGrade
from minitf_lab.results import Limits, Result
from minitf_lab.speed_rule import Board, Speed

RULE = {"case": "long", "ratio_full": 1.5, "ratio_zero": 6.0}
MANIFEST = {
    "title": "Quick",
    "files": ["python/minitf/training/learning_rate_decay.py"],
    "time_limit_s": 10,
    "aics": [],
}


def task(**more):
    return {"title": "One", "points": 4, "cases": 1, "doc": "README.md", **more}


def manifest(folder, rule, **more):
    folder = folder / "50_quick"
    folder.mkdir(exist_ok=True)
    tasks = {"50.1": task(), "50.2": task(speed=rule)}
    path = folder / "lab.json"
    path.write_text(json.dumps({**MANIFEST, "tasks": tasks, **more}))
    return path


# ---- The rule -------------------------------------------------------------------------


def test_a_rule_and_its_defaults(tmp_path):
    board = {"name": "speed-up"}
    rule = {**RULE, "depends": ["50.1"], "needs": ["fma"], "board": board}
    lab = project.load_lab(manifest(tmp_path, rule))
    plain, quick = lab.tasks
    assert plain.speed is None
    assert quick.speed == Speed(
        ("long",), 1.5, 6.0, 9, "log", ("50.1",), ("fma",), Board("speed-up", "desc")
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cases": ["a"]}, "tasks.50.2.speed: expected a case or cases, one of the two"),
        (
            {"ratio_zero": 1.8},
            "tasks.50.2.speed: ratio_zero is 1.8, expected 1.25 times ratio_full (1.875)",
        ),
        ({"ratio_zero": 1.0}, "ratio_zero is 1, expected 1.25 times ratio_full"),
        ({"reps": 2}, "speed.reps: expected a whole number from 5 to 25, it is 2"),
        ({"needs": ["avx3"]}, "tasks.50.2.speed.needs: expected a list of avx2,"),
        ({"depends": ["50.9"]}, "depends has '50.9', expected tasks without speed: 50.1"),
        ({"depends": ["50.2"]}, "depends has '50.2', expected tasks without speed"),
        ({"depends": ["50.1", "50.1"]}, "depends has the same name twice: 50.1, 50.1"),
    ],
)
def test_a_wrong_rule_is_named(tmp_path, change, said):
    with pytest.raises(project.LabError) as caught:
        project.load_lab(manifest(tmp_path, {**RULE, **change}))
    assert said in str(caught.value)


def test_two_boards_of_one_name(tmp_path):
    rule = {**RULE, "board": {"name": "fast"}}
    tasks = {"50.1": task(speed=rule), "50.2": task(speed=rule)}
    with pytest.raises(project.LabError, match="two boards have the same name"):
        project.load_lab(manifest(tmp_path, RULE, tasks=tasks))


def test_the_part_of_the_points():
    rule = Speed(("a",), 1.5, 6.0)
    line = Speed(("a",), 1.5, 6.0, curve="linear")
    for one in (rule, line):
        assert [one.part(x) for x in (0.1, 1.5, 6.0, 100.0)] == [1, 1, 0, 0]
        parts = [one.part(x) for x in np.linspace(1.5, 6.0, 20)]
        assert parts == sorted(parts, reverse=True)
    assert rule.part(3.0) == pytest.approx(0.5)
    assert line.part(3.75) == pytest.approx(0.5)


def test_what_a_machine_lacks(tmp_path, monkeypatch):
    info = tmp_path / "cpuinfo"
    info.write_text("flags\t\t: fpu fma avx2\n")
    monkeypatch.setattr(cuda, "DEVICE", tmp_path / "none")

    def lacks(*needs, threads=1):
        lab = project.load_lab(manifest(tmp_path, RULE, limits={"threads": threads}))
        return machine.missing_to_time(lab, Speed(("a",), 1, 2, needs=needs), str(info))

    assert lacks() == lacks("fma") == lacks("fma", "avx2") == ""
    assert lacks("fma", "avx512f") == "avx512f"
    assert lacks("cuda") == "GPU"
    cores = len(os.sched_getaffinity(0))
    assert lacks(threads=min(cores, 64)) == ""
    assert lacks(threads=cores + 1) == f"{cores + 1} cores (it has {cores})"


def test_what_cannot_be_timed_is_out_of_the_total(tmp_path, monkeypatch):
    monkeypatch.setattr(cuda, "DEVICE", tmp_path / "none")
    lab = project.load_lab(manifest(tmp_path, {**RULE, "needs": ["cuda"]}))
    assert lab.points == 8
    assert machine.timed_here(lab).points == 4
    assert machine.timed_here(machine.timed_here(lab)).points == 4


# ---- The ratio ------------------------------------------------------------------------


class Clock:
    """A machine with made-up times."""

    def __init__(self, reference=0.01, own=0.02, load=lambda call: 1.0):
        self.calls = []
        self._seconds = {"reference": reference, "own": own}
        self._load = load

    def _time(self, side, number):
        self.calls.append((side, number))
        return self._seconds[side] * self._load(len(self.calls) - 1)

    def reference(self, number):
        return self._time("reference", number)

    def own(self, number):
        return self._time("own", number)

    def measure(self, **more):
        return measure(self.reference, self.own, Speed(("a",), 1.5, 6.0, **more))


def test_calls_alternate_with_fresh_inputs():
    clock = Clock()
    times = clock.measure(reps=5)
    assert times.ratio == 2
    sides = "".join(side[0] for side, _ in clock.calls)
    assert sides == "ro" + "ro" + "or" + "ro" + "or" + "ro"  # the first pair warms up
    numbers = [number for _, number in clock.calls]
    assert numbers == [n for n in range(6) for _ in range(2)]


def test_the_first_pair_does_not_count():
    times = Clock(load=lambda call: 50.0 if call < 2 else 1.0).measure()
    assert len(times.own) == len(times.reference) == 9
    assert max(times.own) == 0.02


def test_a_drift_cancels_out():
    times = Clock(load=lambda call: 1 + call / 100).measure(reps=8)
    assert times.ratio == pytest.approx(2, rel=0.005)


def test_a_few_slow_calls_change_nothing():
    # Alone, one in five, on either side.
    times = Clock(load=lambda call: 7.0 if call % 5 == 4 else 1.0).measure()
    assert times.ratio == 2


def test_a_busy_machine_is_asked_again_with_fresh_inputs():
    def load(call):  # alternates between pairs, up to the second try
        return 1.0 if call >= 20 else 1 + 3 * (call % 3)

    clock = Clock(load=load)
    assert clock.measure().ratio == 2
    assert [number for _, number in clock.calls[-2:]] == [19, 19]


def test_a_machine_that_is_always_busy_gives_no_ratio():
    clock = Clock(load=lambda call: 1 + 3 * (call * 7 % 5))
    with pytest.raises(speed.NotMeasuredError, match="too busy: of 3 times"):
        clock.measure()
    assert len(clock.calls) == 3 * 20


@pytest.mark.parametrize(("own", "part"), [(0.0001, 1), (0.9, 0)])
def test_noise_that_changes_no_points_does_not_matter(own, part):
    clock = Clock(own=own, load=lambda call: 1 + 3 * (call * 7 % 5))
    rule = Speed(("a",), 1.5, 6.0)
    assert rule.part(clock.measure().ratio) == part


def test_an_answer_cannot_make_the_machine_look_busy():
    rng = np.random.default_rng(1)
    waits = rng.uniform(0.01, 0.08, 100)
    times = measure(lambda n: 0.01, lambda n: waits[n], Speed(("a",), 1.5, 6.0))
    assert len(times.own) == 9  # at the first attempt


def test_what_is_far_too_slow_is_not_timed_for_long():
    clock = Clock(own=0.5)
    assert clock.measure().ratio == 50
    assert len(clock.calls) == 2 + 2 * speed.ENOUGH


def test_a_reference_that_is_too_quick_is_the_labs_fault():
    with pytest.raises(speed.NotMeasuredError, match="the case's inputs are too small"):
        Clock(reference=1e-5, own=2e-5).measure()


# ---- The tasks ------------------------------------------------------------------------


@pytest.fixture
def lab(tmp_path):
    rule = {**RULE, "depends": ["50.1"], "board": {"name": "speed-up"}}
    return project.load_lab(manifest(tmp_path, rule))


CASES = [
    Case(name, number, name, lambda draw: [Trial("t", [Call("f", {})], lambda v: None)])
    for name, number in (("short", "50.1"), ("long", "50.2"))
]


@pytest.fixture
def added(lab, monkeypatch, tmp_path):
    """What becomes of the two tasks of the lab if timing gives this."""
    monkeypatch.setattr(own_cases, "read", lambda *args: CASES)
    monkeypatch.setattr(quiet, "alone", lambda: quiet.at_work(tmp_path / "lock"))

    def add(first="passed", second="passed", times=None, only=None):
        grades = [
            TaskGrade(one, [Result(name, status)], one.points)
            for one, name, status in zip(
                lab.tasks, ("short", "long"), (first, second), strict=True
            )
        ]

        def timed(bench, case, rule):
            if isinstance(times, Exception):
                raise times
            return times

        monkeypatch.setattr(speed_points._Bench, "times", timed)
        chosen = [one for one in grades if only in {None, one.task.number}]
        speed_points.add(lab, Answer(None, {}), chosen, 0)
        return grades[1]

    return add


def times(ratio):
    return Times([0.01] * 9, [0.01 * ratio] * 9)


@pytest.mark.parametrize(
    ("ratio", "verdict", "points"),
    [(0.5, "ok", 4), (1.5, "ok", 4), (3.0, "too_slow", 2), (6.0, "too_slow", 0)],
)
def test_points_by_the_ratio(added, ratio, verdict, points):
    grade = added(times=times(ratio))
    assert (grade.speed.verdict, grade.points) == (verdict, points)
    assert f"{ratio:.2f} times the reference's time" in grade.speed.message
    fields = speed_points.fields(grade.speed)
    assert fields["ratio"] == pytest.approx(ratio, abs=1e-3)
    assert fields["time_ms"] == pytest.approx(10 * ratio)
    [entry] = speed_points.board([grade])
    assert entry == {
        "name": "speed-up",
        "value": pytest.approx(1 / ratio, abs=1e-3),
        "order": "desc",
    }


def test_a_task_is_not_timed_before_others_are_right(added):
    grade = added(first="failed", times=AssertionError())
    assert (grade.speed.verdict, grade.points) == ("blocked", 0)
    assert grade.speed.message == "not measured: first 50.1 must be right"
    assert speed_points.board([grade])[0]["value"] is None
    grade = added(first="failed", times=times(1), only="50.2")  # ./lab test 50.2
    assert grade.speed.verdict == "ok"


def test_a_wrong_task_is_not_timed(added):
    grade = added(second="failed", times=AssertionError())
    assert (grade.speed, grade.points) == (None, 0)


def test_a_call_that_goes_wrong_is_a_case_that_does(added):
    wrong = Result("long", "failed", "wrong in the third call")
    grade = added(times=Failed(wrong))
    assert (grade.results, grade.speed, grade.points) == ([wrong], None, 0)


def test_what_is_not_measured_has_no_score(added):
    grade = added(times=speed.NotMeasuredError("the machine is too busy"))
    assert grade.speed.verdict == "grader_error"
    assert not speed_points.is_measured([grade])
    fields = speed_points.fields(grade.speed)
    assert fields["score"] is None
    assert fields["message"] == "not measured: the machine is too busy"


@pytest.mark.parametrize(
    ("ratios", "counts", "sessions"),
    [
        ([1.4, 9.0], 1.4, 1),
        ([3.0, 1.6], 1.6, 2),
        ([3.0, 4.0], 3.0, 2),
        ([50.0, 1.0], 50.0, 1),  # no chance
        ([2.0, speed.NotMeasuredError("busy")], 2.0, 2),
    ],
)
def test_what_costs_points_is_timed_twice(lab, monkeypatch, ratios, counts, sessions):
    begun = []

    def session(bench, case, rule, first):
        found = ratios[len(begun)]
        begun.append(first)
        if isinstance(found, Exception):
            raise found
        return times(found)

    monkeypatch.setattr(speed_points._Bench, "session", session)
    bench = speed_points._Bench(lab, None, None, 0, None)
    found = bench.times(CASES[1], lab.tasks[1].speed)
    assert found.ratio == pytest.approx(counts)
    assert len(set(begun)) == sessions  # with inputs of their own


def accused():
    return Failed(Result("quick", "failed", "it ran", cause="policy"))


@pytest.mark.parametrize(
    ("outcomes", "counts"),
    [
        ([accused(), 1.0], 1.0),
        ([accused(), accused(), 1.0], "policy"),
        ([accused(), Failed(Result("quick", "timeout")), 1.0], "timeout"),
        ([Failed(Result("quick", "timeout")), 1.0], "timeout"),
        ([accused(), speed.NotMeasuredError("busy")], "busy"),
        ([3.0, accused(), 1.0], 1.0),
    ],
)
def test_an_accusation_is_confirmed(lab, monkeypatch, outcomes, counts):
    begun = []

    def session(bench, case, rule, first):
        found = outcomes[len(begun)]
        begun.append(first)
        if isinstance(found, Exception):
            raise found
        return times(found)

    monkeypatch.setattr(speed_points._Bench, "session", session)
    bench = speed_points._Bench(lab, None, None, 0, None)
    try:
        found = bench.times(CASES[1], lab.tasks[1].speed).ratio
    except Failed as error:
        found = error.result.verdict
    except speed.NotMeasuredError as error:
        found = str(error)
    assert found == counts
    assert len(set(begun)) == len(begun)  # with inputs of their own


class Sleeper:
    """In place of a stopwatch: each call sleeps for a second."""

    calls = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def time(self, case, trial, limits):
        self.calls += 1
        if limits.seconds < 1:
            raise Failed(Result(case.name, "timeout"))
        return Time(seconds=1.0, busy=0.01)


def test_calls_that_sleep_do_not_hold_up_others(lab, monkeypatch):
    asleep = Sleeper()
    lab = dataclasses.replace(lab, time_limit_s=2)
    monkeypatch.setattr(speed_points._Bench, "reference", lambda *args: Sleeper())
    monkeypatch.setattr(speed_points._Bench, "own", lambda *args: asleep)
    bench = speed_points._Bench(lab, None, Limits(2), 0, None)
    with pytest.raises(Failed) as caught:
        bench.times(CASES[1], lab.tasks[1].speed)
    assert caught.value.result.verdict == "timeout"
    assert asleep.calls == 7


def test_which_clock_counts(lab):
    time = Time(seconds=2.0, busy=3.0)
    for threads, counts in ((1, 3.0), (2, 2.0)):
        several = dataclasses.replace(lab, limits={"threads": threads})
        assert speed_points._Bench(several, None, None, 0, None).clock(time) == counts


def test_a_case_that_is_not_there(lab, monkeypatch):
    monkeypatch.setattr(own_cases, "read", lambda *args: CASES[:1])
    grades = [TaskGrade(lab.tasks[1], [Result("long", "passed")])]
    with pytest.raises(project.LabError, match=r"50\.2: speed: there is no case 'long'"):
        speed_points.add(lab, None, grades, 0)


def test_a_machine_without_the_hardware(tmp_path, monkeypatch):
    monkeypatch.setattr(cuda, "DEVICE", tmp_path / "none")
    lab = project.load_lab(manifest(tmp_path, {**RULE, "needs": ["cuda"]}))
    lab = machine.timed_here(lab)
    grade = TaskGrade(lab.tasks[1], [Result("long", "passed")])
    monkeypatch.setattr(own_cases, "read", lambda *args: CASES)
    speed_points.add(lab, None, [grade], 0)
    assert grade.speed.verdict == "skipped"
    assert grade.speed.message == "not measured: this machine has no GPU"
    assert grade.points == grade.task.points == 0


# ---- Records --------------------------------------------------------------------------


def record(ratio, score, **more):
    timed = {"id": "50.2", "points": 4, "ratio": ratio, "score": score, "message": "x"}
    plain = {"id": "50.1", "points": 4, "score": 4, "verdict": "ok"}
    timed |= {"verdict": "ok" if score == 4 else "too_slow", "spread": [ratio, ratio]}
    board = [{"name": "fast", "value": 1 / ratio, "order": "desc"}]
    return {"tests": [plain, timed], "score": 4 + score, "board": board, **more}


def test_a_regrade_may_differ_by_less_than_a_step():
    assert records.same(record(1.4, 4), record(1.6, 3))
    assert not records.same(record(1.4, 4), record(2.0, 2))
    assert not records.same(record(1.4, 4), record(1.4, 4, flags=["x"]))
    other = record(1.4, 4)
    other["tests"][0]["score"], other["score"] = 3, 7
    assert not records.same(record(1.4, 4), other)
    other = record(1.4, 4)
    del other["tests"][1]["ratio"]
    assert not records.same(record(1.4, 4), other)
