"""Runs what the documents show. Run it from the top folder.

    python tests/check_docs.py                  all documents
    python tests/check_docs.py docs/passes.md   these
    python tests/check_docs.py --list           names all documents, runs nothing

Every code block of README.md, docs/, exercises/ and solutions/ that is marked ``sh`` or
``python`` says in its first line what happens to it here:

    ```sh run          bash runs it, in the top folder; it must end with status 0
    ```python run      Python runs it, with minitf importable
    ```sh norun: why   it is shown only, for the reason given

A document names only files that exist, by links and by paths such as minitf/base/text.cc.
The guides docs/adding_*.md also name the files that they add.

The blocks of one document run in order. MINITF_COURSE is a folder that is there for them
alone, and does not exist at first: the course of an instructor. Python blocks of one
document are one program, so that a later one may use what an earlier one has made.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCUMENTS = [
    *("README.md", "docs/**/*.md", "exercises/**/*.md", "solutions/**/*.md"),
    "tests/bench/results/*.md",
]
FENCE = re.compile(r"^(?P<fence>```+)(?P<language>\w*) ?(?P<mark>.*)$")
LINK = re.compile(r"\]\(([^)\s:#]*[./][^)\s:#]*)(?:#[^)\s]*)?\)")
# A path from the top folder. NAME and NN in it are filled in by the reader.
OUR_PATH = re.compile(
    r"(?<![\w/.])(?:minitf|kernels|python|exercises|solutions|tests|docs|cmake)/"
    r"[\w/.]*\w\.\w+"
)
PLACEHOLDER = re.compile(r"NAME|NN")
LIMIT_S = 900
SLURM = Path(__file__).resolve().parent / "slurm"  # an sbatch, where there is no cluster


@dataclass
class Block:
    """A code block of a document; ``line`` is that of its first line of code."""

    path: Path
    line: int
    language: str
    mark: str
    code: str


def blocks(path: Path, text: str) -> Iterator[Block]:
    r"""All code blocks of a document.

    >>> [b.code for b in blocks(Path("x"), "a\n```sh run\nls\n```\nb")]
    ['ls\n']
    """
    block, fence = None, ""
    for number, line in enumerate(text.split("\n"), start=1):
        if block and line.strip() == fence:
            yield block
            block = None
        elif block:
            block.code += line + "\n"
        elif found := FENCE.match(line):
            fence = found["fence"]
            block = Block(path, number + 1, found["language"], found["mark"], "")


def programs(found: list[Block]) -> Iterator[tuple[Block, list[str], str]]:
    """The programs of one document: where each starts, the command, and its text."""
    code = ""
    for block in found:
        if block.mark != "run":
            continue
        if block.language == "sh":
            yield block, ["bash", "-e"], block.code
        else:
            # Empty lines in front, so that a line number in an error is the document's.
            code += "\n" * (block.line - 1 - code.count("\n")) + block.code
    if code:
        yield found[0], ["./lab", "python"], code


def run(command: list[str], text: str, course: str) -> str:
    """What is printed if the program fails.

    Args:
        command: What runs it.
        text: The program.
        course: For its variable MINITF_COURSE.
    """
    path = os.environ["PATH"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        try:
            done = subprocess.run(
                [*command, file.name],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                env={**os.environ, "MINITF_COURSE": course, "PATH": f"{SLURM}:{path}"},
            )
        except subprocess.TimeoutExpired:
            return f"not finished after {LIMIT_S} s"
    if done.returncode == 0:
        return ""
    # A command can fail without a word.
    return f"exit status {done.returncode}\n" + f"{done.stdout}{done.stderr}"[-3000:]


def documents() -> list[Path]:
    """All documents, by name."""
    return sorted({path for pattern in DOCUMENTS for path in Path().glob(pattern)})


def missing_files(path: Path) -> Iterator[str]:
    """The files that a document names and that do not exist."""
    is_guide = path.name.startswith("adding_")
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        linked = [path.parent / name for name in LINK.findall(line)]
        named = [] if is_guide else [Path(name) for name in OUR_PATH.findall(line)]
        for file in linked + named:
            if not file.exists() and not PLACEHOLDER.search(str(file)):
                yield f"{path}:{number}: {file} does not exist"


def findings(path: Path) -> Iterator[str]:
    """What does not run in a document, and what does not say whether it should."""
    yield from missing_files(path)
    found = [b for b in blocks(path, path.read_text()) if b.language in {"sh", "python"}]
    for block in found:
        if block.mark != "run" and not re.match(r"norun: \S", block.mark):
            yield f"{path}:{block.line}: say 'run', or 'norun: ' and why"
    with tempfile.TemporaryDirectory(prefix="minitf-docs-") as name:
        for block, command, text in programs(found):
            if problem := run(command, text, f"{name}/course"):
                yield f"{path}:{block.line}: does not run:\n{problem}"


def main() -> int:
    """Prints every finding; returns 1 if there is one."""
    parser = argparse.ArgumentParser(description="Runs what the documents show.")
    parser.add_argument("documents", nargs="*", type=Path, help="all, if none is named")
    parser.add_argument("--list", action="store_true", help="name them, run nothing")
    args = parser.parse_args()
    if args.list:
        print(*documents(), sep="\n")
        return 0
    chosen = args.documents or documents()
    for path in chosen:
        if not path.is_file():
            parser.error(f"there is no document {path}")
    found = [sentence for path in chosen for sentence in findings(path)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
