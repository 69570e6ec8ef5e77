"""Makes the exercises out of the framework.

A student writes what stands between two marks in a file of the framework:

    // LAB(04.2) begin: return dL/da and dL/db
    ...the solution...
    // LAB(04.2) end

In the exercise there is a TODO in place of the solution (``judge/regions.py``), and
everything else is kept, so a solution and its exercise cannot drift apart. Marks in
Python begin with "#".

    ./lab gen             writes all exercises
    ./lab gen LAB         writes those of a lab in a folder of its own
    ./lab gen --check     says which are out of date, or give a solution away

An exercise gives a solution away when a line of some region stands in it. Short lines,
such as ``return x;``, may be there for another reason and do not count.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from minitf_lab import project
from minitf_lab.judge.regions import find_regions, make_exercise

HANDED_OUT = {".cc", ".py", ".md", ".h", ".cu", ".cuh"}
# A line with fewer letters and digits than this says nothing about a solution.
TELLING = 24
# What is asked in so many places that it says nothing either.
COMMON = {
    "if context.executing_eagerly():",
    "for graph_tape in self._graphs.values():",
    "const std::lock_guard lock(mutex_);",
    "const Output x = inner->inputs()[0];",
    "for (size_t i = 0; i < node.inputs().size(); ++i) {",
}


def leaks(source: str, handed_out: str) -> list[tuple[str, str]]:
    r"""Lines of ``source``'s regions that stand in ``handed_out``, each with its task.

    >>> line = "return alpha * beta + gamma * delta;"
    >>> leaks(f"// LAB(01.1) begin: one\n{line}\n// LAB(01.1) end", f"x = 1;\n  {line}")
    [('01.1', 'return alpha * beta + gamma * delta;')]
    """
    shown = {line.strip() for line in handed_out.split("\n")} - COMMON
    return [
        (region.task, line.strip())
        for region in find_regions(source)
        for line in region.lines
        if line.strip() in shown and len(re.sub(r"\W", "", line)) >= TELLING
    ]


def exercises(labs: list[project.Lab] | None = None) -> Iterator[tuple[Path, str, str]]:
    """Yields the target, the source and the fresh text of every exercise file.

    A lab's own file without marks has a starter that is written by hand.

    All labs of exercises/ are meant if ``labs`` are not given.

    Raises:
        LabError: a source is missing, or its marks do not match.
    """
    for lab in project.all_labs() if labs is None else labs:
        for file in lab.files:
            try:
                source = lab.unit(file).read_text()
                exercise = make_exercise(source)
                if lab.is_own and exercise == source:
                    exercise = (lab.starter / file).read_text()
            except (OSError, ValueError) as error:
                raise project.LabError(f"lab {lab.number}: {file}: {error}") from error
            yield lab.starter / Path(file).name, source, exercise


def write(labs: list[project.Lab] | None = None) -> int:
    """Writes every exercise that is out of date; returns the exit status."""
    for target, _, exercise in exercises(labs):
        if project.put(target, exercise):
            print(f"wrote {project.shown(target)}")
    return 0


def findings(labs: list[project.Lab] | None = None) -> list[str]:
    """What is wrong with the exercises as they stand: out of date, or telling."""
    found = []
    for target, source, exercise in exercises(labs):
        name = project.shown(target)
        if not target.exists() or target.read_text() != exercise:
            found.append(f"{name} is out of date: run ./lab gen")
        handed_out = [p for p in target.parent.glob("*") if p.suffix in HANDED_OUT]
        for other in sorted(handed_out):
            for task, line in leaks(source, other.read_text()):
                place = project.shown(other)
                found.append(f"{place} gives away a line of task {task}: {line}")
    return found


def check(labs: list[project.Lab] | None = None) -> int:
    """Prints the findings; returns the exit status."""
    found = findings(labs)
    for sentence in found:
        print(sentence)
    return 1 if found else 0
