"""Labs in Python, on a made-up package of four modules with a lab of two tasks."""

import json
import os
import re
import subprocess
import sys

import pytest

from minitf_lab import cases, faults, grade, labgen, project, python_units, verdicts

PACKAGE = {
    "__init__.py": """
from minitf.training import optimizers, schedules

Sgd = optimizers.Sgd
""",
    "base.py": "UNIT = 1.0\n",
    "training/__init__.py": "",
    # The two import each other.
    "training/schedules.py": """
from minitf.training import optimizers


def halved(rate):
    return optimizers.checked(rate) / 2
""",
    "training/optimizers.py": '''"""Steps against a gradient."""

from minitf.training import schedules
from ..base import UNIT


def checked(rate):
    # LAB(99.1) begin: return the rate if it is positive, else raise ValueError
    if rate <= 0:
        raise ValueError(f"the rate must be positive, not {rate}")
    return rate * UNIT
    # LAB(99.1) end


class Sgd:
    """Plain steps."""

    def __init__(self, rate):
        self.rate = checked(rate)

    def step(self, x, gradient):
        # LAB(99.2) begin: return where the step from x leads
        distances = [self.rate * part for part in gradient]
        return [here - distance for here, distance in zip(x, distances, strict=True)]
        # LAB(99.2) end
''',
}
CASES = '''"""The cases."""

import pytest

import minitf as tf
from minitf.training import schedules
from minitf_lab import expect


class TestRate:
    def test_is_halved(self):
        assert schedules.halved(3.0) == 1.5

    @pytest.mark.parametrize("rate", [0, -1], ids=["zero", "a:b"])
    def test_must_be_positive(self, rate):
        with pytest.raises(ValueError, match="must be positive"):
            tf.Sgd(rate)


class TestStep:
    def test_goes_against_the_gradient(self):
        expect.all_close(tf.Sgd(1).step([1, 2], [0, 1]), [1, 1])


def test_of_nothing():
    assert tf.Sgd(1).step([], []) == []
'''
MANIFEST = {
    "title": "Steps",
    "files": ["python/minitf/training/optimizers.py"],
    "time_limit_s": 10,
    "loc": 5,
    "aics": [],
    "tasks": {
        "99.1": {
            "title": "The rate",
            "points": 6,
            "tests": "TestRate.*",
            "cases": 3,
            "doc": "README.md",
        },
        "99.2": {
            "title": "The step",
            "points": 4,
            "tests": "TestStep.*:99_steps_test.*",
            "cases": 2,
            "doc": "README.md",
        },
    },
}
PATCH = """task 99.2: the step goes with the gradient
--- a/python/minitf/training/optimizers.py
+++ b/python/minitf/training/optimizers.py
@@ -24,4 +24,4 @@
         # LAB(99.2) begin: return where the step from x leads
         distances = [self.rate * part for part in gradient]
-        return [here - distance for here, distance in zip(x, distances, strict=True)]
+        return [here + distance for here, distance in zip(x, distances, strict=True)]
         # LAB(99.2) end
"""
FOLDER = "99_steps"
FILE = f"work/{FOLDER}/optimizers.py"


@pytest.fixture
def top(tmp_path, monkeypatch):
    """A project with the made-up package and its lab."""
    written = {f"python/minitf/{name}": text for name, text in PACKAGE.items()} | {
        f"exercises/{FOLDER}/lab.json": json.dumps(MANIFEST),
        f"tests/labs/{FOLDER}_test.py": CASES,
        f"solutions/{FOLDER}/faults/forward.patch": PATCH,
        "cmake/labs.cmake": "",
        "python/requirements.txt": "",
    }
    for name, text in written.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(project, "ROOT", tmp_path)
    monkeypatch.setattr(project, "build", lambda *targets, **options: 0.0)
    assert labgen.write() == 0
    return tmp_path


@pytest.fixture
def lab(top):
    return project.find_lab("99")


@pytest.fixture
def answer(top):
    """Writes the answer: the solution with ``old`` replaced by ``new``."""
    solution = PACKAGE["training/optimizers.py"]

    def write(old="", new=""):
        path = top / FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        assert old in solution
        path.write_text(solution.replace(old, new) if old else solution)
        return path

    return write


def graded(lab, version="work"):
    return grade.grade_programs(lab, grade.build_programs(lab, version))


def run_case(lab, name):
    [program] = grade.build_programs(lab, "work")
    [result] = cases.run_alone(program, [name], grade.limits(lab))
    return result


def run_python(folder, code):
    """Runs ``code`` in a Python with an overlay, as a user of ./lab python does."""
    path = os.pathsep.join([str(folder), "python", *sys.path])
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        cwd=project.ROOT,
        capture_output=True,
        text=True,
    )


# ---- What is handed out, and points --------------------------------------------------


def test_a_starter_is_cut_out_of_the_marks(top, lab):
    starter = (lab.starter / "optimizers.py").read_text()
    assert "    # TODO(99.1): return the rate if it is positive" in starter
    assert '    raise NotImplementedError("task 99.1 is not written yet")\n' in starter
    assert "distances" not in starter
    assert labgen.findings() == []
    (lab.starter / "hint.py").write_text(
        "distances = [self.rate * part for part in gradient]"
    )
    assert "hint.py gives away a line of task 99.2" in labgen.findings()[0]


def test_the_starter_has_no_points_and_says_what_is_not_written(lab):
    result = graded(lab, "starter")
    assert result.points == 0
    assert {found.status for _, found in result.failures} == {"not written"}
    assert [len(task.results) for task in result.tasks] == [3, 2]


def test_the_reference_and_an_answer_like_it_have_all_points(lab, answer):
    assert graded(lab, "reference").points == 10
    answer()
    assert graded(lab).points == 10


def test_a_fault_is_found_under_its_own_task(lab, tmp_path_factory):
    known = verdicts.Verdicts(tmp_path_factory.mktemp("kept"))
    [patch] = faults.patches(lab)
    fault = faults.try_fault(lab, patch, known)
    assert (fault.killed_by, fault.named) == (
        ("TestStep.test_goes_against_the_gradient",),
        "99.2",
    )
    assert faults.try_fault(lab, patch, known).is_kept
    lab.cases(".py").write_text(CASES + "\n")
    assert not faults.try_fault(lab, patch, known).is_kept


# ---- Which file is used --------------------------------------------------------------


def test_everybody_imports_the_answer(lab, answer):
    answer("rate * UNIT", "2 * rate * UNIT")
    half = run_case(lab, "TestRate.test_is_halved")
    step = run_case(lab, "TestStep.test_goes_against_the_gradient")
    assert "assert 3.0 == 1.5" in half.message  # through the module that imports it
    assert step.details == {
        "index": "(1)",
        "expected": "1",
        "got": "0.0",
        "shape": "(2,)",
    }


def test_neither_package_nor_answer_is_touched(top, lab, answer):
    path = answer()
    before = {p: p.read_bytes() for p in (top / "python").rglob("*.py")}
    assert run_case(lab, "99_steps_test.test_of_nothing").passed
    assert {p: p.read_bytes() for p in (top / "python").rglob("*.py")} == before
    assert [*path.parent.iterdir()] == [path]


def test_an_answer_changed_within_a_second_is_read_again(lab, answer):
    for digit in (2, 3):
        path = answer("rate * UNIT", f"{digit} * rate * UNIT")
        os.utime(path, (1e9, 1e9))
        message = run_case(lab, "TestRate.test_is_halved").message
        assert f"assert {digit * 1.5} == 1.5" in message


def test_a_traceback_shows_the_line_of_the_answer(lab, answer):
    answer("distances = [self", "distances = [1 / 0 * self")
    message = run_case(lab, "TestStep.test_goes_against_the_gradient").message
    assert re.search(rf"{FILE}:\d+: in step\n", message)
    assert "distances = [1 / 0 * self.rate" in message


CHILDREN = """
import multiprocessing, subprocess, sys
from minitf import Sgd
from minitf.training import optimizers

def test_of_a_child():
    code = "from minitf.training import optimizers; print(optimizers.__file__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == optimizers.__file__

def test_of_a_spawned_process():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        # A class is sent by its module's name.
        assert pool.apply(Sgd(3).step, ([1], [1])) == [-5]

def test_of_workers(tmp_path):
    test = "from minitf import schedules\\ndef test(): assert schedules.halved(3) == 3"
    (tmp_path / "test_halved.py").write_text(test)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert "1 passed" in done.stdout, done.stdout
"""


def test_processes_that_a_case_starts_use_the_answer(lab, answer):
    answer("rate * UNIT", "2 * rate * UNIT")
    lab.cases(".py").write_text(CHILDREN)
    [program] = grade.build_programs(lab, "work")
    names = cases.list_cases(program)
    found = cases.run_cases(program, names, cases.Limits(60))
    assert [(result.status, result.message) for result in found] == [("passed", "")] * 3


# ---- Answers that cannot be used -----------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "def checked(rate):",
            "def checked(rate:",
            "line 7: SyntaxError: '(' was never closed\n    def checked(rate:",
        ),
        (
            "from ..base import UNIT",
            "from ..base import UNITS as UNIT",
            "line 4: ImportError: cannot import name 'UNITS' from 'minitf.base'",
        ),
        (
            "from ..base import UNIT",
            "UNIT = 1 / 0",
            "line 4: ZeroDivisionError: division by zero\n    UNIT = 1 / 0",
        ),
        (
            "from ..base import UNIT",
            "from minitf.training.optimizers import Sgd as Other",
            "line 4: ImportError: cannot import name 'Sgd' from partially initialized "
            "module 'minitf.training.optimizers'",
        ),
        ("from ..base import UNIT", "raise SystemExit(0)", "line 4: SystemExit: 0"),
    ],
)
def test_an_answer_that_cannot_be_imported_is_named(lab, answer, old, new, sentence):
    answer(old, new)
    with pytest.raises(project.BuildError) as raised:
        grade.build_programs(lab, "work")
    assert str(raised.value).startswith(f"lab 99: {FILE}, {sentence}")


def test_names_that_an_answer_lacks_are_listed(lab, answer):
    answer("class Sgd", "class Step")
    with pytest.raises(project.BuildError, match=f"^lab 99: {FILE} lacks Sgd, which the"):
        grade.build_programs(lab, "work")


@pytest.mark.parametrize(
    "code",
    [
        "exec(open(PATH).read())",
        "import importlib.util as u; s = u.spec_from_file_location('x', PATH); "
        "s.loader.exec_module(u.module_from_spec(s))",
        "import sys, os; sys.path.insert(0, os.path.dirname(PATH)); import optimizers",
    ],
)
def test_an_answer_does_not_run_what_it_replaces(top, lab, answer, code):
    path = top / "python" / "minitf" / "training" / "optimizers.py"
    answer("from ..base import UNIT", f"PATH = {str(path)!r}; {code}\nUNIT = 1")
    with pytest.raises(
        project.BuildError, match=r"line 4: ImportError: lab 99: an answer does not read"
    ):
        grade.build_programs(lab, "work")


@pytest.mark.parametrize(
    ("code", "sentence"),
    [("while True: pass", "still running after"), ("import os; os.abort()", "SIGABRT")],
)
def test_an_import_without_end_or_a_crash_is_named(
    lab, answer, monkeypatch, code, sentence
):
    monkeypatch.setattr(cases, "LIST_LIMIT_S", 1.5)
    answer("from ..base import UNIT", code)
    with pytest.raises(project.BuildError, match=sentence):
        grade.build_programs(lab, "work")


# ---- Answers in Python of one's own --------------------------------------------------


def test_python_uses_the_answer_or_else_the_starter(top, lab, answer):
    code = "from minitf import schedules; print(schedules.halved(3))"
    done = run_python(python_units.overlay_of_answers("99"), code)
    assert "NotImplementedError: task 99.1 is not written yet" in done.stderr
    answer()
    done = run_python(python_units.overlay_of_answers("all"), code)
    assert (done.stdout, done.stderr) == ("1.5\n", "")
    # No points are at stake: what is replaced may be read.
    read = "import minitf; open('python/minitf/training/optimizers.py').read()"
    assert run_python(python_units.overlay_of_answers("99"), read).returncode == 0


def test_an_answer_that_fails_later_is_named_in_its_traceback(answer):
    answer("from ..base import UNIT", "import none_of_this_name")
    done = run_python(python_units.overlay_of_answers("99"), "import minitf")
    assert f'{FILE}", line 4, in <module>\n    import none_of_this_name' in done.stderr
    assert f"lab 99: {FILE} takes the place of minitf.training.optimizers" in done.stderr


def test_python_does_not_start_on_an_overlay_that_is_broken(answer):
    answer()
    folder = python_units.overlay_of_answers("99")
    (folder / "overlay.json").write_text("{")
    done = run_python(folder, "print('ran')")
    assert done.returncode != 0
    assert "ran" not in done.stdout
    assert "this overlay cannot be used" in done.stderr


def test_another_sitecustomize_still_runs(answer, tmp_path):
    answer()
    other = tmp_path / "other"
    other.mkdir()
    (other / "sitecustomize.py").write_text("print('the other')")
    folder = python_units.overlay_of_answers("99")
    done = run_python(f"{folder}{os.pathsep}{other}", "print('ran')")
    assert done.stdout == "the other\nran\n"


@pytest.mark.parametrize(
    "file", ["python/minitf/training/__init__.py", "python/minitf_lab/cases.py", "a.py"]
)
def test_only_modules_of_the_package_can_be_replaced(file):
    with pytest.raises(project.LabError, match=f"{file}: a lab replaces modules of"):
        python_units.module_of(file)


def test_two_files_of_one_name_are_refused(top):
    files = [f"python/minitf/{room}/x.py" for room in "ab"]
    path = top / "exercises" / FOLDER / "lab.json"
    path.write_text(json.dumps({**MANIFEST, "files": files}))
    with pytest.raises(project.LabError, match="two of its files have the same name"):
        project.find_lab("99")


# ---- The package itself --------------------------------------------------------------


def test_a_module_of_minitf_is_replaced(top, monkeypatch):
    """Everything that calls tf.global_norm has the answer's."""
    real = os.path.dirname(os.path.dirname(python_units.__file__))
    package = top / "python" / "minitf"
    package.rename(top / "made_up")
    package.symlink_to(f"{real}/minitf")
    built = top / "build" / "release" / "python"
    built.parent.mkdir(parents=True, exist_ok=True)
    built.symlink_to(f"{real}/../build/release/python")
    lab = project.Lab(FOLDER, "", ["python/minitf/ops/clip_ops.py"], 10, 1, [], [])
    source = (package / "ops" / "clip_ops.py").read_text()
    lab.work.mkdir(parents=True)
    (lab.work / "clip_ops.py").write_text(
        source + "\n\ndef global_norm(t_list, name=None):\n    return 10.0\n"
    )
    lab.cases(".py").write_text(
        "import minitf as tf\n\n\nclass TestNorm:\n    def test_is_used(self):\n"
        "        clipped, _ = tf.clip_by_global_norm([[10.0]], 1.0)\n"
        "        with tf.Session() as s:\n            assert s.run(clipped[0]) == [1.0]\n"
        "        assert tf.global_norm([1.0]) == 10.0\n"
    )
    assert run_case(lab, "TestNorm.test_is_used").status == "passed"
