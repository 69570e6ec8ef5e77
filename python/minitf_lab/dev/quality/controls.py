"""Right answers that are not minitf's own: do the tests of a lab let them pass?

A lab's folder in solutions/ has answers by people who knew the hand-out and the headers
alone, in ``honest/a.txt`` and ``honest/b.txt``. ``unusual.txt`` has changes
(``entries.py``) of ``a``, or of ``b`` if their names end with ``_b``, that make a right
answer an unusual one: slow, in another order, by another algorithm. A case that one of
them fails asks for something that no one has said.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from minitf_lab import project
from minitf_lab.dev.quality import faults
from minitf_lab.labs import builds
from minitf_lab.verdicts import Verdicts

QUESTION = "control"
SEED = 7  # other numbers than students see


class Control(NamedTuple):
    """A right answer.

    Attributes:
        problem: What a case has against it; empty if every case passes.
        is_kept: Whether that is the verdict of an earlier run.
    """

    name: str
    problem: str = ""
    is_kept: bool = False


def versions_of(lab: project.Lab) -> tuple[str, ...]:
    """Right answers to the whole lab, as ``builds.files_of`` names them."""
    if not lab.is_own:
        there = [v for v in builds.HONEST if (lab.solution / f"{v}.txt").exists()]
        return tuple(there)
    folder = lab.qa.get("honest", "honest")
    return tuple(
        f"{folder}/{path.name}"
        for path in sorted((lab.home / folder).glob("*"))
        if path.is_dir()
    )


def _answers(
    lab: project.Lab, is_chosen: Callable[[str], bool]
) -> Iterator[tuple[str, bytes, str]]:
    """The answers that are chosen by their names.

    Yields:
        Each one's name, its entry, which is empty for an answer to the whole lab, and
        what it changes.
    """
    for version in versions_of(lab):
        if is_chosen(version):
            yield version, b"", version
    for entry in [] if lab.is_own else faults.answers(lab, faults.ODD):
        if is_chosen(entry.name):
            yield entry.name, entry.text.encode(), faults.version_of(faults.ODD, entry)


def try_all(
    lab: project.Lab,
    known: Verdicts,
    is_chosen: Callable[[str], bool] = lambda name: True,
) -> Iterator[Control]:
    """Tries every right answer of a lab that is not minitf's own.

    Args:
        lab: Which one.
        known: Verdicts of before.
        is_chosen: Whether an answer of this name is tried.
    """
    builds.build_framework(lab)
    keys = {}  # of those that are not known to pass, by name
    for name, made_by, version in _answers(lab, is_chosen):
        files = builds.files_of(lab, version).values()
        keys[name] = faults.key_of(lab, made_by, files)
        if keys[name] and known.find(QUESTION, keys[name]) is not None:
            yield Control(name, is_kept=True)
            del keys[name]
    right = [version for version in versions_of(lab) if version in keys]
    tried = faults.try_all(
        lab,
        faults.ODD,
        Verdicts(None),
        chosen=lambda entry: entry.name in keys,
        right=right,
        seed=SEED,
    )
    for answer in tried:
        problem = answer.problem
        if answer.killed_by:
            problem = f"{answer.killed_by} refuses what is right"
            problem += f" ({answer.sentence}): " if answer.sentence else ": "
            problem += answer.said
        if keys[answer.name] and not problem:
            known.keep(QUESTION, keys[answer.name], {})
        yield Control(answer.name, problem)


def run(lab: project.Lab, known: Verdicts, word: str = "") -> int:
    """Tries them, says what is wrong, and returns the exit status."""
    tried = []
    for control in try_all(lab, known, lambda name: word in name):
        tried.append(control)
        print(f"{control.name}: {control.problem or 'passes'}", flush=True)
    wrong = sum(bool(control.problem) for control in tried)
    print(f"{len(tried) - wrong} of {len(tried)} right answers pass")
    return 1 if wrong else 0
