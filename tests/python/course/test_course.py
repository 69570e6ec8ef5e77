"""A class of 12 on lab 00: judged, killed, resumed, judged again, tampered with.

Most of them do not compile, which takes the least time to judge; a class with every kind
of hand-in is that of the instructor's guide.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from minitf_lab import project
from minitf_lab.course import collect, judging, keys, replay, run, verify
from minitf_lab.judge import sandbox
from minitf_lab.labs import builds
from minitf_lab.labs.handin import intake, records, submit

LAB = project.find_lab("00")
CODE = "approximate_equal.cc"
SOLUTION = (project.ROOT / LAB.files[0]).read_text().replace("LAB(", "TODO(")
LESS = "Distance(a[i], b[i]) < tolerance_"


def changed(old, new, text=SOLUTION):
    assert text.count(old) == 1, old
    return text.replace(old, new)


NOT_LESS = changed(LESS, LESS.replace("<", "<="))
# What each student hands in, the points, and the tasks' verdicts.
STUDENTS = {
    "ada": (SOLUTION, 4, ["ok", "ok"]),
    "bob": (SOLUTION, 4, ["ok", "ok"]),  # the same files
    "cleo": (NOT_LESS, 2, ["ok", "wrong_answer"]),
    "dan": ("int broken = 1\n", 0, ["compile_error"] * 2),
    "eve": ("int broken = ;\n", 0, ["compile_error"] * 2),
    "finn": ("int broken = {;\n", 0, ["compile_error"] * 2),
    "gina": ("int broken = 1\n", 0, ["compile_error"] * 2),  # dan's files
    "hal": (NOT_LESS, 2, ["ok", "wrong_answer"]),  # cleo's files
    "ida": (SOLUTION, 4, ["ok", "ok"]),
    "jon": (None, 0, ["rejected"] * 2),  # of another lab
    "kim": (b"", 0, ["rejected"] * 2),  # an empty zip
    "leo": ('#include "/etc/passwd"\n', 0, ["compile_error"] * 2),
}
PROGRAM = [sys.executable, "-m", "minitf_lab"]


def lab_tool(*words, **options):
    return subprocess.run(
        [*PROGRAM, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


def make_class(source):
    """The hand-ins of the class: folders, and zips of ``./lab submit``."""
    for student, (code, _, _) in STUDENTS.items():
        folder = source / student
        folder.mkdir(parents=True)
        if code is None:
            (folder / "math_grad.cc").write_text("int a;")
        elif code == b"":
            with zipfile.ZipFile(folder / "a.zip", "w"):
                pass
        else:
            (folder / CODE).write_text(code)
        if student == "ida":  # with a receipt, and so another hand-in than ada's
            (folder / "time.txt").write_text("3")
            (folder / "answers.md").write_text(
                "## 3. Which? (a name)\n\nAnswer: x\n\n## 4. Why?\n\nAnswer: so\n"
            )
            data = submit.packed(LAB, intake.read(LAB, folder))
            shutil.rmtree(folder)
            (source / "ida.zip").write_bytes(data)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The class, collected, and judged by a process that was killed and ran again."""
    top = tmp_path_factory.mktemp("class")
    builds.build_framework(LAB)
    make_class(top / "source")
    path = top / "course"
    keys.make(path / "key")
    found = collect.collect(LAB, top / "source", path)
    assert len(found.taken) == 10 and len(found.refused) == 2
    return path


@pytest.fixture(scope="module")
def key(course):
    return keys.load(course / "key")


def times_of(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*.json")}


@pytest.fixture(scope="module")
def judged(course, key):
    """What there was when the judge was killed, and how the second run went."""
    words = ["course", "grade", "00", "--jobs", "2", "--course", course]
    process = subprocess.Popen(
        [*PROGRAM, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    results = course / "results" / LAB.folder
    deadline = time.monotonic() + 60
    while not times_of(results) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)  # those that judge, too
    process.communicate()
    before = times_of(results)
    return before, run.grade(run.Place(course, LAB), key, run.Options(jobs=2))


def record_of(course, key, student):
    return records.read(course / "records" / LAB.folder / f"{student}.json", key)


def test_nothing_is_lost_or_judged_twice_when_the_judge_is_killed(course, judged):
    before, found = judged
    after = times_of(course / "results" / LAB.folder)
    hashes = {
        note["sha256"]
        for note in collect.students_of(course, LAB).values()
        if "rejected" not in note
    }
    assert 0 < len(before) < len(hashes) == 7, "ada's files are bob's"
    assert {name.removesuffix(".json") for name in after} == hashes
    assert {name: after[name] for name in before} == before
    assert found.judged == len(hashes) - len(before) and not found.failed


@pytest.mark.parametrize("student", STUDENTS)
def test_points_and_verdicts(course, key, judged, student):
    record = record_of(course, key, student)
    _, points, verdicts = STUDENTS[student]
    assert record["score"] == points
    assert [test["verdict"] for test in record["tests"]] == verdicts
    assert record["submission"]["id"] == student
    assert (record["schema"], record["max_score"]) == (1, 4)
    assert sum(test["score"] for test in record["tests"]) == points


def test_records_say_what_was_wrong(course, key, judged):
    cleo = record_of(course, key, "cleo")["tests"][1]
    assert cleo["score"] == 0 and cleo["hint"].startswith("exercises/00_hello")
    wrong = next(case for case in cleo["cases"] if case["verdict"] != "ok")
    assert "tolerance" in wrong["shape"] and wrong["first_index"].startswith("[")
    assert (wrong["expected"], wrong["got"]) == ("False", "True")
    assert 0 < wrong["n_bad"] <= wrong["n"]
    eve = record_of(course, key, "eve")
    assert not eve["build"]["ok"] and f"{CODE}:1:14: error" in eve["build"]["messages"]
    assert "/" not in eve["build"]["messages"].split(CODE)[0]
    jon = record_of(course, key, "jon")
    assert jon["status"] == "rejected" and "of lab 04" in jon["tests"][0]["message"]


def test_a_compiler_quotes_no_file_of_the_machine(course, key, judged):
    messages = record_of(course, key, "leo")["build"]["messages"]
    assert "approximate_equal.cc:1" in messages
    for line in Path("/etc/passwd").read_text().split("\n"):
        assert not line or line not in messages


def test_flags_are_for_the_instructor(course, key, judged):
    ada, ida = (record_of(course, key, name)["flags"] for name in ("ada", "ida"))
    assert "there is no receipt: it was not made by ./lab submit" in ada
    assert not any("receipt" in flag for flag in ida)
    assert {"hours: 3", "question 3: not right"} <= set(ida)
    assert "question 4: answered, for a person to read" in ida


def test_a_second_run_does_nothing(course, key, judged):
    folders = [course / kind / LAB.folder for kind in ("results", "records")]
    before = [times_of(folder) for folder in folders]
    found = run.grade(run.Place(course, LAB), key, run.Options(jobs=2))
    assert (found.judged, found.known) == (0, 9)
    assert [times_of(folder) for folder in folders] == before


def test_a_regrade_gives_the_same_records(course, key, judged, tmp_path):
    for student in ("eve",):  # the guide replays one that has run
        folder = course / "handins" / LAB.folder / student
        note = collect.read_note(folder)
        out = tmp_path / f"{student}.json"
        done = lab_tool(
            *("judge", "00", folder, "--out", out, "--key", course / "key", "--no-build")
        )
        assert (done.returncode, done.stderr) == (0, "")
        again = records.read(out, key)
        first = records.read(run.Place(course, LAB).result(note["sha256"]), key)
        assert records.same(first, again)
        assert first["execution_time"] != again["execution_time"]


def test_commands_for_other_machines_judge_what_is_waiting(course, key, judged, tmp_path):
    copy = tmp_path / "course"
    shutil.copytree(course, copy)
    place = run.Place(copy, LAB)
    note = collect.read_note(copy / "handins" / LAB.folder / "eve")
    place.result(note["sha256"]).unlink()
    done = lab_tool("course", "grade", "00", "--list", "--course", copy)
    [line] = done.stdout.splitlines()
    words = [f"{project.ROOT}/lab", "judge", "00_hello", f"{copy}/handins/00_hello/eve"]
    assert line.split(" ")[:4] == words
    line = line.replace(f"{project.ROOT}/lab", f"{sys.executable} -m minitf_lab", 1)
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not run.waiting(place, key)
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    assert "judged already" in done.stdout


# ---- What goes wrong -----------------------------------------------------------------


@pytest.fixture
def copied(course, judged, tmp_path):
    path = tmp_path / "copied"
    shutil.copytree(course, path)
    return path


def check(copied, key):
    return {str(path): said for path, said in verify.findings(copied, key, [])}


def result_of(copied, student):
    note = collect.read_note(copied / "handins" / LAB.folder / student)
    return run.Place(copied, LAB).result(note["sha256"])


def test_all_is_well_at_first(copied, key):
    assert check(copied, key) == {}
    done = lab_tool("course", "verify", "--course", copied)
    assert done.returncode == 0 and "0 findings" in done.stdout


def test_every_file_that_was_changed_is_named(copied, key):
    ada, cleo, dan = (
        copied / "records" / LAB.folder / f"{name}.json"
        for name in ("ada", "cleo", "dan")
    )
    ada.write_text(ada.read_text().replace('"score": 4', '"score": 9'))
    shutil.copy(ada.with_name("bob.json"), cleo)
    records.write(dan, records.sign(json.loads(dan.read_text()), b"x" * 32))
    eve = json.loads((copied / "records" / LAB.folder / "eve.json").read_text())
    del eve["sig"]
    records.write(copied / "records" / LAB.folder / "eve.json", eve)
    other = eve | {"lab": eve["lab"] | {"id": "01_tensor"}}
    records.write(copied / "records" / LAB.folder / "finn.json", records.sign(other, key))
    result_of(copied, "gina").write_text("")
    (copied / "handins" / LAB.folder / "hal" / CODE).write_text("other")
    (copied / "handins" / LAB.folder / "ida" / "handin.json").write_text("{")
    found = check(copied, key)
    said = {
        "records/00_hello/ada.json": "it was changed after it was signed",
        "records/00_hello/cleo.json": "it is of 'bob'",
        "records/00_hello/dan.json": "it was changed after it was signed",
        "records/00_hello/eve.json": "it is not signed",
        "records/00_hello/finn.json": "it is of 'eve'",
        "handins/00_hello/hal": "its files were changed after they were collected",
    }
    assert said.items() <= found.items()
    assert "it is no JSON" in found[f"results/00_hello/{result_of(copied, 'gina').name}"]
    assert "damaged" in found["handins/00_hello/ida"]
    done = lab_tool("course", "verify", "--course", copied)
    assert done.returncode == 1
    for place in said:
        assert f"{place}: " in done.stdout


def test_nothing_is_judged_while_a_record_is_wrong(copied, key):
    path = result_of(copied, "eve")
    path.write_text(path.read_text().replace('"score": 0', '"score": 4'))
    before = path.read_bytes()
    done = lab_tool("course", "grade", "00", "--course", copied)
    assert done.returncode == 1 and "nothing was judged" in done.stderr
    assert f"{path.name}: it was changed after it was signed" in done.stderr
    assert path.read_bytes() == before
    path.unlink()
    assert run.grade(run.Place(copied, LAB), key).judged == 1


def test_a_wrong_key_is_named(copied, key):
    (copied / "key").unlink()
    keys.make(copied / "key")
    for words in (["verify"], ["grade", "00"]):
        done = lab_tool("course", *words, "--course", copied)
        assert done.returncode == 1
        assert "signed with another key" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    for path in (copied / "results" / LAB.folder).glob("*.json"):
        records.read(path, key)


def test_two_at_a_time_are_refused(copied, key):
    place = run.Place(copied, LAB)
    with (
        run.locked(place.result("all")),
        pytest.raises(project.LabError, match="another ./lab course grade 00"),
    ):
        run.grade(place, key)


def test_a_judge_waits_for_another_of_the_same_files(copied, key):
    """As when the one that started both was killed, and started again."""
    path = result_of(copied, "ada")
    text = path.read_bytes()
    path.unlink()
    folder = copied / "handins" / LAB.folder / "ada"
    words = ["judge", "00", folder, "--out", path, "--keep", "--no-build", "--key", "-"]
    with run.locked(path):
        process = subprocess.Popen(
            [*PROGRAM, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        process.stdin.write(key.hex() + "\n")
        process.stdin.flush()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.5)
        path.write_bytes(text)  # the other is done
    assert "judged already" in process.communicate(timeout=60)[0]
    assert path.read_bytes() == text


def test_what_a_killed_judge_has_left_is_removed(copied, key):
    part = result_of(copied, "ada").with_name(".x.json.999999999.ab")
    part.write_text("{")
    mine = part.with_name(f".y.json.{os.getpid()}.ab")
    mine.write_text("{")
    run.grade(run.Place(copied, LAB), key)
    assert not part.exists() and mine.exists()


def test_changed_files_are_not_judged_under_the_old_name(copied, key):
    path = result_of(copied, "cleo")
    path.unlink()
    (copied / "handins" / LAB.folder / "cleo" / CODE).write_text(SOLUTION)
    found = run.grade(run.Place(copied, LAB), key)
    assert "were changed after they were collected" in found.failed["cleo"]
    assert not path.exists()
    assert record_of(copied, key, "cleo")["status"] == "grader_error"
    assert found.points["cleo"] is None


def test_a_judge_that_fails_is_tried_three_times(copied, key, monkeypatch):
    path = result_of(copied, "eve")
    path.unlink()
    tries = []

    def killed(command, **options):
        tries.append(command)
        return subprocess.CompletedProcess(command, -9, "", "")

    with monkeypatch.context() as patch:
        patch.setattr(run.subprocess, "run", killed)
        found = run.grade(run.Place(copied, LAB), key)
    assert len(tries) == 3 and (found.judged, found.points["eve"]) == (0, None)
    assert found.failed == {"eve": "the judge ended with status -9"}
    assert not any(key.hex() in word for word in tries[0]), "others can read arguments"
    assert record_of(copied, key, "eve")["status"] == "grader_error"
    failed = judging.refused(LAB, path.stem, "no room", key, "grader_error")
    records.write(path, failed)
    found = run.grade(run.Place(copied, LAB), key)
    assert found.judged == 1 and record_of(copied, key, "eve")["score"] == 0


def test_records_of_an_earlier_version_of_the_lab_are_told(copied, key, monkeypatch):
    monkeypatch.setattr(judging, "lab_digest", lambda lab: "another")
    found = run.grade(run.Place(copied, LAB), key)
    assert len(found.stale) == 10, "what was rejected is rejected by this version"
    assert found.judged == 0


def test_hand_ins_of_a_lab_elsewhere_are_not_passed_over(copied, key):
    for kind in ("handins", "records"):
        folder = copied / kind / "50_mine" / "ada"
        folder.mkdir(parents=True)
    (folder.parent / "x.json").write_text("{}")
    found = check(copied, key)
    assert "name the lab's folder" in found["handins/50_mine"]
    assert "schema" in found["records/50_mine/x.json"]


def test_some_are_judged_alone_and_other_points_are_told(copied, key, capsys):
    """As after an appeal: another hand-in of one, the rest stays."""
    place = run.Place(copied, LAB)
    before = times_of(copied / "results" / LAB.folder)
    with pytest.raises(project.LabError, match="no hand-in of zoe, mia"):
        run.grade(place, key, run.Options(only=("zoe", "mia")))
    source = copied / "appeal" / "ada"
    source.mkdir(parents=True)
    (source / CODE).write_text("int worse = ;\n")
    collect.collect(LAB, source.parent, copied)
    found = run.grade(place, key, run.Options(only=("ada", "eve")))
    assert (found.judged, found.known, found.changed) == (1, 1, {"ada": 4})
    assert found.points == {"ada": 0, "eve": 0}
    run.print_progress(found, LAB)
    assert "other points than before: ada: 4, now 0" in capsys.readouterr().out
    after = times_of(copied / "results" / LAB.folder)
    assert len(after) == len(before) + 1 and before.items() <= after.items()


def test_what_an_earlier_version_has_judged_is_judged_anew(copied, key, monkeypatch):
    place = run.Place(copied, LAB)
    now, later = run.versions(place, key), ("another", "")
    monkeypatch.setattr(run, "versions", lambda place, key: later)
    assert len(run.waiting(place, key, run.Options(outdated=True))) == 7
    assert not run.waiting(place, key)
    monkeypatch.setattr(run, "versions", lambda place, key: now)
    assert not run.waiting(place, key, run.Options(outdated=True))
    [line] = run.commands(place, key, run.Options(again=True, only=("eve",)), [])
    assert "--again" in line and "/eve " in line


def test_a_pack_goes_to_every_judge_and_a_wrong_one_stops_them(copied, key):
    place = run.Place(copied, LAB)
    place.pack.parent.mkdir()
    place.pack.write_text("{}")
    with pytest.raises(project.LabError, match="packs/00_hello: it is no pack"):
        run.waiting(place, key)
    done = lab_tool("course", "grade", "00", "--course", copied)
    assert done.returncode == 1 and "packs/00_hello: it is no pack" in done.stderr
    words = run._words(place, "eve", "ab" * 32)
    assert words[-2:] == ["--pack", str(place.pack)]


def test_a_replay_changes_nothing_and_says_what_differs(copied, key, capsys):
    place = run.Place(copied, LAB)
    box = sandbox.find_box()
    files = {path: path.read_bytes() for path in copied.rglob("*.json")}
    assert replay.show(place, "eve", key, box) == 0
    assert "the record is the same but for times" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in copied.rglob("*.json")} == files
    path = place.record("eve")
    better = records.read(path, key) | {"score": 3}
    records.write(path, records.sign(better, key))
    assert replay.show(place, "eve", key, box) == 1
    said = capsys.readouterr().out
    assert "score: 3, now 0" in said and "--again --only eve replaces it" in said
    assert records.read(path, key)["score"] == 3


def test_a_replay_of_what_is_not_there(copied, key):
    place = run.Place(copied, LAB)
    for student, said in (
        ("zoe", "there is no hand-in of zoe"),
        ("kim", "it was not taken, so not judged: it is empty"),
    ):
        with pytest.raises(project.LabError, match=said):
            replay.show(place, student, key, None)
    (copied / "handins" / LAB.folder / "eve" / CODE).write_text("other")
    with pytest.raises(project.LabError, match="changed after they were collected"):
        replay.show(place, "eve", key, None)
    place.record("dan").unlink()
    with pytest.raises(project.LabError, match="there is no such record"):
        replay.show(place, "dan", key, None)
