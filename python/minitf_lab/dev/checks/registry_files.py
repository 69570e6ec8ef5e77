"""Documents that are written by ``./lab gen``, from the registry of ops and the labs.

docs/ops.pbtxt lists every definition; docs/api.md tells which names of the core there
are; docs/labs.md has the labs in figures; docs/walks/python_to_kernel.md follows a call.
Tests fail when one of them is out of date.
"""

from pathlib import Path

from minitf_lab import project
from minitf_lab.dev.checks import programs
from minitf_lab.dev.quality import labs_page


def contents() -> dict[Path, str]:
    """What each file should hold."""
    from minitf import _minitf  # the library, which the rest of the tool needs not

    api_page = programs.load("python", "api_page")
    walk = programs.load("python", "kernel_walk")
    definitions = "".join(_minitf.op_def_text(name) for name in _minitf.op_names())
    return {
        api_page.PAGE: api_page.page(case_counts()),
        walk.PAGE: walk.page(),
        project.ROOT / "docs" / "labs.md": labs_page.page(),
        project.ROOT / "docs" / "ops.pbtxt": definitions,
    }


def case_counts() -> dict[str, int]:
    """How many of its cases the differential tester draws for each name of ``tf``."""
    tables, coverage = (programs.load("differential", n) for n in ("tables", "coverage"))
    return coverage.case_counts(tables.ENTRIES)


def write() -> None:
    """Writes the files that are out of date."""
    for path, text in contents().items():
        if project.put(path, text):
            print(f"wrote {path.relative_to(project.ROOT)}")
