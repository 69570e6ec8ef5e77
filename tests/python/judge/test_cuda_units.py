"""Answers of lab 11, which are CUDA: translated, compiled for check mode, and watched."""

import ast
from dataclasses import replace

import pytest

from minitf_lab import project
from minitf_lab.judge import libraries, rooms, sandbox
from minitf_lab.judge.case import Call
from minitf_lab.labs import builds, grade, policy

pytestmark = pytest.mark.skipif(
    not (project.build_folder() / "build.ninja").exists(), reason="nothing is built"
)
LAB = project.find_lab("11")
TRANSPOSE = "kernels/gpu/transpose.cu"
PART = replace(LAB, files=[TRANSPOSE])


def files_with(tmp_path, body):
    """The exercise, and a few lines for task 11.2."""
    text = (LAB.starter / "transpose.cu").read_text()
    assert text.count('  MINITF_TODO("11.2");') == 1
    path = tmp_path / "transpose.cu"
    path.write_text(text.replace('  MINITF_TODO("11.2");', body))
    return {TRANSPOSE: path}


def test_a_launch_that_is_not_complete_is_told_where_it_stands(tmp_path):
    files = files_with(tmp_path, "  int x = 3;\n  Nothing<<<1>>>(x);")
    builds.build_framework(LAB)
    text = files[TRANSPOSE].read_text().split("\n")
    line = text.index("  Nothing<<<1>>>(x);") + 1
    with pytest.raises(project.BuildError) as raised:
        builds.build_answer(PART, files, tmp_path / "made")
    assert f"transpose.cu:{line}:1: error: a launch has 2 to 4 arguments" in str(
        raised.value
    )


def test_an_error_of_the_compiler_names_the_student_s_line(tmp_path):
    files = files_with(tmp_path, "  const int wrong = nobody;")
    line = (
        files[TRANSPOSE].read_text().split("\n").index("  const int wrong = nobody;") + 1
    )
    with pytest.raises(project.BuildError) as raised:
        builds.build_answer(PART, files, tmp_path / "made")
    assert f"transpose.cu:{line}:" in str(raised.value)
    assert "nobody" in str(raised.value)


def results(tmp_path, body):
    """Returns the results of two cases of task 11.2, with ``body`` as the answer."""
    return results_of(files_with(tmp_path, body), tmp_path)


def results_of(files, tmp_path):
    """Returns the results of two cases of task 11.2, with these files."""
    answer = builds.build_answer(PART, files, tmp_path / "made")
    cases = [case for case in grade.cases_of(LAB) if case.task == "11.2"]
    return [*grade.run_cases(PART, answer, cases[:2], "all")]


def test_a_change_of_our_own_file_is_compiled_as_the_exercise_is(tmp_path):
    """Our own file does not include the header for labs."""
    path = tmp_path / "transpose.cu"
    path.write_text((project.ROOT / TRANSPOSE).read_text())
    assert [one.passed for one in results_of({TRANSPOSE: path}, tmp_path)] == [True] * 2


def test_what_check_mode_finds_is_what_the_student_reads(tmp_path):
    body = """  if (threadIdx.x + threadIdx.y + blockIdx.x > 0) return;
  for (int64_t i = 0; i <= batch * rows * columns; ++i) y[i] = x[i];"""
    first = results(tmp_path, body)[0]
    assert not first.passed
    line = files_with(tmp_path, body)[TRANSPOSE].read_text().split("\n")
    number = 1 + next(i for i, text in enumerate(line) if "y[i] = x[i]" in text)
    assert (
        f"check mode: oob, global memory: line {number}: read of 1 bytes" in first.message
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("  while (true) y[0] = x[0];", "limit"),
        ("  assert(batch < 0);", "exception"),
        (
            "  T room[1 << 18];\n  room[rows] = x[0];\n  y[0] = room[rows];",
            "stack-overflow",
        ),
        ("  *reinterpret_cast<int*>(8) = 1;", "null-pointer"),
        ("  if (threadIdx.x == 0) __syncthreads();", "barrier-divergence"),
    ],
)
def test_hostile_kernels_end_with_a_sentence(tmp_path, body, said):
    found = results(tmp_path, body)
    assert not any(result.passed for result in found)
    assert f"check mode: {said}" in found[0].message, found[0].message


# ---- What a file must not contain -----------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '__attribute__((no_sanitize("thread"))) void F();',
        "[[gnu::optimize(3)]] void F();",
        "#pragma GCC optimize 3",
        '_Pragma("GCC optimize 3")',
        "#define JOIN(a, b) a##b",
        "%:define JOIN(a, b) a",
        "simt::Checker::Get();",
        'extern "C" void __tsan_write4(void*) {}',
        'as\\\nm("nop");',
        "__attr\\  \nibute__((noinline)) void F();",
    ],
)
def test_the_watching_cannot_be_turned_off(tmp_path, text):
    files = files_with(tmp_path, '  MINITF_TODO("11.2");')
    path = files[TRANSPOSE]
    assert policy.audit(PART, files, {}, None, None) == policy.Audit()
    path.write_text(f"{path.read_text()}\n{text}\n")
    found = policy.audit(PART, files, {}, None, None)
    assert [*found.refused] == ["11.2"]
    assert "transpose.cu contains" in found.refused["11.2"]
    assert found.flags == (found.refused["11.2"],)


def test_forbidden_words_of_one_file_do_not_matter_in_others():
    lab = replace(LAB, forbid_words={"matmul.cu": ["kSide"]})
    files = {unit: project.ROOT / unit for unit in LAB.files}
    assert [*policy.audit(lab, files, {}, None, None).refused] == ["11.7", "11.8"]


def test_no_file_of_ours_has_a_forbidden_word():
    files = {unit: project.ROOT / unit for unit in LAB.files}
    assert policy.audit(LAB, files, {}, None, None) == policy.Audit()


# ---- Libraries ------------------------------------------------------------------------


def test_a_lab_is_in_cuda_or_it_is_not():
    assert libraries.library_of(LAB.files) == libraries.CARDS
    assert libraries.library_of(project.find_lab("04").cpp_files) == libraries.FRAMEWORK
    with pytest.raises(project.LabError, match="not of two"):
        libraries.library_of([TRANSPOSE, "kernels/cpu/nn/bias.cc"])


def test_sanitizers_leave_cuda_to_check_mode():
    with pytest.raises(project.LabError, match="CUDA is watched by check mode"):
        builds.build_version(LAB, "reference", "asan")


def test_the_right_answers_are_not_in_the_box(tmp_path):
    """Neither the libraries for cards nor their sources can be read there."""
    box = sandbox.find_box()
    if box is None:
        pytest.skip("there is no box on this machine")
    room = rooms.room_of_worker(LAB.driver, tmp_path / "libminitf_gpu_lab.so", {})
    hidden = {path.name for path in room.masks}
    build = project.build_folder() / "python" / "minitf"
    assert {path.name for path in build.glob("libminitf_gpu_*")} <= hidden
    shown = [str(path) for path in room.read]
    assert not any(path.endswith(".cu") or "labs/gpu" in path for path in shown)


def test_calls_name_functions_of_the_driver():
    """Each case calls what there is, with what it takes."""
    tree = ast.parse((LAB.tests / "driver.py").read_text())
    takes = {
        node.name: [a.arg for a in node.args.args]
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }
    for case in grade.cases_of(LAB):
        for trial in case.trials():
            for call in trial.calls:
                assert isinstance(call, Call)
                assert [*call.arguments] == takes[call.function], case.name
            break
