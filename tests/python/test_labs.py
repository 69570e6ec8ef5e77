"""Every case of every lab, on the framework itself and in this process.

So the reference passes them all, and a debugger sees a case from end to end. Its own
number is what finds one: python -m pytest tests/python/test_labs.py -k unary-Sin
"""

import importlib
import sys

import pytest

import minitf as tf
from minitf.eager import tape
from minitf_lab import grade, project
from minitf_lab.judge.case import load_cases, load_module
from minitf_lab.judge.runner import run_here

LABS = project.all_labs()
CASES = [
    pytest.param(lab, case, id=f"{case.task}-{case.name}")
    for lab in LABS
    for case in load_cases(lab.tests)
]
SEED = 1  # ``./lab test`` runs them with 0 too, in processes of their own


@pytest.fixture(scope="module")
def drivers():
    """The drivers of all labs, by number."""
    drivers = project.build_folder() / "labs" / "drivers"
    sys.path.insert(0, str(drivers))
    project.build("minitf", *(name for lab in LABS for name in grade.drivers_of(lab)))
    importlib.invalidate_caches()
    yield {lab.number: load_module(lab.tests / "driver.py") for lab in LABS}
    sys.path.remove(str(drivers))


@pytest.mark.parametrize(("lab", "case"), CASES)
def test_the_framework_passes(lab, case, drivers):
    result = run_here(drivers[lab.number], case, SEED)
    assert result.passed, result
    # A tape that is left open records all that follows, and never lets go of it.
    assert tape.recorders.tapes == [] and tape.recorders.stops == 0
    assert tf.get_default_graph().num_operations == 0


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_cases_are_those_of_the_manifest(lab):
    cases = [case for case in load_cases(lab.tests) if not case.is_hidden]
    counted = {task.number: 0 for task in lab.tasks}
    for case in cases:
        counted[case.task] += 1
    assert counted == {task.number: task.cases for task in lab.tasks}
    assert all(case.claim and not case.claim.endswith(".") for case in cases)


def test_there_are_labs():
    assert CASES
