"""``tests/rooms.py`` counts lines of code, and finds what breaks a rule or a budget."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from source_copy import ROOT

sys.path.append(str(ROOT / "tests"))

import rooms

CODE = '''"""What the file is.

A second paragraph, with x = 1 in it.
"""

x = """text that counts,

over two lines with something in them"""  # with a comment

# y = 2


class Empty:
    r"""Nothing."""

    # "a comment"
    z = "# no comment"
    "what z is"
'''


def test_lines_of_python_that_have_code():
    # x = ..., over two lines..., class Empty, z = ...
    assert rooms.python_code_lines(CODE) == 4


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("python/minitf_lab/judge/worker.py", "python/minitf_lab/judge"),
        ("python/minitf_lab/dev/checks/suite.py", "python/minitf_lab/dev/checks"),
        ("python/minitf/ops/nn/pools.py", "python/minitf/ops/nn"),
        ("minitf/passes/prune.cc", "minitf/passes"),
        ("tests/rooms.py", ""),
    ],
)
def test_a_file_lies_in_the_nearest_room(monkeypatch, path, room):
    monkeypatch.chdir(ROOT)
    assert Path(path).exists() and rooms.room_of(path) == room


# A small repository without findings; all counts of [code] are at their budgets. A path
# has a ~, so that tests/check_style.py does not look for the file.
ROWS = """[rooms]
"minitf/base" = {budget = 4, holds = "", includes = []}
"minitf/tensor" = {budget = 4, holds = "", includes = ["base"]}
"minitf/c" = {budget = 2, holds = "", includes = []}
"kernels/cpu/conv" = {budget = 4, holds = "", includes = "all above"}
"kernels/simt" = {budget = 2, holds = "", includes = []}
"kernels/gpu" = {budget = 2, holds = "", includes = []}
"python/minitf" = {budget = 2, holds = ""}
"python/minitf_wrap" = {budget = 2, holds = ""}

[code]
"core, C++" = 6
"core and extensions, C++" = 6
"C API, C++" = 2
"emulator" = 2
"GPU kernels" = 2
"Python" = 2
"generator of bindings" = 2

[files]
"." = 10

[lines]
"." = 48
"minitf" = 10
"minitf~/base/a.h" = 2
"""
HEADER = "int x;\nint y;\n"
FILES = {
    "minitf~/base/a.h": HEADER,
    "minitf~/tensor/b.h": '#include "minitf~/base/a.h"\n\n' + HEADER,
    "minitf~/c/d.h": HEADER,
    "kernels~/cpu/conv/c.cc": '#include "minitf~/tensor/b.h"\n\n' + HEADER,
    "kernels~/simt/d.h": HEADER,
    "kernels~/gpu/e.cu": HEADER,
    "python~/minitf~/f.py": "x = 1\ny = 2\n",
    "python~/minitf_wrap/f.py": "x = 1\ny = 2\n",
    "tests/rooms.toml": ROWS,
}


def full(text: str) -> str:
    """The text with whole paths."""
    return text.replace("~", "")


def put(name: str, text: str) -> None:
    """Writes a file."""
    Path(full(name)).parent.mkdir(parents=True, exist_ok=True)
    Path(full(name)).write_text(full(text))


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The small repository, in which the test runs."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        put(name, text)
    subprocess.run(["git", "init", "-q"], check=True)
    yield tmp_path
    forget()


def forget() -> None:
    """Clears what the check has read."""
    for cached in (rooms.data, rooms.rooms, rooms.members, rooms.tracked, rooms.counts):
        cached.cache_clear()


def found() -> list[str]:
    """The findings about what is there now."""
    subprocess.run(["git", "add", "-A"], check=True)
    forget()
    return list(rooms.findings())


def test_a_repository_within_its_budgets_is_right(repository: Path) -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("name", "text", "sentences"),
    [
        (
            "minitf~/base/a.h",
            '#include "minitf~/tensor/b.h"\n' + HEADER,
            [
                "minitf~/base/a.h: 3 tracked lines, more than the budget of 2",
                "minitf~/base/a.h: must not include minitf~/tensor/b.h, which lies in "
                "minitf/tensor",
            ],
        ),
        (
            "kernels~/gpu/e.cu",
            HEADER + "\n",
            ["kernels/gpu: has 3 lines, more than its budget of 2"],
        ),
        (
            "minitf~/new/g.cc",
            "// Nothing.\n",
            ["minitf~/new/g.cc: lies in no room of tests/rooms.toml"],
        ),
        (
            "minitf~/tensor/b.h",
            "int x;\nint y;\nint z;\n",
            [
                "core, C++: 7 lines of code, more than the budget of 6",
                "core and extensions, C++: 7 lines of code, more than the budget of 6",
            ],
        ),
        ("notes.txt", "\n" * 9, [".: 55 tracked lines, more than the budget of 48"]),
    ],
)
def test_what_breaks_a_rule_is_found(
    repository: Path, name: str, text: str, sentences: list[str]
) -> None:
    put(name, text)
    assert found() == [full(sentence) for sentence in sentences]


@pytest.mark.parametrize(
    ("row", "replacement", "sentence"),
    [
        ('includes = ["base"]', 'includes = ["bass"]', "'bass', which means []"),
        ("includes = []", 'includes = ["tensor"]', "each other: minitf/base, minitf/t"),
        ("budget = 4", 'budget = "4"', "budget is '4', expected a number"),
        ('"python/minitf" = ', '"minitf/base" = ', "Cannot overwrite a value"),
        ("budget = 4, holds", "bugdet = 4, holds", "the row of minitf/base is wrong"),
        ('"Python" = 2', '"Python" = 2\n"Ruby" = 1', "no part of the sources is called"),
        ('"minitf" = 10', '"minitf/none" = 8', "minitf/none has no tracked lines"),
        ('"." = 10', '"." = 6', ".: 9 tracked files, more than the budget of 6"),
        ("[code]", '"minitf/io" = {budget = 1, holds = ""}\n[code]', "is empty"),
    ],
)
def test_a_wrong_row_is_found(
    repository: Path, row: str, replacement: str, sentence: str
) -> None:
    assert row in ROWS
    put("tests/rooms.toml", ROWS.replace(row, replacement, 1))
    assert sentence in "\n".join(found())


def test_a_room_has_a_limited_number_of_files(repository: Path) -> None:
    for i in range(rooms.MAX_FILES):
        Path(f"minitf/base/empty_{i}.h").write_text("")
    assert "minitf/base: has 31 files, more than 30" in found()
