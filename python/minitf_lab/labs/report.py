"""Shows results: a failing test case so that it teaches, and points as a table."""

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from minitf_lab import project
from minitf_lab.labs import questions
from minitf_lab.labs.answers import Answer
from minitf_lab.labs.marks import Grade, TaskGrade
from minitf_lab.results import Result

STATUS_TEXT = {
    "crashed": "the program crashed",
    "timeout": "not finished in time",
    "left": "the program ended before the test did",
    "skipped": "skipped",
    "failed": "wrong",
    "not written": "not written yet",
}
# Colours, where there is a terminal.
STYLES = {"passed": "green", "not written": "yellow"}
WRONG = "red"


def console() -> Console:
    """Where everything is printed; plain text if that is not a terminal."""
    return Console(highlight=False, markup=False)


# What the report shows of a failure, and what it calls it.
DETAILS = {
    "place": "where",
    "case": "with",
    "index": "first difference",
    "expected": "expected",
    "got": "got",
    "differ": "different",
    "max_abs": "at most by",
    "max_rel": "as a part",
    "around": "around it",
    "diagnosis": "it looks as if",
    "see": "see",
}


def failure_lines(task: project.Task, result: Result) -> list[tuple[str, str]]:
    """What the report of a failing case says, as pairs of a word and its text."""
    claim = result.details.get("claim", result.name)
    return [
        ("task", f"{task.number} {task.title}"),
        ("test", f"{claim}: {STATUS_TEXT[result.status]}"),
        ("message", result.message),
        *(
            (word, result.details[key])
            for key, word in DETAILS.items()
            if key in result.details
        ),
        *([("printed", result.printed)] if result.printed else []),
        ("read", task.doc),
    ]


def print_failure(out: Console, task: project.Task, result: Result) -> None:
    """Prints one failing case; what is not written yet takes one line."""
    if result.status == "not written":
        line = f"  {result.details.get('claim', result.name)}: {result.message}"
        out.print(line, style=STYLES[result.status])
        return
    table = Table.grid(padding=(0, 2))
    for word, text in failure_lines(task, result):
        table.add_row(word, text)
    box = Panel(table, title=result.name, title_align="left", expand=False)
    box.border_style = STYLES.get(result.status, WRONG)
    out.print(box)


def print_failures(
    out: Console, failures: list[tuple[project.Task, Result]], most: int = 1
) -> None:
    """Prints the first wrong cases of every task, and the names of the others.

    Cases that are not written yet come behind those that are wrong, and have no names.

    ``most`` cases of each task are shown as a whole.
    """
    by_task: dict[str, list[tuple[project.Task, Result]]] = {}
    for task, result in failures:
        by_task.setdefault(task.number, []).append((task, result))
    for number, found in by_task.items():
        found.sort(key=lambda pair: pair[1].status == "not written")
        for task, result in found[:most]:
            print_failure(out, task, result)
        others = [result for _, result in found[most:]]
        wrong = [result.name for result in others if result.status != "not written"]
        if others:
            names = f": {', '.join(wrong)}" if wrong else ""
            style = WRONG if wrong else STYLES["not written"]
            out.print(f"  task {number}: {len(others)} more failing{names}", style=style)


def print_counts(out: Console, counts: dict[str, int]) -> None:
    """Prints how many cases passed, failed, and are not written yet."""
    parts = []
    for status, count in counts.items():
        word = STATUS_TEXT[status] if status == "not written" else status
        style = STYLES.get(status, WRONG) if count else ""
        parts.append(Text(f"{count} {word}", style))
    out.print(Text(", ").join(parts))


def print_build(out: Console, answer: Answer) -> None:
    """Prints what the compiler said, and which files have lost their marks."""
    if answer.warnings:
        out.print(answer.warnings)
    for name in answer.whole:
        out.print(
            f"{name} has not the marks of the exercise, TODO(...) begin and end: its "
            "tasks are tested together, so one may fail for what another lacks"
        )


def print_copied(out: Console, tasks: list[str]) -> None:
    """Prints which answers are minitf's own."""
    if tasks:
        out.print(f"minitf's own answer, word for word: {', '.join(tasks)}")


def print_questions(out: Console, lab: project.Lab) -> None:
    """Prints one line for each question of a lab: whether it is answered, and right."""
    for question in questions.of_work(lab):
        said = questions.verdict(lab, question)
        out.print(f"question {question.number}: {said}")


def print_speed(out: Console, grades: list[TaskGrade]) -> None:
    """Prints how quick the tasks are that have points for speed."""
    for one in grades:
        if one.speed:
            out.print(f"task {one.task.number}: {one.speed.message}")


def _style_of(task: TaskGrade) -> str:
    """The colour of its points."""
    if task.points == task.task.points:
        return STYLES["passed"]
    is_begun = any(result.status != "not written" for result in task.results)
    return WRONG if is_begun else STYLES["not written"]


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
            Text(f"{task.points} of {task.task.points}", _style_of(task)),
            task.note or (task.speed.message if task.speed else ""),
        )
    out.print(table)
    missing = sum(result.status == "not written" for _, result in grade.failures)
    wrong = len(grade.failures) - missing
    out.print(
        f"{grade.points} of {grade.max_points} points; "
        f"{missing} cases not written yet, {wrong} wrong"
    )
