"""Shows results: a failing test case so that it teaches, and points as a table."""

import re

from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from minitf_lab import project
from minitf_lab.cases import NOT_WRITTEN, Result
from minitf_lab.grade import Grade

STATUS_TEXT = {
    "crashed": "the program crashed",
    "timeout": "not finished in time",
    "left": "the program ended before the test did",
    "skipped": "skipped",
    "failed": "wrong",
    "not written": "not written yet",
}


def console(width: int | None = None) -> Console:
    """Where everything is printed; plain text if that is not a terminal."""
    return Console(highlight=False, markup=False, width=width)


def claim(name: str) -> str:
    """The sentence that the name of a test case stands for.

    >>> claim("Shapes/MatMulGrad.AgreesWithFiniteDifferences/2")
    'MatMulGrad agrees with finite differences (2)'
    >>> claim("Total.OfAValueIsOne")
    'Total of a value is one'
    >>> claim("TestScopes.test_a_name_is_given_once[1.5-x]")
    'Scopes a name is given once (1.5-x)'
    """
    suite, _, case = re.sub(r"\[(.*)\]$", r"/\1", name).partition(".")
    words, _, parameter = case.partition("/")
    # As pytest has it: TestScopes.test_names_are_unique
    suite = re.sub("^Test(?=[A-Z])", "", suite)
    words = re.sub("^test_", "", words).replace("_", " ")
    sentence = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", words)
    sentence = " ".join(
        w if w.isupper() and len(w) > 1 else w.lower() for w in sentence.split()
    )
    suffix = f" ({parameter})" if parameter else ""
    return f"{suite.rpartition('/')[2]} {sentence}{suffix}"


def plain(message: str) -> str:
    r"""A message of GoogleTest without what GoogleTest puts around it.

    >>> plain('unknown file\nC++ exception with description "no x" thrown in the body')
    'no x'
    >>> plain('Value of: Check(x)\n  Actual: false (1, not 2)\nExpected: true\nfor x')
    '1, not 2; for x'
    """
    thrown = re.search(
        r'C\+\+ exception with description "(.*?)" thrown in', message, re.DOTALL
    )
    if thrown:
        return thrown[1].strip()
    checked = re.search(
        r"  Actual: false \((.*?)\)\nExpected: true\n?(.*)", message, re.DOTALL
    )
    if checked:
        return "; ".join(filter(None, (part.strip() for part in checked.groups())))
    return message.strip()


def failure_lines(task: project.Task, result: Result) -> list[tuple[str, str]]:
    """What the report of a failing case says, as pairs of a word and its text."""
    lines = [
        ("task", f"{task.number} {task.title}"),
        ("test", f"{claim(result.name)}: {STATUS_TEXT[result.status]}"),
    ]
    details = result.details
    if "index" in details:
        lines.append(("first difference", details["index"]))
    for word, key in (("expected", "expected"), ("got", "got")):
        if key in details:
            lines.append((word, details[key]))
    if "shape" in details:
        lines.append(("smallest shape", details["shape"]))
    lines.append(("message", plain(result.message)))
    if result.printed:
        lines.append(("printed", result.printed))
    lines.append(("read", task.doc))
    return lines


def print_failure(out: Console, task: project.Task, result: Result) -> None:
    """Prints one failing case; what is not written yet takes one line."""
    if result.status == "not written":
        found = NOT_WRITTEN.search(result.message)
        out.print(f"  {claim(result.name)}: {found[0] if found else 'not written yet'}")
        return
    table = Table.grid(padding=(0, 2))
    for word, text in failure_lines(task, result):
        table.add_row(word, text)
    out.print(Panel(table, title=result.name, title_align="left", expand=False))


def print_failures(out: Console, failures: list[tuple[project.Task, Result]]) -> None:
    """Prints the first wrong case of every task, and how many more there are.

    A case that is not written yet is shown if there is no wrong one.
    """
    by_task: dict[str, list[tuple[project.Task, Result]]] = {}
    for task, result in failures:
        by_task.setdefault(task.number, []).append((task, result))
    for found in by_task.values():
        print_failure(out, *min(found, key=lambda pair: pair[1].status == "not written"))
        if len(found) > 1:
            out.print(f"  task {found[0][0].number}: {len(found) - 1} more failing")


def print_grade(out: Console, grade: Grade, title: str) -> None:
    """Prints the points of every task."""
    table = Table(title=title, title_justify="left")
    for column in ("task", "", "cases"):
        table.add_column(column)
    table.add_column("points", justify="right")
    table.add_column("")
    for task in grade.tasks:
        table.add_row(
            task.task.number,
            task.task.title,
            f"{task.passed} of {task.task.cases}",
            f"{task.points} of {task.task.points}",
            task.note,
        )
    out.print(table)
    missing = sum(result.status == "not written" for _, result in grade.failures)
    wrong = len(grade.failures) - missing
    out.print(
        f"{grade.points} of {grade.lab.points} points; "
        f"{missing} cases not written yet, {wrong} wrong"
    )
