"""``./lab qa``: what is wrong with a lab is found, and a good one is found good."""

import json
import shutil
import sys
from pathlib import Path

import lab_folder
import pytest
from lab_folder import CASES, PYTHON

from minitf_lab import cuda, project
from minitf_lab.__main__ import main
from minitf_lab.dev.quality import faults, qa
from minitf_lab.judge.case import forget_modules
from minitf_lab.labs import labgen
from minitf_lab.verdicts import Verdicts


@pytest.fixture
def tool(monkeypatch, capsys):
    """Runs a command; its status, and what it says."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["lab", *map(str, words)])
        status = main()
        said = capsys.readouterr()
        return status, said.out + said.err

    return run


def problems(folder):
    """What ./lab qa finds wrong, by its name."""
    forget_modules("lab_60_twice")
    lab = project.lab_at(str(folder))
    found = qa.findings(lab, Verdicts(None), None)
    return {name: problem for name, problem, _ in found if problem}


# What a check of the first case does besides: it fails from the second time on.
ONCE = """    def check(values):
        import pathlib
        seen = pathlib.Path(__file__).with_name("seen")
        if values[0] == "abab" and seen.exists():
            return "it was so before"
        if values[0] == "abab":
            seen.touch()
"""


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """The lab with a starter, and a fault that reports know."""
    folder = lab_folder.in_python(tmp_path_factory.mktemp("once"))
    patch = lab_folder.FAULT.replace(".cc", ".py").split("@@")[0]
    patch += (
        "@@ -6,3 +6,3 @@\n     # LAB(60.1) begin: return twice the number\n"
        "-    return 2 * x\n+    return 3 * x\n     # LAB(60.1) end\n"
    )
    lab_folder.write(folder, faults___thrice__patch=patch)
    lab_folder.write(folder, honest___sum___twice__py=PYTHON.replace("2 * x", "x + x"))
    forget_modules("lab_60_twice")
    lab = project.lab_at(str(folder))
    assert labgen.write([lab]) == 0
    assert faults.run(lab, "", Verdicts(None)) == 0
    return folder


@pytest.fixture
def good(once, tmp_path):
    """A copy of it."""
    return Path(shutil.copytree(once, tmp_path / "good" / "60_twice"))


def test_a_good_lab_is_found_good(good, tool):
    status, said = tool("qa", good)
    assert status == 0 and said.endswith("8 of 8 good\n")
    assert "good      the fault thrice: found by numbers\n" in said


def test_a_task_without_a_region_is_refused(good):
    for folder in ("reference", "starter"):
        path = good / folder / "twice.py"
        lines = path.read_text().split("\n")
        path.write_text("\n".join(line for line in lines if "(60.2)" not in line))
    assert problems(good)["the regions"] == (
        "task 60.2 has no region: put LAB(60.2) begin and end around its answer in "
        "twice.py"
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "name", "said"),
    [
        ("cases.py", "words(draw)", "w(draw, x)", "the right answer", "w itself fails"),
        (
            "cases.py",
            'case("60.2")',
            'case("60.3")',
            "the cases",
            "the case words is of task 60.3, which lab.json has not",
        ),
        (
            "cases.py",
            'case("60.2")',
            'case("60.2", hidden=True)',
            "the cases",
            "task 60.2: students have 0 cases, lab.json says 1",
        ),
        ("starter/twice.py", "task", "tusk", "what is handed out", "out of date"),
        ("cases.py", "2 * x", "3 * x", "the right answer", "60.1: wrong_answer: it is"),
        (
            "cases.py",
            "    def check(values):\n",
            ONCE,
            "the same answer again",
            "by chance",
        ),
        ("faults/thrice.patch", "60.1", "60.2", "the fault thrice", "of task 60.2, and"),
        ("faults/thrice.patch", "3 * x", "x + x", "the fault thrice", "no case finds it"),
        ("faults/thrice.patch", "2 * x", "4 * x", "the fault thrice", "does not apply"),
        ("faults/thrice.patch", "three", "four", "diagnoses.json", "out of date, as for"),
        (
            "honest/sum/twice.py",
            "x + x\n    # LAB(60.1) end",
            "x\n    # LAB(60.1) end",
            "the right answer honest/sum",
            "numbers refuses what is right: it is [0.5]",
        ),
    ],
)
def test_what_is_wrong_with_a_lab_is_found(good, file, old, new, name, said):
    text = (good / file).read_text()
    assert old in text
    (good / file).write_text(text.replace(old, new, 1))
    found = problems(good)
    assert said in found.get(name, ""), found


def test_cases_that_cannot_be_read_are_named_with_their_line(good, tool):
    cases = good / "cases.py"
    cases.write_text(cases.read_text().replace("def words", "deff words"))
    for words in (["qa", good], ["grade", good, "--reference"]):
        forget_modules("lab_60_twice")
        status, said = tool(*words)
        assert status == 1 and "cannot be read: cases.py, line 21: SyntaxError" in said


def test_a_starter_that_is_worth_points_is_found(good):
    text = (good / "reference" / "twice.py").read_text()
    start = text.index("    # LAB(60.1)")
    open_part = text[:start] + "    return 2 * x\n" + text[text.index("\n\n\ndef word") :]
    (good / "reference" / "twice.py").write_text(open_part)
    (good / "starter" / "twice.py").write_text(
        open_part.replace("LAB", "TODO").replace(
            "return x + x", 'raise NotImplementedError("task 60.2 is not written yet")'
        )
    )
    assert problems(good)["the starter"] == "it gets 2 points; at most 0 are meant for it"
    values = json.loads((good / "lab.json").read_text()) | {"qa": {"starter_max": 2}}
    (good / "lab.json").write_text(json.dumps(values))
    assert "the starter" not in problems(good)


def test_a_hidden_case_that_the_hand_out_names_is_found(good):
    cases = (good / "cases.py").read_text()
    more = CASES[CASES.index('@case("60.2")') :].replace('"60.2"', '"60.2", hidden=True')
    more = more.replace("words(", "empty_words(").replace("are repeated", "may be empty")
    (good / "cases.py").write_text(cases + "\n\n" + more)
    assert "what is handed out" not in problems(good)
    (good / "README.md").write_text("# Twice\n\nWords may be empty\n")
    said = problems(good)["what is handed out"]
    assert said == "README.md names a hidden case: Words may be empty"


def test_a_lab_that_cannot_be_run_here_is_not_found_bad(
    good, tool, monkeypatch, tmp_path
):
    monkeypatch.setattr(cuda, "DEVICE", tmp_path / "none")
    values = json.loads((good / "lab.json").read_text()) | {"needs": ["cuda"]}
    (good / "lab.json").write_text(json.dumps(values))
    status, said = tool("qa", good)
    assert status == 0 and "is not run here: skipped: there is no GPU here" in said
