"""Records as scores of LTI 1.3's Assignment and Grade Services, ready to be sent.

Each is the body of a POST to ``<line item>/scores`` of the type
``application/vnd.ims.lis.v1.score+json``. Sending them is left to the school's own tool.
"""

from datetime import UTC, datetime
from typing import Any

from minitf_lab.course import text, wording
from minitf_lab.course.class_records import ClassRecords, Record, student
from minitf_lab.project import LabError

MOST = 255  # characters of a userId, as OpenID Connect has it


def score(record: Record, user: str, now: datetime) -> dict[str, Any]:
    """The score of one hand-in; none is given if the grader failed.

    A platform takes a later score only if its time, ``now``, is later.
    """
    stamp = now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    values = {
        "userId": user,
        "comment": wording.summary(record),
        "timestamp": stamp,
        "activityProgress": "Completed",
        "gradingProgress": "FullyGraded",
    }
    if record["status"] == "grader_error":
        return values | {"gradingProgress": "Failed"}
    return values | {"scoreGiven": record["score"], "scoreMaximum": record["max_score"]}


def export(found: ClassRecords, now: datetime) -> tuple[str, list[str]]:
    """All scores as an array, and who is not in it.

    With a roster, ``userId`` is its column ``lti_user_id``; without one, it is the name
    that hand-ins are called by.

    Raises:
        LabError: nobody can be exported.
    """
    scores, notes = [], []
    for record in found.records:
        name = student(record)
        person = found.people.get(name, {})
        user = name if found.roster is None else person.get("lti_user_id", "")
        if user and user == text.clean(user)[:MOST]:
            scores.append(score(record, user, now))
        else:
            said = (
                "no userId can be written so" if user else "no lti_user_id in the roster"
            )
            notes.append(f"{text.one_line(name)}: {said}")
    if not scores:
        said = "\n  ".join(notes)
        raise LabError(f"nobody of {len(notes)} students can be exported:\n  {said}")
    return text.json_text(scores) + "\n", notes
