"""clang-tidy over the framework and its kernels, a group of files at a time.

Nearly all of its time goes into the headers that a file includes, the standard library's
and Eigen's first of all. So files are read in groups. Only if a group has a finding, or
if names at file scope collide, are its halves read by themselves. It comes from PyPI:
that of Debian 12 looks for mistakes in those headers too, and takes three times as long.

Tests are left out: GoogleTest's macros take clang-tidy 20 seconds a file.
"""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from minitf_lab import contents, project

PROGRAM = Path(sys.executable).with_name("clang-tidy")
PINNED = project.ROOT / "python" / "lint-requirements.txt"
READ = ("minitf/", "kernels/")
# Files with CUDA define or use its names and compilers' hooks, and cast numbers to
# addresses.
CUDA = ("kernels/simt/", "kernels/gpu/")
NOT_OF_CUDA = (
    *("readability-identifier-naming", "google-explicit-constructor"),
    *("performance-no-int-to-ptr", "bugprone-macro-parentheses"),
    "bugprone-sizeof-expression",
)
# The C API has the names, typedefs and numbers of arguments of TensorFlow's headers.
C_API = ("minitf/c/",)
NOT_OF_C = (
    *("readability-identifier-naming", "readability-redundant-void-arg"),
    *("readability-function-size", "modernize-use-using"),
    "bugprone-invalid-enum-default-initialization",  # TF_DataType has no 0
)
# What the standard library's own templates use.
QUIET = ("-Wno-deprecated-declarations",)
GROUP = 24


@dataclass
class Group:
    """Files that are read as one, and how; paths are from the top folder."""

    names: list[str]
    flags: list[str]


def groups(preset: str = "lint") -> list[Group]:
    """What a configured build compiles, in groups of about ``GROUP`` neighbours."""
    by_flags: dict[tuple[str, ...], list[str]] = {}
    for source, flags in contents.compile_flags(preset).items():
        name = os.path.relpath(source, project.ROOT)
        # Clang reads CUDA only with NVIDIA's headers.
        if name.startswith(READ) and not name.endswith(".cu"):
            by_flags.setdefault(tuple(flags), []).append(name)
    found = []
    for flags, names in by_flags.items():
        names.sort()
        count = -(-len(names) // GROUP)
        ends = [len(names) * i // count for i in range(count + 1)]
        found += [Group(names[i:j], [*flags]) for i, j in pairwise(ends)]
    return found


def read_together(names: list[str], flags: list[str]) -> str:
    """What clang-tidy has against some files, read as one; empty if nothing."""
    with tempfile.NamedTemporaryFile("w", suffix=".cc") as group:
        for name in names:
            group.write("// NOLINTNEXTLINE(bugprone-suspicious-include)\n")
            group.write(f'#include "{project.ROOT / name}"\n')
        group.flush()
        source = group.name if names[1:] else names[0]
        options = [f"--config-file={project.ROOT / '.clang-tidy'}"]
        for folders, checks in ((CUDA, NOT_OF_CUDA), (C_API, NOT_OF_C)):
            if names[0].startswith(folders):
                options += ["--checks=" + ",".join(f"-{name}" for name in checks)]
        done = subprocess.run(
            [str(PROGRAM), "--quiet", *options, source, "--", *QUIET, *flags],
            cwd=project.ROOT,
            capture_output=True,
            text=True,
        )
    # What goes to stderr is how many warnings there were in headers of others.
    said = done.stdout.strip() or done.stderr.strip()
    return said if done.returncode != 0 else ""


def key(name: str, flags: list[str]) -> str:
    """The key of the verdict on the file ``name``, compiled with ``flags``."""
    return contents.digest(
        contents.of_files(contents.with_includes(project.ROOT / name)),
        contents.of_flags(flags),
        (project.ROOT / ".clang-tidy").read_bytes(),
        PINNED.read_bytes(),
        " ".join((*NOT_OF_CUDA, *NOT_OF_C, *QUIET)).encode(),
        contents.tools(),
    )
