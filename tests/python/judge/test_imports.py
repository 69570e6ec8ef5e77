"""What a unit may call: names that are forbidden, told to the instructor, or neither."""

import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from minitf_lab import project
from minitf_lab.judge import imports, sandbox, variant
from minitf_lab.judge.regions import tasks_in_order
from minitf_lab.labs import builds, grade, policy
from minitf_lab.labs.answers import Answer

LAB = project.find_lab("04")
FORBIDDEN = LAB.forbid_imports["*"] + LAB.forbid_imports["math_grad.cc"]
HEAD = """#include <dlfcn.h>
namespace minitf { int& Gradients(); struct Session { void Run(); }; void RunOps(int); }
"""
# What a gradient function does, and what is seen of it.
CALLS = {
    "asks the registry": ("int f() { return minitf::Gradients(); }", "minitf::Gradients"),
    "has a pointer to it": (
        "auto* p = &minitf::Gradients; int f() { return p(); }",
        "minitf::Gradients",
    ),
    "names it weakly": (
        "__attribute__((weak)) extern int odd() asm(\"_ZN6minitf9GradientsEv\");"
        "int f() { return odd ? odd() : 0; }",
        "minitf::Gradients",
    ),
    "names it in assembler": (
        'void f() { asm("call _ZN6minitf9GradientsEv@PLT"); }',
        "minitf::Gradients",
    ),
    "runs a session": (
        "void f(minitf::Session* s) { s->Run(); }",
        "minitf::Session::Run",
    ),
    "runs ops": ("void f() { minitf::RunOps(1); }", "minitf::RunOps"),
}  # fmt: skip


def imported(folder, code):
    source = folder / "answer.cc"
    source.write_text(HEAD + code)
    made = folder / "answer.o"
    command = ["g++", "-w", "-O1", "-fPIC", "-c", source, "-o", made]
    subprocess.run(command, check=True)
    return imports.of_objects([made], sandbox.find_box())[made]


@pytest.mark.parametrize("name", CALLS)
def test_what_is_forbidden_is_seen(tmp_path, name):
    code, expected = CALLS[name]
    assert imports.matching(imported(tmp_path, code), FORBIDDEN) == [expected]


# What would do a lab's work: another way to run an op, another reader of messages.
WAYS_AROUND = [
    ("00", "approximate_equal.cc", "minitf::RunOp"),
    ("02", "power_difference_kernel.cc", "minitf::MakeKernel"),
    ("05", "dispatch.cc", "minitf::Session::Run"),
    ("14", "example_wire.cc", "google::protobuf::MessageLite::SerializeToString"),
    ("14", "example_wire.cc", "minitf::ExampleFromJson"),
]


@pytest.mark.parametrize(("number", "name", "way"), WAYS_AROUND)
def test_a_way_around_the_work_of_a_lab_is_refused(monkeypatch, number, name, way):
    lab = project.find_lab(number)
    [file] = [one for one in lab.files if Path(one).name == name]
    monkeypatch.setattr(policy, "_of_objects", lambda *a: {file: {way}})
    found = policy.audit(lab, {}, {file: Path()}, None, None)
    assert {*found.refused} == {*tasks_in_order((project.ROOT / file).read_text())}
    monkeypatch.setattr(policy, "_of_objects", lambda *a: {file: {"minitf::Other"}})
    assert policy.audit(lab, {}, {file: Path()}, None, None) == policy.Audit()


def test_what_hides_a_call_is_told_to_the_instructor(tmp_path):
    names = imported(
        tmp_path, 'void* f() { return dlsym(RTLD_DEFAULT, "_ZN6minitf9GradientsEv"); }'
    )
    assert imports.matching(names, FORBIDDEN) == []
    assert imports.matching(names, policy.FLAGGED_CPP) == ["dlsym"]


def test_an_object_that_cannot_be_read_is_no_crash(tmp_path):
    (tmp_path / "odd.o").write_bytes(b"\x7fELF" + bytes(range(256)))
    with pytest.raises(imports.UnreadableError):
        imports.of_objects([tmp_path / "odd.o"], sandbox.find_box())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import ctypes", ["ctypes"]),
        ("import ctypes as c\nc.CDLL(None)", ["ctypes", "ctypes.CDLL"]),
        ("def f():\n    from os import system as s\n    s('x')", ["os.system"]),
        ("import os\ng = os.fork", ["os.fork"]),
        ("exec('x')", ["exec"]),
        ("import re, os.path\nre.compile('x'); os.path.join('a')", []),
        ("class A:\n    def open(self): return self.open()", []),
        ("from os import *\ndef f(): system('x')", ["os.system"]),
        (f"import os\nx = {'+ '.join(['1 '] * 1500)}\nos.fork()", ["os.fork"]),
        (f"x = os.fork() {'+ 1' * 1500}\nimport os", ["os.fork"]),
        ("x = (", []),
        ("(" * 100_000, []),
    ],
)
def test_what_is_flagged_in_python(source, expected):
    names = imports.of_python(source)
    assert imports.matching(names, policy.FLAGGED_PYTHON) == expected


@pytest.mark.parametrize("lab", project.all_labs(), ids=lambda lab: lab.folder)
def test_minitf_itself_has_no_flag_in_python(lab):
    files = {file: project.ROOT / file for file in lab.python_files}
    assert policy.audit(lab, files, {}, None, None) == policy.Audit()


def test_every_list_is_of_a_file_of_the_lab():
    for lab in project.all_labs():
        names = {"*", *(Path(file).name for file in lab.files)}
        for lists in (lab.forbid_imports, lab.flag_imports):
            assert lists.keys() <= names, lab.folder


def test_a_task_with_a_forbidden_call_gets_no_points_and_the_others_do(monkeypatch):
    lab = project.find_lab("00")
    monkeypatch.setattr(grade, "worker_of", lambda *a: pytest.fail("a case is run"))
    why = "it uses minitf::RunOp, which this lab is to do without"
    refused = {task.number: why for task in lab.tasks}
    monkeypatch.setattr(grade, "run_cases", lambda lab, answer, cases, *a: iter(()))
    answer = Answer(None, {}, audit=policy.Audit(refused))
    for task in grade.grade_answer(lab, answer).tasks:
        assert task.points == 0
        assert {(one.verdict, one.message) for one in task.results} == {("policy", why)}


def test_the_tasks_of_a_file_are_refused_with_it(monkeypatch):
    used = {file: {"minitf::Gradients", "dlsym"} for file in LAB.files}
    monkeypatch.setattr(policy, "_of_objects", lambda *a: used)
    found = policy.audit(LAB, {}, used, None, None)
    assert sorted(found.refused) == ["04.1", "04.2", "04.3", "04.4", "04.5", "04.6"]
    assert "math_grad.cc uses minitf::Gradients, which this" in found.flags[0]
    assert "add_gradients.cc uses dlsym" in found.flags
    lab = replace(LAB, forbid_imports={})
    assert policy.audit(lab, {}, used, None, None).refused == {}


# ---- Objects that nobody can read ------------------------------------------------------

# Twenty thousand names of which none is there: a reader has 1.6 MB to say of them.
CROWD = """asm(R"(
  .altmacro
  .macro name n
  .weak a_long_name_of_which_there_are_many_to_fill_up_the_list_\\n
  .quad a_long_name_of_which_there_are_many_to_fill_up_the_list_\\n
  .endm
  .data
  .set i, 0
  .rept 20000
  name %i
  .set i, i + 1
  .endr
  .text
)");
"""


def crowded(folder, unit):
    """A file of the lab that hides what it uses among too many names."""
    path = folder / "source" / Path(unit).name
    project.put(path, CROWD + (project.ROOT / unit).read_text().replace("LAB(", "TODO("))
    return path


def test_who_drowns_the_list_of_names_gets_no_points(tmp_path):
    files = {file: project.ROOT / file for file in LAB.files}
    [unit] = [file for file in LAB.files if file.endswith("/math_grad.cc")]
    files[unit] = crowded(tmp_path, unit)
    box = sandbox.find_box()
    answer = builds.build_for_marks(LAB, files, tmp_path / "made", box)
    assert sorted(answer.audit.refused) == [task.number for task in LAB.tasks]
    assert answer.audit.refused["04.2"] == (
        "nobody can say what math_grad.cc uses, and it must do without some"
    )
    assert answer.audit.flags[0].startswith("nobody can say what its objects import: nm")


def test_without_a_list_such_names_are_told_to_the_instructor(tmp_path):
    lab = replace(LAB, forbid_imports={"add_gradients.cc": ["minitf::RunOp"]})
    (tmp_path / "odd.o").write_bytes(b"\x7fELF" + bytes(range(256)))
    objects = dict.fromkeys(LAB.files, tmp_path / "odd.o")
    right = partial(variant.objects_of, LAB.files)
    found = policy.audit(lab, {}, objects, right, sandbox.find_box())
    [unit] = [file for file in LAB.files if file.endswith("/add_gradients.cc")]
    assert {*found.refused} == {*tasks_in_order((project.ROOT / unit).read_text())}
    found = policy.audit(
        replace(LAB, forbid_imports={}), {}, objects, right, sandbox.find_box()
    )
    assert found.refused == {} and len(found.flags) == 1


def test_a_machine_that_reads_no_object_is_to_blame(tmp_path, monkeypatch):
    monkeypatch.setattr(imports, "NM", "/usr/bin/false")
    right = partial(variant.objects_of, LAB.files)
    objects = dict(zip(LAB.files, right(), strict=True))
    with pytest.raises(
        project.GraderError, match="what the lab's own answer imports: nm"
    ):
        policy.audit(LAB, {}, objects, right, sandbox.find_box())


def test_a_reader_that_is_killed_once_costs_nothing(tmp_path, monkeypatch):
    real, begun = imports.of_objects, []

    def reads(objects, box):
        begun.append(objects)
        if len(begun) == 1:
            raise imports.UnreadableError("it was killed")
        return real(objects, box)

    monkeypatch.setattr(imports, "of_objects", reads)
    right = partial(variant.objects_of, LAB.files)
    objects = dict(zip(LAB.files, right(), strict=True))
    found = policy.audit(
        replace(LAB, forbid_imports={}), {}, objects, right, sandbox.find_box()
    )
    assert found.refused == {} and len(begun) == 3
    assert not [flag for flag in found.flags if flag.startswith("nobody")]
