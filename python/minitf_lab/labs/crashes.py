"""Where an answer crashes: the case once more, under a sanitizer.

Only the student's files are compiled with it, which takes as long as compiling them. It
also sees what does not crash by chance, such as an index past the end.
"""

from pathlib import Path

from minitf_lab import project
from minitf_lab.labs import builds, grade
from minitf_lab.labs.sanitizer_text import sentence_of
from minitf_lab.results import Result


def find_places(lab: project.Lab, results: list[Result]) -> dict[str, str]:
    """For the crashed ones of ``results``: in which line, and what happened."""
    names = {result.name for result in results if result.status == "crashed"}
    if not names or not lab.cpp_files:
        return {}
    answer = builds.build_version(lab, "work", "asan")
    limits = grade.limits(lab, answer.sanitizer)
    places = {}
    with grade.worker_of(lab, answer) as worker:
        for case in grade.cases_of(lab):
            if case.name in names:
                worker.run(case, limits)
                printed = Path(worker.printed).read_text(errors="replace")
                places[case.name] = sentence_of(printed)
    return {name: text for name, text in places.items() if text.startswith("work/")}
