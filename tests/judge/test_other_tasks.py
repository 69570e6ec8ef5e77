"""A task gets no points by the code of others, and does not show minitf's answers."""

import copy
import json
from dataclasses import replace

import lab_folder
import pytest

from minitf_lab import project
from minitf_lab.labs import builds, grade

TODO = lab_folder.PYTHON.replace("LAB(", "TODO(")
RIGHT = {"60.1": "return 2 * x", "60.2": "return x + x"}


def lab_with(tmp_path, uses):
    """The lab in Python, whose tasks use others as ``uses`` says."""
    tasks = copy.deepcopy(lab_folder.MANIFEST["tasks"])
    for number, others in uses.items():
        tasks[number]["uses"] = others
    return lab_folder.in_python(tmp_path, tasks=tasks)


def answer_with(number, word):
    """An answer that does so for each task."""
    text = TODO.replace(RIGHT["60.1"], number).replace(RIGHT["60.2"], word)
    assert text.count(number) >= 1
    return text


APART = {"60.1": [], "60.2": []}


@pytest.mark.parametrize(
    ("number", "word", "uses", "score"),
    [
        ("return word(x)", "return number(x)", APART, 0),
        ("return word(x)", "return number(x)", {"60.1": ["60.2"], "60.2": []}, 2),
        ("return word(x)", "return number(x)", {}, 5),  # nothing is said
        ("return word(x)", "return x", APART, 0),
        ("return 3 * x", "return x", APART, 0),
        ("return 2 * x", "return x", APART, 2),
        ("return x * 2", "return x * 2", APART, 5),
        ("global word; word = lambda x: x; return 2 * x", "return number(x)", APART, 5),
    ],
)
def test_a_task_that_calls_another_one(tmp_path, box, number, word, uses, score):
    folder = lab_with(tmp_path, uses)
    record = lab_folder.judged(folder, tmp_path, answer_with(number, word), box)
    assert (record["status"], record["score"]) == ("graded", score)


def test_a_task_that_the_lab_forgot_to_name(tmp_path, box):
    """Minitf's own answer needs more than the manifest says: nobody loses points."""
    folder = lab_with(tmp_path, APART)
    source = folder / "reference" / "twice.py"
    source.write_text(source.read_text().replace("return x + x", "return number(x)"))
    cases = folder / "cases.py"
    cases.write_text(cases.read_text().replace('"word", "ab", "abab"', '"word", 4, 8'))
    answer = answer_with("return x", "return number(x)")
    record = lab_folder.judged(folder, tmp_path, answer, box)
    assert record["score"] == 3  # the first task is wrong, and the second one is not


SHOWING = (
    "raise ValueError(open(__file__).read())",
    "print(open(__file__).read()); return None",
    "return open(__file__).read()",
    "import inspect, sys; raise ValueError(inspect.getsource(sys.modules[__name__]))",
    "raise ValueError([f.__code__.co_consts for f in (number, word)], x + x)",
    "import os; print(os.listdir('.')); return open(__file__).read()",
    "text = open(__file__).read().translate({40: 91, 41: 93}); "
    "print(text); raise NotImplementedError("
    "f'task 0 ( 60.1 60.2 {text}) is not written yet')",
)


@pytest.mark.parametrize("code", SHOWING)
@pytest.mark.parametrize("uses", [APART, {}])
def test_the_text_of_an_answer_to_another_task_is_not_shown(tmp_path, box, code, uses):
    """Two tasks fail, so each is run beside minitf's answer to the other one."""
    answer = answer_with(code, code.replace("raise", "1; raise"))
    record = lab_folder.judged(lab_with(tmp_path, uses), tmp_path, answer, box)
    assert record["score"] == 0
    shown = json.dumps(record)
    assert "return 2 * x" not in shown
    assert "return x + x" not in shown


QUOTING = """#include <cstdio>
#include <stdexcept>
#include <string>
#define TEXT(...) #__VA_ARGS__
#define TELL(x) _Pragma(TEXT(message(#x)))
static std::string text;
"""
SAYING = """Twice(1.0);
  std::puts(text.c_str());
  throw std::runtime_error("task 60.2 (" + text + ") is not written yet");"""


@pytest.mark.parametrize("macro", ["text = TEXT", "TELL"])
def test_the_text_of_an_answer_in_cpp_is_not_shown(tmp_path, box, macro):
    """A macro makes a text of the region of another task, whatever stands there."""
    starter = lab_folder.CPP.replace("LAB(", "TODO(")
    starter = starter.replace("return 2 * x;", "return 3 * x;")
    begin, end = "  // TODO(60.1) begin", "// TODO(60.1) end\n"
    starter = starter.replace(begin, f"  {macro}(\n{begin}")
    answer = QUOTING + starter.replace(end, f"{end}  );\n  return 3 * x;\n")
    answer = answer.replace("return x + x;", SAYING)
    folder = lab_folder.in_cpp(tmp_path)
    record = lab_folder.judged(folder, tmp_path, answer, box)
    assert (record["status"], record["score"]) == ("graded", 0)
    assert "return 3 * x" in json.dumps(record)  # what the student wrote
    assert "return 2 * x" not in json.dumps(record)


CYCLE = {
    "product_naive.cc": ("08.1", "MultiplyReordered(sizes, a, b, product, nullptr);"),
    "product_reordered.cc": ("08.2", "MultiplyNaively(sizes, a, b, product, nullptr);"),
}


def test_no_product_in_lab_08_gives_no_points(tmp_path, box):
    """Each task passed with minitf's answer to the other one."""
    lab = project.find_lab("08")
    files = builds.files_of(lab, "starter")
    for file in lab.files:
        name = file.rpartition("/")[2]
        if name in CYCLE:
            task, code = CYCLE[name]
            text = files[file].read_text().replace(f'MINITF_TODO("{task}");', code)
            files[file] = tmp_path / "in" / name
            project.put(files[file], text)
    part = replace(lab, forbid_imports={}, forbid_words={})
    answer = builds.build_for_marks(part, files, tmp_path / "made", box)
    for task in ("08.1", "08.2"):
        for _, results in grade.run_tasks(lab, answer, "by_heart", task):
            assert not any(one.passed for one in results), results
    audited = builds.build_for_marks(lab, files, tmp_path / "made", box)
    assert set(audited.audit.refused) >= {"08.1", "08.2"}
