"""A record as the result of a step of GitHub Classroom's autograding.

The reporter reads it from ``<RUNNER-ID>_RESULTS``; so the step must set the output
``result``. What is printed is a log that GitHub obeys when a line of it begins with
``::``, so whatever is the student's stands between ``::stop-commands::TOKEN`` and
``::TOKEN::`` with a token that nobody can know.
"""

import base64
import secrets
from typing import Any

from minitf_lab.course import class_records, text, wording
from minitf_lab.course.class_records import Record


def result(record: Record) -> dict[str, Any]:
    """What the reporter of Classroom reads.

    Raises:
        LabError: the record has no score: the reporter would make it 0.
    """
    class_records.need_score(record)
    is_full = record["score"] >= record["max_score"]
    return {
        "version": 1,
        "status": "pass" if is_full else "fail",
        "max_score": record["max_score"],
        "tests": [
            {
                "name": wording.title(test),
                "status": "pass" if test["verdict"] == "ok" else "fail",
                "score": test["score"],
                "message": wording.explanation(test),
                "test_code": "",
                "filename": "",
                "line_no": 0,
                "duration": milliseconds(test) / 1000,
            }
            for test in record["tests"]
        ],
    }


def milliseconds(test: dict[str, Any]) -> float:
    """How long a task took; 0 if that is not known."""
    time = test.get("time_ms")
    return time if class_records.is_number(time) else 0


def output(record: Record) -> str:
    """The line for the file that ``$GITHUB_OUTPUT`` names."""
    encoded = base64.b64encode(text.json_text(result(record), indent=None).encode())
    return f"result={encoded.decode()}\n"


def log(record: Record) -> str:
    """What the step prints: the report as dead text, and then the two notices."""
    result(record)
    token = secrets.token_hex(16)
    lines = [f"::stop-commands::{token}", wording.STATUSES[record["status"]]]
    lines += [part for part in [wording.build_messages(record)] if part]
    for test in record["tests"]:
        lines += [wording.points(test), wording.explanation(test)]
    lines.append(f"::{token}::")
    points, most = record["score"], record["max_score"]
    score = f"{text.number(points)}/{text.number(most)}"
    lines.append(f"::notice title=Autograding complete::Points {score}")
    report = text.json_text({"totalPoints": points, "maxPoints": most}, indent=None)
    report = report.replace(" ", "")
    lines.append(f"::notice title=Autograding report::{report}")
    return "\n".join(lines) + "\n"
