"""Answers with a helper in another process: its time counts, or there is none.

Each is tried in both boxes, whichever of them marks come from here.
"""

import os
from pathlib import Path

import helpers
import made_up
import numpy as np
import pytest

from minitf_lab.endings import STRANGERS
from minitf_lab.judge import sandbox
from minitf_lab.judge.case import Call, Case, Trial
from minitf_lab.judge.runner import Worker, WorkerError
from minitf_lab.judge.sandbox import Box
from minitf_lab.judge.stopwatch import Failed, Stopwatch
from minitf_lab.results import Limits

KINDS = [kind for kind in sandbox.KINDS if not sandbox._fault_of(Box(kind))]


@pytest.fixture(params=KINDS)
def each_box(request):
    """A box of each kind that this machine allows."""
    return Box(request.param)


def put(folder, code):
    path = made_up.put_driver(folder)
    path.write_text(helpers.HEAD + code)
    return path


def left_of(driver):
    """The processes that were started for a driver, and have not ended."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(driver).encode() in words:
                found.append(int(entry.name))
    return found


def doubling(number):
    x = np.full(3, float(number))

    def check(values):
        return None if np.array_equal(values[0], x * 2) else f"it gives {values[0]}"

    trial = Trial("call", [Call("doubled", {"x": x})], check)
    return Case("call", "97.1", "It works", lambda draw: [trial]), trial


@pytest.mark.parametrize("name", helpers.TIMED)
def test_a_helper_of_a_timed_answer_counts(tmp_path, each_box, name):
    driver = put(tmp_path, helpers.TIMED[name])
    cores = sorted(os.sched_getaffinity(0))[-1:]
    try:
        with Stopwatch(driver, box=each_box, cores=cores) as watch:
            for number in range(3):
                found = watch.time(*doubling(number), Limits(20))
                assert found.busy > 0.9 * helpers.WORK_S
    except (Failed, WorkerError) as error:
        verdict = error.result.verdict if isinstance(error, Failed) else error.verdict
        assert verdict == "policy", error
    assert left_of(driver) == []


@pytest.mark.parametrize("name", helpers.UNTIMED)
def test_a_helper_of_an_answer_is_found(tmp_path, each_box, name):
    code, verdict = helpers.UNTIMED[name]
    driver = put(tmp_path, code)
    limits = made_up.LIMITS if verdict == "timeout" else made_up.PATIENT
    found = made_up.outcome(driver, made_up.GOOD, box=each_box, limits=limits)
    assert found.verdict == verdict, found
    assert (STRANGERS in found.message) == (verdict == "policy")
    assert left_of(driver) == []


def test_no_helper_is_there_for_the_next_case(tmp_path, each_box):
    driver = put(tmp_path, helpers.UNTIMED["a double fork while a case runs"][0])
    with Worker(driver, box=each_box) as worker:
        worker.run(made_up.GOOD, made_up.PATIENT)
        assert len(left_of(driver)) == 1 + each_box.depth


def test_a_helper_is_seen_if_the_filter_lets_it_start(tmp_path, each_box):
    """The second wall: the judge looks for other processes around each call."""
    box = Box(each_box.kind, frozenset({"clone", "fork", "vfork"}))
    driver = put(tmp_path, helpers.TIMED["a double fork in a thread"])
    cores = sorted(os.sched_getaffinity(0))[-1:]
    with (
        Stopwatch(driver, box=box, cores=cores) as watch,
        pytest.raises(Failed) as caught,
    ):
        watch.time(*doubling(1), Limits(20))
    assert (caught.value.result.verdict, str(caught.value)) == ("policy", STRANGERS)
