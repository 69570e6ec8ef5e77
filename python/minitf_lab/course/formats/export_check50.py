"""A record as what ``check50 -o json`` prints; its renderers show it.

A check is a case, or the hidden cases of a task; of a task without cases, the task.
"""

from typing import Any

from minitf_lab.course import text, wording
from minitf_lab.course.class_records import Record


def _check(name: str, title: str, verdict: str, rationale: str) -> dict[str, Any]:
    passed = {"ok": True, "skipped": None, "blocked": None}.get(verdict, False)
    cause = None
    if passed is not True:
        cause = {"rationale": rationale, "help": None}
    return {
        "name": text.one_line(name),
        "description": text.one_line(title),
        "passed": passed,
        "log": [],
        "cause": cause,
        "data": {},
        "dependency": None,
    }


def _case(test: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    title = f"{test['id']} {test['title']}: {case['id']}"
    check = _check(case["id"], title, case["verdict"], wording.verdict(case["verdict"]))
    if not check["cause"]:
        return check
    told = dict(wording.block(test, case))
    help_ = [told.get(word) for word in ("it looks as if", "hint")]
    check["cause"]["help"] = "; ".join(part for part in help_ if part) or None
    if "expected" in told and "got" in told:
        check["cause"] |= {"expected": told["expected"], "actual": told["got"]}
    for word in ("called with", "message", "first difference", "different", "around it"):
        if word in told:
            check["log"] += f"{word}: {told[word]}".split("\n")
    if printed := told.get("your program printed"):
        check["log"] += ["your program printed:", *printed.split("\n")]
    return check


def _checks(test: dict[str, Any]) -> list[dict[str, Any]]:
    cases = test.get("cases", [])
    title = f"{test['id']} {test['title']}"
    if not cases:
        return [
            _check(test["id"], title, test["verdict"], wording.verdict(test["verdict"]))
        ]
    checks = []
    hidden_verdicts = []
    for case in cases:
        if wording.is_shown(test, case, after_due=False):
            checks.append(_case(test, case))
        else:
            hidden_verdicts.append(case["verdict"])
    if hidden_verdicts:
        wrong = [verdict for verdict in hidden_verdicts if verdict != "ok"]
        verdict = wrong[0] if wrong else "ok"
        said = wording.hidden(test)
        checks.append(_check(f"{test['id']}.hidden", f"{title}: hidden", verdict, said))
    if test["verdict"] != "ok" and all(case["verdict"] == "ok" for case in cases):
        said = wording.message(test) or wording.verdict(test["verdict"])
        checks.append(_check(f"{test['id']}.speed", title, test["verdict"], said))
    return checks


def export(record: Record) -> str:
    """The text of the file. A hand-in that was not graded has ``error``, no results."""
    values: dict[str, Any] = {
        "slug": text.one_line(f"minitf/{record['lab']['id']}"),
        "version": text.one_line(record["grader"].get("version", "")),
    }
    if record["status"] == "graded":
        values["results"] = [one for test in record["tests"] for one in _checks(test)]
    else:
        values["error"] = {
            "type": record["status"],
            "value": wording.STATUSES[record["status"]],
            "traceback": wording.build_messages(record).splitlines(),
            "data": {},
        }
    return text.json_text(values) + "\n"
