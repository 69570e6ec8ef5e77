"""Cases of labs, on the framework itself and in this process: one of each task.

A debugger sees such a case from end to end, and so it does any other that ``-k`` names:
python -m pytest tests/python/labs/test_labs.py -k unary-Sin. ``./lab test`` has the
framework pass all of them, in processes of their own.
"""

import importlib
import sys

import pytest

import minitf as tf
from minitf.eager import tape
from minitf_lab import project
from minitf_lab.judge.case import load_cases, load_module
from minitf_lab.judge.runner import run_here
from minitf_lab.labs import builds

LABS = project.all_labs()
assert LABS
# Its cases replace functions of Python that the whole process shares.
IN_OTHER_PROCESSES = "12"
SEED = 1  # ``./lab test`` runs them with 0


def params():
    """Each case of each lab; but for the first of a task, it must be asked for."""
    for lab in LABS:
        if lab.number == IN_OTHER_PROCESSES:
            continue
        seen = set()
        for case in load_cases(lab.tests):
            marks = [pytest.mark.asked] if case.task in seen else []
            seen.add(case.task)
            name = f"{case.task}-{case.name}"
            yield pytest.param(lab, case, id=name, marks=marks)


@pytest.fixture(scope="module")
def drivers():
    """The drivers of all labs, by number."""
    drivers = project.build_folder() / "labs" / "drivers"
    sys.path.insert(0, str(drivers))
    project.build("minitf", *(name for lab in LABS for name in builds.drivers_of(lab)))
    importlib.invalidate_caches()
    # The kernels of all devices are registered before a case registers one of its own.
    tf.Session().close()
    yield {lab.number: load_module(lab.tests / "driver.py") for lab in LABS}
    sys.path.remove(str(drivers))


@pytest.mark.parametrize(("lab", "case"), [*params()])
def test_the_framework_passes(lab, case, drivers):
    result = run_here(drivers[lab.number], case, SEED)
    assert result.passed, result
    # A tape that is left open records all that follows, and never lets go of it.
    assert tape.recorders.tapes == [] and tape.recorders.stops == 0
    assert tf.get_default_graph().num_operations == 0


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_what_is_handed_out_has_an_example(lab):
    text = (lab.starter / "README.md").read_text()
    parts = ("**Read first**", "**Work**", "**Done when**", "**Notation.**")
    if lab.number == "00":  # all of it is an example, and explains its words
        parts = ("**Read first**", "**Done when**")
    else:
        parts += ("**An example.**",)
    assert [part for part in parts if part not in text] == []
    places = [text.index(part) for part in parts if "Read" in part or "example" in part]
    assert places == sorted(places)
    for task in lab.tasks:
        assert f"## Task {task.number}: " in text


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_cases_are_those_of_the_manifest(lab):
    cases = [case for case in load_cases(lab.tests) if not case.is_hidden]
    counted = {task.number: 0 for task in lab.tasks}
    for case in cases:
        counted[case.task] += 1
    assert counted == {task.number: task.cases for task in lab.tasks}
    assert all(case.claim and not case.claim.endswith(".") for case in cases)
