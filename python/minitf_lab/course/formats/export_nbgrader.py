"""Marks of a class into nbgrader's own database, through its ``Gradebook``.

The lab becomes an assignment with one notebook, in which each task is a graded cell; the
report on all of them is the comment of a cell ``report``. nbgrader need not be installed
unless this is asked for.
"""

from pathlib import Path
from typing import Any

from minitf_lab import project
from minitf_lab.course import text, wording
from minitf_lab.course.class_records import (
    ClassRecords,
    Record,
    handed_in,
    not_scored,
    student,
)

REPORT = "report"


def _gradebook() -> Any:
    try:
        from nbgrader.api import Gradebook  # only who uses nbgrader has it
    except ImportError as error:
        raise project.LabError(
            "nbgrader is not installed: pip install nbgrader==0.9.6 in an environment, "
            "and run this there; or use the format nbgrader-csv"
        ) from error
    return Gradebook


def _add(book: Any, lab: str, record: Record, person: dict[str, str]) -> None:
    """Writes one record; marks that a person has given stay."""
    name = person.get("id") or student(record)
    about = {
        key: person[key] for key in ("last_name", "first_name", "email") if key in person
    }
    book.update_or_create_student(name, **{k: text.clean(v) for k, v in about.items()})
    sent = handed_in(record)
    times = {"timestamp": sent.isoformat()} if sent.year > 1 else {}
    book.update_or_create_submission(lab, name, **times)
    is_open = record["status"] == "grader_error"
    scores = {test["id"]: test["score"] for test in record["tests"]}
    for notebook in book.find_submission(lab, name).notebooks:
        for grade in notebook.grades:
            # Who was rejected has nothing for a task; who waits has no score at all.
            grade.auto_score = None if is_open else scores.get(grade.name, 0)
            grade.needs_manual_grade = is_open
    book.find_comment(REPORT, lab, lab, name).auto_comment = wording.summary(record)
    book.db.commit()


def export(path: Path, found: ClassRecords) -> list[str]:
    """Writes all marks into the database ``path``, and returns who is not in it.

    Raises:
        LabError: nbgrader is not installed, or refuses something.
    """
    gradebook = _gradebook()
    lab = found.records[0]["lab"]["id"]
    left_out = {}
    for name in found.latest:
        if name != text.clean(name):
            left_out[name] = "a database cannot hold this name"
        elif name in found.unknown:
            left_out[name] = "not in the roster"
    tasks = {test["id"]: test["points"] for one in found.records for test in one["tests"]}
    try:
        with gradebook(f"sqlite:///{path.resolve()}") as book:
            book.update_or_create_assignment(lab)
            book.update_or_create_notebook(lab, lab)
            for name, points in tasks.items():
                book.update_or_create_grade_cell(
                    name, lab, lab, max_score=points, cell_type="code"
                )
            book.update_or_create_solution_cell(REPORT, lab, lab)
            for name, record in found.latest.items():
                if name not in left_out:
                    _add(book, lab, record, found.people.get(name, {}))
    except project.LabError:
        raise
    except Exception as error:
        raise project.LabError(f"{path}: nbgrader: {text.one_line(error)}") from error
    notes = [f"{text.one_line(name)}: {why}" for name, why in left_out.items()]
    return notes + not_scored(found)
