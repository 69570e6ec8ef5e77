"""docs/labs.md: all labs in one table, and the courses that can be made of them."""

from collections.abc import Iterable

from minitf_lab import project
from minitf_lab.dev.quality import controls, faults, measure, mutate, sanitized
from minitf_lab.judge.case import load_cases
from minitf_lab.judge.regions import find_regions
from minitf_lab.labs import builds

HEAD = """# The labs in figures

Made by `./lab gen` from the manifests, the cases and what `./lab measure NN` has found
out about each lab.

- **Lines** are those of code that an answer takes: minitf's own, and those of people who
  had read the exercise and the headers alone.
- **Hours** are estimated, for somebody who has C++ and one course on machine learning.
- **Cases** are classes of inputs, most of them with dozens of trials: those that students
  have, and those that only count for marks.
- **Faults** are wrong answers that were planted: how many the cases find, and how many of
  these are reported under the task that is wrong.
- **Strangers** are people who had read the exercise and the headers, and not the cases or
  the reference: how many of their wrong answers all cases find, and how many under the
  task that is wrong.
- **Mutants** are wrong answers made by rule (`./lab mutate`), without those that do not
  compile or are known to be right: the part that public cases find, and all.
- **Seconds** go by from an edit of all files of the lab to the verdict, of what students
  have (`./lab test`), and of all cases. Two cores with nothing else to do.
- **Sanitizers** are those that have watched minitf's own answers in C++, and how many of
  all cases pass then.

| lab | title | files | lines | hours | cases | faults | strangers | mutants \
| seconds | sanitizers |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
NOT_MEASURED = "not measured"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


def _faults(counts: dict[str, int] | None, answers: int) -> str:
    """How many were found, if so many answers were tried."""
    if not counts or counts["all"] != answers:
        return NOT_MEASURED
    return "{found} and {named} of {all}".format(**counts)


def _seconds(figures: dict[str, float] | None) -> str:
    if not figures:
        return NOT_MEASURED
    return f"{figures['test']:.0f}, {figures['grade']:.0f}"


def _sanitizers(lab: project.Lab, figures: dict[str, dict[str, int]]) -> str:
    """For each that is to watch a lab, what came of it."""
    cells = []
    for name in sanitized.sanitizers_of(lab):
        counts = figures.get(name)
        said = "{passed} of {all}".format(**counts) if counts else NOT_MEASURED
        cells.append(f"{name} {said}")
    return "; ".join(cells) or "none"


def _mutants(counts: dict[str, int] | None) -> str:
    if not counts:
        return NOT_MEASURED
    judged, found = mutate.judged_of(counts)
    of = _percent(counts["public"], judged), _percent(found, judged)
    return f"{of[0]} and {of[1]} of {judged}"


def _lines_in(texts: Iterable[str]) -> int:
    """How many lines of code stand between the marks of files."""
    found = [one for text in texts for one in find_regions(text)]
    return sum(len(region.words) for region in found)


def _lines(lab: project.Lab) -> str:
    """The lines of minitf's answer, and the least and the most of others'."""
    others = [
        _lines_in(builds.honest_parts(lab, version).values())
        for version in controls.versions_of(lab)
    ]
    own = str(_lines_in(lab.unit(file).read_text() for file in lab.files))
    return f"{own}; {min(others)}-{max(others)}" if others else own


def row(lab: project.Lab) -> str:
    """A lab's line of the table."""
    cases = load_cases(lab.tests)
    hidden = sum(case.is_hidden for case in cases)
    figures = measure.read(lab)
    hours = f"{lab.hours:g}" if lab.hours else "?"
    cells = [
        lab.number,
        f"[{lab.title}](../exercises/{lab.folder}/README.md)",
        f"{len(lab.files)}",
        _lines(lab),
        hours,
        f"{len(cases) - hidden} and {hidden}",
        _faults(figures.get("faults"), len(faults.answers(lab))),
        _faults(figures.get("strangers"), len(faults.answers(lab, faults.STRANGERS))),
        _mutants(figures.get("mutants")),
        _seconds(figures.get("seconds")),
        _sanitizers(lab, figures.get("sanitizers", {})),
    ]
    return f"| {' | '.join(cells)} |\n"


def _tracks(labs: list[project.Lab]) -> str:
    """The courses: what is there of each."""
    there = {lab.number: lab.hours for lab in labs}
    lines = []
    for track in project.tracks():
        shown = [n if n in there else f"({n})" for n in track.labs]
        hours = sum(there.get(number, 0) for number in track.labs)
        lines.append(f"| {track.title} | {', '.join(shown)} | {hours:g} |\n")
    return "".join(lines)


def page() -> str:
    """The text of docs/labs.md."""
    labs = project.all_labs()
    return (
        HEAD
        + "".join(row(lab) for lab in labs)
        + "\n## Courses\n\n"
        + "`exercises/tracks.json` says which labs make which course, in this order. A "
        "lab in brackets\nis not there yet; the hours are of those that are.\n\n"
        + "| course | labs | hours |\n| --- | --- | --- |\n"
        + _tracks(labs)
    )
