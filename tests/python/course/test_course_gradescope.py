"""Gradescope: its results.json, and the autograder that is uploaded to it."""

import json
import os
import subprocess
import sys
import zipfile

import class_of_12
import pytest
from class_of_12 import STUDENTS, make_record, write_record
from test_course_exports import NUMBER, course, export, fits, record_of, strict_json

from minitf_lab import project
from minitf_lab.course import keys
from minitf_lab.course.formats import gradescope_zip

GRADESCOPE = {
    "score": NUMBER,
    "execution_time?": NUMBER,
    "output": str,
    "output_format": {"text"},
    "test_output_format": {"text"},
    "test_name_format": {"text"},
    "visibility": {"visible"},
    "stdout_visibility": {"hidden"},
    "extra_data": dict,
    "tests": [
        {
            "score": NUMBER,
            "max_score": NUMBER,
            "status": {"passed", "failed"},
            "name": str,
            "name_format": {"text"},
            "number": str,
            "output": str,
            "output_format": {"text"},
            "tags": [str],
            "visibility": {"hidden", "after_due_date", "after_published", "visible"},
            "extra_data": dict,
        }
    ],
    "leaderboard": [{"name": str, "value": (*NUMBER, str), "order": {"asc", "desc"}}],
}


@pytest.mark.parametrize("student", STUDENTS)
def test_gradescope_gets_its_fields_and_the_score(tmp_path, student):
    path = record_of(tmp_path, student)
    got = strict_json(export("gradescope", path, tmp_path))
    if student == "unlucky-ursula":
        assert "score" not in got and "tests" not in got
        assert "not graded yet" in got["output"]
        return
    fits(got, GRADESCOPE)
    record = json.loads(path.read_text())
    assert got["score"] == record["score"]
    assert sum(test["score"] for test in got["tests"]) == pytest.approx(record["score"])
    assert [test["number"] for test in got["tests"]] == [t["id"] for t in record["tests"]]


def test_gradescope_tells_a_failing_case_as_the_report_does(tmp_path):
    path = record_of(tmp_path, 'bob, the "builder"')
    got = strict_json(export("gradescope", path, tmp_path))["tests"]
    assert [test["status"] for test in got] == [
        "passed",
        "failed",
        "passed",
        *["failed"] * 2,
    ]
    for part in (
        "called with: a [3,3], transpose_a=True",
        "what happened: a wrong value came back",
        "first difference: [0,1]",
        "expected: 1.5",
        "different: 2 of 6, at most by 1.0 (absolute), at most by 0.4 (relative)",
        f"it looks as if: {class_of_12.FLIPPED}",
        "hint: think of the shapes",
        "0 of 1 hidden cases are right; 1: a wrong value came back",
    ):
        assert part in got[1]["output"]
    assert "Secret" not in json.dumps(got)


def test_a_verdict_is_said_once(tmp_path):
    record = make_record("ivan")
    for test in record["tests"]:
        test |= {"cases": [], "message": "it does not compile", "hint": ""}
    got = strict_json(export("gradescope", write_record(tmp_path, record), tmp_path))
    assert {test["output"] for test in got["tests"]} == {"it does not compile"}


def test_what_waits_for_the_due_date_waits_in_gradescope_too(tmp_path):
    record = make_record("ada@example.org", ["wrong_answer", "ok", "ok", "ok", "ok"])
    record["tests"][0]["visibility"] = "after_due_date"
    record["tests"][1]["visibility"] = "a secret"
    got = strict_json(export("gradescope", write_record(tmp_path, record), tmp_path))
    assert got["tests"][0]["visibility"] == "after_due_date"
    assert "first difference" in got["tests"][0]["output"]
    assert got["tests"][1]["visibility"] == "hidden"


def test_the_zip_for_gradescope_runs_our_judge(tmp_path):
    out = tmp_path / "autograder.zip"
    own = keys.make(tmp_path / "course" / "key")
    words = ["export", "gradescope-zip", "04", "--course", tmp_path / "course"]
    assert course(*words, "--out", out) == 0
    first = out.read_bytes()
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert names[:3] == ["setup.sh", "run_autograder", "key"]
        assert {"lab", "exercises/04_gradients/lab.json"} <= {n[7:] for n in names}
        assert not [n for n in names if n.startswith("/") or ".." in n or ".git/" in n]
        modes = {n: archive.getinfo(n).external_attr >> 16 & 0o777 for n in names}
        assert (
            modes["run_autograder"] == modes["setup.sh"] == modes["minitf/lab"] == 0o755
        )
        script = archive.read("run_autograder").decode()
        key = keys.parse(archive.read("key").decode(), "key")
    assert "./lab judge exercises/04_gradients /autograder/submission --out" in script
    assert "key=/autograder/source/key\n" in script and '--key "$key"' in script
    assert key == gradescope_zip.key_for(project.find_lab("04"), own) != own
    assert key != gradescope_zip.key_for(project.find_lab("05"), own)
    assert "./lab course export gradescope" in script
    assert course(*words, "--out", out) == 0
    assert out.read_bytes() == first


LAB = """\
#!/bin/sh
# Stands in for ./lab in Gradescope's container.
case $1 in
  judge) [ "$RECORD" != kill ] || kill -9 $PPID
    [ -n "$RECORD" ] && cp "$RECORD" "$5"; exit 1 ;;
  course) shift; exec "$PYTHON" -m minitf_lab.course.commands "$@" ;;
esac
"""


def run_autograder(tmp_path, record):
    """The file that Gradescope would read, after somebody else's was there."""
    place = tmp_path / "autograder"
    (place / "source" / "minitf").mkdir(parents=True)
    (place / "results").mkdir()
    (place / "results" / "results.json").write_text('{"score": 100}')
    script = gradescope_zip.RUN.replace("@LAB@", "exercises/04_gradients")
    (place / "run").write_text(script.replace("/autograder", str(place)))
    lab = place / "source" / "minitf" / "lab"
    lab.write_text(LAB)
    lab.chmod(0o755)
    python = {"PYTHON": sys.executable, "PYTHONPATH": str(project.ROOT / "python")}
    env = {**os.environ, **python, "RECORD": str(record), "TMPDIR": str(tmp_path)}
    subprocess.run(["bash", place / "run"], env=env, capture_output=True)
    return place / "results" / "results.json"


@pytest.mark.parametrize(
    ("student", "score"), [("ada@example.org", 40), ("rejected-rita", 0)]
)
def test_gradescope_gets_the_score_of_the_record(tmp_path, student, score):
    # The judge ends with status 1 here, as it does for who is rejected.
    results = run_autograder(tmp_path, record_of(tmp_path, student))
    assert strict_json(results.read_text())["score"] == score


@pytest.mark.parametrize("said", [None, '{"score": 100'])
def test_gradescope_gets_no_score_without_a_record(tmp_path, said):
    record = ""
    if said:
        record = tmp_path / "broken.json"
        record.write_text(said)
    got = strict_json(run_autograder(tmp_path, record).read_text())
    assert "score" not in got and "tests" not in got
    assert "The grader failed, not you." in got["output"]


def test_gradescope_finds_nothing_if_all_is_killed(tmp_path):
    assert not run_autograder(tmp_path, "kill").exists()


def test_the_scripts_for_gradescope_are_bash():
    for script in (gradescope_zip.SETUP, gradescope_zip.RUN):
        subprocess.run(["bash", "-n"], input=script.encode(), check=True)
