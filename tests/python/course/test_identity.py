"""One identity per student in downloads, records, rosters and options."""

import json
import os
import subprocess
import unicodedata
import zipfile

import pytest
from random_downloads import write_debian
from test_collect import CODE, GOOD, LAB, METADATA, note_of, put, run, text_of, zipped

from minitf_lab import project
from minitf_lab.course import class_records, collect, gradescope_metadata, identity
from minitf_lab.course import run as grading

ALIKE = [
    ("x", "x_"),
    ("x.y", "x.y."),
    ("O'B", "O B"),
    ("O'B", "OB"),
    ("Ng (2)", "Ng 2"),
    ("a-b", "a b"),
    ("Müller", "Muller"),
    ("Müller", "Mäller"),
    ("Weiß", "Weiss"),
    ("Иванов", "Иванова"),
    ("И", "Я"),
    ("王伟", "王偉"),
    ("हिन्दी", "हिन्दु"),
    ("x" * 99 + "一" * 50, "x" * 99 + "一" * 49 + "二"),
]


@pytest.mark.parametrize("names", ALIKE)
@pytest.mark.parametrize("kind", ["folders", "zips", "debian"])
def test_two_students_stay_two(source, course, tmp_path, names, kind):
    # A name on a disk has at most 255 bytes.
    names = [name[-70:] for name in names]
    for number, name in enumerate(names):
        if kind == "folders":
            put(source / name / CODE, f"{number}")
        else:
            put(source / f"{name}.zip", zipped((CODE, f"{number}")))
    if kind == "debian":
        members = [(one.name, one.read_bytes(), 1) for one in source.iterdir()]
        write_debian(tmp_path / "class.zip", members)
        source = tmp_path / "class.zip"
    found = run(source, course)
    assert sorted(found.taken) == sorted(names) and not found.odd
    for number, name in enumerate(names):
        assert (collect.home_of(course, LAB, name) / CODE).read_text() == f"{number}"
        assert note_of(course, name)["student"] == name


@pytest.mark.parametrize("names", ALIKE)
def test_folders_of_two_students_are_two(names):
    identity.refuse_alike(names)
    folders = [identity.folder_name(name) for name in names]
    assert len(set(folders)) == 2
    assert all(len(one.encode()) < 140 and one.isprintable() for one in folders)


@pytest.mark.parametrize(
    "names", [("Ada", "ada"), ("Zoë", unicodedata.normalize("NFD", "Zoë")), ("x", "x ")]
)
def test_names_that_cannot_be_kept_apart_stop_with_both(source, course, names):
    for name in (*names, "bob"):
        put(source / name / CODE)
    with pytest.raises(project.LabError) as error:
        run(source, course)
    for name in {identity.tidy(name) for name in names}:
        assert f"'{name}'" in str(error.value)
    assert not (course / "handins").exists(), "nobody is taken"


def test_a_name_like_one_that_was_collected_before_stops(source, course, tmp_path):
    put(source / "Ada" / CODE)
    run(source, course)
    put(tmp_path / "later" / "ada" / CODE)
    with pytest.raises(project.LabError, match="'Ada' and 'ada'"):
        run(tmp_path / "later", course)


def test_the_zip_of_debian_keeps_names(source, course):
    for name in ("Müller", "Mäller", "Иванов", "Петров"):
        put(source / name / CODE, name)
    done = subprocess.run(
        ["zip", "-q", "-r", "../class.zip", "."],
        cwd=source,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    if done.returncode:
        pytest.skip("zip does not run here")
    found = run(source.parent / "class.zip", course)
    assert sorted(found.taken) == ["Mäller", "Müller", "Иванов", "Петров"]
    text = (collect.home_of(course, LAB, "Иванов") / CODE).read_text()
    assert text == "Иванов"


def test_an_empty_folder_in_a_zip_is_a_student_with_nothing(course, tmp_path):
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as file:
        file.writestr("class/ada/", b"")
        file.writestr(f"class/bob/{CODE}", b"1")
    found = run(tmp_path / "class.zip", course)
    assert found.refused == ["ada: it is empty"] and found.taken == ["bob"]


def test_one_ending_and_one_separator_go(source, course):
    put(source / "x.tar.zip", zipped((CODE, "1")))
    put(source / "x.zip", zipped((CODE, "2")))
    put(source / "y__00_submission.zip", zipped((CODE, "3")))
    put(source / "y_00_submission.zip", zipped((CODE, "4")))
    assert sorted(run(source, course).taken) == ["x", "x.tar", "y", "y_"]


def test_a_second_download_of_the_same_zip_is_the_same_student(source, course):
    put(source / "x_00_submission.zip", zipped((CODE, "1")))
    put(source / "x_00_submission (1).zip", zipped((CODE, "2")))
    put(source / "y.zip", GOOD)
    put(source / "y (1).zip", GOOD)
    found = run(source, course)
    assert sorted(found.taken) == ["x", "y", "y (1)"]
    assert (collect.home_of(course, LAB, "x") / CODE).read_text() == "2"
    [said] = found.odd
    assert said.startswith("y (1): taken as another student than y")


def test_a_student_with_a_dot_in_front_is_named(source, course):
    for name in (".ada", "bob", ".git"):
        put(source / name / CODE)
    found = run(source, course)
    assert found.taken == ["bob"]
    assert found.odd == [".ada: a name with a dot in front; rename it"]
    assert identity.folder_name("..").startswith("student~")
    assert identity.folder_name("").startswith("student~")


def test_a_folder_that_was_renamed_is_named(source, course):
    put(source / "ada" / CODE)
    run(source, course)
    home = collect.home_of(course, LAB, "ada")
    home.rename(home.with_name("bob"))
    with pytest.raises(project.LabError, match="of 'ada', so it must be called ada"):
        collect.students_of(course, LAB)


# ---- What people call students --------------------------------------------------------


def test_only_takes_what_people_call_a_student(source, course):
    put(source / "Ada Lovelace_771_assignsubmission_file_" / CODE)
    put(source / "Bob O'Neil_772_assignsubmission_file_" / CODE)
    put(source / "Bob O'Neil_773_assignsubmission_file_" / CODE)
    run(source, course)
    place = grading.Place(course, LAB)
    ada = "Ada Lovelace_771"
    for word in (ada, identity.folder_name(ada), "771", "ada lovelace", f" {ada} "):
        assert list(grading._chosen(place, (word,))) == [ada]
    assert place.record(ada).name == f"{identity.folder_name(ada)}.json"
    for word, said in (
        ("Bob O'Neil", "may be 'Bob O'Neil_772' and 'Bob O'Neil_773'"),
        ("zoe", "no hand-in of zoe"),
    ):
        with pytest.raises(project.LabError, match=said):
            grading._chosen(place, (word,))


def test_an_extension_is_of_whom_people_call_so(source, course, tmp_path):
    due = collect.clock.Deadline.parse("2026-10-01T12:00:00Z")
    late = due.at() + 3600
    put(source / "Ada Lovelace_771_assignsubmission_file_" / CODE, at=late)
    for word in ("Ada Lovelace", "771", "Ada Lovelace_771"):
        terms = collect.Terms(due, extensions={word: 1})
        assert run(source, course / word, terms).taken == ["Ada Lovelace_771"]
    assert run(source, course, collect.Terms(due)).taken == []
    found = run(source, course, collect.Terms(due, extensions={"zoe": 1}))
    assert found.notes == ["zoe: an extension, but no submission in this source"]
    terms = collect.Terms(due, extensions={"771": 1, "Ada Lovelace": 2})
    with pytest.raises(project.LabError, match="'771' and 'Ada Lovelace' are the same"):
        run(source, course, terms)


# ---- Gradescope -----------------------------------------------------------------------


def test_an_archive_that_gradescope_leaves_packed_is_read(source, course):
    put(source / "submission_metadata.yml", METADATA)
    put(source / "submission_101" / "lab.zip", GOOD)
    put(source / "submission_102" / CODE, "loose")
    put(source / "submission_102" / "old.zip", GOOD)
    assert sorted(run(source, course).taken) == ["1002", "ada@x.edu", "second@x.edu"]
    for name in ("ada@x.edu", "second@x.edu"):
        assert text_of(course, name) == "int zipped;\n"
    assert text_of(course, "1002") == "loose"


def test_every_member_of_a_group_has_the_submission(source, course):
    put(source / "submission_metadata.yml", METADATA)
    put(source / "submission_101" / CODE, "both")
    put(source / "submission_102" / CODE, "alone")
    run(source, course)
    for name in ("ada@x.edu", "second@x.edu"):
        note = note_of(course, name)
        assert (collect.home_of(course, LAB, name) / CODE).read_text() == "both"
        assert note["group"] == ["ada@x.edu", "second@x.edu"]
    assert note_of(course, "1002")["group"] == []
    known_as = {"name": "Second Author", "sid": "1009", "email": "second@x.edu"}
    assert note_of(course, "second@x.edu")["known_as"] == known_as


def submission(number, *people):
    lines = [f"submission_{number}:", "  :submitters:"]
    for person in people:
        for i, (key, value) in enumerate(person.items()):
            lines.append(f"  {'-' if i == 0 else ' '} :{key}: {value}")
    return "\n".join([*lines, "  :created_at: 2026-10-01 11:00:00.0 Z", ""])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"name": "Bob"}, {"name": "Bob"}),
        ({"name": "Ada", "email": "a@x"}, {"name": "Bob", "email": "a@x"}),
        ({"sid": "1", "email": "a@x"}, {"sid": "2", "email": "a@x"}),
        ({"email": "a@x"}, {"email": "A@x"}),
    ],
)
def test_two_on_gradescope_who_would_be_one_stop(source, course, first, second):
    text = "---\n" + submission(1, first) + submission(2, second)
    put(source / "submission_metadata.yml", text)
    put(source / "submission_1" / CODE, "1")
    put(source / "submission_2" / CODE, "2")
    with pytest.raises(project.LabError, match="two students are called|kept apart"):
        run(source, course)
    assert not (course / "handins").exists()


def test_names_of_yaml_are_read(source):
    people = [{"name": "'O''Brien'"}, {"email": '"z\\xEB@x"', "name": "~"}]
    path = put(source / gradescope_metadata.NAME, "---\n" + submission(1, *people))
    one = gradescope_metadata.read(path)["submission_1"]
    assert [person.identity for person in one.submitters] == ["O'Brien", "zë@x"]
    assert one.time > 0


# ---- Rosters --------------------------------------------------------------------------


def test_cells_of_a_roster_are_stripped(tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text("id , Email\n ada , ada@x.edu \n   ,\nbob,\n")
    [ada, bob] = class_records.read_roster(path)
    assert (ada, bob["id"]) == ({"id": "ada", "email": "ada@x.edu"}, "bob")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("ada,a@x.edu,1\nbob, A@x.edu,2\n", "ada and bob have the same email"),
        ("ada,a@x.edu,7\nbob,b@x.edu,7 \n", "ada and bob have the same lti_user_id, '7'"),
        ("ada,a@x.edu,1\n ada,b@x.edu,2\n", "ada is there twice"),
        ("Ada,a@x.edu,1\nada,b@x.edu,2\n", "Ada and ada have the same id"),
    ],
)
def test_a_roster_in_which_two_are_one_is_refused(tmp_path, rows, said):
    path = tmp_path / "roster.csv"
    path.write_text(f"id,email,lti_user_id\n{rows}")
    with pytest.raises(project.LabError, match=said):
        class_records.read_roster(path)


def test_a_note_that_does_not_say_whose_it_is_is_damaged(source, course):
    put(source / "ada" / CODE)
    run(source, course)
    path = collect.home_of(course, LAB, "ada") / "handin.json"
    for student in (None, 3, ""):
        path.write_text(json.dumps({"sha256": "ab", "student": student}))
        with pytest.raises(project.LabError, match="does not say whose it is"):
            collect.students_of(course, LAB)
