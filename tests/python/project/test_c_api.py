"""The C API: its tests in C, its headers, its symbols, and the list in docs/c_api.md."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from minitf_lab import project

HEADERS = sorted(Path("minitf/c").rglob("*.h"))
PUBLIC = [path for path in HEADERS if "TF_CAPI_EXPORT" in path.read_text()]
DECLARED = re.compile(r"^TF_CAPI_EXPORT extern [^;]*?\b(TFE?_\w+)\(", re.MULTILINE)
PROGRAMS = sorted(Path("tests/c").glob("*_test.c"))
UNIMPLEMENTED = Path("minitf/c/graph/unimplemented.cc")
DEFINED = re.compile(r"^[\w ]+[ *]+(TFE?_\w+)\(", re.MULTILINE)
LISTED = re.compile(r"`(TFE?_\w+)`")
# Not C11: what a reader of TensorFlow's header does first.
STRANGER = """
#include <stdio.h>
#include "tensorflow/c/c_api.h"
#include "tensorflow/c/eager/c_api.h"
int main() { return puts(TF_Version()) < 0; }
"""


@cache
def build_folder() -> Path:
    """Where the library and the programs are, which are built first."""
    project.build("minitf_c", "minitf_c_tests")
    return project.build_folder()


def declared() -> set[str]:
    """The functions that the public headers declare."""
    return {name for path in PUBLIC for name in DECLARED.findall(path.read_text())}


def run(*command: str | Path) -> subprocess.CompletedProcess:
    """Runs a command and returns what it printed."""
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_program_in_c_passes(program: Path) -> None:
    folder = build_folder() / "tests" / "c"
    libraries = [folder / "libc_custom_op.so", folder / "libc_custom_op_again.so"]
    numbers = {"registry_test": 1, "kernels_library_test": 2}
    arguments = libraries[: numbers.get(program.stem, 0)]
    done = run(folder / f"c_{program.stem}", *arguments)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    assert re.search(r"[1-9]\d* checks, 0 failures", done.stdout)


def test_every_program_is_built() -> None:
    lists = Path("tests/c/CMakeLists.txt").read_text()
    listed = lists[lists.index("IN ITEMS\n") :].partition(")")[0].split()[2:]
    assert sorted(f"{subject}_test" for subject in listed) == [
        path.stem for path in PROGRAMS
    ]


def test_library_exports_what_the_headers_declare() -> None:
    library = build_folder() / "python" / "minitf" / "libminitf_c.so"
    done = run("nm", "-D", "--defined-only", "--format=posix", library)
    assert done.returncode == 0, done.stderr
    exported = {line.split()[0] for line in done.stdout.splitlines()}
    assert exported == declared()


@pytest.mark.parametrize("header", PUBLIC, ids=lambda path: path.stem)
@pytest.mark.parametrize("language", ["c", "c++"])
def test_header_compiles_alone(header: Path, language: str, tmp_path: Path) -> None:
    source = tmp_path / f"only.{language}"
    source.write_text(f'#include "{header}"\nint main(void) {{ return 0; }}\n')
    standard = "-std=c11" if language == "c" else "-std=c++11"
    flags = ["-pedantic", "-Wall", "-Wextra", "-Wstrict-prototypes", "-Werror", "-I."]
    if language == "c++":
        flags.remove("-Wstrict-prototypes")
    done = run("cc", "-x", language, standard, *flags, "-fsyntax-only", source)
    assert done.returncode == 0, done.stderr


def test_program_for_tensorflows_header_runs(tmp_path: Path) -> None:
    build = build_folder()
    (tmp_path / "stranger.c").write_text(STRANGER)
    place = build / "python" / "minitf"
    folders = ["-I", build / "include", "-I.", "-L", place, f"-Wl,-rpath,{place}"]
    program = tmp_path / "stranger"
    done = run("cc", tmp_path / "stranger.c", "-o", program, *folders, "-lminitf_c")
    assert done.returncode == 0, done.stderr
    assert run(program).stdout == "1.15.0\n"


def test_every_function_is_called() -> None:
    sources = [*Path("tests/c").glob("*.[ch]")]
    text = "\n".join(path.read_text() for path in sources)
    missing = [name for name in declared() if not re.search(rf"\b{name}\(", text)]
    assert sorted(missing) == []


def test_page_lists_what_is_not_implemented() -> None:
    page = Path("docs/c_api.md").read_text()
    section = page.partition("## What is not there")[2].partition("\n## ")[0]
    eager = "\n".join(path.read_text() for path in Path("minitf/c/eager").glob("*.cc"))
    refused = re.findall(r"(?:Throw|Store)Unimplemented\((?:op, )?\"(TFE_\w+)", eager)
    defined = {*DEFINED.findall(UNIMPLEMENTED.read_text()), *refused}
    assert set(LISTED.findall(section)) - {"TF_UNIMPLEMENTED"} == defined


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
