"""A student's file that crashes: what ./lab test says of it, from end to end."""

import contextlib
import shutil
import tempfile
from pathlib import Path

import pytest

from minitf_lab import __main__ as commands
from minitf_lab import project
from minitf_lab.labs import builds

LAB = project.find_lab("00")
FILE = "approximate_equal.cc"


@pytest.fixture
def work(monkeypatch, tmp_path):
    """The student's folder, with minitf's own answer in it; another than the usual."""
    top = project.ROOT / "work"
    top.mkdir(exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".crash-", dir=top))
    monkeypatch.setattr(project.Lab, "work", work)
    monkeypatch.setattr(builds, "made_folder", lambda lab: tmp_path)
    text = LAB.unit(LAB.files[0]).read_text().replace("LAB(", "TODO(")
    (work / FILE).write_text(text)
    yield work
    shutil.rmtree(work)
    with contextlib.suppress(OSError):  # others may be at work
        top.rmdir()


def test_a_crash_is_told_with_its_signal_function_and_line(work, capsys):
    text = (work / FILE).read_text()
    begin = next(line for line in text.split("\n") if "TODO(00.2) begin" in line)
    crash = "      volatile int* volatile nowhere = nullptr;\n      *nowhere = 1;"
    text = text.replace(begin, f"{begin}\n{crash}")
    (work / FILE).write_text(text)
    line = text.split("\n").index("      *nowhere = 1;") + 1

    status = commands._test_lab(LAB, "", commands.parse(["test", "00"]))

    # The report is a box, whose lines may be broken.
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert status == 1
    assert "the program crashed" in said
    assert "SIGSEGV: it used memory that is not its own" in said
    assert "the sanitizer found: store to null pointer" in said
    place = f"where {work.relative_to(project.ROOT)}/{FILE}:{line} (Compute): "
    assert place.replace(" ", "") in said.replace(" ", "")
    assert "task 00.1" not in said, "the task before it has all its cases"
