"""What the report says of several cases of one task that fail."""

import io

import pytest
from rich.console import Console

from minitf_lab import processes, progress
from minitf_lab.labs import report
from minitf_lab.labs.marks import Grade, TaskGrade
from minitf_lab.project import Task
from minitf_lab.results import Result


def printed(failures, **options):
    """What is printed of failing cases, given as pairs of a task and a Result."""
    out = Console(file=io.StringIO(), width=200)
    report.print_failures(out, failures, **options)
    return out.file.getvalue()


@pytest.fixture
def failures():
    """Three cases of one task, the first of which is not written yet, and one of another.

    Each has a message of its own, which only a case that is shown as a whole gives.
    """
    kernels, shapes = (
        Task(number, title, points=5, cases=3, doc="README.md")
        for number, title in [("02.7", "Kernels"), ("02.9", "Shapes")]
    )
    return [
        (kernels, Result("rivals", "not written", "message of rivals", {})),
        (kernels, Result("priorities", "failed", "message of priorities", {})),
        (kernels, Result("twice", "failed", "message of twice", {})),
        (shapes, Result("merged", "failed", "message of merged", {})),
    ]


def test_the_first_wrong_case_is_shown_and_the_others_are_named(failures):
    text = printed(failures)
    assert "message of priorities" in text
    assert "message of merged" in text
    assert "message of twice" not in text
    assert "task 02.7: 2 more failing: twice\n" in text
    assert "task 02.9: " not in text


def test_more_are_shown_if_one_task_is_asked_for(failures):
    text = printed(failures[:3], most=4)
    for name in ("priorities", "twice", "rivals"):
        assert f"message of {name}" in text
    assert "more failing" not in text


# ---- In a terminal --------------------------------------------------------------------

ESCAPE = "\x1b["
GREEN, RED, YELLOW = (f"{ESCAPE}{number}m" for number in (32, 31, 33))


def console(*, is_terminal):
    """Where to print, a terminal or a file."""
    return Console(
        file=io.StringIO(),
        width=100,
        force_terminal=is_terminal,
        color_system="standard" if is_terminal else "auto",
        highlight=False,
        markup=False,
        legacy_windows=False,
        _environ={},
    )


def all_printed(out, failures):
    report.print_failures(out, failures)
    report.print_counts(out, {"passed": 7, "failed": 2, "not written": 1})
    done = [Result("a", "passed")]
    tasks = [
        TaskGrade(Task("02.1", "Done", 4, 1, "README.md"), done, 4),
        TaskGrade(failures[-1][0], [failures[-1][1]]),
        TaskGrade(failures[0][0], [failures[0][1]]),
    ]
    report.print_grade(out, Grade(None, tasks), "Lab 02")
    return out.file.getvalue()


def test_what_is_right_wrong_or_missing_has_a_colour_in_a_terminal(failures):
    text = all_printed(console(is_terminal=True), failures)
    assert f"{RED} priorities {ESCAPE}0m" in text
    assert f"{RED}  task 02.7: 2 more failing: twice" in text
    for part in ("7 passed", "4 of 4"):
        assert f"{GREEN}{part}{ESCAPE}0m" in text
    for part in ("2 failed", "0 of 5"):
        assert f"{RED}{part}{ESCAPE}0m" in text
    for part in ("1 not written yet", "0 of 5"):
        assert f"{YELLOW}{part}{ESCAPE}0m" in text


def test_a_pipe_gets_plain_text(failures):
    text = all_printed(console(is_terminal=False), failures)
    assert ESCAPE not in text
    assert "7 passed, 2 failed, 1 not written yet\n" in text


def test_a_line_says_how_many_cases_are_done():
    for is_terminal in (True, False):
        out = console(is_terminal=is_terminal)
        with progress.of_cases(out) as tell:
            done = processes.shared_out(iter, 3, tell=lambda count: tell(count, 3))
        text = out.file.getvalue()
        assert sorted(done) == [0, 1, 2]
        assert all((f"{i} of 3 cases" in text) == is_terminal for i in (1, 2, 3))
    assert text == ""
