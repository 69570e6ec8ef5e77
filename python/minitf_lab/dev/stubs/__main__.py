"""Writes the stubs; see ``__init__.py``."""

import sys
from pathlib import Path

from minitf_lab.dev.stubs import modules


def _write(folder: Path, texts: dict[str, str]) -> None:
    """Writes the files that differ, and removes stubs that are no longer made."""
    for path in folder.rglob("*.pyi"):
        if str(path.relative_to(folder)) not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    made = modules.all_stubs()
    for argument in sys.argv[1:]:
        _write(Path(argument), made)
