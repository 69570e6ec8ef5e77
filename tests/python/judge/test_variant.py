"""Answers of lab 04 that are compiled: one library with several faults."""

import re

import pytest

from minitf_lab import messages, project
from minitf_lab.judge import variant
from minitf_lab.labs import builds, grade

pytestmark = pytest.mark.skipif(
    not (project.build_folder() / "build.ninja").exists(), reason="nothing is built"
)
LAB = project.find_lab("04")
UNIT, SWEEP = LAB.cpp_files


def region(text, title):
    """The first region whose hint begins like that: from its begin to its end."""
    at = text.index(f"begin: {title}")
    start = text.rindex("\n", 0, at) + 1
    return text[start : text.index(" end\n", at) + 5]


def with_body(text, title, body):
    """The file with another answer in a region."""
    old = region(text, title)
    lines = old.split("\n")
    return text.replace(old, "\n".join([lines[0], body, lines[-2], ""]))


def solution(unit):
    return (project.ROOT / unit).read_text().replace("LAB(", "TODO(")


@pytest.fixture(scope="module")
def texts():
    """The student's file: Sin is not written, Mul is wrong, MatMul ends the process.

    Log multiplies by none.
    """
    text = solution(UNIT)
    text = with_body(text, "return {dL/dx} for z = sin x", '  MINITF_TODO("04.2");')
    none = '  return {ctx.Call("Mul", {ctx.dy[0], Value::None()})};'
    text = with_body(text, "return {dL/dx} for z = log x", none)
    text = with_body(text, "return {dL/dx, dL/dy} for z = x y", "  return {x, y};")
    sign = "  for (int i = 0; i < ctx.inputs.size(); ++i) {\n  }\n"
    text = with_body(
        text,
        "return {dL/da, dL/db}",
        f"{sign}  assert(transpose_a == 7);\n  return {{}};",
    )
    return {UNIT: text, SWEEP: solution(SWEEP)}


def put(folder, texts):
    files = {unit: folder / unit.rpartition("/")[2] for unit in texts}
    for unit, path in files.items():
        path.write_text(texts[unit])
    return files


@pytest.fixture(scope="module")
def answer(tmp_path_factory, texts):
    builds.build_framework(LAB)
    folder = tmp_path_factory.mktemp("variant")
    return builds.build_answer(LAB, put(folder, texts), folder / "made")


@pytest.fixture(scope="module")
def found(answer):
    """What became of one case of every task, and of some more."""
    chosen = {}
    for case in grade.cases_of(LAB):
        chosen.setdefault(case.task, case.name)
    words = ("unary-Sin_float32", "unary-Exp_float32", *chosen.values())
    words += ("unary-Log_float32", "binary-Mul_float64", "binary-RealDiv_float64")
    cases = [case for case in grade.cases_of(LAB) if case.name in words]
    results = grade.run_cases(LAB, answer, cases)
    return {(case.task, case.name): r for case, r in zip(cases, results, strict=True)}


def test_an_unwritten_task_takes_no_other_tasks_points(found):
    for (task, name), result in found.items():
        if task not in {"04.2", "04.3", "04.4"}:
            assert result.passed, (name, result)
    assert found["04.2", "unary-Sin_float32"].status == "not written"
    assert found["04.2", "unary-Exp_float32"].passed
    wrong = found["04.3", "binary-Mul_float64"]
    assert (wrong.status, "dL/d" in wrong.message) == ("failed", True)
    assert found["04.3", "binary-RealDiv_float64"].passed


def test_none_as_an_input_of_a_call_is_named(found):
    result = found["04.2", "unary-Log_float32"]
    assert result.status == "failed"
    assert "Mul: input 1 is none" in result.message


def test_a_failed_assertion_names_itself(found, texts):
    results = [result for (task, _), result in found.items() if task == "04.4"]
    assert {result.status for result in results} == {"crashed"}
    line = texts[UNIT].split("\n").index("  assert(transpose_a == 7);") + 1
    said = results[0].message + results[0].printed
    assert "SIGABRT: it called std::abort: a failed assertion" in said
    assert f"math_grad.cc:{line}: " in said
    assert "Assertion `transpose_a == 7' failed" in said


def test_what_the_compiler_warns_of_is_shown(answer, texts):
    line = (
        texts[UNIT].split("\n").index("  for (int i = 0; i < ctx.inputs.size(); ++i) {")
        + 1
    )
    assert re.search(rf"math_grad\.cc:{line}:\d+: .*-Wsign-compare", answer.warnings)
    assert str(project.ROOT) not in answer.warnings
    assert answer.whole == ()


# ---- A sanitizer watches: one compilation ---------------------------------------------


def test_what_does_no_harm_by_chance_is_seen_and_what_is_thrown_comes_through(tmp_path):
    text = solution(SWEEP)
    assert text.count("i < dx.size()") == 1
    texts = {SWEEP: text.replace("i < dx.size()", "i <= dx.size()"), UNIT: solution(UNIT)}
    answer = builds.build_answer(LAB, put(tmp_path, texts), tmp_path / "made", "asan")
    cases = {case.name: case for case in grade.cases_of(LAB)}
    limits = grade.limits(LAB, answer.sanitizer)
    found = {"passed": ""}
    with grade.worker_of(LAB, answer) as worker:
        for case in cases.values():
            if case.task == "04.9" and len(found) == 1:
                status = worker.run(case, limits).status
                found[status] = worker.printed.read_text(errors="replace")
        # With minitf's own sweep, an error is thrown and nothing else is wrong.
        throws = cases["an_op_without_a_gradient"]
        assert worker.run(throws, limits, task="04.1").passed
    assert "AddressSanitizer: heap-buffer-overflow" in found["crashed"]


# ---- Files that are not accepted: one compilation each -------------------------------


def build(folder, old, new):
    text = solution(SWEEP)
    assert old in text
    files = put(folder, {SWEEP: text.replace(old, new)})
    return variant.build_variant(files, folder / "made"), text


def test_a_forgotten_return_is_an_error_at_the_students_line(tmp_path):
    with pytest.raises(project.BuildError) as raised:
        build(tmp_path, "  return terms[0];\n", "")
    said = str(raised.value)
    assert re.search(r"^add_gradients\.cc:\d+:\d+: error: .*end of non-void", said, re.M)
    number = int(re.search(r"add_gradients\.cc:(\d+):", said)[1])
    lines = solution(SWEEP).replace("  return terms[0];\n", "").split("\n")
    assert lines[number - 1] == "}"
    assert lines[number - 2].startswith("  // TODO(04.8) end")


def test_a_function_that_is_missing_is_named(tmp_path):
    with pytest.raises(project.BuildError) as raised:
        build(tmp_path, "bool IsDifferentiable(DType dtype) {", "bool Is(DType dtype) {")
    assert "IsDifferentiable" in str(raised.value)


def test_a_source_of_the_framework_is_not_included(tmp_path):
    with pytest.raises(
        project.LabError, match="add_gradients.cc of minitf/gradients: an answer incl"
    ):
        variant.build_variant(
            put(tmp_path, {SWEEP: f'#include "{SWEEP}"\n'}), tmp_path / "made"
        )


def test_a_file_without_marks_is_compiled_whole(tmp_path):
    path = tmp_path / "add_gradients.cc"
    path.write_text(solution(SWEEP))
    assert variant.compose_file(path, SWEEP)[1]
    path.write_text(solution(SWEEP).replace("  // TODO(04.8) end\n", ""))
    text, is_composed = variant.compose_file(path, SWEEP)
    assert not is_composed
    assert "UsesReference" not in text
    assert '#line 1 "add_gradients.cc"\n' in text


def test_a_file_that_is_no_text_is_named(tmp_path):
    path = tmp_path / "add_gradients.cc"
    path.write_bytes(b"\xff")
    with pytest.raises(project.LabError, match=r"^add_gradients\.cc cannot be read: "):
        variant.compose_file(path, SWEEP)


def test_what_the_linker_says_is_put_in_words():
    said = "/usr/bin/ld: a.o: in function `f':\na.cc:(.text+0x1): undefined reference to"
    said += " `minitf::Other(int)'\ncollect2: error: ld returned 1 exit status\n"
    assert messages.student_messages(said) == (
        "your file lacks what the rest of minitf uses:\n  minitf::Other(int)"
    )
    assert messages.student_messages("") == ""


def test_a_message_of_the_compiler_comes_once_and_shows_the_line(tmp_path, monkeypatch):
    monkeypatch.setattr(project, "ROOT", tmp_path)
    text = "int f() {\n  return 1\n  // end\n  Do(x);\n"
    said = "".join(
        f"{tmp_path}/work/a.cc: In instantiation of 'F<T> [with T = {kind}]':\n"
        f"/usr/include/b.h:8:3:   required from 'void G<{kind}>'\n"
        f"work/a.cc:1:9:   required from here\n"
        f"work/a.cc:4:3: error: no Do for '{kind}'\n"
        for kind in ("int", "float")
    )
    said += "work/a.cc: In function 'int f()':\nwork/a.cc:3:1: error: expected ';'\n"
    said += "work/a.cc: In function 'int g()':\nwork/a.cc:4:6: error: no 'x' here\n"
    assert messages.student_messages(
        "x.h:1:1: warning: w\n" + said, {"work/a.cc": text}
    ) == "\n".join(
        [
            "work/a.cc:4:3: error: no Do for 'int'",
            "    4 |   Do(x);",
            "work/a.cc: In function 'int f()':",
            "work/a.cc:3:1: error: expected ';'",
            "    2 |   return 1",
            "    3 |   // end",
            "work/a.cc: In function 'int g()':",
            "work/a.cc:4:6: error: no 'x' here",
            "    4 |   Do(x);",
            "x.h:1:1: warning: w",
        ]
    )


def test_what_the_compiler_says_of_its_own_headers_is_left_out():
    own = "work/a.cc:3:1: warning: mine\n"
    odd = (
        "In file included from /usr/lib/gcc/x/12/include/immintrin.h:49,\n"
        "                 from work/a.cc:1:\n"
        "In function '__m256d f(__m512d, int)',\n"
        "    inlined from 'void G()' at work/a.cc:9:41:\n"
        "/usr/lib/gcc/x/12/include/avx512fintrin.h:5946:10: warning: odd\n"
        " 5946 |   return (__m256d) f (__A,\n      |          ^~~~~~~~\n"
        "In file included from /usr/lib/gcc/x/12/include/immintrin.h:43:\n"
        "/usr/lib/gcc/x/12/include/avxintrin.h: In function 'void G()':\n"
        "/usr/lib/gcc/x/12/include/avxintrin.h:12100:11: note: it was declared here\n"
        "12100 |   __m256d __Y = __Y;\n      |           ^~~\n"
    )
    assert messages.student_messages(odd) == ""
    said = messages.student_messages(own + odd + own.replace("3", "4"))
    assert said.split("\n") == [own.strip(), own.strip().replace("3", "4")]
