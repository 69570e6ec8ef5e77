"""A record as the output of Autolab's driver: the last line of it is the verdict.

The problems of the assessment are named after the tasks, such as ``04.2``. Autolab shows
hints in a page of its own, so no word of the student's is in them.
"""

from typing import Any

from minitf_lab.course import class_records, text, wording
from minitf_lab.course.class_records import Record

WORST = 1_000_000_000  # of what is better if it is less


def _hint(test: dict[str, Any]) -> str:
    if test["verdict"] == "ok":
        return ""
    parts = [wording.verdict(test["verdict"])]
    for case in wording.failing(test)[:1]:
        told = wording.block(test, case, own=False)
        parts += [f"{word}: {said}" for word, said in told if word != "what happened"]
    return text.one_line("; ".join([*parts, wording.hidden(test)]).strip("; "), 600)


def feedback(record: Record) -> dict[str, Any]:
    """Autolab's semantic feedback: two stages, and each task in the second one."""
    build = {"passed": record["status"] == "graded" and bool(record["build"].get("ok"))}
    if not build["passed"]:
        build["hint"] = wording.STATUSES[record["status"]]
        if record["status"] == "graded":
            build["hint"] = "it does not compile, or not all of it"
    tests = {}
    for test in record["tests"]:
        passed = {"passed": test["verdict"] == "ok"}
        hint = {} if passed["passed"] else {"hint": _hint(test)}
        tests[wording.title(test)] = passed | hint
    return {
        "_presentation": "semantic",
        "stages": ["Build", "Test"],
        "Build": {"compile": build},
        "Test": tests,
    }


def _columns(record: Record) -> list[float]:
    """The values of the boards, in order; where there is none, the worst that can be.

    >>> worst = {"name": "time", "value": None, "order": "asc"}
    >>> _columns({"board": [{"name": "speed-up", "value": 0.8, "order": "desc"}, worst]})
    [0.8, 1000000000]
    """
    return [
        entry["value"]
        if class_records.is_number(entry.get("value"))
        else (WORST if entry.get("order") == "asc" else 0)
        for entry in record["board"]
    ]


def export(record: Record) -> str:
    """The lines, which must be the last that the driver prints.

    Raises:
        LabError: the record has no score: without the last line, Autolab gives none.
    """
    class_records.need_score(record)
    scores = {text.one_line(test["id"]): test["score"] for test in record["tests"]}
    verdict = {"scores": scores, "scoreboard": [record["score"], *_columns(record)]}
    lines = [feedback(record), verdict]
    return "".join(text.json_text(line, indent=None) + "\n" for line in lines)
