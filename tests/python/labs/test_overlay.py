"""Labs in Python, on a made-up package of four modules with a lab of two tasks."""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from overlay_lab import CASES, DO, DRIVER, FOLDER, MANIFEST, PACKAGE, SEEDED

from minitf_lab import project, verdicts
from minitf_lab.dev.checks import lint, suite
from minitf_lab.dev.quality import faults
from minitf_lab.judge import runner
from minitf_lab.judge.case import Call, Case, Trial
from minitf_lab.labs import builds, grade, labgen, python_units

FILE = f"work/{FOLDER}/optimizers.py"


@pytest.fixture
def top(tmp_path, monkeypatch):
    """A project with the made-up package and its lab."""
    written = {f"python/minitf/{name}": text for name, text in PACKAGE.items()} | {
        f"exercises/{FOLDER}/lab.json": json.dumps(MANIFEST),
        f"tests/labs/{FOLDER}/cases.py": CASES,
        f"tests/labs/{FOLDER}/driver.py": DRIVER,
        f"solutions/{FOLDER}/seeded.txt": SEEDED,
        "python/requirements.txt": "",
    }
    for name, text in written.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(project, "ROOT", tmp_path)
    monkeypatch.setattr(project, "build", lambda *targets, **options: 0.0)
    assert labgen.write() == 0
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith(f"lab_{FOLDER}")]:
        del sys.modules[name]


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
    return grade.grade_answer(lab, builds.build_version(lab, version))


def run_cases(lab, *names, task=""):
    """What became of the named cases, by name."""
    cases = [one for one in grade.cases_of(lab) if not names or one.name in names]
    answer = builds.build_version(lab, "work")
    found = grade.run_cases(lab, answer, cases, task)
    return {result.name: result for result in found}


def run_case(lab, name, task=""):
    return run_cases(lab, name, task=task)[name]


def value_of(lab, code, task="99.1", seconds=60):
    """What ``code`` gives as ``result`` in a worker, and what became of the case."""
    seen = []
    trial = Trial("one", [Call("do", {"code": code})], seen.extend)
    answer = builds.build_version(lab, "work")
    driver = lab.tests / "driver.py"
    with runner.Worker(driver, environment=answer.environment) as worker:
        limits = runner.Limits(seconds)
        result = worker.run(Case("do", task, "", lambda draw: [trial]), limits)
    return (seen or [None])[0], result


def start_worker(lab):
    answer = builds.build_version(lab, "work")
    with runner.Worker(lab.tests / "driver.py", environment=answer.environment):
        pass


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
    assert "    # TODO(99.1) begin: return the rate if it is positive" in starter
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
    [fault] = faults.try_all(lab, faults.PLANTED, known)
    assert (fault.problem, fault.killed_by, fault.named) == (
        "",
        "step_goes_against_the_gradient",
        "99.2",
    )
    assert next(faults.try_all(lab, faults.PLANTED, known)).is_kept
    (lab.tests / "cases.py").write_text(CASES + "\n")
    assert not next(faults.try_all(lab, faults.PLANTED, known)).is_kept


def test_a_lab_that_breaks_takes_no_other_labs_gates(lab, top, monkeypatch):
    monkeypatch.setattr(project, "num_cores", lambda: 2)
    for path in [path for path in top.rglob("*") if "99_" in str(path)]:
        copy = top / str(path).replace("99_", "98_")
        if path.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(path.read_text().replace("99_", "98_").replace('"99', '"98'))
    (project.find_lab("98").solution / "seeded.txt").write_text("of no task\n")
    check = partial(lint.wrong_answers, verdicts.Verdicts(None))
    found = {one.name: one for one in suite.of_each_lab(check)}
    assert found["lab 99: fault forward"].status == "passed"
    assert found["lab 98"].status == "failed"
    assert "seeded.txt:1: expected 'NN.N a_name" in found["lab 98"].message


def test_gates_of_a_lab(lab, tmp_path_factory):
    known = verdicts.Verdicts(tmp_path_factory.mktemp("kept"))
    found = {one.name: one for one in suite.lab_gates(known)}
    assert found["lab 99: the starter has no points"].status == "passed"
    assert found["lab 99: minitf itself passes every case"].status == "passed"

    def kept():
        return [one.name for one in suite.lab_gates(known) if one.is_kept]

    of_lab = [name for name in found if name.startswith("lab 99")]
    assert len(of_lab) == 5 and kept() == of_lab
    (lab.tests / "cases.py").write_text(CASES + "\n")
    assert kept() == []


# ---- Which file is used --------------------------------------------------------------


def test_everybody_imports_the_answer(lab, answer):
    answer("rate * UNIT", "2 * rate * UNIT")
    found = run_cases(lab, task="all")
    assert found["rate_is_halved"].message == "3.0"  # by the module that imports it
    assert found["step_goes_against_the_gradient"].message == "[1.0, 0.0]"
    assert found["step_of_nothing"].passed


def test_tasks_stand_alone(lab, answer):
    answer("return rate * UNIT", "raise OSError('broken')")
    found = run_cases(lab)
    assert not found["rate_is_halved"].passed
    assert found["rate_is_halved"].message.startswith("it raised OSError: broken")
    assert found["step_goes_against_the_gradient"].passed
    result = graded(lab)
    assert [task.points for task in result.tasks] == [4, 4]


def test_an_unwritten_task_takes_no_points_of_another(top, lab, answer):
    path = answer()
    starter = (lab.starter / "optimizers.py").read_text().split("class Sgd")[0]
    path.write_text(starter + "class Sgd" + path.read_text().split("class Sgd")[1])
    path.write_text(path.read_text().replace("LAB(", "TODO("))
    result = graded(lab)
    assert [task.points for task in result.tasks] == [0, 4]
    assert {found.status for _, found in result.failures} == {"not written"}


@pytest.mark.parametrize("mark", ["    # LAB(99.1) end\n", "        # LAB(99.2) end\n"])
def test_a_file_whose_marks_are_gone_is_tested_whole(lab, answer, mark):
    path = answer("return rate * UNIT", "return 2 * rate * UNIT")
    path.write_text(path.read_text().replace(mark, ""))
    found = run_cases(lab)
    assert found["rate_is_halved"].message == "3.0"
    assert found["step_goes_against_the_gradient"].message == "[1.0, 0.0]"


def test_a_file_whose_marks_are_gone_is_told(lab, answer):
    path = answer()
    path.write_text(path.read_text().replace("    # LAB(99.1) end\n", ""))
    assert builds.build_version(lab, "work").whole == ("optimizers.py",)


def test_neither_package_nor_answer_is_touched(top, lab, answer):
    path = answer()
    before = {p: p.read_bytes() for p in (top / "python").rglob("*.py")}
    assert run_case(lab, "step_of_nothing").passed
    assert {p: p.read_bytes() for p in (top / "python").rglob("*.py")} == before
    assert [*path.parent.iterdir()] == [path]


def test_an_answer_changed_within_a_second_is_read_again(lab, answer):
    for digit in (2, 3):
        path = answer("rate * UNIT", f"{digit} * rate * UNIT")
        os.utime(path, (1e9, 1e9))
        assert run_case(lab, "rate_is_halved").message == f"{digit * 1.5}"


def test_a_traceback_shows_the_line_of_the_answer(lab, answer):
    path = answer("distances = [self", "distances = [1 / 0 * self")
    result = run_case(lab, "step_goes_against_the_gradient")
    line = path.read_text().split("class Sgd")[0].count("\n") + 9
    text = "distances = [1 / 0 * self.rate * part for part in gradient]"
    assert result.message.startswith("it raised ZeroDivisionError: division by zero\n")
    assert f"  optimizers.py:{line}, in step: {text}" in result.message
    assert "driver.py" not in result.message


CHILD = """
import subprocess, sys
from minitf.training import optimizers
code = "from minitf.training import optimizers; print(optimizers.__file__)"
done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
result = [done.stdout.strip(), optimizers.__file__]
"""
SPAWNED = """
import multiprocessing, subprocess, sys
from minitf import Sgd
with multiprocessing.get_context("spawn").Pool(1) as pool:
    result = pool.apply(Sgd(3).step, ([1], [1]))  # a class is sent by its module's name
"""


def test_processes_that_a_case_starts_use_the_answer(lab, answer):
    answer("rate * UNIT", "2 * rate * UNIT")
    in_child, in_case = value_of(lab, CHILD)[0]
    assert in_child == in_case
    assert "2 * rate * UNIT" in Path(in_case).read_text()
    assert value_of(lab, SPAWNED)[0] == [-5]


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
    with pytest.raises(runner.WorkerError) as raised:
        start_worker(lab)
    assert f"\nlab 99: {FILE}, {sentence}" in str(raised.value)


def test_names_that_an_answer_lacks_are_listed(lab, answer):
    answer("class Sgd", "class Step")
    with pytest.raises(
        runner.WorkerError, match=f"\nlab 99: {FILE} lacks Sgd, which the"
    ):
        start_worker(lab)


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
        runner.WorkerError, match=r"line 4: ImportError: lab 99: an answer does not read"
    ):
        start_worker(lab)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("while True: pass", "it is still being loaded after 2 s"),
        ("import os; os.abort()", "SIGABRT: it called std::abort"),
    ],
)
def test_an_import_without_end_or_a_crash_is_named(
    lab, answer, monkeypatch, code, sentence
):
    monkeypatch.setattr(runner, "START_LIMIT_S", 2)
    answer("from ..base import UNIT", code)
    with pytest.raises(runner.WorkerError, match=sentence):
        start_worker(lab)


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
    "file",
    ["python/minitf/training/__init__.py", "python/minitf_lab/labs/grade.py", "a.py"],
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
    real = Path(python_units.__file__).parents[2]
    package = top / "python" / "minitf"
    package.rename(top / "made_up")
    package.symlink_to(f"{real}/minitf")
    built = top / "build" / "release" / "python"
    built.parent.mkdir(parents=True, exist_ok=True)
    built.symlink_to(f"{real}/../build/release/python")
    lab = project.Lab(FOLDER, "", ["python/minitf/ops/clip_ops.py"], 10, [], [])
    source = (package / "ops" / "clip_ops.py").read_text()
    lab.work.mkdir(parents=True)
    (lab.work / "clip_ops.py").write_text(
        source + "\n\ndef global_norm(t_list, name=None):\n    return 10.0\n"
    )
    lab.tests.joinpath("driver.py").write_text(
        DRIVER.split("from minitf.training")[0] + DO
    )
    code = (
        "import minitf as tf\n"
        "clipped, _ = tf.clip_by_global_norm([[10.0]], 1.0)\n"
        "with tf.Session() as s: result = [s.run(clipped[0]), tf.global_norm([1.0])]"
    )
    assert value_of(lab, code)[0] == [[1.0], 10.0]


def test_all_cases_count_for_marks(lab, answer):
    cases = lab.tests / "cases.py"
    cases.write_text(CASES.replace('@case("99.2")', '@case("99.2", hidden=True)', 1))
    answer("here - distance", "here + distance")
    built = builds.build_version(lab, "work")
    found = grade.grade_answer(lab, built, hidden_seed=5)
    assert [(one.task.cases, one.points) for one in found.tasks] == [(3, 6), (2, 2)]
    answer("strict=True", "strict=False")
    assert grade.grade_answer(lab, builds.build_version(lab, "work"), 5).points == 10


DRAWN = '''

@case("99.1", hidden=True)
def some_number(draw):
    """Never right: it says which number was drawn."""
    number = draw.whole(1, 10**9)
    yield Trial("one", [Call("halved", {"rate": 1})], lambda got: f"drew {number}")
'''


def test_the_seed_says_which_numbers_are_drawn(lab, answer):
    (lab.tests / "cases.py").write_text(CASES + DRAWN)
    answer()
    built = builds.build_version(lab, "work")
    drawn = []
    for seed in (1, 2, 1):
        [(task, result)] = grade.grade_answer(lab, built, seed).failures
        assert (task.number, result.message.split()[0]) == ("99.1", "drew")
        drawn.append(result.message)
    assert drawn[0] == drawn[2] != drawn[1]
