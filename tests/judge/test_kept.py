"""Objects are kept, so that the same text is compiled once, and no other one is taken."""

import pytest

from minitf_lab import project
from minitf_lab.judge import kept, variant
from minitf_lab.judge.regions import find_regions
from minitf_lab.labs import builds

LAB = project.find_lab("00")
[UNIT] = LAB.files


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """The names of the objects that are compiled from now on, in a cache of its own."""
    names = []
    real = variant.run_tool

    def noted(box, command, target, read):
        if target.suffix == ".o":
            names.append(target.name)
        return real(box, command, target, read)

    monkeypatch.setattr(variant, "run_tool", noted)
    monkeypatch.setattr(kept, "_folder", lambda: tmp_path / "kept")
    return names


def made(folder, text, box, task=""):
    path = folder / "source" / UNIT.rpartition("/")[2]
    project.put(path, text)
    answer = builds.build_for_marks(LAB, {UNIT: path}, folder / "made", box, task)
    return folder / "made", answer


def right():
    return (project.ROOT / UNIT).read_text().replace("LAB(", "TODO(")


def object_in(folder):
    return (folder / UNIT.replace("/", "_")).with_suffix(".o").read_bytes()


def test_the_same_text_is_compiled_once_wherever_it_lies(tmp_path, box, compiled):
    first, one = made(tmp_path / "a", right() + "static int odd;\n", box)
    count = len(compiled)
    second, other = made(tmp_path / "b", right() + "static int odd;\n", box)
    assert count >= 1 and len(compiled) == count
    assert object_in(first) == object_in(second)
    assert (one.warnings, one.audit) == (other.warnings, other.audit)


def test_another_text_task_or_header_is_compiled(tmp_path, box, compiled):
    made(tmp_path / "a", right(), box)
    before = len(compiled)
    made(tmp_path / "b", right().replace("< tolerance_", "<= tolerance_"), box)
    made(tmp_path / "c", right(), box, task="00.1")
    text = f'#include "own.h"\n{right()}'
    project.put(tmp_path / "d" / "source" / "own.h", "#define A 1\n")
    made(tmp_path / "d", text, box)
    project.put(tmp_path / "e" / "source" / "own.h", "#define A 2\n")
    made(tmp_path / "e", text, box)
    assert compiled.count(f"{UNIT.replace('/', '_')[:-3]}.o") == 5
    assert len(compiled) == before + 4  # minitf's own files beside it were kept


def test_what_a_compiler_has_against_a_text_is_said_each_time(tmp_path, box, compiled):
    said = []
    for name in "ab":
        with pytest.raises(project.BuildError, match="was not declared") as error:
            made(tmp_path / name, right().replace("< tolerance_", "< nothing"), box)
        said.append(str(error.value))
    assert said[0] == said[1]
    assert compiled.count(f"{UNIT.replace('/', '_')[:-3]}.o") == 2


def test_a_warning_is_said_each_time(tmp_path, box, compiled):
    region = next(one for one in find_regions(right()) if one.task == "00.2")
    text = right().replace("\n".join(region.lines), "int z; result[i] = z;")
    warned = [made(tmp_path / name, text, box)[1].warnings for name in "ab"]
    assert warned[0] == warned[1] and "uninitialized" in warned[0]


def test_what_decides_on_an_object_is_in_its_name():
    command = ["c++", "-O1", "-include", "/x/pch.h", "-o", "a.o", "-MF", "a.d", "-c", "a"]

    def name(text="t", command=command, kind="bwrap"):
        return kept.key_of(text, command, [], kind)

    elsewhere = ["b.o" if word == "a.o" else word for word in command]
    assert name() == name(command=elsewhere)
    others = [name("u"), name(kind="landlock"), name(command=[*command, "-g"])]
    others.append(name(command=["c++", "-O2", *command[2:]]))
    assert len({name(), *others}) == 5


def test_what_was_not_used_for_longest_goes(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "_folder", lambda: tmp_path / "kept")
    monkeypatch.setattr(kept, "MAX_ALL", 2500)
    (tmp_path / "x.o").write_bytes(bytes(1000))
    for key in "abcd":
        kept.keep(key, tmp_path / "x.o", "")
    found = {key: kept.find(key, tmp_path / "y.o") for key in "abcd"}
    assert found == {"a": None, "b": "", "c": "", "d": ""}
    monkeypatch.setattr(kept, "MAX_OBJECT", 999)
    kept.keep("e", tmp_path / "x.o", "")
    assert kept.find("e", tmp_path / "y.o") is None
