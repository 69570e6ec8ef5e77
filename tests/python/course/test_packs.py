"""Private cases: sealed, tried, refused if they are not what they should be."""

import json
import subprocess

import pytest

from minitf_lab import project
from minitf_lab.course import keys, packs, run, verify
from minitf_lab.judge.case import load_cases
from minitf_lab.labs.handin import records

LAB = project.find_lab("00")
KEY = bytes(range(32))
GOOD = '''"""Cases."""

from pathlib import Path

import numpy as np
from lab_00_hello.trials import trial

from minitf_lab.judge.case import case


@case("00.2")
def of_my_own(draw):
    """Numbers of a file."""
    x, y = np.loadtxt(Path(__file__).with_name("numbers.txt"))
    yield trial(x, y, 0.5)
'''
NUMBERS = "1 2 3\n1.25 2.5 9\n"


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "cases_mine.py").write_text(GOOD)
    (folder / "numbers.txt").write_text(NUMBERS)
    return folder


@pytest.fixture
def untried(monkeypatch):
    """Nothing is run: what is wrong is seen before."""
    monkeypatch.setattr(packs, "check", lambda lab, box: packs.cases_of(lab))


@pytest.fixture
def sealed(tmp_path, source, untried):
    packs.put(tmp_path, LAB, source, KEY, None)
    return packs.path_of(tmp_path, LAB)


def test_the_cases_are_hidden_ones_of_the_lab(sealed):
    before = load_cases(LAB.tests)
    with packs.with_pack(LAB, sealed, KEY) as lab:
        [mine] = packs.cases_of(lab)
        assert (mine.name, mine.task, mine.is_hidden) == ("of_my_own", "00.2", True)
        assert len([*mine.trials()]) == 1
        assert lab.pack_id == packs.id_of(LAB, sealed, KEY) != ""
        folder = lab.pack
    assert not folder.exists()
    assert [one.name for one in load_cases(LAB.tests)] == [one.name for one in before]


def test_nothing_of_it_can_be_read_without_the_key(sealed):
    text = sealed.read_bytes()
    assert b"of_my_own" not in text and b"1.25" not in text
    assert sealed.stat().st_mode & 0o077 == 0


def test_the_same_files_have_the_same_name_and_others_another(tmp_path, source, sealed):
    first, name = sealed.read_bytes(), packs.id_of(LAB, sealed, KEY)
    packs.put(tmp_path, LAB, source, KEY, None)
    assert sealed.read_bytes() != first and packs.id_of(LAB, sealed, KEY) == name
    (source / "numbers.txt").write_text("1 2\n1 2\n")
    packs.put(tmp_path, LAB, source, KEY, None)
    assert packs.id_of(LAB, sealed, KEY) != name


def test_what_comes_out_is_what_went_in(tmp_path, sealed):
    packs.take_out(tmp_path, LAB, KEY, tmp_path / "out")
    found = {path.name: path.read_text() for path in (tmp_path / "out").iterdir()}
    assert found == {"cases_mine.py": GOOD, "numbers.txt": NUMBERS}
    with pytest.raises(project.LabError, match="File exists"):
        packs.take_out(tmp_path, LAB, KEY, tmp_path / "out")
    packs.remove(tmp_path, LAB)
    with pytest.raises(project.LabError, match="lab 00 has no pack"):
        packs.take_out(tmp_path, LAB, KEY, tmp_path / "again")
    with pytest.raises(project.LabError, match="lab 00 has no pack"):
        packs.remove(tmp_path, LAB)


def _changed(found):
    data = list(found["data"])
    data[40] = "A" if data[40] != "A" else "B"
    return {**found, "data": "".join(data)}


WRONG = {
    "another key": (lambda found: found, "it is signed with another key"),
    "a letter changed": (_changed, "it was changed after it was signed"),
    "said to be of another lab": (
        lambda found: {**found, "lab": "01_tensor"},
        "it was changed after it was signed",
    ),
    "of less": (
        lambda found: records.sign({k: v for k, v in found.items() if k != "data"}, KEY),
        "it is damaged: it lacks 'data'",
    ),
    "unsigned": (lambda found: {**found, "sig": ""}, "it is not signed"),
    "a record": (lambda found: {"schema": 1}, "it is no pack"),
    "no table": (lambda found: [1], "it is no pack"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_pack_that_is_not_the_courses_is_refused(sealed, name):
    change, said = WRONG[name]
    sealed.write_text(json.dumps(change(json.loads(sealed.read_text()))))
    key = b"x" * 32 if name == "another key" else KEY
    with (
        pytest.raises(project.LabError, match=said),
        packs.with_pack(LAB, sealed, key),
    ):
        pass


def test_a_pack_of_another_lab_is_refused(tmp_path, sealed):
    other = project.find_lab("01")
    packs.path_of(tmp_path, other).write_bytes(sealed.read_bytes())
    with (
        pytest.raises(project.LabError, match="a pack of lab 00_hello, not of 01_tensor"),
        packs.with_pack(other, packs.path_of(tmp_path, other), KEY),
    ):
        pass


@pytest.mark.parametrize("text", ["", "{", "\0", "[" * 100_000])
def test_a_damaged_pack_is_named(sealed, text):
    sealed.write_text(text)
    with (
        pytest.raises(project.LabError, match="packs/00_hello: it is damaged"),
        packs.with_pack(LAB, sealed, KEY),
    ):
        pass


SOURCES = {
    "a syntax error": ("def (", "cannot be loaded: SyntaxError"),
    "a missing import": ("import nothing_like_it", "cannot be loaded: ModuleNotFound"),
    "no case": ("x = 1", "there is no case in the pack"),
    "another lab's task": (GOOD.replace("00.2", "04.1"), "of task 04.1; lab 00 has 00.1"),
    "no task": (GOOD.replace("00.2", "two"), "cannot be loaded: ValueError"),
    "a name of the lab's": (GOOD.replace("of_my_own", "all_types"), "called all_types"),
}


@pytest.mark.parametrize("name", SOURCES)
def test_cases_that_do_not_fit_are_refused_and_nothing_is_written(
    tmp_path, source, untried, name
):
    text, said = SOURCES[name]
    (source / "cases_mine.py").write_text(text)
    with pytest.raises(project.LabError, match=said):
        packs.put(tmp_path, LAB, source, KEY, None)
    assert not packs.path_of(tmp_path, LAB).exists()


def test_sources_that_are_none(tmp_path, source, untried):
    for path, said in (
        (tmp_path / "nowhere", "no such file or folder"),
        (tmp_path / "empty", "it has no file cases"),
        (source / "numbers.txt", "a file of cases is called like cases_mine.py"),
    ):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(project.LabError, match=said):
            packs.put(tmp_path, LAB, path, KEY, None)
    (source / "link.txt").symlink_to("/etc/passwd")
    with pytest.raises(project.LabError, match="is a link"):
        packs.put(tmp_path, LAB, source, KEY, None)
    (source / "link.txt").unlink()
    (source / "cases.py").write_text(GOOD)
    with pytest.raises(project.LabError, match="the lab has a file cases.py too"):
        packs.put(tmp_path, LAB, source, KEY, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD.replace("yield trial(x, y, 0.5)", "raise KeyError('x')"), "cannot be made"),
        (GOOD + "    x.check = None\n", "cannot be made"),
        (
            GOOD.replace(
                "yield trial(x, y, 0.5)",
                "one = trial(x, y, 0.5)\n    "
                "yield type(one)(one.title, one.calls, lambda values: 'never')",
            ),
            "minitf's own answer does not pass it .*: never",
        ),
    ],
    ids=["raises", "no such field", "fails"],
)
def test_cases_that_the_right_answer_fails_are_refused(tmp_path, source, text, said):
    (source / "cases_mine.py").write_text(text)
    with pytest.raises(project.LabError, match=said):
        packs.put(tmp_path, LAB, source, KEY, None)
    assert not packs.path_of(tmp_path, LAB).exists()


def test_a_pack_of_an_older_lab_is_tried_again(sealed, monkeypatch):
    tried = []
    monkeypatch.setattr(packs, "check", lambda lab, box: tried.append(lab))
    packs.refuse_wrong(LAB, sealed, KEY, None)
    assert not tried
    monkeypatch.setattr(packs.judging, "lab_digest", lambda lab: "another")
    packs.refuse_wrong(LAB, sealed, KEY, None)
    assert len(tried) == 1


def test_records_of_other_private_cases_are_named(tmp_path, sealed):
    keys.make(tmp_path / "key")
    place = run.Place(tmp_path, LAB)
    record = {name: {} for name in records.FIELDS} | {
        "schema": 1,
        "lab": {"id": LAB.folder, "sha256": "", "pack": "ab" * 32},
        "submission": {"sha256": "0" * 64, "id": "ada"},
        "status": "graded",
    }
    path = place.result("0" * 64)
    records.write(path, records.sign(record, KEY))
    found = dict(verify.findings(tmp_path, KEY, [LAB]))
    said = found[path.relative_to(tmp_path)]
    mine = packs.id_of(LAB, sealed, KEY)[:12]
    assert (
        f"the private cases {'ab' * 6}, the course has the private cases {mine}" in said
    )
    sealed.write_text("{")
    found = dict(verify.findings(tmp_path, KEY, [LAB]))
    assert "damaged" in found[sealed.relative_to(tmp_path)]


def test_without_openssl_it_says_so(tmp_path, source, untried, monkeypatch):
    monkeypatch.setattr(keys.shutil, "which", lambda name: None)
    with pytest.raises(project.LabError, match="apt-get install openssl"):
        packs.put(tmp_path, LAB, source, KEY, None)


def test_openssl_that_fails_leaves_nothing(tmp_path, source, untried, monkeypatch):
    failed = subprocess.CompletedProcess([], 1, b"", b"no")
    monkeypatch.setattr(keys.subprocess, "run", lambda *args, **options: failed)
    with pytest.raises(project.LabError, match="did not encrypt"):
        packs.put(tmp_path, LAB, source, KEY, None)
    assert not packs.path_of(tmp_path, LAB).exists()
