"""How ``tests/rooms.py`` counts lines of code, and that each source lies in a room."""

import sys
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
        ("python/minitf_lab/checks/suite.py", "python/minitf_lab/checks"),
        ("python/minitf/ops/nn/pools.py", "python/minitf/ops/nn"),
        ("minitf/passes/prune.cc", "minitf/passes"),
        ("tests/rooms.py", ""),
    ],
)
def test_a_file_lies_in_the_nearest_room(monkeypatch, path, room):
    monkeypatch.chdir(ROOT)
    assert Path(path).exists() and rooms.room_of(path) == room


def test_a_room_with_two_rows_is_refused(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    text = rooms.PAGE.read_text()
    row = next(line for line in text.splitlines() if rooms.ROW.match(line))
    page = tmp_path / "architecture.md"
    page.write_text(text)
    monkeypatch.setattr(rooms, "PAGE", page)
    assert [*rooms.check_rows()] == []
    page.write_text(f"{text}\n{row}\n")
    assert [*rooms.check_rows()] == [f"{page}: the room minitf/base has 2 rows"]
