"""``./lab course collect``: downloads of gradebooks, folders, zips, repositories."""

import io
import json
import os
import shutil
import subprocess
import zipfile

import pytest

from minitf_lab import project
from minitf_lab.course import clock, collect

LAB = project.find_lab("00")
CODE = "approximate_equal.cc"
DUE = "2026-10-01T12:00:00Z"
NOON = clock.seconds_of(DUE)


def put(path, text="int a;\n", at=NOON - 60):
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(text, bytes):
        path.write_bytes(text)
    else:
        path.write_text(text)
    os.utime(path, (at, at))
    return path


def zipped(*members):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, data in members:
            file.writestr(zipfile.ZipInfo(name, (2026, 10, 1, 9, 0, 0)), data)
    return made.getvalue()


GOOD = zipped((CODE, "int zipped;\n"))


def run(source, course, terms=None, *, due="", late=False):
    grace_s = clock.grace_of(clock.GRACE)
    deadline = clock.Deadline.parse(due, None, grace_s) if due else None
    return collect.collect(LAB, source, course, terms or collect.Terms(deadline, late))


def text_of(course, student):
    return (collect.home_of(course, LAB, student) / CODE).read_text()


def note_of(course, student):
    return collect.read_note(collect.home_of(course, LAB, student))


def students(course):
    return sorted(collect.students_of(course, LAB))


# ---- Folders and archives ------------------------------------------------------------


def test_folders_and_archives_are_called_like_the_students(source, course):
    put(source / "ada" / CODE, "int ada;\n")
    put(source / "bob" / "00_submission.zip", GOOD)
    put(source / "cleo" / "work" / "00_hello" / CODE)
    put(source / "dan.zip", GOOD)
    put(source / "eve_00_submission.zip", GOOD)
    put(source / "README.txt")
    put(source / ".DS_Store")
    found = run(source, course, due=DUE)
    assert students(course) == ["ada", "bob", "cleo", "dan", "eve"]
    assert found.taken == ["ada", "bob", "cleo", "dan", "eve"]
    assert found.odd == ["README.txt: neither a folder nor an archive"]
    assert text_of(course, "ada") == "int ada;\n"
    assert note_of(course, "ada")["submitted_at"] == "2026-10-01T11:59:00Z"
    folder = course / "handins" / "00_hello" / "ada"
    assert sorted(os.listdir(folder)) == [CODE, "handin.json"]


def test_a_zip_of_zips_is_read_with_its_times(source, course, tmp_path):
    data = zipped(("class/ada.zip", GOOD), ("class/bob.zip", GOOD), ("__MACOSX/x", b""))
    found = run(put(tmp_path / "all.zip", data), course)
    assert found.taken == ["ada", "bob"] and not found.odd
    assert text_of(course, "ada") == "int zipped;\n"
    local = clock.seconds_of("2026-10-01T09:00:00")
    assert note_of(course, "ada")["submitted_at"] == clock.moment(local)


def test_a_class_of_one_is_a_class(source, course, tmp_path):
    put(source / "ada" / "work" / "00_hello" / CODE, "1")
    assert run(source, course).taken == ["ada"]
    data = zipped((f"bob/work/00_hello/{CODE}", "2"))
    assert run(put(tmp_path / "all.zip", data), course).taken == ["bob"]


def test_a_download_that_would_do_harm_is_left_out(source, course, tmp_path):
    link = zipfile.ZipInfo("cleo.zip")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    data = zipped(("ada.zip", GOOD), ("../bob.zip", GOOD), ("big.zip", bytes(9 << 20)))
    made = io.BytesIO(data)
    with zipfile.ZipFile(made, "a") as file:
        file.writestr(link, "/etc/passwd")
    found = run(put(tmp_path / "all.zip", made.getvalue()), course)
    assert found.taken == ["ada"]
    said = "\n".join(found.odd)
    assert "outside of its own folder" in said
    assert "big.zip: it is longer than" in said and "cleo.zip: it is no plain" in said
    broken = zipped(("ada.zip", GOOD), ("bob.zip", b"x" * 99)).replace(b"xxx", b"yyy", 1)
    [said] = run(put(tmp_path / "all.zip", broken), course).odd
    assert said.startswith("bob.zip: it is broken")
    assert sorted(os.listdir(tmp_path)) == ["all.zip", "course", "download"]
    for data in (b"", b"PK", GOOD[:40]):
        with pytest.raises(project.LabError, match="no zip, or it is broken"):
            run(put(tmp_path / "all.zip", data), course)
    assert students(course) == ["ada"]


def test_what_cannot_be_taken_is_told_and_noted(source, course):
    put(source / "ada" / "math_grad.cc")
    put(source / "bob.zip", zipped())
    put(source / "cleo" / CODE, "x" * 300_000)
    (source / "dan").mkdir()
    (source / "eve").symlink_to("/etc")
    found = run(source, course)
    assert not found.taken
    assert found.odd == ["eve: neither a folder nor an archive"]
    assert found.refused == [
        f"ada: it has no {CODE}, as lab 00 needs; these are files of lab 04",
        "bob: it is empty",
        f"cleo: {CODE}: it is longer than the 200000 bytes that are taken",
        "dan: it is empty",
    ]
    assert note_of(course, "ada")["rejected"].startswith("it has no")
    put(source / "ada" / CODE)
    assert run(source, course).taken == ["ada"]
    assert "rejected" not in note_of(course, "ada")


def test_a_name_without_letters_is_nobodys(source, course):
    put(source / "bob" / CODE)
    put(source / "$$$.zip", GOOD)
    found = run(source, course)
    assert found.taken == ["bob"]
    assert found.odd == ["$$$.zip: its name does not say whose it is"]


# ---- Times ---------------------------------------------------------------------------


def test_the_last_in_time_counts(source, course):
    put(source / "ada" / "first.zip", zipped((CODE, "1")), NOON - 300)
    put(source / "ada" / "second.zip", zipped((CODE, "2")), NOON - 200)
    put(source / "ada" / "third.zip", zipped((CODE, "3")), NOON + 7200)
    put(source / "bob" / CODE, at=NOON + 330)
    put(source / "cleo" / CODE, at=NOON + 30)
    found = run(source, course, due=DUE)
    assert text_of(course, "ada") == "2" and found.taken == ["ada", "cleo"]
    assert found.refused == [
        "ada: third.zip is 2 hours late; --late takes it if nothing came in time",
        "bob: bob is 5 minutes 30 seconds late; --late takes it if nothing came in time",
    ]
    found = run(source, course, due=DUE, late=True)
    assert text_of(course, "ada") == "2" and found.taken == ["bob"]
    assert note_of(course, "bob")["late"] and not note_of(course, "ada")["late"]
    assert not note_of(course, "cleo")["late"], "half a minute is within the grace period"


def test_collecting_again_takes_what_is_newer_and_keeps_the_rest(source, course):
    put(source / "ada" / CODE, "1", NOON - 300)
    put(source / "bob" / CODE, "1", NOON - 300)
    run(source, course)
    put(source / "ada" / CODE, "2", NOON - 200)
    put(source / "bob" / CODE, "0", NOON - 400)
    found = run(source, course)
    assert (found.taken, found.unchanged) == (["ada"], ["bob"])
    assert (text_of(course, "ada"), text_of(course, "bob")) == ("2", "1")
    [kept] = (course / "handins" / "00_hello" / ".earlier").iterdir()
    assert kept.name.startswith("ada.") and (kept / CODE).read_text() == "1"
    assert run(source, course).unchanged == ["ada", "bob"]


def test_odd_times_are_refused(source, course):
    for text in ("tomorrow", "2026-13-01", "\x1b"):
        with pytest.raises(project.LabError, match="is no time; write it like"):
            run(source, course, due=text)


# ---- Gradebooks ----------------------------------------------------------------------

METADATA = """---
submission_101:
  :submitters:
  - :name: Ada Lovelace
    :sid: '1001'
    :email: ada@x.edu
  - :name: Second Author
    :sid: '1009'
    :email: second@x.edu
  :created_at: 2026-10-01 11:05:09.123456000 Z
  :score: 0.0
  :history:
  - :score: 1.0
    :created_at: 2026-09-01 11:05:09.123456000 Z
submission_102:
  :submitters:
  - :name: Bob
    :sid: '1002'
  :created_at: 2026-10-01 15:05:09.000000000 +02:00
submission_103:
  :submitters:
  - :name: Gone
  :created_at: 2026-10-01 15:05:09 Z
"""


@pytest.mark.parametrize("is_nested", [False, True])
def test_a_download_of_gradescope(source, course, is_nested):
    top = source / "assignment_7_export" if is_nested else source
    put(top / "submission_metadata.yml", METADATA)
    put(top / "submission_101" / CODE)
    put(top / "submission_102" / CODE)
    put(top / "submission_999" / CODE)
    found = run(source, course, due=DUE)
    assert found.kind == "Gradescope"
    assert students(course) == ["ada@x.edu", "second@x.edu"], "the other came at 13:05"
    assert note_of(course, "ada@x.edu")["submitted_at"] == "2026-10-01T11:05:09Z"
    assert found.odd == [
        "submission_999: submission_metadata.yml does not say whose it is",
        "submission_103: there is no such folder",
    ]
    assert run(source, course, late=True).taken == ["1002"]


def test_a_download_of_canvas(source, course):
    put(source / "lovelaceada_12_3456_00_submission-1.zip", GOOD)
    put(source / f"babbagechar_LATE_13_3457_{CODE}", "1")
    put(source / "babbagechar_LATE_13_3458_time-2.txt", "7")
    put(source / "babbagechar_LATE_13_3459_notes.txt", "x")
    put(source / "hello.pdf", "x")
    put(source / "none_14_3460_notes.txt", "x")
    found = run(source, course)
    assert found.kind == "Canvas"
    assert students(course) == ["babbagechar_13", "lovelaceada_12", "none_14"]
    assert note_of(course, "none_14")["rejected"] == "it is empty"
    assert text_of(course, "babbagechar_13") == "1"
    folder = course / "handins" / "00_hello" / "babbagechar_13"
    assert (folder / "time.txt").read_text() == "7"
    assert note_of(course, "babbagechar_13")["late"]
    assert not note_of(course, "lovelaceada_12")["late"]
    assert found.odd == [
        "hello.pdf: no file that Canvas has named",
        "babbagechar_LATE_13_3459_notes.txt: lab 00 has no such file",
        "none_14_3460_notes.txt: lab 00 has no such file",
    ]


def test_a_download_of_moodle(source, course):
    put(source / "Ada Lovelace_771_assignsubmission_file_" / "00_submission.zip", GOOD)
    put(source / "Bob Ng_772_assignsubmission_file_00_submission.zip", GOOD)
    put(source / "Cleo_773_assignsubmission_onlinetext_" / "onlinetext.html", "x")
    found = run(source, course)
    assert found.kind == "Moodle"
    assert students(course) == ["Ada Lovelace_771", "Bob Ng_772"]
    assert found.odd == ["Cleo_773_assignsubmission_onlinetext_: a text, no files"]


# ---- Git -----------------------------------------------------------------------------


def git(folder, *words, at=NOON - 60):
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    for who in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{who}_NAME": "x", f"GIT_{who}_EMAIL": "x@x"}
        environment[f"GIT_{who}_DATE"] = f"{int(at)} +0000"
    subprocess.run(
        ["git", *words], cwd=folder, env=environment, check=True, capture_output=True
    )


def commit(folder, text, at, name=CODE):
    put(folder / name, text, at)
    git(folder, "add", "-f", "-A", at=at)
    git(folder, "commit", "-q", "-m", "x", at=at)


@pytest.fixture
def repository(source):
    folder = source / "ada"
    folder.mkdir()
    git(folder, "init", "-q")
    commit(folder, "1", NOON - 300)
    commit(folder, "2", NOON - 200)
    commit(folder, "3", NOON + 2000)
    put(folder / CODE, "not committed")
    return folder


def test_the_last_commit_in_time_counts(source, course, repository):
    found = run(source, course, due=DUE)
    assert found.taken == ["ada"] and text_of(course, "ada") == "2"
    assert note_of(course, "ada")["submitted_at"] == clock.moment(NOON - 200)
    [said] = run(source, course, due=DUE, late=True).choices
    assert text_of(course, "ada") == "2", "the one in time counts"
    assert "the last commit in time of" in said and "(33 minutes 20 seconds late)" in said
    run(source, course)
    assert text_of(course, "ada") == "3"
    run(source, course / "late", due=clock.moment(NOON - 3000), late=True)
    assert text_of(course / "late", "ada") == "3"
    found = run(source, course, due="2020-01-01T00:00Z")
    assert found.refused == ["ada: the repository has no commit before the due date"]


def test_a_repository_is_read_bare_and_packed_and_below_work(source, course, repository):
    git(repository, "mv", CODE, "elsewhere")
    commit(repository, "4", NOON + 300, name=f"work/00_hello/{CODE}")
    git(source, "clone", "-q", "--bare", "ada", "bob")
    git(source / "bob", "gc", "-q")
    shutil.rmtree(repository)
    assert run(source, course).taken == ["bob"]
    assert text_of(course, "bob") == "4"


def test_what_a_repository_says_is_not_obeyed(source, course, repository, tmp_path):
    mark = tmp_path / "harm"
    settings = (
        f'[core]\n fsmonitor = "touch {mark}"\n pager = "touch {mark}"\n'
        f' hooksPath = {repository}\n[remote "x"]\n url = y\n promisor = true\n'
        f' uploadpack = "touch {mark};"\n[extensions]\n partialClone = x\n'
    )
    with (repository / ".git" / "config").open("a") as file:
        file.write(settings)
    assert run(source, course, due=DUE).taken == ["ada"]
    assert not mark.exists()
    put(repository / ".git" / "objects" / "info" / "alternates", "/etc\n")
    found = run(source, course / "x", due=DUE)
    assert found.refused == ["ada: the repository borrows the objects of another one"]


def test_a_repository_in_a_gradebooks_folder_does_not_say_when(
    source, course, repository
):
    put(source / "submission_metadata.yml", METADATA)
    repository.rename(source / "submission_102")
    assert run(source, course, due=DUE, late=True).taken == ["1002"]
    assert text_of(course, "1002") == "not committed"
    assert note_of(course, "1002")["submitted_at"] == "2026-10-01T13:05:09Z"


def test_links_and_long_files_of_a_commit_are_refused(source, course, repository):
    (repository / CODE).unlink()
    (repository / CODE).symlink_to("/etc/passwd")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "x", at=NOON + 900)
    assert run(source, course).refused == [
        f"ada: {CODE}: is a link; hand in the file itself"
    ]
    (repository / CODE).unlink()
    commit(repository, "x" * 300_000, NOON + 1000)
    assert "longer than the 200000 bytes" in run(source, course).refused[0]


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("HEAD", "ref: refs/heads/../../../../etc/passwd\n", "no commit"),
        ("HEAD", "ref: refs/heads/none\n", "no commit"),
        ("HEAD", "--upload-pack=x\n", "no commit"),
        ("HEAD", "0" * 40, "git rev-list"),
    ],
)
def test_a_broken_repository_is_refused(source, course, repository, file, text, said):
    put(repository / ".git" / file, text)
    [refused] = run(source, course).refused
    assert said in refused and refused.startswith("ada: ")


def test_repositories_of_a_list_are_fetched(source, course, repository, tmp_path):
    lines = f"# students\nada {repository}\nbob {tmp_path}/none\ncleo --help\n"
    found = run(put(tmp_path / "list.txt", lines), course, due=DUE)
    assert found.taken == ["ada"] and text_of(course, "ada") == "2"
    assert [said.split(":")[0] for said in found.odd] == ["bob", "cleo"]
    lines = f"Ada Lovelace {repository}\r\nMüller, Jürgen,\t{repository}\r\n"
    found = run(put(tmp_path / "list.txt", f"\ufeff{lines}"), course)
    assert found.taken == ["Ada Lovelace", "Müller, Jürgen"] and not found.odd
    for text in ("ada", f"ada {repository}\nada {repository}"):
        with pytest.raises(project.LabError, match=r"list\.txt, line \d: expected"):
            run(put(tmp_path / "list.txt", text), course)


# ---- Errors --------------------------------------------------------------------------


def test_a_source_that_is_not_there_is_named(course, tmp_path):
    with pytest.raises(project.LabError, match="none: there is no such file"):
        run(tmp_path / "none", course)


def test_a_course_that_cannot_be_written_to_is_named(source, course):
    put(source / "ada" / CODE)
    course.write_text("a file")
    with pytest.raises(project.LabError, match="Not a directory|File exists"):
        run(source, course)


def test_a_full_disk_loses_nothing(source, course, monkeypatch):
    put(source / "ada" / CODE, "1", NOON - 300)
    run(source, course)
    before = note_of(course, "ada")
    put(source / "ada" / CODE, "2", NOON - 200)

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(collect.shutil, "copytree", full)
    with pytest.raises(project.LabError, match="No space left on device"):
        run(source, course)
    assert note_of(course, "ada") == before and text_of(course, "ada") == "1"


def test_a_damaged_note_is_named(source, course):
    put(source / "ada" / CODE)
    run(source, course)
    path = course / "handins" / "00_hello" / "ada" / "handin.json"
    for text in ("", "[]", json.dumps({"sha256": 3}), "[" * 50_000):
        path.write_text(text)
        with pytest.raises(project.LabError, match=r"handin\.json is damaged"):
            collect.students_of(course, LAB)
    with pytest.raises(project.LabError, match="no hand-ins of lab 00"):
        collect.students_of(course / "x", LAB)
