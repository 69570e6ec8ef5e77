"""Runs the notebooks, and compares what they print with what is committed.

    ./lab notebook --check [NAME...]     all notebooks, or those whose names begin so
    ./lab notebook --update [NAME...]    keeps what they print now

Each notebook runs in a kernel of its own. A cell with the tag ``stable`` must print what
it printed before; other cells only must not fail.
"""

import difflib
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from repository import ROOT

FOLDER = ROOT / "notebooks"
MOST_BYTES = 300_000
CELL_LIMIT_S = 60
COLOUR = re.compile(r"\x1b\[[\d;]*m")
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


def printed(cell: Any) -> str:
    """Returns the text that a cell has printed and returned. A picture is only named."""
    parts = []
    for output in cell.get("outputs", []):
        if "text" in output:
            parts.append(output["text"])
        elif "data" in output:
            text = output["data"].get("text/plain")
            parts.append(f"{text or sorted(output['data'])}\n")
    return ADDRESS.sub("0x...", "".join(parts))


def differences(name: str, before: Any, after: Any) -> Iterator[str]:
    """Yields a diff for each stable cell whose output has changed."""
    for number, (old, new) in enumerate(zip(before.cells, after.cells, strict=True), 1):
        if "stable" not in old.metadata.get("tags", []):
            continue
        lines = (printed(old).splitlines(), printed(new).splitlines())
        diff = list(difflib.unified_diff(*lines, "committed", "now", lineterm=""))
        if diff:
            first = old.source.split("\n", 1)[0]
            yield "\n".join([f"{name}, cell {number} ({first}):", *diff])


def faults(path: Path, notebook: Any) -> Iterator[str]:
    """Yields the problems of a committed notebook."""
    if path.stat().st_size > MOST_BYTES:
        yield f"{path.name}: has {path.stat().st_size} bytes, more than {MOST_BYTES}"
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not any("stable" in cell.metadata.get("tags", []) for cell in code):
        yield f"{path.name}: no cell has the tag 'stable', so nothing is compared"
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "code" and cell.source and cell.execution_count is None:
            yield f"{path.name}, cell {number}: was not run before it was committed"


def run(path: Path, *, is_kept: bool) -> list[str]:
    """Runs a notebook and returns its problems. With ``is_kept``, writes the outputs."""
    committed = nbformat.read(path, as_version=4)
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=CELL_LIMIT_S, resources={"metadata": {"path": str(FOLDER)}}
    )
    try:
        client.execute()
    except (CellExecutionError, TimeoutError, RuntimeError) as error:
        return [f"{path.name}: {COLOUR.sub('', str(error))}"]
    if not is_kept:
        return [*faults(path, committed), *differences(path.name, committed, notebook)]
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran
    nbformat.write(notebook, path)
    return list(faults(path, notebook))


def main(arguments: list[str]) -> int:
    """Runs the notebooks that are asked for; returns the exit status."""
    modes = [word for word in arguments if word.startswith("-")]
    names = tuple(word for word in arguments if not word.startswith("-"))
    if modes not in (["--check"], ["--update"]):
        sys.exit(f"expected --check or --update, not {' '.join(modes) or 'nothing'}")
    notebooks = sorted(FOLDER.glob("*.ipynb"))
    paths = [path for path in notebooks if not names or path.name.startswith(names)]
    if not paths:
        known = ", ".join(path.name for path in notebooks)
        sys.exit(f"no notebook begins with {' or '.join(names)}; there are {known}")
    problems = []
    with ThreadPoolExecutor(2) as pool:
        is_kept = modes == ["--update"]
        for faulty in pool.map(lambda path: run(path, is_kept=is_kept), paths):
            problems += faulty
    print("\n\n".join([*problems, f"{len(paths)} notebooks, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
