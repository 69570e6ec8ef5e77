"""What befalls a machine: a full disk, a read-only one, no network, a cut of power.

Each is a clear message, and nothing is lost: when it is over, the same command goes on.
"""

import os
import shutil
import subprocess

import pytest

from minitf_lab import project
from minitf_lab.course import collect, keys, run, verify
from minitf_lab.labs import builds
from minitf_lab.labs.handin import records

LAB = project.find_lab("00")
CODE = "approximate_equal.cc"
HAND_INS = {"ada": "int broken = ;\n", "bob": "int broken = 1\n"}  # judged in a second
# A process of nobody's may mount too, where it alone sees it.
APART = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]


@pytest.fixture
def course(tmp_path):
    """A course with hand-ins that are not judged yet."""
    builds.build_framework(LAB)
    path = tmp_path / "course"
    keys.make(path / "key")
    for student, text in HAND_INS.items():
        project.put(tmp_path / "source" / student / CODE, text)
    assert len(collect.collect(LAB, tmp_path / "source", path).taken) == 2
    return path


def shell(script, course, *more):
    """Runs a script, in which $COURSE is the course; in mounts of its own."""
    lab = f"{project.ROOT}/lab"
    done = subprocess.run(
        [*APART, *more, "bash", "-eu", "-c", script],
        env={**os.environ, "COURSE": str(course), "LAB": lab},
        cwd=project.ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


# A small disk with the course on it. What is left on it comes back in $KEPT.
DISK = """
grade() { "$LAB" course grade 00 --no-sandbox --course "$1"; }
mkdir "$COURSE.disk"; mount -t tmpfs -o size=400k none "$COURSE.disk"
cp -r "$COURSE" "$COURSE.disk/"; disk=$COURSE.disk/$(basename "$COURSE")
"""
BACK = 'rm -rf "$COURSE"; cp -r "$disk" "$COURSE"'


def check_all_judged(course):
    key = keys.load(course / "key")
    assert dict(verify.findings(course, key, [LAB])) == {}
    for student in HAND_INS:
        record = records.read(run.Place(course, LAB).record(student), key)
        assert record["status"] == "graded"


def test_a_full_disk(course):
    done = shell(
        f"""{DISK}
        dd if=/dev/zero of="$COURSE.disk/filler" 2>/dev/null || true
        if grade "$disk"; then exit 9; fi
        rm "$COURSE.disk/filler"
        grade "$disk"
        {BACK}""",
        course,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "No space left on device" in said
    check_all_judged(course)


def test_no_room_for_what_is_compiled(course):
    done = shell(
        f"""{DISK}
        TMPDIR=$COURSE.disk grade "$disk" && exit 9
        grade "$disk"
        {BACK}""",
        course,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "not judged, through no fault of its own: ada" in said
    assert "is full: 0 MB are left, 256 MB are needed" in said
    check_all_judged(course)


def test_a_read_only_disk(course):
    done = shell(
        f"""{DISK}
        mount -o remount,ro "$COURSE.disk"
        if grade "$disk"; then exit 9; fi
        if "$LAB" course keys --encrypt --passphrase-file lab --course "$disk"
        then exit 9; fi
        mount -o remount,rw "$COURSE.disk"
        grade "$disk"
        {BACK}""",
        course,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "Read-only file system" in said
    check_all_judged(course)


def test_no_network(course):
    script = '"$LAB" course grade 00 --no-sandbox --course "$COURSE"'
    done = shell(script, course, "unshare", "--net")
    assert done.returncode == 0, done.stderr
    check_all_judged(course)


def test_a_cut_of_power_while_a_record_is_written(course):
    """There is the record of before, or none; and parts, which nobody takes for one."""
    key = keys.load(course / "key")
    place = run.Place(course, LAB)
    options = run.Options(no_sandbox=True)
    run.grade(place, key, options)
    whole = place.record("ada").read_bytes()
    for path in (place.record("ada"), place.result("ab" * 32)):
        part = path.with_name(f".{path.name}.999999999.abcd")
        part.write_bytes(whole[: len(whole) // 2])
    sha256 = collect.read_note(course / "handins" / LAB.folder / "bob")["sha256"]
    place.result(sha256).write_bytes(b"")  # a disk that does not keep its promises
    with pytest.raises(project.LabError, match="it is no JSON"):
        run.grade(place, key, options)
    place.result(sha256).unlink()
    found = run.grade(place, key, options)
    assert (found.judged, found.failed, found.changed) == (1, {}, {})
    check_all_judged(course)
    assert not [*place.result("x").parent.glob(".*.json.*")]


def test_a_folder_that_is_a_file(course):
    shutil.rmtree(course / "results", ignore_errors=True)
    (course / "results").write_text("")
    done = shell('"$LAB" course grade 00 --no-sandbox --course "$COURSE"', course)
    assert done.returncode == 1 and "results" in done.stderr
    (course / "results").unlink()
    run.grade(
        run.Place(course, LAB), keys.load(course / "key"), run.Options(no_sandbox=True)
    )
    check_all_judged(course)
