"""``./lab test`` and ``.ci/run``: sums, closing lines, documents."""

import shutil
import subprocess
import threading

import pytest

from minitf_lab import contents, project, verdicts
from minitf_lab.dev.checks import book, lint, suite
from minitf_lab.labs import builds

ROOT = project.ROOT
A, B = (f"docs/{name}.md" for name in "ab")


def test_the_last_line_is_the_sum_of_all_parts(capsys):
    def good():
        yield suite.Outcome("a", "passed")
        yield suite.Outcome("b", "passed", is_kept=True)
        yield suite.Outcome("c", "skipped", "no such tool")

    def bad():
        yield suite.verdict("d", "it is wrong")
        raise project.LabError("it broke")

    assert suite.run_parts({"good": good}) == 0
    assert suite.run_parts({"good": good, "bad": bad}) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "2 passed, 2 failed, 1 skipped"
    assert "good: 2 passed, 0 failed, 1 skipped (0 s, 1 known from before)" in lines
    assert {"SKIPPED  c", "FAILED  d", "it is wrong", "it broke"} <= set(lines)


def test_a_part_that_was_begun_speaks_in_its_turn(capsys):
    has_begun = threading.Event()

    def waits():
        has_begun.set()
        yield suite.Outcome("a", "passed")

    def breaks():
        yield suite.Outcome("b", "passed")
        raise project.LabError("it broke")

    def meanwhile():
        yield suite.verdict("c", "" if has_begun.wait(60) else "nothing has begun")

    first, second = suite.begun(waits), suite.begun(breaks)
    parts = {"meanwhile": meanwhile, "waits": first, "breaks": second}
    assert suite.run_parts(parts) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "2 passed, 1 failed, 0 skipped"
    assert lines.index("== meanwhile") < lines.index("== waits") < lines.index("it broke")


CLOSING = "echo '1 passed, 0 failed, 2 skipped'"


@pytest.mark.parametrize(
    ("test", "lint", "line", "status"),
    [
        (CLOSING, CLOSING, "2 passed, 0 failed, 4 skipped", 0),
        (
            "echo '5 passed, 3 failed, 0 skipped'; exit 1",
            CLOSING,
            "6 passed, 3 failed, 2 skipped",
            1,
        ),
        (CLOSING, "echo no compiler; exit 1", "1 passed, 1 failed, 2 skipped", 1),
        ("exit 0", CLOSING, "1 passed, 1 failed, 2 skipped", 1),
    ],
)
def test_ci_sums_up_both_commands(tmp_path, test, lint, line, status):
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    lab = tmp_path / "lab"
    lab.write_text(f"#!/bin/sh\nif [ $1 = test ]; then {test}; else {lint}; fi\n")
    lab.chmod(0o755)
    done = subprocess.run([tmp_path / ".ci" / "run"], capture_output=True, text=True)
    assert (done.stdout.splitlines()[-1], done.returncode) == (line, status)


@pytest.fixture
def project_with_documents(tmp_path, monkeypatch):
    monkeypatch.setattr(project, "ROOT", tmp_path)
    monkeypatch.setattr(contents, "tools", lambda: "")
    monkeypatch.setattr(project, "build", lambda *targets: 0)
    for folder in ("tests", "docs", "python"):
        (tmp_path / folder).mkdir()
    shutil.copy(ROOT / "tests" / "check_docs.py", tmp_path / "tests")
    (tmp_path / "README.md").write_text("```sh run\necho once >>log\n```\n")
    (tmp_path / A).write_text("```sh run\necho a >>log; test -e good\n```\n")
    (tmp_path / B).write_text("```sh\necho b >>log\n```\n")
    return tmp_path


def test_a_document_that_runs_is_run_once(project_with_documents):
    root = project_with_documents

    def run():
        """What became of each document, and what ran."""
        (root / "log").write_text("")
        known = verdicts.Verdicts(root / "kept")
        found = {o.name: (o.status, o.is_kept) for o in book.documents(known)}
        return found, sorted((root / "log").read_text().split())

    found, ran = run()
    assert found == {
        "README.md": ("passed", False),
        A: ("failed", False),
        B: ("failed", False),  # it does not say whether it should run
    }
    assert ran == ["a", "once"]
    (root / "good").write_text("")
    found, ran = run()
    assert (found["README.md"], found[A]) == (
        ("passed", True),
        ("passed", False),
    )
    assert ran == ["a"]
    assert run()[1] == []
    (root / "README.md").write_text("```sh run\necho again >>log\n```\n")
    assert run()[1] == ["again"]
    (root / "python" / "a.py").write_text("")  # all that a document may use
    assert run()[1] == ["a", "again"]


def test_a_document_that_computes_nothing_does_not_ask_for_kernels(
    project_with_documents,
):
    root = project_with_documents
    kernel = root / "kernels" / "cpu" / "a.cc"
    kernel.parent.mkdir(parents=True)
    kernel.write_text("one")
    known = verdicts.Verdicts(root / "kept")

    def ran():
        (root / "log").write_text("")
        list(book.documents(known))
        return sorted((root / "log").read_text().split())

    (root / "good").write_text("")
    assert ran() == ["a", "once"]
    assert ran() == []
    demo = "```sh norun: it is long\n./lab demo\n```\n"
    (root / "README.md").write_text("```sh run\necho once >>log\n```\n" + demo)
    assert ran() == ["once"]
    kernel.write_text("another")
    assert ran() == ["once"]


def test_sources_that_no_lab_hands_out_are_known():
    found = {str(path.relative_to(ROOT)) for path in contents.library_sources()}
    assert {"kernels/cpu/data/print.cc", "tests/test_ops.cc"} & found == {
        "kernels/cpu/data/print.cc"
    }
    assert "minitf/gradients/math/math_grad.cc" not in found  # lab 04
    assert not any(name.endswith(".h") for name in found)


def test_tests_of_the_tool_are_those_that_import_nothing_of_minitf():
    tool = {path.name for path in suite.tests_of_tool()}
    assert {"test_suite.py", "test_rooms.py"} <= tool
    uses_minitf = {"test_session.py", "test_demo.py", "test_adding_a_pass.py"}
    assert not uses_minitf & tool


def test_each_test_in_python_is_run_by_one_part():
    tool, programs = suite.tests_of_tool(), suite.tests_of_programs()
    assert not set(tool) & set(programs)
    names = {path.name for path in programs}
    assert {"test_demo.py", "test_course.py", "test_adding_an_op.py"} <= names
    # What computes is always asked again.
    assert not {"test_op_fuzz.py", "test_giving_up.py", "test_session.py"} & names


def test_kernels_that_no_lab_hands_out_are_known():
    found = {str(path.relative_to(ROOT)) for path in contents.kernel_sources()}
    assert {"kernels/cpu/data/print.cc", "tests/kernels/math/linalg_test.cc"} <= found
    assert not any(name.startswith("minitf/") for name in found)
    assert "kernels/cpu/conv/image_rows.cc" not in found  # lab 09


@pytest.fixture
def calls_of_pytest(monkeypatch):
    """The arguments of each call, which finds one test, and that it passes."""
    calls = []

    def pytest_once(python, *arguments):
        calls.append(arguments)
        yield suite.Outcome("a", "passed")

    monkeypatch.setattr(suite, "pytest", pytest_once)
    monkeypatch.setattr(contents, "tools", lambda: "tools")
    return calls


def test_what_runs_minitf_without_a_look_at_numbers_is_asked_once(
    tmp_path, monkeypatch, calls_of_pytest
):
    monkeypatch.setattr(project, "build", lambda *names: None)
    known = verdicts.Verdicts(tmp_path)

    def kept():
        calls_of_pytest.clear()
        outcomes = [*suite.python_tests(known)]
        return [one.is_kept for one in outcomes], len(calls_of_pytest)

    # The framework, the same on two kinds of cards, programs, and single tests of these.
    assert kept() == ([False] * 5, 5)
    assert kept() == ([False, False, False, True, True], 3)
    # Other files are left out, so the contents are others.
    monkeypatch.setattr(contents, "kernel_sources", lambda: {ROOT / "lab"})
    assert kept() == ([False] * 5, 5)


def test_the_list_of_tests_that_use_minitf_by_command_is_right():
    for name in suite.BY_COMMAND:
        file, _, test = name.partition("::")
        assert f"def {test}" in (ROOT / "tests" / "python" / file).read_text()


def test_what_the_tool_does_is_asked_once(tmp_path, monkeypatch, calls_of_pytest):
    known = verdicts.Verdicts(tmp_path)
    assert [one.is_kept for one in suite.tool_tests(known)] == [False]
    assert [one.is_kept for one in suite.tool_tests(known)] == [True]
    assert len(calls_of_pytest) == 1
    assert "--confcutdir=tests/python" in calls_of_pytest[0]
    monkeypatch.setattr(contents, "library_sources", lambda: {ROOT / "lab"})
    assert [one.is_kept for one in suite.tool_tests(known)] == [False]


def test_lint_tries_a_part_of_the_answers_and_others_after_a_change(monkeypatch):
    names = [f"fault{number}" for number in range(400)]
    tried = []
    for tree in ("one", "one", "two"):
        monkeypatch.setattr(lint.suite, "key_of_programs", lambda tree=tree: tree)
        tried.append([*filter(lint.sample(more=False), names)])
        assert 25 < len(tried[-1]) < 80
    assert tried[0] == tried[1] != tried[2]
    is_chosen = lint.sample(more=False)
    assert all(map(is_chosen, builds.HONEST))
    assert [*filter(lint.sample(more=True), names)] == names


def test_the_core_alone_is_built_trained_and_tested_once(tmp_path, monkeypatch):
    built, asked = [], []

    def ask(*command, environment):
        assert environment["MINITF_BUILD"] == str(ROOT / "build" / "core")
        asked.append(command)
        return "it fails" if len(asked) == 1 else ""

    monkeypatch.setattr(project, "build", lambda *names, preset: built.append(preset))
    monkeypatch.setattr(lint, "_ask", ask)
    monkeypatch.setattr(contents, "tools", lambda: "tools")
    known = verdicts.Verdicts(tmp_path)
    said = [[*lint.core_alone(known)] for _ in range(3)]
    assert [(one.status, one.message, one.is_kept) for [one] in said] == [
        ("failed", "it fails", False),
        ("passed", "", False),
        ("passed", "", True),
    ]
    assert built == ["core", "core"] and len(asked) == 6
    files = [word for word in asked[-1] if word.startswith("tests/")]
    assert files and all((ROOT / file).exists() for file in files)
