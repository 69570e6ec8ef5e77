"""A sanitizer's finding, in one sentence that begins with the student's line.

Only the student's own lines of a report help: the rest is the framework and Python.
"""

import re

from minitf_lab.results import MAX_PRINTED, Result, plain

FRAME = re.compile(r"#\d+ (?:0x[0-9a-f]+ in )?(.+?) \S*(work/[^/\s]+/[^/:\s]+:\d+)")
FINDING = re.compile(
    r"ERROR: AddressSanitizer: (\S+)|runtime error: (.+)"
    r"|WARNING: ThreadSanitizer: (.+?) \(pid"
)
ACCESS = re.compile(
    r"^ *((?:previous )?(?:atomic )?(?:read|write)) of size \d+", re.I | re.M
)


def _accesses(report: str) -> list[str]:
    """For each of the two uses of the memory of a race, what it is and where."""
    found = []
    starts = [*ACCESS.finditer(report)]
    ends = [match.start() for match in starts[1:]] + [len(report)]
    for start, end in zip(starts, ends, strict=True):
        stack = report[start.end() : end].partition("\n\n")[0]
        frame = FRAME.search(stack)
        kind = start[1].lower().removeprefix("previous ")
        where = f"{frame[2]} ({frame[1]})" if frame else "minitf's own code"
        found.append(f"a {kind} in {where}")
    return found


def sentence_of(printed: str) -> str:
    r"""What a sanitizer found, in one sentence; empty if there is no such report.

    >>> sentence_of("ERROR: AddressSanitizer: SEGV on\n#0 0x1 in f() a/work/04/a.cc:3:5")
    'work/04/a.cc:3 (f()): the sanitizer found: SEGV'
    """
    found = FINDING.search(printed)
    if not found:
        return ""
    report = printed[found.start() :]
    frame = FRAME.search(report)
    place = f"{frame[2]} ({frame[1]}): " if frame else ""
    if found[3] == "data race":
        uses = " and ".join(_accesses(report))
        return (
            f"{place}a data race: two threads use the same memory at the same time, and "
            f"nothing orders the two: {uses}"
        )
    return f"{place}the sanitizer found: {next(word for word in found.groups() if word)}"


def lines_of(printed: str) -> str:
    """The heading of a sanitizer's report, its parts, and the student's lines in it."""
    found = FINDING.search(printed)
    report = printed[found.start() :].partition("SUMMARY:")[0] if found else ""
    kept = [
        line.rstrip()
        for i, line in enumerate(report.split("\n"))
        if i == 0 or ACCESS.match(line) or FRAME.search(line)
    ]
    return plain("\n".join(kept[:MAX_PRINTED]))


def explain(result: Result, printed: str) -> None:
    """Lets a result say what a sanitizer found, if it found something."""
    if sentence := sentence_of(printed):
        result.message, result.printed = plain(sentence), lines_of(printed)
