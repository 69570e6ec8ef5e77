"""Cases as an instructor wrote them: what is wrong in them is said with its line."""

import itertools
import traceback
from pathlib import Path

from minitf_lab import bounded
from minitf_lab.judge.case import Case, Trial, load_cases
from minitf_lab.project import LabError

MAX_TRIALS, TRIALS_S = 20_000, 300  # of a case; seconds of processor time


def _said(error: Exception) -> str:
    """What is wrong, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}"
    if isinstance(error, SyntaxError):
        place = f"{Path(error.filename or '').name}, line {error.lineno}"
    return f"{place}: {type(error).__name__}: {error}"


def read(folder: Path, pack: Path | None = None) -> list[Case]:
    """All cases of a lab's files ``cases*.py``, and those of a pack, as ``load_cases``.

    Raises:
        LabError: a file is no Python, or its cases are not as they should be.
    """
    try:
        return load_cases(folder, pack)
    except Exception as error:
        raise LabError(f"the cases in {folder} cannot be read: {_said(error)}") from error


def trials_of(case: Case, seed: int) -> list[Trial]:
    """The trials of a case.

    Raises:
        LabError: it fails by itself, whatever the answer is, or does not end.
    """
    try:
        with bounded.cpu_time(TRIALS_S):
            found = list(itertools.islice(case.trials(seed), MAX_TRIALS + 1))
    except bounded.TimeUpError as error:
        text = f"the case {case.name} does not give its trials within {TRIALS_S} s"
        raise LabError(f"{text} of processor time: is it endless?") from error
    except Exception as error:
        raise LabError(f"the case {case.name} itself fails: {_said(error)}") from error
    if len(found) > MAX_TRIALS:
        text = f"the case {case.name} gives more than {MAX_TRIALS:,} trials"
        raise LabError(f"{text}: is it endless?")
    return found
