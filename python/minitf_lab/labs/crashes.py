"""Where an answer crashes: the case once more, under a sanitizer.

Only the student's files are compiled with it, which takes as long as compiling them. It
also sees what does not crash by chance, such as an index past the end.
"""

import re
from pathlib import Path

from minitf_lab import project
from minitf_lab.labs import builds, grade
from minitf_lab.results import Result

FRAME = re.compile(r"#\d+ 0x[0-9a-f]+ in (.+?) (\S*work/[^:\s]+:\d+)")
FINDING = re.compile(
    r"ERROR: AddressSanitizer: (\S+)|runtime error: (.+)"
    r"|WARNING: ThreadSanitizer: (.+?) \(pid"
)


def place_of(printed: str) -> str:
    r"""What the sanitizers found, and the first line of the student's in its stack.

    >>> place_of("ERROR: AddressSanitizer: SEGV on\n#0 0x1 in f() a/work/04/a.cc:3:5")
    'SEGV in f(), work/04/a.cc:3'
    """
    found = FINDING.search(printed)
    frame = FRAME.search(printed, found.end() if found else 0)
    if not frame:
        return ""
    what = next(word for word in found.groups() if word) if found else "it ended"
    return f"{what} in {frame[1]}, {frame[2][frame[2].index('work/') :]}"


def find_places(
    lab: project.Lab, results: list[Result], sanitizer: str = ""
) -> dict[str, str]:
    """For the crashed ones of ``results``: what happened, and in which line.

    Args:
        lab: Which one.
        results: Of cases.
        sanitizer: Which one watched already; the address sanitizer if none did.
    """
    names = {result.name for result in results if result.status == "crashed"}
    if not names or not lab.cpp_files:
        return {}
    answer = builds.build_version(lab, "work", sanitizer or "asan")
    limits = grade.limits(lab, answer.sanitizer)
    places = {}
    with grade.worker_of(lab, answer) as worker:
        for case in grade.cases_of(lab):
            if case.name in names:
                worker.run(case, limits)
                printed = Path(worker.printed).read_text(errors="replace")
                places[case.name] = place_of(printed)
    return {name: place for name, place in places.items() if place}
