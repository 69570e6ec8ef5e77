"""One wrong place costs its own task, whichever task's case finds it."""

import dataclasses

import pytest
from lab_folder import CASES, in_python

from minitf_lab import project
from minitf_lab.judge.case import Case, forget_modules
from minitf_lab.labs import blame, builds, grade
from minitf_lab.results import Result

TASKS = ["97.1", "97.2", "97.3"]
# Lab 60, where a word is made by the function for numbers: a mistake there fails both.
ANSWER = '''"""What doubles."""

STATE = [2]


def number(x):
    """Twice the number."""
    # TODO(60.1) begin: return twice the number
    {number}
    # TODO(60.1) end


def word(x):
    """The word, two times."""
    number(1)
    # TODO(60.2) begin: return the word, two times
    {word}
    # TODO(60.2) end
'''
WRONG_FOR_OTHERS = "STATE[0] = 3\n    return 2 * x"  # right, and leaves three behind
REFERENCE = ANSWER.replace("TODO(", "LAB(").format(
    number="return 2 * x", word="return x * STATE[0]"
)


def case_of(task, name):
    return Case(name, task, "a claim", lambda draw: [])


def settled(failing, cases, **alone):
    """What comes of cases, of which ``failing`` fail with all answers together.

    In ``alone`` are, for a task such as t1, the cases that fail with its answer alone.
    """

    def result(case, wrong):
        return Result(case.name, "failed" if case.name in wrong else "passed", "wrong")

    def run(task, some):
        wrong = alone.get(f"t{task[-1]}", set())
        return [result(case, wrong) for case in some]

    results = [result(case, failing) for case in cases]
    found, charged = blame.settle(cases, results, TASKS, run)
    failed = [one.name for one in found if not one.passed]
    return failed, {task: case.name for task, (case, _) in charged.items()}


CASES_OF_THREE = [case_of("97.1", "a"), case_of("97.2", "b"), case_of("97.3", "c")]


@pytest.mark.parametrize(
    ("failing", "alone", "failed", "charged"),
    [
        # A case that its own task fails stays with that task.
        ({"a"}, {"t1": {"a"}}, ["a"], {}),
        # The only failing case is of a task that is right: another task is charged.
        ({"c"}, {"t1": {"c"}}, [], {"97.1": "c"}),
        # A task with a failing case of its own is charged with nothing more.
        ({"a", "c"}, {"t1": {"a", "c"}}, ["a"], {}),
        # Two wrong places cost two tasks.
        ({"a", "b"}, {"t3": {"a"}, "t1": {"b"}}, [], {"97.1": "b", "97.3": "a"}),
        # Nobody pays for a case that fails with no answer alone.
        ({"b"}, {}, [], {}),
    ],
)
def test_the_task_that_makes_a_case_fail_is_charged(failing, alone, failed, charged):
    assert settled(failing, CASES_OF_THREE, **alone) == (failed, charged)


def test_a_race_that_fails_once_in_three_runs_counts():
    outcomes = iter(["passed", "passed", "failed"])
    (case,) = CASES_OF_THREE[:1]

    def run(task, some):
        return [Result(one.name, next(outcomes)) for one in some]

    results = [Result("a", "failed")]
    (found,), charged = blame.settle([case], results, TASKS, run)
    assert not found.passed and not charged


@pytest.fixture
def lab(tmp_path):
    folder = in_python(tmp_path)
    (folder / "reference" / "twice.py").write_text(REFERENCE)
    (folder / "cases.py").write_text(CASES)
    forget_modules("lab_60_twice")
    return project.lab_at(str(folder))


def points_of(lab, top, number, word, hidden_seed):
    """The points of both tasks, and what reports say."""
    answer = top / "twice.py"
    answer.write_text(ANSWER.format(number=number, word=word))
    built = builds.build_own(lab, {"twice.py": answer}, top / "made")
    graded = grade.grade_answer(lab, built, hidden_seed)
    return [one.points for one in graded.tasks], graded.failures


@pytest.mark.parametrize("seed", [None, 5])
def test_a_mistake_that_another_task_shows_costs_the_task_that_is_wrong(
    lab, tmp_path, seed
):
    right = "return x * STATE[0]"
    points, failures = points_of(lab, tmp_path, WRONG_FOR_OTHERS, right, seed)
    assert points == [1, 3]
    ((task, result),) = failures
    assert (task.number, result.charged_from, result.name) == ("60.1", "60.2", "words")
    assert "with this answer to task 60.1" in result.message
    assert points_of(lab, tmp_path, "return 2 * x", right, seed) == ([2, 3], [])
    points, _ = points_of(lab, tmp_path, "return 2 * x", "return x", seed)
    assert points == [2, 0]


def test_results_keep_their_fields_when_they_are_charged():
    result = Result("a", "failed", "it is 3", {"see": "cases.py:1"})
    charged = blame._charge(CASES_OF_THREE[2], result, "97.1")
    changed = {"message", "charged_from"}
    for field in dataclasses.fields(Result):
        same = getattr(charged, field.name) == getattr(result, field.name)
        assert same == (field.name not in changed)
