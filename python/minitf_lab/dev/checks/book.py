"""Tests of documents, notebooks and the pages of the site."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from minitf_lab import contents, project
from minitf_lab.dev.checks import suite
from minitf_lab.dev.checks.suite import Outcome
from minitf_lab.verdicts import Verdicts

COMPUTES = re.compile(r"^```python run|^\./lab (demo|bench|milestone)", re.MULTILINE)


def documents(known: Verdicts) -> Iterator[Outcome]:
    """Runs the commands and code blocks of every document.

    A document may use the whole project. Its verdict holds until a file changes that is
    not another document. Kernels count only if the document computes.
    """
    checker = project.ROOT / "tests" / "check_docs.py"
    listed = subprocess.run(
        [sys.executable, checker, "--list"],
        cwd=project.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    project.build("minitf", "_minitf")

    def tree_for(computes: bool) -> str:
        left_out = set() if computes else contents.kernel_sources()
        return contents.tree(without=".md", leave_out=left_out)

    at_first = {computes: tree_for(computes) for computes in (False, True)}

    def key_of(name: str, tree_of: Callable[[bool], str]) -> str:
        path = project.ROOT / name
        tree = tree_of(COMPUTES.search(path.read_text()) is not None)
        return contents.digest(contents.of_files([path]), tree, contents.tools())

    def check(name: str) -> Outcome:
        key = key_of(name, at_first.__getitem__)
        if known.find("document", key) is not None:
            return Outcome(name, "passed", is_kept=True)
        done = subprocess.run(
            [sys.executable, checker, name],
            cwd=project.ROOT,
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:
            # Not if a file has changed meanwhile.
            if key_of(name, tree_for) == key:
                known.keep("document", key, {})
            return Outcome(name, "passed")
        return Outcome(name, "failed", (done.stdout + done.stderr).strip())

    with ThreadPoolExecutor(project.num_cores()) as pool:
        yield from pool.map(check, listed.stdout.split())


def notebooks(known: Verdicts) -> Iterator[Outcome]:
    """Runs every notebook, and compares the output of its stable cells.

    The verdicts hold until a notebook or a program changes.
    """

    def check(name: str) -> Outcome:
        command = [sys.executable, "docs/site/notebooks.py", "--check", name]
        done = subprocess.run(command, cwd=project.ROOT, capture_output=True, text=True)
        return suite.verdict(name, (done.stdout + done.stderr) * bool(done.returncode))

    def run() -> Iterator[Outcome]:
        names = sorted(path.name for path in (project.ROOT / "notebooks").glob("*.ipynb"))
        with ThreadPoolExecutor(project.num_cores()) as pool:
            yield from pool.map(check, names)

    yield from suite.unless_kept(known, "notebooks", suite.key_of_programs, run)


def site(known: Verdicts) -> Iterator[Outcome]:
    """Builds the site without warnings, and opens its pages in a browser."""

    def run() -> Iterator[Outcome]:
        done = subprocess.run(
            [sys.executable, "docs/site/build.py"],
            cwd=project.ROOT,
            capture_output=True,
            text=True,
            env=os.environ | {"MINITF_GPU": "emulate"},
        )
        said = done.stdout + done.stderr
        yield suite.verdict("./lab site", said * bool(done.returncode))
        if done.returncode == 0:
            # One process: each would read all pages.
            options = ["--numprocesses=0", "--confcutdir=tests/site"]
            yield from suite.pytest([sys.executable], *options, "tests/site", "docs/site")

    yield from suite.unless_kept(known, "site", suite.key_of_all, run)
