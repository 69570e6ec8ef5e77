"""A record as Gradescope's ``results/results.json``.

Text that is or may be the student's goes into fields of the format "text" only. A record
without a score becomes a file without one, and without tests: Gradescope shows that the
autograder failed, and puts no points into its book.
"""

from typing import Any

from minitf_lab.course import class_records, text, wording
from minitf_lab.course.class_records import Record

VISIBILITIES = ("hidden", "after_due_date", "after_published", "visible")


def _test(test: dict[str, Any]) -> dict[str, Any]:
    visibility = test.get("visibility", "visible")
    # What Gradescope itself keeps back until the due date may say all of it.
    said = wording.explanation(test, after_due=visibility == "after_due_date")
    return {
        "score": test["score"],
        "max_score": test["points"],
        "status": "passed" if test["verdict"] == "ok" else "failed",
        "name": text.one_line(test["title"]),
        "name_format": "text",
        "number": text.one_line(test["id"]),
        "output": said,
        "output_format": "text",
        "tags": [text.one_line(test["verdict"])],
        "visibility": visibility if visibility in VISIBILITIES else "hidden",
        "extra_data": {},
    }


def _board(entry: dict[str, Any]) -> dict[str, Any]:
    value = entry.get("value")
    return {
        "name": text.one_line(entry.get("name", "")),
        "value": value if class_records.is_number(value) else text.one_line(value),
        "order": "asc" if entry.get("order") == "asc" else "desc",
    }


def results(record: Record) -> dict[str, Any]:
    """The whole file.

    >>> lab = {"id": "04"}
    >>> sent = {"id": "ada", "sha256": "ab"}
    >>> record = {"status": "grader_error", "submission": sent, "lab": lab, "build": {}}
    >>> record["tests"] = []
    >>> [key for key in results(record) if key in ("score", "tests")]
    []
    """
    said = [wording.STATUSES[record["status"]], wording.build_messages(record)]
    values: dict[str, Any] = {
        "output": "\n\n".join(part for part in said if part),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {"hand_in": text.one_line(record["submission"]["sha256"])},
    }
    if record["status"] == "grader_error":
        return values
    seconds = record.get("execution_time")
    if class_records.is_number(seconds):
        values["execution_time"] = seconds
    return values | {
        "score": record["score"],
        "tests": [_test(test) for test in record["tests"]],
        "leaderboard": [
            _board(entry) for entry in record["board"] if entry.get("value") is not None
        ],
    }


def export(record: Record) -> str:
    """The text of the file."""
    return text.json_text(results(record)) + "\n"
