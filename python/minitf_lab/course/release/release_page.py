"""What students read first, and documents without links to what they do not get."""

import os
import platform
import re
from pathlib import PurePosixPath

from minitf_lab.course.release.release_files import Choice

_LINK = re.compile(r"\[([^\]\n]*)\]\(([^)\s]+)\)")
_README = """\
# {title}

minitf is a small reimplementation of TensorFlow 1's core in C++ and Python. In this
repository parts of it are left open, and you write them:

{labs}

Begin with [exercises/README.md](exercises/README.md): it says what you need, how the
labs are done, and how they are handed in. It takes a machine with Debian 12. In this
folder:

```sh
./lab doctor        # what is missing here; the next command brings it
./lab start {first}      # your files are in work/; the first time takes minutes
./lab test {first}       # as often as you like
./lab submit {first}     # the zip that you hand in
```

Your work is in `work/`. `git pull` brings what is new, and never a file in `work/`. If
your course collects Git repositories, commit `work/` and push it to your own repository.

{answers}

To read on: [docs/architecture.md](docs/architecture.md) and
[docs/reading_order.md](docs/reading_order.md). Some documents name files that are not in
this repository, such as tests of minitf.

Apache License 2.0, see `LICENSE`. The digits are under CC BY-SA 3.0, see
`python/minitf/data/mnist_5k/LICENCE.txt`.
"""
_COMPILED = """\
minitf's own answers to labs that are still to come, or not over, are compiled: objects
in `objects/`, for Debian 12 on {processor}, and `.pyc` files of Python {python}. So a
task is tested with the rest of your file as it is: if it needs a place that you have not
written, the report names that place. What you hand in is judged with minitf's answers to
your other tasks: there a mistake costs no more than its own task."""


def _first_page(choice: Choice) -> str:
    """The text of README.md."""
    rows = []
    over = {lab.number for lab in choice.past}
    for lab in choice.labs:
        note = ": over, minitf's own answers are in its files" * (lab.number in over)
        rows.append(
            f"- [{lab.number} {lab.title}](exercises/{lab.folder}/README.md){note}"
        )
    version = ".".join(platform.python_version_tuple()[:2])
    machine = {"processor": platform.machine(), "python": version}
    is_open = [lab.number for lab in choice.labs if lab.number not in over]
    return _README.format(
        title="minitf: labs",
        labs="\n".join(rows),
        first=(is_open or [choice.labs[0].number])[0],
        answers=_COMPILED.format(**machine) if choice.answers else "",
    )


def _without_links(path: str, text: str, known: set[str]) -> str:
    """A document without links to files that are not there.

    Their words stay. A row of a table that is about such a file goes.
    """
    folder = PurePosixPath(path).parent

    def is_there(target: str) -> bool:
        if re.match(r"\w+:|#", target):
            return True
        name = os.path.normpath(folder / target.partition("#")[0])
        return name in known or any(one.startswith(f"{name}/") for one in known)

    lines = []
    for line in text.split("\n"):
        targets = [match[2] for match in _LINK.finditer(line)]
        if line.startswith("|") and targets and not any(map(is_there, targets)):
            continue
        lines.append(
            _LINK.sub(lambda match: match[0] if is_there(match[2]) else match[1], line)
        )
    return "\n".join(lines)


def ignore_list(text: str) -> str:
    r"""The ``.gitignore`` of students: ``git add`` takes their work, and no zip of it.

    >>> ignore_list("/build/\n/work/\n")
    '/build/\n/work/*_submission.zip\n/work/*.[0-9]*/\n/work/.part-*/\n'
    """
    lines = ["/work/*_submission.zip", "/work/*.[0-9]*/", "/work/.part-*/"]
    return re.sub("^/work/$", "\n".join(lines), text, count=1, flags=re.MULTILINE)


def pages(choice: Choice, files: dict[str, bytes]) -> dict[str, bytes]:
    """The documents for students, of those among ``files``, and their ``.gitignore``."""
    known = {*files, "README.md"}
    found = {
        path: _without_links(path, data.decode(), known).encode()
        for path, data in files.items()
        if path.endswith(".md")
    }
    ignored = ignore_list(files[".gitignore"].decode())
    first = _first_page(choice)
    return {**found, "README.md": first.encode(), ".gitignore": ignored.encode()}
