"""Families: the one of docs/adding_a_family.md, and builds without them.

Read next: ``docs/adding_a_family.md``.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from source_copy import (
    LIBRARY,
    ROOT,
    SourceCopy,
    compile_files,
    definitions_with,
    named_by,
)

GUIDE = ROOT / "docs" / "adding_a_family.md"
BLOCK = re.compile(r"```\w+ (?P<name>[\w/.]+)\n(?P<code>.*?)```", re.DOTALL)
ROWS = "tests/rooms.toml"
# Loads the library before minitf is imported, as if it were a part of it.
PROGRAM = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
import minitf as tf
from minitf import _minitf, families
assert "audio" in _minitf.built_families()
import pytest
sys.exit(pytest.main(["-q", "--noconftest", "-p", "no:cacheprovider", sys.argv[2]]))
"""


# In front of which line of a list the guide's goes.
PLACES = {
    '"minitf/contrib/audio"': '"minitf/contrib/image" =',
    '"python/minitf/contrib/audio"': '"python/minitf/contrib/image" =',
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> SourceCopy:
    """Our sources with the family of the guide, and its lines in our lists."""
    copy = SourceCopy(tmp_path_factory.mktemp("copy"))
    for match in BLOCK.finditer(GUIDE.read_text()):
        if match["name"] == ROWS:
            for row in match["code"].splitlines(keepends=True):
                [place] = [place for key, place in PLACES.items() if row.startswith(key)]
                copy.insert(ROWS, place, row)
        else:
            copy.write(match["name"], match["code"])
    copy.insert("python/minitf/families.py", '    "debug",\n', '    "audio",\n')
    lists = "minitf/contrib/CMakeLists.txt"
    copy.insert(lists, "minitf_family(image)\n", "minitf_family(audio)\n")
    return copy


@pytest.fixture(scope="module")
def library(copy: SourceCopy) -> Path:
    """The C++ files of the family, compiled as a library."""
    folder = copy.folder / "minitf" / "contrib" / "audio"
    names = sorted(path.name for path in folder.glob("*.cc"))
    listed = re.findall(r"^  (\w+\.cc)$", (folder / "CMakeLists.txt").read_text(), re.M)
    assert names == sorted(listed) == ["audio_ops.cc", "mu_law.cc"]
    output = compile_files(folder, names, "libaudio.so", "-shared", "-fPIC")
    (folder / "libaudio.so_files.cc").unlink()
    return output.rename(copy.folder / "libaudio.so")


def test_the_family_of_the_guide_works(copy: SourceCopy, library: Path) -> None:
    """Its C++ files are a library beside minitf's, its Python files lie among ours."""
    path = os.pathsep.join([str(copy.folder / "python"), str(LIBRARY.parent)])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, library, "tests/contrib/audio"],
        env={**os.environ, "PYTHONPATH": path},
        cwd=copy.folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


def test_no_file_is_touched_but_those_that_the_guide_names(
    copy: SourceCopy, library: Path
) -> None:
    copy.write("docs/ops.pbtxt", definitions_with(library, LIBRARY))
    assert copy.findings() == set()
    named = named_by(GUIDE, "audio")
    folders = tuple(name for name in named if name.endswith("/"))
    beside = {name for name in copy.changed() if not name.startswith(folders)}
    assert beside == named - set(folders)


def configure(tmp_path: Path, families: str) -> tuple[int, str, str]:
    """What CMake says to a list of families: status, errors, and what Ninja would do."""
    command = ["cmake", "-S", ROOT, "-B", tmp_path, "-G", "Ninja", "-DMINITF_TESTS=OFF"]
    command += ["-DMINITF_PYTHON=OFF", "-DMINITF_UNITY=OFF"]
    done = subprocess.run(
        [*command, f"-DMINITF_FAMILIES={families}"], capture_output=True, text=True
    )
    ninja = tmp_path / "build.ninja"
    built = ninja.read_text() if ninja.exists() else ""
    return done.returncode, " ".join(done.stderr.split()), built


FAMILIES = {
    *("detection", "image", "legacy", "manip", "sequence"),
    *("sparse", "strings", "summary"),
}


@pytest.mark.parametrize(
    ("families", "there"),
    [
        ("all", FAMILIES),
        ("none", set()),
        ("image;summary", {"image", "summary"}),
        ("sparse", {"sparse"}),
    ],
)
def test_only_the_families_that_are_asked_for_are_built(
    tmp_path: Path, families: str, there: set[str]
) -> None:
    status, errors, ninja = configure(tmp_path, families)
    assert status == 0, errors
    assert set(re.findall(r"minitf/contrib/(\w+)/\w+\.cc\.o", ninja)) == there
    assert "minitf/framework/op.cc.o" in ninja
    assert ("libjpeg" in ninja) == ("image" in there)


@pytest.mark.parametrize(
    ("families", "problem"),
    [
        ("sequence", "The family sequence needs sparse: MINITF_FAMILIES is 'sequence'"),
        ("images", "No family is called images; there are detection, image"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(
    tmp_path: Path, families: str, problem: str
) -> None:
    status, errors, _ = configure(tmp_path, families)
    assert status != 0
    assert problem in errors
