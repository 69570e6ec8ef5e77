"""``./lab mutate NN``: do the tests of a lab find small changes of the right answer?

Planted faults are what somebody thought of. Mutants are made by rule (``mutants.py``): an
operator, a constant or a condition changed, arguments swapped, a statement, a lock or a
wait dropped. Each is tried with the cases of its own task, the public ones and then the
hidden ones.

A mutant that does the same as the right answer cannot be found. Those that were looked
at are listed with the reason in ``equivalent.txt`` of the lab's folder in solutions/:

    04.9: for (size_t i = 0; i < n; ++i) {
    becomes: for (size_t i = 0; i != n; ++i) {
    why: i never passes n

and do not count, nor do those that do not compile.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

from minitf_lab import project
from minitf_lab.dev.quality import together
from minitf_lab.dev.quality.mutants import Mutant, mutants_of
from minitf_lab.dev.quality.together import Change, WrongAnswer
from minitf_lab.judge.case import Case, load_cases
from minitf_lab.judge.regions import find_regions
from minitf_lab.labs import builds, grade
from minitf_lab.results import Limits

MAX_SECONDS = 5  # for a case: an endless loop is common among mutants
MAX_LINES = 2500  # of wrong answers in one file, for one compilation
AIM = 0.95  # the part that has to be found
VERDICTS = ("public", "hidden", "survived", "equivalent", "refused")


@dataclass(frozen=True)
class Tried:
    """What became of a mutant.

    Attributes:
        verdict: One of ``VERDICTS``: found by a public or only by a hidden case, not
            found, known to be equivalent, or not compiled.
        case: The case that found it.
    """

    mutant: Mutant
    wrong: WrongAnswer
    verdict: str
    case: str = ""

    @property
    def place(self) -> str:
        """File and line."""
        change = _change_of(self.wrong)
        return f"{change.file}:{change.first + self.mutant.line - 1}"


@dataclass(frozen=True)
class Equivalent:
    """A mutant that somebody has found to be as right as the right answer."""

    task: str
    before: str
    after: str
    why: str


def read_equivalents(path: Path) -> list[Equivalent]:
    """Reads ``equivalent.txt``; there are none if there is no such file.

    Raises:
        LabError: it is not made as it should be.
    """
    if not path.exists():
        return []
    found = []
    for block in path.read_text().strip().split("\n\n"):
        lines = block.strip().split("\n")
        words = [line.partition(": ") for line in lines]
        if [word for word, *_ in words[1:]] != ["becomes", "why"] or not words[2][2]:
            raise project.LabError(
                f"{project.shown(path)}: expected 'NN.N: ', 'becomes: ', 'why: ', "
                f"not:\n{block}"
            )
        (task, _, before), (_, _, after), (_, _, why) = words
        found.append(Equivalent(task, before, after, why))
    return found


def mutants_in(file: str) -> Iterator[tuple[Mutant, WrongAnswer]]:
    """All mutants of the answers in a file of the framework."""
    source = (project.ROOT / file).read_text()
    language = "python" if file.endswith(".py") else "cpp"
    for number, region in enumerate(find_regions(source)):
        made = mutants_of("\n".join(region.lines), language)
        for count, mutant in enumerate(made):
            name = f"{Path(file).stem}.{number}.{count}"
            change = Change(file, number, region.first, mutant.text)
            yield mutant, WrongAnswer(name, region.task, (change,))


def _change_of(wrong: WrongAnswer) -> Change:
    """A mutant changes one region."""
    [change] = wrong.changes
    return change


def _batches(wrongs: list[WrongAnswer]) -> Iterator[list[WrongAnswer]]:
    """``wrongs`` in lists that a compiler can cope with."""
    batch: list[WrongAnswer] = []
    lines = 0
    for wrong in wrongs:
        change = _change_of(wrong)
        more = change.text.count("\n") + 1
        if batch and lines + more > MAX_LINES and not change.file.endswith(".py"):
            yield batch
            batch, lines = [], 0
        batch.append(wrong)
        lines += more
    if batch:
        yield batch


def _cases(lab: project.Lab) -> dict[str, list[Case]]:
    """The cases of each task, public ones first."""
    cases = sorted(load_cases(lab.tests), key=lambda case: case.is_hidden)
    return {
        task.number: [case for case in cases if case.task == task.number]
        for task in lab.tasks
    }


def _check_reference(lab: project.Lab) -> None:
    """Raises LabError unless every case passes with the right answer.

    A case that fails anyhow would find every mutant.
    """
    with builds.alone(lab, "reference"):
        answer = builds.build_version(lab, "reference")
        results = [*grade.run_cases(lab, answer, load_cases(lab.tests))]
    for result in results:
        if not result.passed:
            raise project.LabError(
                f"{result.name} does not pass with the right answer: {result.message}"
            )


def try_all(lab: project.Lab, word: str = "") -> Iterator[Tried]:
    """Tries all mutants of a lab whose task or file has ``word`` in it."""
    _check_reference(lab)
    cases = _cases(lab)
    hidden = {case.name for found in cases.values() for case in found if case.is_hidden}
    known = read_equivalents(lab.solution / "equivalent.txt")
    is_known = {(one.task, one.before, one.after) for one in known}
    limits = Limits(min(lab.time_limit_s, MAX_SECONDS), grade.MEMORY_MB)
    folder = project.build_folder() / "labs" / lab.folder / "mutants"
    made = {}
    for mutant, wrong in chain.from_iterable(map(mutants_in, lab.files)):
        if word and word != wrong.task and word not in _change_of(wrong).file:
            continue
        if (wrong.task, mutant.before, mutant.after) in is_known:
            yield Tried(mutant, wrong, "equivalent")
        else:
            made[wrong] = mutant
    of_file = [[one for one in made if one.files() == {file}] for file in lab.files]
    right = builds.files_of(lab, "reference")
    # A batch of each file at a time, so that they are compiled beside each other.
    for batches in zip_longest(*map(_batches, of_file), fillvalue=[]):
        wrongs = [*chain.from_iterable(batches)]
        found = together.try_all(
            lab, right, wrongs, lambda wrong: cases[wrong.task], limits, folder
        )
        for wrong, result, problem in found:
            if problem:
                verdict = "refused"
            elif result is None:
                verdict = "survived"
            else:
                verdict = "hidden" if result.name in hidden else "public"
            yield Tried(made[wrong], wrong, verdict, result.name if result else "")


def unknown_equivalents(lab: project.Lab) -> list[Equivalent]:
    """Those of ``equivalent.txt`` that no rule makes any more."""
    made = {
        (wrong.task, mutant.before, mutant.after)
        for file in lab.files
        for mutant, wrong in mutants_in(file)
    }
    known = read_equivalents(lab.solution / "equivalent.txt")
    return [one for one in known if (one.task, one.before, one.after) not in made]


def counts_of(tried: list[Tried]) -> dict[str, int]:
    """How many have each verdict."""
    return {word: sum(one.verdict == word for one in tried) for word in VERDICTS}


def judged_of(counts: dict[str, int]) -> tuple[int, int]:
    """How many could be found, and how many were."""
    found = counts["public"] + counts["hidden"]
    return found + counts["survived"], found


def run(lab: project.Lab, word: str) -> int:
    """Tries mutants, prints those that survive, and returns the exit status."""
    tried = []
    for one in try_all(lab, word):
        tried.append(one)
        if one.verdict == "survived":
            print(
                f"task {one.wrong.task}, {one.place}: {one.mutant.rule}\n"
                f"  {one.mutant.before}\n  {one.mutant.after}",
                flush=True,
            )
    counts = counts_of(tried)
    judged, found = judged_of(counts)
    if not tried:
        raise project.LabError(f"lab {lab.number} has no task or file called {word}")
    print(
        f"{found} of {judged} mutants found, {counts['public']} by public cases; "
        f"{counts['equivalent']} are equivalent, {counts['refused']} do not compile"
    )
    stale = unknown_equivalents(lab)
    for one in stale:
        print(f"equivalent.txt: no mutant of task {one.task} is made of: {one.before}")
    return 0 if judged and found >= AIM * judged and not stale else 1
