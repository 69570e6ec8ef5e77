"""Cases as an instructor wrote them: what is wrong in them is said with its line."""

import traceback
from pathlib import Path

from minitf_lab.judge.case import Case, Trial, load_cases
from minitf_lab.project import LabError


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
        LabError: it fails by itself, whatever the answer is.
    """
    try:
        return list(case.trials(seed))
    except Exception as error:
        raise LabError(f"the case {case.name} itself fails: {_said(error)}") from error
