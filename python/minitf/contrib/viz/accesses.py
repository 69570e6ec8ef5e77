"""``viz.accesses``: which thread of a warp touched which address, in the CUDA emulator.

Compare: kernels/simt/access_page.py, which needs nothing of minitf; GPU-Puzzles.
Read next: ``docs/simt.md``.
"""

import json
from pathlib import Path
from typing import Any

from minitf.contrib.viz.picture import Canvas, Picture

WORD, SECTOR, BANKS = 4, 8, 32  # bytes; words of a sector; banks of shared memory
CELL, ROW, LEFT = 28, 20, 80  # pixels
MAX_ROWS = 16
WARP = 32


def _words(request: dict[str, Any]) -> dict[int, list[int]]:
    """For each word that is touched, the lanes that touch it.

    >>> _words({"size": 8, "lanes": [0, None, 4]})
    {0: [0], 1: [0, 2], 2: [2]}
    """
    words: dict[int, list[int]] = {}
    for lane, offset in enumerate(request["lanes"]):
        if offset is not None:
            last = offset + request["size"] - 1
            for word in range(offset // WORD, last // WORD + 1):
                words.setdefault(word, []).append(lane)
    return words


def _report(source: Any) -> dict[str, Any]:
    if isinstance(source, (str, Path)):
        source = json.loads(Path(source).read_text())
    if not isinstance(source, dict):
        raise TypeError(
            "report must be a file of check mode (SIMT_JSON) or what is in it, "
            f"not {type(source).__name__}"
        )
    missing = {"findings", "profile"} - set(source)
    if missing:
        raise ValueError(f"report is not of check mode: it has no {sorted(missing)[0]!r}")
    return source


def accesses(report: Any, *, kernel: str | None = None) -> Picture:
    """The words that the first warp of each line of a kernel touched, and mistakes there.

    The cells are words of memory, with the number of the lane that touches them. Global
    memory is drawn in sectors of 32 bytes, shared memory in its 32 banks. Banks of which
    a warp wants more than one word are marked.

    >>> from minitf import viz
    >>> request = {"size": 4, "lanes": [0, 128]}
    >>> row = {"kernel": "Add", "kind": "shared-load", "file": "add.cu", "line": 3,
    ...        "per_request": 2.0, "ideal": 1.0, "requests": 1, "first": [request]}
    >>> viz.accesses({"findings": [], "profile": [row]})
    <Picture: Accesses of Add>

    Args:
        report: A file that check mode wrote with ``SIMT_PROFILE=1 SIMT_JSON=file``, or
            the dictionary in it.
        kernel: The name of the kernel that is drawn; None draws all.

    Raises:
        TypeError: ``report`` is something else.
        ValueError: it is not a report, or has no accesses of the kernel.
    """
    report = _report(report)
    rows = [row for row in report["profile"] if kernel in (None, row["kernel"])]
    if not rows:
        names = sorted({row["kernel"] for row in report["profile"]})
        raise ValueError(
            f"report has accesses of {', '.join(names) or 'no kernel'}, "
            f"expected {kernel or 'some; was SIMT_PROFILE=1 set?'}"
        )
    names = dict.fromkeys(row["kernel"] for row in rows)
    canvas = Canvas(f"Accesses of {', '.join(names)}")
    for finding in report["findings"]:
        lines = ", ".join(map(str, finding["lines"]))
        canvas.line(f"Found {_finding_text(finding)}, {finding['file']}:{lines}")
    for row in rows:
        is_shared = row["kind"].startswith("shared")
        unit = "wavefronts" if is_shared else "sectors"
        canvas.line(
            f"{row['kernel']}, {row['file']}:{row['line']}, {row['kind']}: "
            f"{row['per_request']:.2f} {unit} a request, {row['ideal']:.2f} are enough"
        )
        for finding in report["findings"]:
            is_here = finding["file"] == row["file"] and row["line"] in finding["lines"]
            if is_here and row["kind"].startswith(finding["space"]):
                canvas.line(f"! {_finding_text(finding)}")
        for request in row["first"][:1]:
            _draw(canvas, _words(request), is_shared)
    return canvas.picture(
        "Cells are words of memory; numbers in them are lanes of a warp."
    )


def _finding_text(finding: dict[str, Any]) -> str:
    return f"{finding['kind']} ({finding['space']} memory), {finding['count']} times"


def _draw(canvas: Canvas, words: dict[int, list[int]], is_shared: bool) -> None:
    across = BANKS if is_shared else SECTOR
    groups = sorted({word // across for word in words})
    if is_shared:
        wanted = [sum(word % BANKS == bank for word in words) for bank in range(BANKS)]
        canvas.text(0, canvas.y + 13, "bank")
        for bank, count in enumerate(wanted):
            # The mark is text as well: "5!" is bank 5, wanted more than once.
            place = LEFT + bank * CELL, canvas.y, CELL, ROW
            canvas.box(place, "k3" if count > 1 else "k8", f"{bank}{'!' * (count > 1)}")
        canvas.y += ROW
    for group in groups[:MAX_ROWS]:
        canvas.text(0, canvas.y + 13, f"{'row' if is_shared else 'sector'} {group}")
        for column in range(across):
            lanes = words.get(group * across + column, [])
            more = "+" * (len(lanes) > 1)
            texts = [f"{lanes[0]}{more}"] if lanes else []
            colour = f"k{lanes[0] * 8 // WARP}" if lanes else "k8"
            about = f"lanes {', '.join(map(str, lanes))}" if lanes else ""
            place = LEFT + column * CELL, canvas.y, CELL, ROW
            canvas.box(place, colour, *texts, about=about)
        canvas.y += ROW
    canvas.y += 8
    if len(groups) > MAX_ROWS:
        canvas.line(f"and {len(groups) - MAX_ROWS} rows more")
