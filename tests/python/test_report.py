"""What the report says of several cases of one task that fail."""

import io

import pytest
from rich.console import Console

from minitf_lab import report
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
