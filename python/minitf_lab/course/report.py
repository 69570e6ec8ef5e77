"""``./lab course report``: one page for each student, and one for the class.

The student's page says all that helps to put a fault right, and nothing of hidden cases
but their kind. The class's page, ``index.html``, is for the instructor: what was hard,
what many got wrong and why, and whom to look after.
"""

import argparse
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

from minitf_lab.course import boards, class_records, pages, text, wording
from minitf_lab.course.boards import Board
from minitf_lab.course.class_records import ClassRecords, Record
from minitf_lab.labs.handin import records

STEPS = 10  # bars of the distribution
MOST_FAULTS = 20


def _task(test: dict[str, Any], *, after_due: bool) -> dict[str, Any]:
    """What a student's page says of a task."""
    failing = wording.failing(test, after_due=after_due)
    shown = [case for case in failing if case["verdict"] != "not_written"]
    is_told = wording.is_shown(test, {}, after_due=after_due)
    told = []
    if is_told and not failing:
        told = [("message", wording.message(test))]
        told.append(("hint", wording.value(test.get("hint"))))
    if len(shown) > wording.MOST_CASES:
        some = f"{len(shown)} are wrong, here are {wording.MOST_CASES} of them"
        told.append(("cases", some))
    points = "?" if test["score"] is None else text.number(test["score"])
    missing = len(failing) - len(shown)
    said_speed = wording.speed(test)
    return {
        "test": test,
        "verdict": ": ".join(
            filter(None, (wording.verdict(test["verdict"]), said_speed))
        ),
        "points": points,
        "told": [(word, said) for word, said in told if said],
        "blocks": [wording.block(test, case) for case in shown[: wording.MOST_CASES]],
        "not_written": f"{missing} case{'s' * (missing > 1)}" if missing else "",
        "hidden": wording.hidden(test, after_due=after_due),
    }


def student_page(
    record: Record, best: list[Board] | None = None, *, after_due: bool = False
) -> str:
    """The page of one student, with the best of the class.

    ``after_due`` shows the cases that are kept back until the due date.
    """
    return pages.render(
        "report_student",
        record=record,
        build=wording.build_messages(record),
        tasks=[_task(test, after_due=after_due) for test in record["tests"]],
        boards=[
            (board, boards.shown(board, class_records.student(record)))
            for board in best or []
        ],
    )


def _distribution(scores: list[float], most: float) -> list[dict[str, Any]]:
    """How many students have how many points, in equal steps; the last has its end."""
    if most <= 0:
        return []
    counts = Counter(
        min(max(int(score / most * STEPS), 0), STEPS - 1) for score in scores
    )
    ends = [text.number(most * i / STEPS) for i in range(STEPS + 1)]
    return [
        {
            "label": f"{ends[i]} to {'less than ' if i < STEPS - 1 else ''}{ends[i + 1]}",
            "count": counts[i],
            "percent": round(100 * counts[i] / max(counts.values())) if counts else 0,
        }
        for i in range(STEPS)
    ]


def _tasks(scored: list[Record]) -> list[dict[str, Any]]:
    """The tasks by the part of their points that the class has, the least first."""
    by_task: dict[str, list[dict[str, Any]]] = {}
    for record in scored:
        for test in record["tests"]:
            by_task.setdefault(test["id"], []).append(test)
    rows = []
    for name, tests in by_task.items():
        possible = sum(test["points"] for test in tests)
        reached = sum(test["score"] for test in tests)
        rows.append(
            {
                "id": name,
                "title": tests[0]["title"],
                "percent": round(min(100 * reached / possible, 100)) if possible else 100,
                "full": sum(test["score"] >= test["points"] for test in tests),
                "count": len(tests),
                "not_written": sum(test["verdict"] == "not_written" for test in tests),
            }
        )
    return sorted(rows, key=lambda row: (row["percent"], row["id"]))


def _faults(scored: list[Record]) -> list[dict[str, Any]]:
    """Diagnoses by the number of students who have them, each once for a task."""
    counts = Counter(
        found
        for record in scored
        for found in {
            (test["id"], wording.value(case["diagnosis"]))
            for test in record["tests"]
            for case in test.get("cases", [])
            if case.get("diagnosis")
        }
    )
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [
        {"task": task, "diagnosis": diagnosis, "count": count}
        for (task, diagnosis), count in ordered[:MOST_FAULTS]
    ]


def _students(found: ClassRecords) -> list[dict[str, Any]]:
    rows = []
    for name, record in found.latest.items():
        is_scored = record["status"] != "grader_error"
        points = text.number(record["score"]) if is_scored else "not graded"
        rows.append(
            {
                "name": text.one_line(name),
                "page": f"{text.slug(name)}.html",
                "earlier": found.earlier.get(name, 0),
                "sent": text.one_line(record["submission"].get("submitted_at") or "?"),
                "flags": text.one_line(", ".join(map(str, record["flags"]))),
                "points": points,
            }
        )
    return rows


def _attention(found: ClassRecords) -> list[tuple[str, list[str]]]:
    """Whom to look after, and why."""

    def named(status: str) -> list[str]:
        return [
            text.one_line(name) + (f": {said}" if said else "")
            for name, record in found.latest.items()
            if record["status"] == status
            for said in [text.one_line(wording.build_messages(record))]
        ]

    return [
        ("The grader failed: grade these again", named("grader_error")),
        ("Rejected", named("rejected")),
        ("Handed in nothing", [text.one_line(name) for name in found.missing]),
        ("Not in the roster", [text.one_line(name) for name in found.unknown]),
        ("Files to look at", [text.one_line(said, 400) for said in found.problems]),
    ]


def class_page(found: ClassRecords) -> str:
    """The page of the class, for its instructor alone."""
    scored = [one for one in found.records if one["status"] != "grader_error"]
    scores = [record["score"] for record in scored]
    verdicts = Counter(test["verdict"] for one in found.records for test in one["tests"])
    most = max(record["max_score"] for record in found.records)
    return pages.render(
        "report_class",
        lab=found.records[0]["lab"]["id"],
        hand_ins=len(found.latest),
        scored=len(scored),
        median=statistics.median(scores) if scores else 0,
        mean=round(statistics.mean(scores), 2) if scores else 0,
        max_score=most,
        attention=_attention(found),
        distribution=_distribution(scores, most),
        tasks=_tasks([one for one in scored if one["status"] == "graded"]),
        faults=_faults(scored),
        verdicts=[(wording.verdict(name), n) for name, n in verdicts.most_common()],
        students=_students(found),
    )


def run(args: argparse.Namespace) -> int:
    """Writes the pages; returns the exit status.

    Raises:
        LabError: the records cannot be read, or the pages not be written.
    """
    found = class_records.read_class(Path(args.source), args.roster, args.key_bytes)
    out = args.out
    best = boards.boards(found)
    for name, record in found.latest.items():
        page = student_page(record, best, after_due=args.after_due)
        records.write_file(out / f"{text.slug(name)}.html", page.encode())
    records.write_file(out / "index.html", class_page(found).encode())
    print(f"wrote {len(found.latest)} pages, and {out / 'index.html'} for yourself")
    for problem in found.problems:
        print(problem)
    return 1 if found.problems else 0
