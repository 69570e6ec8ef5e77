"""Wrong and unusual answers as text: how they are read, and where they apply."""

import difflib
import random

import pytest

from minitf_lab import project
from minitf_lab.dev.quality import entries, faults
from minitf_lab.dev.quality.entries import Entry, changed
from minitf_lab.judge import regions

RIGHT = """import a
# LAB(98.1) begin: count
n = 0
for x in y:
    n += x
# LAB(98.1) end
# LAB(98.2) begin: twice
n = 0
n *= 2

# LAB(98.2) end
n = 0
"""


def entry(*body, task="98.1"):
    return Entry(task, "name", "what is wrong", body)


def in_right(*body, task="98.1"):
    """The lines of RIGHT that an entry changes, as a difference without context."""
    made = changed(entry(*body, task=task), {"f.py": RIGHT})["f.py"]
    lines = difflib.ndiff(RIGHT.split("\n"), made.split("\n"))
    return [line for line in lines if line[0] in "-+"]


def test_an_entry_changes_the_region_of_its_task():
    assert in_right("-n = 0", "+n = 1") == ["- n = 0", "+ n = 1"]
    made = changed(entry("-n = 0", "+n = 1", task="98.2"), {"f.py": RIGHT})["f.py"]
    first, second = regions.find_regions(made)
    assert (first.lines[0], second.lines[0]) == ("n = 0", "n = 1")


def test_blank_lines_around_a_place_mean_nothing():
    body = ["", "-n *= 2", " ", "@@ -1,3 +1,3 @@", "", "-import a", "+import b", ""]
    assert in_right(*body) == ["- import a", "+ import b", "- n *= 2"]


def test_a_place_is_looked_for_in_what_the_one_before_has_left():
    assert in_right("-import a", "+n = 3", "@@", "-n = 3", "+n = 4") == [
        *("- import a", "+ n = 4")
    ]


def test_what_is_in_no_region_of_the_task_is_looked_for_elsewhere():
    assert in_right("-import a", "+import b") == ["- import a", "+ import b"]
    assert in_right("-n *= 2") == ["- n *= 2"]
    assert in_right(" # LAB(98.1) begin: count", "+m = 0") == ["+ m = 0"]


def test_an_entry_has_several_places_and_lines_around_them():
    assert in_right(" for x in y:", "-    n += x", "+    n -= x", "@@", "-n = 0") == [
        *("- n = 0", "-     n += x", "+     n -= x")
    ]
    assert in_right("-n *= 2", "", "+n += 1", task="98.2") == ["- n *= 2", "+ n += 1"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (["-gone"], "0 places have these lines:\n'gone'"),
        (["+new"], "nothing says where to put"),
        (["-", "+new"], "nothing says where to put"),
        (["-n = 0", "@@", "-n = 0"], "2 places have these lines, f.py:7, f.py:11:\n'n"),
        (["-# LAB(98.1) end"], "then f.py has no regions: line 6: task 98.1 is still"),
        (["-n = 0", "+# LAB(98.1) begin: me"], "then f.py has no regions"),
    ],
)
def test_what_fits_no_place_or_several_does_not_apply(body, said):
    with pytest.raises(ValueError, match="does not apply") as raised:
        changed(entry(*body), {"f.py": RIGHT})
    assert said in str(raised.value)


def test_a_file_of_entries_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "wrong.txt"
    written = [
        Entry("98.1", "one", "it is 1: one", ("-a", "", "+b", "@@", " c", "-d")),
        Entry("98.10", "two", "deletes", ("-e",)),
    ]
    path.write_text("# what they are\n\n" + "\n".join(e.text for e in written) + "\n\n")
    assert [one.text.rstrip() for one in entries.read(path)] == [
        one.text.rstrip() for one in written
    ]
    assert entries.read(tmp_path / "none.txt") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-a\n", "wrong.txt:1: expected 'NN.N a_name: what is wrong'"),
        ("98.1 a: b\nc\n", "wrong.txt:2: expected 'NN.N a_name: what is wrong'"),
        ("98.1 two-words: b\n", "wrong.txt:1: expected 'NN.N a_name: what is wrong'"),
        ("98.1 a: b\n-c\n98.2 a: b\n-c\n", "wrong.txt:3: a second a"),
        ("98.1 a:\n-c\n", "wrong.txt:1: expected 'NN.N a_name: what is wrong'"),
        ("\udcff", "byte 0 is not UTF-8"),
    ],
)
def test_a_line_that_is_none_of_an_entry_is_named(tmp_path, text, said):
    path = tmp_path / "wrong.txt"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(project.LabError) as raised:
        entries.read(path)
    assert said in str(raised.value)


def patch_of(new, file="f.py", lines=3):
    sides = [text.splitlines(keepends=True) for text in (RIGHT, new)]
    return "".join(difflib.unified_diff(*sides, f"a/{file}", f"b/{file}", n=lines))


@pytest.mark.parametrize("seed", range(20))
def test_a_patch_is_an_entry(tmp_path, seed):
    draw = random.Random(seed)
    lines = RIGHT.split("\n")
    for _ in range(draw.randint(1, 4)):
        lines[draw.choice((2, 3, 4, 7, 8))] = draw.choice(("x", "-- x", "++ y", "@"))
    new = "\n".join(lines)
    file = draw.choice(("f.py", "g.py"))
    patch = patch_of(new, file, draw.randint(0, 3))
    (tmp_path / "one.patch").write_text(f"task 98.1: by chance\n{patch}")
    [found] = entries.read(tmp_path)
    assert (found.task, found.name, found.sentence) == ("98.1", "one", "by chance")
    texts = {"f.py": RIGHT, "g.py": RIGHT}
    assert changed(found, texts) == texts | {file: new}
    with pytest.raises(ValueError, match="does not apply"):
        changed(found, dict.fromkeys(texts, "other\n"))


def test_a_patch_begins_with_its_task(tmp_path):
    (tmp_path / "one.patch").write_text(patch_of("x"))
    with pytest.raises(project.LabError, match="one.patch: the first line must be"):
        entries.read(tmp_path)


@pytest.mark.parametrize("kind", faults.KINDS)
@pytest.mark.parametrize("lab", project.all_labs(), ids=lambda lab: lab.number)
def test_each_lab_has_answers_of_its_tasks(lab, kind):
    found = faults.answers(lab, kind)
    assert found and {e.task for e in found} <= {task.number for task in lab.tasks}


def test_an_entry_of_no_task_of_the_lab_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(project, "ROOT", tmp_path)
    lab = project.Lab("98_x", "", [], 1, [], [project.Task("98.1", "", 1, 1, "")])
    lab.solution.mkdir(parents=True)
    (lab.solution / "seeded.txt").write_text("98.2 other: of task 2\n-a\n")
    with pytest.raises(project.LabError, match=r"other is of task 98.2; lab 98 has 98.1"):
        faults.answers(lab)
