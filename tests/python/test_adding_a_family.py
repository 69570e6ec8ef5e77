"""Families: the one of docs/adding_a_family.md, and builds without them.

Read next: ``docs/adding_a_family.md``.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_adding_an_op import LIBRARY, ROOT, compile_files

GUIDE = ROOT / "docs" / "adding_a_family.md"
BLOCK = re.compile(r"```\w+ (?P<name>[\w/.]+)\n(?P<code>.*?)```", re.DOTALL)
# Loads the library before minitf is imported, as if it were a part of it.
PROGRAM = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
import minitf as tf
from minitf import _minitf, families
assert "audio" in _minitf.built_families()
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", sys.argv[2]]))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the blocks of the guide, and with links to the rest of minitf."""
    tree = tmp_path_factory.mktemp("tree")
    package = tree / "python" / "minitf"
    for match in BLOCK.finditer(GUIDE.read_text()):
        path = tree / match["name"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(match["code"])
    for folder in ("", "contrib"):
        for entry in (ROOT / "python" / "minitf" / folder).iterdir():
            if not (package / folder / entry.name).exists():
                (package / folder / entry.name).symlink_to(entry)
    text = (ROOT / "python/minitf/families.py").read_text()
    (package / "families.py").unlink()
    with_audio = text.replace("FAMILIES = (", 'FAMILIES = ("audio", ')
    assert with_audio != text
    (package / "families.py").write_text(with_audio)
    return tree


def test_the_family_of_the_guide_works(tree: Path) -> None:
    """Its C++ files are compiled as a library, its Python files lie among the others."""
    folder = tree / "minitf" / "contrib" / "audio"
    names = sorted(path.name for path in folder.glob("*.cc"))
    listed = re.findall(r"^  (\w+\.cc)$", (tree / "CMakeLists.txt").read_text(), re.M)
    assert names == sorted(listed) == ["audio_ops.cc", "mu_law.cc"]
    library = compile_files(folder, names, "libaudio.so", "-shared", "-fPIC")
    path = os.pathsep.join([str(tree / "python"), str(LIBRARY.parent)])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, library, tree / "tests"],
        env={**os.environ, "PYTHONPATH": path},
        cwd=tree,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


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


@pytest.mark.parametrize(
    ("families", "there"),
    [
        ("all", {"image", "sequence", "sparse", "summary"}),
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
        ("images", "No family is called images; there are image, sparse"),
    ],
)
def test_a_list_that_makes_no_sense_is_refused(
    tmp_path: Path, families: str, problem: str
) -> None:
    status, errors, _ = configure(tmp_path, families)
    assert status != 0
    assert problem in errors
