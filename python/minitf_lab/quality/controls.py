"""Right answers that are not minitf's own: do the tests of a lab let them pass?

``solutions/NN_name/honest/a`` and ``b`` hold answers by people who knew the hand-out and
the headers alone. ``honest/odd/*.patch`` are patches of ``a``, or of ``b`` if their names
end with ``_b``, that make a right answer an odd one: slow, in another order, by another
algorithm. A case that one of them fails asks for something that no one has said.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from minitf_lab import project
from minitf_lab.labs import builds, grade
from minitf_lab.quality import faults
from minitf_lab.verdicts import Verdicts

QUESTION = "control"
SEED = 7  # other numbers than students see


@dataclass
class Control:
    """A right answer.

    Attributes:
        problem: What a case has against it; empty if every case passes.
        is_kept: Whether that is the verdict of an earlier run.
    """

    name: str
    problem: str = ""
    is_kept: bool = False


def _honest(lab: project.Lab, version: str, known: Verdicts) -> Control:
    """Runs every case on an answer to a whole lab: no task is minitf's own."""
    files = builds.files_of(lab, version)
    key = faults.key_of(lab, b"together", files.values())
    if key and known.find(QUESTION, key) is not None:
        return Control(version, is_kept=True)
    folder = builds.made_folder(lab) / version
    try:
        answer = builds.build_answer(lab, files, folder)
        guarded = bool(lab.cpp_files)  # as for marks
        answer = replace(answer, whole=tuple(lab.files), is_guarded=guarded)
        failures = grade.grade_answer(lab, answer, SEED).failures
    except project.LabError as error:
        return Control(version, str(error))
    if key and not failures:
        known.keep(QUESTION, key, {})
    return Control(version, "\n".join(f"{r.name}: {r.message}" for _, r in failures))


def _odd(lab: project.Lab, known: Verdicts, word: str) -> Iterator[Control]:
    """Tries the odd answers whose names contain ``word``."""
    odd = [patch for patch in faults.patches(lab, faults.ODD) if word in patch.stem]
    versions = {faults.version_of(patch) for patch in odd}
    files = {version: builds.files_of(lab, version).values() for version in versions}
    left = []  # those that are not known to pass
    keys = {}  # by name
    for patch in odd:
        right = files[faults.version_of(patch)]
        keys[patch.stem] = faults.key_of(lab, patch.read_bytes(), right)
        if known.find(QUESTION, keys[patch.stem]) is not None:
            yield Control(patch.stem, is_kept=True)
        else:
            left.append(patch)
    if not left:
        return
    for answer in faults.try_all(lab, left, Verdicts(None)):
        problem = answer.problem
        if answer.killed_by:
            problem = f"{answer.killed_by} refuses what is right: {answer.sentence}"
        if not problem:
            known.keep(QUESTION, keys[answer.name], {})
        yield Control(answer.name, problem)


def versions_of(lab: project.Lab) -> tuple[str, ...]:
    """Right answers to the whole lab, as ``builds.files_of`` names them."""
    if not lab.is_own:
        return builds.HONEST
    folder = lab.qa.get("honest", "honest")
    return tuple(
        f"{folder}/{path.name}"
        for path in sorted((lab.home / folder).glob("*"))
        if path.is_dir()
    )


def try_all(lab: project.Lab, known: Verdicts, word: str = "") -> Iterator[Control]:
    """Tries every right answer of a lab that is not minitf's own.

    Args:
        lab: Which one.
        known: Verdicts of before.
        word: Part of the answer's name.
    """
    builds.build_framework(lab)
    for version in versions_of(lab):
        if word in version and (lab.solution / version).exists():
            yield _honest(lab, version, known)
    if not lab.is_own:
        yield from _odd(lab, known, word)


def run(lab: project.Lab, known: Verdicts, word: str = "") -> int:
    """Tries them, says what is wrong, and returns the exit status."""
    tried = []
    for control in try_all(lab, known, word):
        tried.append(control)
        print(f"{control.name}: {control.problem or 'passes'}", flush=True)
    wrong = sum(bool(control.problem) for control in tried)
    print(f"{len(tried) - wrong} of {len(tried)} right answers pass")
    return 1 if wrong else 0
