"""``./lab judge`` on labs that an instructor has written, outside of exercises/."""

import json
import subprocess
import sys

import pytest

from minitf_lab import project
from minitf_lab.__main__ import main
from minitf_lab.course import judging
from minitf_lab.judge import sandbox
from minitf_lab.labs import builds
from minitf_lab.labs.handin import intake, records

MANIFEST = {
    "title": "Mine",
    "files": ["python/minitf/training/learning_rate_decay.py"],
    "time_limit_s": 10,
    "aics": [],
    "version": "2026",
    "limits": {"max_bytes": 20_000},
    "visibility": "hidden",
    "tasks": {
        "50.1": {"title": "One", "points": 3, "cases": 1, "doc": "README.md"},
        "50.2": {"title": "Two", "points": 5, "cases": 2, "doc": "README.md"},
    },
}
DRIVER = '''"""What the cases call."""

import minitf as tf


def rate(at):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.compat.v1.train.exponential_decay(1.0, at, 10, 0.5))


def near(x, y):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.raw_ops.ApproximateEqual(x=x, y=y, tolerance=0.5))
'''
CASES = '''"""The cases."""

import numpy as np

from minitf_lab.judge.case import Call, Trial, case, close


def trial(function, expected, **arguments):
    check = lambda values: close(values[0], expected)
    return Trial(f"{arguments}", [Call(function, arguments)], check)


@case("50.1")
def at_the_start(draw):
    """The rate begins as it is."""
    yield trial(*ONE)


@case("50.2", over=[10, 20])
def later(draw, at):
    """It is halved every ten steps."""
    yield trial(*TWO(at))


@case("50.2", hidden=True)
def much_later(draw):
    """Also for long."""
    yield trial(*TWO(30))
'''


def cases_in_python():
    text = CASES.replace("*ONE", '"rate", np.float32(1), at=0')
    for at in ("at", "30"):
        call = f'"rate", np.float32(0.5 ** ({at} / 10)), at={at}'
        text = text.replace(f"*TWO({at})", call)
    return text


def cases_in_cpp():
    x, y = "np.array([1.0, 2.0])", "np.array([1.25, 3.0])"
    call = f'"near", np.array([True, False]), x={x}, y={y}'
    return text_with(call)


def text_with(call):
    text = CASES.replace("*ONE", call)
    return text.replace("*TWO(at)", call).replace("*TWO(30)", call)


def make_lab(folder, manifest, cases, tests=None):
    """A lab in one folder, or in two as the project's own labs."""
    for path in (folder, tests or folder):
        path.mkdir(parents=True, exist_ok=True)
    (folder / "lab.json").write_text(json.dumps(manifest))
    (tests or folder).joinpath("driver.py").write_text(DRIVER)
    (tests or folder).joinpath("cases.py").write_text(cases)
    return folder


@pytest.fixture
def lab(tmp_path):
    return make_lab(tmp_path / "50_mine", MANIFEST, cases_in_python())


def judge(folder, hand_in, out):
    words = ["judge", folder, hand_in, "--out", out, "--no-build"]
    done = subprocess.run(
        [sys.executable, "-m", "minitf_lab", *map(str, words)],
        capture_output=True,
        text=True,
        cwd="/",
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def hand_in(tmp_path):
    folder = tmp_path / "ada"
    folder.mkdir()
    text = (project.ROOT / MANIFEST["files"][0]).read_text()
    (folder / "learning_rate_decay.py").write_text(text)
    return folder


def change(hand_in, old, new):
    path = hand_in / "learning_rate_decay.py"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("is_apart", [False, True])
def test_a_lab_in_python_in_any_folder(tmp_path, hand_in, is_apart):
    top = tmp_path / "course"
    tests = top / "tests" / "labs" / "50_mine" if is_apart else None
    folder = make_lab(top / "exercises" / "50_mine", MANIFEST, cases_in_python(), tests)
    done = judge(folder, hand_in, tmp_path / "out.json")
    assert done.returncode == 0 and "graded: 8 of 8" in done.stdout, done.stderr
    record = records.read(tmp_path / "out.json")
    assert record["lab"]["id"] == "50_mine" and record["lab"]["version"] == "2026"
    assert [test["verdict"] for test in record["tests"]] == ["ok", "ok"]


def test_hidden_cases_count_and_stay_hidden(tmp_path, lab, hand_in):
    change(
        hand_in, "passed = step / steps", "passed = math_ops.minimum(step / steps, 2.0)"
    )
    judge(lab, hand_in, tmp_path / "out.json")
    record = records.read(tmp_path / "out.json")
    assert [test["score"] for test in record["tests"]] == [3, 5 * 2 // 3]
    assert record["tests"][1]["cases"][2] == {
        "id": "much_later",
        "verdict": "wrong_answer",
        "visibility": "hidden",
    }
    assert record["tests"][1]["message"] == judging.HIDDEN


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("import math\n", "import math\nif True\n", "raised"),
        ("import math\n", "import math\nraise KeyError(1)\n", "raised"),
        ("import math\n", "import math, os\nos._exit(0)\n", "exited"),
        ("import math\n", "import math, os\nos.abort()\n", "crashed"),
        ("passed = step / steps", "return 1 / 0", "raised"),
    ],
)
def test_what_ends_a_python_answer(tmp_path, lab, hand_in, old, new, verdict):
    change(hand_in, old, new)
    assert judge(lab, hand_in, tmp_path / "out.json").returncode == 0
    record = records.read(tmp_path / "out.json")
    assert record["status"] == "graded" and record["score"] in {0, 3}
    assert record["tests"][1]["verdict"] == verdict
    assert str(tmp_path) not in json.dumps(record)


def test_a_lab_in_cpp_whose_unit_is_minitfs(tmp_path):
    file = "kernels/cpu/cwise/approximate_equal.cc"
    folder = make_lab(tmp_path / "51_mine", MANIFEST | {"files": [file]}, cases_in_cpp())
    hand_in = tmp_path / "ada"
    hand_in.mkdir()
    text = (project.ROOT / file).read_text()
    (hand_in / "approximate_equal.cc").write_text(
        text.replace("a[i], b[i]", "b[i], b[i]")
    )
    lab = project.lab_at(str(folder))
    builds.build_framework(lab)
    found = intake.take(lab, hand_in, tmp_path / "into")
    record = judging.judge(lab, found, b"k")
    assert record["score"] == 0
    assert {test["verdict"] for test in record["tests"]} == {"wrong_answer"}


# ---- Folders that are no labs --------------------------------------------------------


def test_what_is_no_lab_is_named(tmp_path, lab, hand_in):
    def said(place):
        with pytest.raises(project.LabError) as error:
            project.lab_at(str(place))
        return str(error.value)

    assert "it has no lab.json" in said(tmp_path)
    assert "there is no lab 77" in said("77")
    (lab / "driver.cc").write_text("")
    assert "a driver.cc is built for labs in exercises/, and for labs" in said(lab)
    (lab / "driver.cc").unlink()
    (lab / "driver.py").unlink()
    assert "there is no driver.py" in said(lab)
    (lab / "driver.py").write_text("")
    for change in ({"files": ["x/none.py"]}, {"tasks": 3}, {"nonsense": 1}):
        (lab / "lab.json").write_text(json.dumps(MANIFEST | change))
        assert str(lab) in said(lab)
    (lab / "lab.json").write_text(json.dumps(MANIFEST))
    lab.rename(tmp_path / "mine")
    assert "is named like 50_my_lab" in said(tmp_path / "mine")
    done = judge(tmp_path / "none", hand_in, tmp_path / "x.json")
    assert done.returncode == 1 and "none is no lab: it has no lab.json" in done.stderr


def test_the_hash_of_a_lab_is_of_what_decides_on_marks(lab):
    first = judging.lab_digest(project.lab_at(str(lab)))
    (lab / "__pycache__").mkdir()
    (lab / "__pycache__" / "cases.pyc").write_text("x")
    assert judging.lab_digest(project.lab_at(str(lab))) == first
    (lab / "cases.py").write_text(cases_in_python() + "\n")
    assert judging.lab_digest(project.lab_at(str(lab))) != first
    assert project.lab_at("00") == project.lab_at(
        str(project.ROOT / "exercises/00_hello")
    )


# ---- ./lab course keys ---------------------------------------------------------------


def test_the_command_that_makes_a_key(tmp_path, monkeypatch, capsys):
    def run(*words):
        line = ["lab", "course", "keys", *map(str, words)]
        monkeypatch.setattr(sys, "argv", [*line, "--course", str(tmp_path / "course")])
        code = main()
        said = capsys.readouterr()
        return code, said.out + said.err

    secret = tmp_path / "secret"
    secret.write_text("correct horse\n")
    assert run()[0] == 1
    code, said = run("--new")
    assert code == 0 and "a new key" in said
    code, said = run("--new", "--encrypt", "--passphrase-file", secret)
    assert code == 1 and "is there already" in said
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    code, said = run("--encrypt")
    assert code == 1 and "give --passphrase-file" in said
    code, said = run("--encrypt", "--passphrase-file", secret)
    assert code == 0 and said.endswith("encrypted\n")
    assert run()[1] == said
    code, said = run("--encrypt", "--passphrase-file", secret)
    assert code == 1 and "encrypted already" in said
    secret.write_text("wrong\n")
    code, said = run("--decrypt", "--passphrase-file", secret)
    assert code == 1 and "not its passphrase" in said


def test_without_a_sandbox_there_are_no_marks(
    tmp_path, lab, hand_in, monkeypatch, capsys
):
    def none():
        raise project.LabError("nothing keeps them from doing harm")

    monkeypatch.setattr(sandbox, "find_box", none)
    words = ["judge", str(lab), str(hand_in), "--out", str(tmp_path / "x.json")]
    monkeypatch.setattr(sys, "argv", ["lab", *words, "--no-build"])
    assert main() == 1
    assert "nothing keeps them from doing harm" in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()
    monkeypatch.setattr(sys, "argv", ["lab", *words, "--no-build", "--no-sandbox"])
    assert main() == 0
    assert records.read(tmp_path / "x.json")["grader"]["sandbox"] == "none"
