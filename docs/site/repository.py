"""The files of the repository, for the parts of the site."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def listed(*arguments: str) -> list[str]:
    """Returns the paths that ``git ls-files`` prints, relative to the top folder."""
    command = ["git", "ls-files", *arguments]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=True)
    return done.stdout.split()
