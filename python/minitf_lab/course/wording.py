"""What a record says in sentences: the verdict of a case, and all that teaches about it.

Pages and exports take their words from here, so that a student reads the same everywhere.
A hidden case is never described: how many there are, and what kind of fault they show, is
all that is said.
"""

from collections import Counter
from typing import Any

from minitf_lab.course import text
from minitf_lab.labs.handin import records

VERDICTS = {
    "ok": "right",
    "wrong_answer": "a wrong value came back",
    "out_of_bounds": "it used memory beyond an array, or changed an input",
    "raised": "it raised an error where none was expected",
    "crashed": "it crashed",
    "exited": "it ended the program instead of returning",
    "timeout": "it was not finished in time",
    "memory_limit": "it used more memory than it may",
    "process_limit": "it started more processes or threads than it may",
    "output_limit": "it printed more than it may",
    "protocol_error": "it disturbed the program that called it",
    "too_slow": "it is right, but too slow",
    "compile_error": "it does not compile",
    "compile_timeout": "compiling it took too long",
    "rejected": "the hand-in could not be taken",
    "policy": "it uses what this lab does not allow",
    "blocked": "not tried: another task must be right first",
    "skipped": "not tried: this machine lacks what it needs; it does not count",
    "not_written": "not written yet",
    "grader_error": "the grader failed here, not you: it will be graded again",
}
STATUSES = {
    "graded": "graded",
    "rejected": "rejected: the hand-in could not be taken as it is",
    "grader_error": "not graded yet: the grader failed, not you; it will be graded again",
}
# What a block says besides, in this order: the word for it, and its name in the record.
NUMBERS = (
    ("first difference", "first_index"),
    ("expected", "expected"),
    ("got", "got"),
)

MOST_CASES = 10  # of a task, told as a whole

Lines = list[tuple[str, str]]


def verdict(name: str) -> str:
    """A verdict as a sentence; its own name if it is not known."""
    return VERDICTS.get(name, text.one_line(name, 40))


def title(test: dict[str, Any]) -> str:
    """A task's number and title, in one line."""
    return text.one_line(f"{test['id']} {test['title']}")


def points(test: dict[str, Any]) -> str:
    """A task and its points, in one line."""
    return f"{title(test)}: {text.number(test['score'])} of {text.number(test['points'])}"


def value(said: Any) -> str:
    """A value of a record, on at most a few lines; indices and shapes as in the report.

    >>> value([0, 2]), value(1.5), value(None)
    ('[0,2]', '1.5', '')
    """
    if said is None:
        return ""
    if isinstance(said, list):
        return text.clip(f"[{','.join(value(one) for one in said)}]", lines=4)
    return text.clip(said, lines=6)


def is_shown(test: dict[str, Any], case: dict[str, Any], *, after_due: bool) -> bool:
    """Whether a student may see this case of a test."""
    visibility = case.get("visibility", test.get("visibility", "visible"))
    return visibility == "visible" or (visibility == "after_due_date" and after_due)


def failing(test: dict[str, Any], *, after_due: bool = False) -> list[dict[str, Any]]:
    """The cases that a student is shown, of those that are not right."""
    return [
        case
        for case in test.get("cases", [])
        if case["verdict"] not in ("ok", "blocked", "skipped")
        and is_shown(test, case, after_due=after_due)
    ]


def hidden(test: dict[str, Any], *, after_due: bool = False) -> str:
    """What is said of the hidden cases of a test; nothing if there are none.

    >>> case = {"id": "x", "verdict": "crashed"}
    >>> hidden({"visibility": "hidden", "cases": [case, {"id": "y", "verdict": "ok"}]})
    '1 of 2 hidden cases is right; 1: it crashed'
    """
    cases = [
        case
        for case in test.get("cases", [])
        if not is_shown(test, case, after_due=after_due)
    ]
    if not cases:
        return ""
    counts = Counter(case["verdict"] for case in cases)
    right = counts.pop("ok", 0)
    some = f"{right} of {len(cases)} hidden cases {'is' if right == 1 else 'are'} right"
    faults = [f"{count}: {verdict(name)}" for name, count in counts.most_common()]
    return "; ".join([some, *faults])


def speed(test: dict[str, Any]) -> str:
    """How quick an answer is; empty if that was not measured.

    >>> speed({"ratio": 1.234, "spread": [1.2, 1.3], "time_ms": 5.11})
    "1.23 times the reference's time (half of the calls: 1.20 to 1.30), 5.11 ms a call"
    """
    said = (
        f"{float(test['ratio']):.2f} times the reference's time"
        if test.get("ratio")
        else ""
    )
    if said and isinstance(test.get("spread"), list) and len(test["spread"]) == 2:
        low, high = map(float, test["spread"])
        said += f" (half of the calls: {low:.2f} to {high:.2f})"
    if said and test.get("time_ms"):
        said += f", {float(test['time_ms']):.3g} ms a call"
    return said


def message(test: dict[str, Any]) -> str:
    """What the record says of a whole task, if it is more than its verdict."""
    said = value(test.get("message"))
    return "" if said == verdict(test["verdict"]) else said


def _different(case: dict[str, Any]) -> str:
    """How many elements differ, and by how much."""
    parts = []
    if case.get("n_bad") is not None:
        of = f" of {value(case['n'])}" if case.get("n") is not None else ""
        parts.append(f"{value(case['n_bad'])}{of}")
    for word, key in (("absolute", "max_abs"), ("relative", "max_rel")):
        if case.get(key) is not None:
            parts.append(f"at most by {value(case[key])} ({word})")
    return ", ".join(parts)


def block(test: dict[str, Any], case: dict[str, Any], *, own: bool = True) -> Lines:
    """All that a student is told of a failing case, as pairs of a word and its text.

    Args:
        test: The task.
        case: One that the student may see.
        own: Whether what comes from the student's program is in it: values, messages
            and its print-out. Some formats cannot hold such text safely.
    """
    called = value(case.get("call") or case.get("shape"))
    told: Lines = [
        ("case", text.one_line(case["id"])),
        ("called with", called),
        ("what happened", verdict(case["verdict"])),
        ("message", text.clip(case.get("message") or "") if own else ""),
    ]
    told += [(word, value(case.get(key))) for word, key in NUMBERS if own or key != "got"]
    told += [
        ("different", _different(case)),
        ("around it", value(case.get("around")) if own else ""),
        ("it looks as if", value(case.get("diagnosis"))),
        ("hint", value(case.get("hint") or test.get("hint"))),
        ("your program printed", text.clip(case.get("printed") or "") if own else ""),
    ]
    return [(word, said) for word, said in told if said]


def build_messages(record: dict[str, Any]) -> str:
    """What the compiler said, or why the hand-in was not taken or not graded."""
    said = record["build"].get("messages") or ""
    if not said and record["status"] != "graded" and record["tests"]:
        said = records.failure(record)
    if isinstance(said, list):
        said = "\n".join(str(line) for line in said)
    return text.clip(said, lines=40)


def explanation(test: dict[str, Any], *, after_due: bool = False) -> str:
    """A whole task as plain text, with the student's own values and print-outs."""
    parts = [verdict(test["verdict"])]
    is_told = is_shown(test, {}, after_due=after_due)
    shown = failing(test, after_due=after_due)
    if is_told and not shown:
        parts += [said for said in [message(test)] if said]
    for case in shown[:MOST_CASES]:
        if case["verdict"] == "not_written":
            continue
        lines = []
        for word, said in block(test, case):
            lines.append(f"{word}: " + said.replace("\n", "\n    "))
        parts.append("\n".join(lines))
    if not test.get("cases") and test.get("hint") and is_told:
        parts.append(f"hint: {value(test['hint'])}")
    if said := hidden(test, after_due=after_due):
        parts.append(said)
    return "\n\n".join(parts)


def summary(record: dict[str, Any]) -> str:
    """The points of each task in one line each, and no word of the student's."""
    if record["status"] != "graded":
        return STATUSES[record["status"]]
    lines = [
        points(test)
        + ("" if test["verdict"] == "ok" else f" ({verdict(test['verdict'])})")
        for test in record["tests"]
    ]
    if penalty := record.get("late_penalty"):  # only where late days are counted
        lines.append(f"late: {text.number(penalty)} points less")
    return "\n".join(lines)
