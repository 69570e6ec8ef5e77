"""Verdicts that are kept by content: what is asked again, and what is not."""

import contextlib
import json
import multiprocessing
import os
import shutil
import time

import pytest

from minitf_lab import contents, project, results, verdicts
from minitf_lab.dev.checks import lint
from minitf_lab.dev.quality import faults
from minitf_lab.judge import rooms
from minitf_lab.judge.case import Case
from minitf_lab.labs import builds, grade
from minitf_lab.labs.answers import Answer

FOLDER = "99_made_up"
COMMON = "tests/labs/common"


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A made-up project with a unit, its header, a lab with one fault, and its cases."""
    monkeypatch.setattr(project, "ROOT", tmp_path)
    monkeypatch.setattr(contents, "tools", lambda: "g++ 12")
    monkeypatch.setattr(rooms, "COMMON", tmp_path / COMMON)
    files = {
        "core/unit.cc": '#include "core/unit.h"\nint f() {\n  return 1;\n}\n',
        "core/unit.h": '#include <vector>\n#include "core/deep.h"\nint f();\n',
        "core/deep.h": "// deep\n",
        "./minitf/other.h": "// other\n",
        f"tests/labs/{FOLDER}/cases.py": "from lab_common.known import x  # cases\n",
        f"tests/labs/{FOLDER}/driver.py": "import lab_common.calls  # driver\n",
        f"tests/labs/{FOLDER}/driver.cc": f'#include "{COMMON}/shared.h"\n//\n',
        f"{COMMON}/known.py": "import lab_common.deep  # known\n",
        f"{COMMON}/deep.py": "# deep\n",
        f"{COMMON}/calls.py": "# calls\n",
        f"{COMMON}/shared.h": "// shared\n",
        f"{COMMON}/other.py": "# other\n",
        f"exercises/{FOLDER}/lab.json": "{}",
        f"solutions/{FOLDER}/seeded.txt": "99.1 wrong: two for one\n"
        "-  return 1;\n+  return 2;\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    write_commands(tmp_path, "-O3")
    return tmp_path


def write_commands(root, flags):
    sources = ["core/unit.cc", "core/other.cc"]
    commands = [
        {
            "file": str(root / source),
            "command": f"ccache /usr/bin/c++ -I{root} {flag} -o x.o -c {root / source}",
        }
        for source, flag in zip(sources, [flags, "-O1"], strict=True)
    ]
    listed = root / "build" / "release" / "compile_commands.json"
    listed.parent.mkdir(parents=True, exist_ok=True)
    listed.write_text(json.dumps(commands))


LAB = project.Lab(
    FOLDER,
    "",
    ["core/unit.cc"],
    1,
    [],
    [project.Task("99.1", "", 1, 1, "")],
)


def build_answer(lab, files, folder):
    return Answer(None, {"text": files["core/unit.cc"].read_text()})


@pytest.fixture
def judge(tree, tmp_path_factory, monkeypatch):
    """Judges the fault; returns it, and how often its tests have run so far."""
    runs = []
    known = verdicts.Verdicts(tmp_path_factory.mktemp("kept"))
    case = Case("is_one", "99.1", "It is 1", lambda draw: [])
    monkeypatch.setattr(grade, "cases_of", lambda lab, with_hidden: [case])
    monkeypatch.setattr(builds, "build_framework", lambda lab: None)
    monkeypatch.setattr(builds, "build_answer", build_answer)

    class FakeWorker(contextlib.nullcontext):
        """Runs nothing: a case ends as ``judge.status`` says."""

        def __init__(self, lab, answer):
            super().__init__(self)
            runs.append(answer.environment["text"])

        def run(self, case, limits, seed, task):
            assert (task, seed) == ("all", 0)
            return results.Result(case.name, judge.status)

    def judge(known=known):
        [fault] = faults.try_all(LAB, faults.PLANTED, known)
        return fault, len(runs)

    monkeypatch.setattr(grade, "worker_of", FakeWorker)
    judge.worker = FakeWorker
    judge.status = "failed"
    judge.folder = known._folder
    return judge


def test_a_fault_that_was_found_is_not_tried_again(judge):
    first, runs = judge()
    assert (first.is_killed, first.named, first.is_kept, runs) == (True, "99.1", False, 1)
    again, runs = judge()
    assert (again.is_killed, again.named, again.is_kept, runs) == (True, "99.1", True, 1)
    assert again.killed_by == "is_one"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("core/unit.cc", "int f()", "int  f()"),
        ("core/unit.h", "int f();", "int f(); "),
        ("core/deep.h", "deep", "deeper"),
        (f"tests/labs/{FOLDER}/cases.py", "#", "\n#"),
        (f"tests/labs/{FOLDER}/driver.py", "#", "\n#"),
        (f"tests/labs/{FOLDER}/driver.cc", "//", "///"),
        (f"{COMMON}/known.py", "known", "knows"),
        (f"{COMMON}/deep.py", "deep", "deeper"),
        (f"{COMMON}/calls.py", "calls", "called"),
        (f"{COMMON}/shared.h", "shared", "common"),
        (f"exercises/{FOLDER}/lab.json", "{}", "{ }"),
        (f"solutions/{FOLDER}/seeded.txt", "return 2", "return 3"),
        (f"solutions/{FOLDER}/seeded.txt", "two for one", "2 for 1"),
        ("build/release/compile_commands.json", "-O3", "-O0"),
    ],
)
def test_a_fault_is_tried_again_when_its_contents_change(judge, tree, name, old, new):
    judge()
    path = tree / name
    path.write_text(path.read_text().replace(old, new) if old else new)
    fault, runs = judge()
    assert (fault.is_killed, fault.is_kept, runs) == (True, False, 2)


def test_what_another_lab_shares_is_no_part_of_the_key(judge, tree):
    judge()
    (tree / f"{COMMON}/other.py").write_text("# changed\n")
    assert judge()[0].is_kept


def test_the_worker_sees_what_its_driver_imports_of_what_labs_share(tree):
    folder = tree / "tests" / "labs"
    assert rooms.files_of_driver(folder / FOLDER / "driver.py") == [
        folder / FOLDER / "driver.py", folder / "common" / "calls.py",
    ]  # fmt: skip


def test_other_tools_are_another_question(judge, monkeypatch):
    judge()
    monkeypatch.setattr(contents, "tools", lambda: "g++ 13")
    assert judge()[1] == 2


@pytest.mark.parametrize(
    "name", ["dev/quality/faults.py", "labs/grade.py", "judge/case.py"]
)
def test_a_fault_is_tried_again_when_its_judge_changes(
    judge, tmp_path, monkeypatch, name
):
    """The judge is this package: a copy of it stands for another version."""
    code = tmp_path / "lab_tool"
    shutil.copytree(faults.TOOL, code)
    monkeypatch.setattr(faults, "TOOL", code)
    judge()
    assert judge()[1] == 1
    (code / "dev" / "checks" / "suite.py").write_text("# changed")  # has no part in it
    assert judge()[1] == 1
    (code / name).write_text((code / name).read_text() + "# changed\n")
    assert judge()[1] == 2


def test_a_new_file_of_the_judge_or_of_the_cases_counts(judge, tree):
    judge()
    (tree / "tests" / "labs" / FOLDER / "cases_more.py").write_text("")
    assert judge()[1] == 2


def test_the_flags_of_students_files_count(judge, monkeypatch):
    judge()
    monkeypatch.setattr(faults, "FLAGS", (*faults.FLAGS, "-Wall"))
    assert judge()[1] == 2


def test_cases_of_other_tasks_are_tried_if_its_own_find_nothing(judge, monkeypatch):
    asked = []
    cases = [Case(f"of_{n}", f"99.{n}", "", lambda draw: []) for n in (2, 1)]

    def run(worker, case, limits, seed, task):
        asked.append(case.name)
        return results.Result(case.name, {"of_1": "passed", "of_2": "failed"}[case.name])

    monkeypatch.setattr(grade, "cases_of", lambda lab, with_hidden: cases)
    monkeypatch.setattr(judge.worker, "run", run)
    fault, _ = judge()
    assert (asked, fault.killed_by, fault.named) == (["of_1", "of_2"], "of_2", "99.2")


def test_what_a_fault_does_not_read_may_change(judge, tree):
    judge()
    (tree / "minitf" / "other.h").write_text("// changed\n")
    text = (tree / "build/release/compile_commands.json").read_text()
    (tree / "build/release/compile_commands.json").write_text(text.replace("-O1", "-O2"))
    fault, runs = judge()
    assert (fault.is_kept, runs) == (True, 1)


def test_a_clone_in_another_folder_knows_the_verdict(judge, tree, monkeypatch):
    judge()
    clone = tree.rename(tree.with_name("clone"))
    write_commands(clone, "-O3")
    monkeypatch.setattr(project, "ROOT", clone)
    monkeypatch.setattr(rooms, "COMMON", clone / COMMON)
    fault, runs = judge()
    assert (fault.is_kept, runs) == (True, 1)


@pytest.mark.parametrize("status", ["passed", "timeout"])
def test_a_fault_that_no_test_finds_for_sure_is_tried_again(judge, status):
    judge.status = status
    first, runs = judge()
    assert (first.is_killed, runs) == (status == "timeout", 1)
    fault, runs = judge()
    assert (fault.is_kept, runs) == (False, 2)


def test_fresh_asks_again_and_keeps_the_answer(judge):
    fresh = verdicts.Verdicts(judge.folder, fresh=True)
    judge(fresh)
    fault, runs = judge(fresh)
    assert (fault.is_kept, runs) == (False, 2)
    fault, runs = judge()
    assert (fault.is_kept, runs) == (True, 2)


def test_a_patch_that_does_not_apply_is_a_finding_each_time(judge, tree):
    judge()
    (tree / "core" / "unit.cc").write_text("int f() { return 1; }\n")
    for _ in range(2):
        fault, runs = judge()
        assert (fault.is_killed, runs) == (False, 1)
        assert fault.problem.startswith("does not apply: ")


def test_the_folder_is_where_caches_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert verdicts.default_folder() == tmp_path / "minitf"
    monkeypatch.setenv("HOME", "/home/ada")
    for ignored in ("", "not/absolute"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert str(verdicts.default_folder()) == "/home/ada/.cache/minitf"


@pytest.mark.parametrize("content", ["", "{", "[]", "null"])
def test_a_damaged_verdict_is_none(tmp_path, content):
    known = verdicts.Verdicts(tmp_path)
    known.keep("style", "ab", {"a": 1})
    assert known.find("style", "ab") == {"a": 1}
    (tmp_path / "style" / "ab").write_text(content)
    assert known.find("style", "ab") is None


def test_without_a_place_to_write_nothing_is_kept(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", None):
        known = verdicts.Verdicts(folder)
        known.keep("style", "ab", {})
        known.forget_old()
        assert known.find("style", "ab") is None


def test_what_nobody_asks_for_is_forgotten(tmp_path):
    known = verdicts.Verdicts(tmp_path)
    old = time.time() - (verdicts.KEPT_DAYS + 1) * 24 * 3600
    for key in ("asked", "idle"):
        known.keep("style", key, {})
        os.utime(tmp_path / "style" / key, (old, old))
    known.find("style", "asked")
    known.forget_old()
    assert [path.name for path in (tmp_path / "style").iterdir()] == ["asked"]


def _keep_many(folder, text):
    known = verdicts.Verdicts(folder)
    for _ in range(300):
        known.keep("style", "ab", {"text": text})
        assert len(set(known.find("style", "ab")["text"])) == 1  # never half of each


def test_runs_at_the_same_time_share_the_folder(tmp_path):
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=_keep_many, args=(tmp_path, text * 20_000))
        for text in "abc"
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert [path.name for path in (tmp_path / "style").iterdir()] == ["ab"]


def outcomes_of(keys, ask, known):
    found = list(lint.file_checks("layout", list(keys), keys.get, ask, known))
    return {outcome.name: (outcome.status, outcome.is_kept) for outcome in found}


def test_only_files_that_changed_are_read_again(tmp_path):
    known, asked = verdicts.Verdicts(tmp_path), []

    def ask(names):
        asked.append(names)
        return "bad" if "b" in names else ""

    assert outcomes_of({"a": "1", "b": "2", "c": "3"}, ask, known) == {
        "layout a": ("passed", False),
        "layout b": ("failed", False),
        "layout c": ("passed", False),
    }
    assert asked == [["a", "b", "c"], ["a"], ["b", "c"], ["b"], ["c"]]
    asked.clear()
    found = outcomes_of({"a": "1", "b": "2", "c": "4"}, ask, known)
    assert found["layout a"] == ("passed", True)
    assert found["layout b"] == ("failed", False)
    assert asked == [["b", "c"], ["b"], ["c"]]
    asked.clear()
    outcomes_of({"a": "1", "b": "5"}, lambda names: asked.append(names) or "", known)
    assert asked == [["b"]]


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path):
    known, keys = verdicts.Verdicts(tmp_path), {"a": "1", "b": "2"}

    def ask(names):
        keys["a"] = "3"
        return ""

    assert outcomes_of(keys, ask, known)["layout a"] == ("passed", False)
    for key in ("1", "3"):
        assert outcomes_of({"a": key}, lambda names: "", known)["layout a"][1] is False
    assert outcomes_of({"b": "2"}, ask, known)["layout b"] == ("passed", True)


def test_the_tree_is_all_that_a_document_may_use(tree):
    (tree / "docs").mkdir()
    (tree / "docs" / "page.md").write_text("one")
    before = contents.tree(without=".md")
    (tree / "docs" / "page.md").write_text("two")
    (tree / "python" / "__pycache__").mkdir(parents=True)
    (tree / "python" / "__pycache__" / "a.pyc").write_text("")
    assert contents.tree(without=".md") == before
    (tree / "minitf" / "other.h").write_text("// changed\n")
    assert contents.tree(without=".md") != before
