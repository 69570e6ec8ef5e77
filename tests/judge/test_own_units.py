"""Labs with files of their own in C++ and CUDA: honest, wrong and hostile answers.

An answer is compiled in the box, linked with the lab's driver and loaded by a worker.
Whatever it claims about the driver, no points come of it.
"""

import json
import resource
import shutil

import lab_folder
import pytest
from lab_folder import CPP, DRIVER, HEADER, judged, verdicts

from minitf_lab import contents, cuda, project
from minitf_lab.dev.quality import faults
from minitf_lab.judge.case import forget_modules
from minitf_lab.labs import builds, grade, own_units
from minitf_lab.verdicts import Verdicts

TODO = CPP.replace("LAB(", "TODO(")
MORE = """#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>
"""


@pytest.fixture
def folder(tmp_path):
    return lab_folder.in_cpp(tmp_path)


def with_answer(body, head=MORE):
    """The right file, but for what it does with numbers."""
    return head + TODO.replace("return 2 * x;", body)


def at_load(body, head=MORE):
    """The right file, and what it does when it is loaded."""
    return f"{head}\n__attribute__((constructor)) void Early() {{ {body} }}\n{TODO}"


# ---- Honest and wrong answers --------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected", "score"),
    [
        (TODO, ["ok", "ok"], 5),
        (CPP, ["ok", "ok"], 5),
        (MORE + HEADER.split("#pragma once")[1] + TODO, ["ok", "ok"], 5),
        (with_answer("return x + x;"), ["ok", "ok"], 5),
        (with_answer("return x;"), ["wrong_answer", "ok"], 3),
        (with_answer("std::abort();"), ["crashed", "ok"], 3),
        (with_answer("for (volatile int i = 0;; i = i) {}"), ["timeout", "ok"], 3),
        (with_answer("throw 7;"), ["raised", "ok"], 3),
        (with_answer('MINITF_TODO("60.1");'), ["not_written", "ok"], 3),
        (
            TODO.replace("2 * x", "x").replace("x + x", '""'),
            ["wrong_answer", "wrong_answer"],
            0,
        ),
    ],
    ids=range(10),
)
def test_an_answer_gets_what_it_is_worth(folder, tmp_path, box, text, expected, score):
    record = judged(folder, tmp_path, text, box)
    assert (verdicts(record), record["score"]) == (expected, score)


GUARDED = """#include "python/bindings/guarded_array.h"
double Number(double x) {
  minitf::GuardedArray<double> in({x}, true), out(1);
  Double(in.data(), out.data());
  return out.values()[0];
}"""


@pytest.mark.parametrize(
    ("body", "verdict", "said"),
    [
        ("*y = 2 * *x;", "ok", ""),
        ("*y = x[0] + x[1];", "out_of_bounds", "reads byte 8 of a tensor of 8 bytes"),
        ("*y = 2 * *x + 0 * x[-1];", "out_of_bounds", "reads byte -8 of a tensor of 8"),
        ("y[0] = 2 * *x; y[1] = 0;", "out_of_bounds", "writes to byte 8 of a tensor"),
        ("const_cast<double*>(x)[0] = 1; *y = 2;", "out_of_bounds", "not its own to"),
        ("", "wrong_answer", "it is [nan]"),
    ],
)
def test_arrays_of_a_driver_can_be_guarded(folder, tmp_path, box, body, verdict, said):
    function = "void Double(const double* x, double* y)"
    old = "double Twice(double x)"
    header = HEADER.replace(old, function)
    (folder / "starter" / "twice.h").write_text(header)
    number = "double Number(double x) { return Twice(x); }"
    (folder / "driver.cc").write_text(DRIVER.replace(number, GUARDED))
    text = CPP.replace(old, function).replace(
        "return 2 * x;", body or "(void)x, (void)y;"
    )
    record = judged(folder, tmp_path, text, box)
    assert verdicts(record) == [verdict, "ok"]
    assert said in record["tests"][0]["message"]
    # Without a box the same driver works on ordinary memory.
    if not said:
        assert verdicts(judged(folder, tmp_path, text)) == [verdict, "ok"]


def test_a_limit_of_addresses_is_named(folder, tmp_path, box, monkeypatch):
    """The guard reserves more, and would watch nothing."""
    limits = {resource.RLIMIT_AS: (1 << 32, 1 << 32)}
    monkeypatch.setattr(resource, "getrlimit", lambda one: limits[one])
    record = judged(folder, tmp_path, CPP, box)
    assert record["status"] == "grader_error"
    assert "ulimit -v is 4194304 kB; the guard of" in record["tests"][0]["message"]


def test_a_warning_costs_nothing(folder, tmp_path, box, monkeypatch):
    """Also where minitf itself is built with -Werror."""
    flags = contents.compile_flags("release")
    strict = {path: [*words, "-Werror"] for path, words in flags.items()}
    monkeypatch.setattr(contents, "compile_flags", lambda preset: strict)
    own_units._flags.cache_clear()
    record = judged(
        folder, tmp_path, with_answer("volatile int i = 1; i += 1; return x + x;"), box
    )
    own_units._flags.cache_clear()
    assert verdicts(record) == ["ok", "ok"]
    assert "volatile" in record["build"]["messages"]


def test_each_task_is_tried_with_right_answers_to_the_others(folder, tmp_path, box):
    """Words are made of numbers here, so a wrong number is a wrong word too."""
    text = CPP.replace("return x + x;", "return Twice(0.5) == 1 ? x + x : x;")
    lab_folder.write(folder, reference___twice__cc=text)
    wrong = text.replace("LAB(", "TODO(").replace("return 2 * x;", "return 3 * x;")
    record = judged(folder, tmp_path, wrong, box)
    assert verdicts(record) == ["wrong_answer", "ok"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            TODO.replace("return 2 * x;", "return 2 * y;"),
            "was not declared",
        ),
        (TODO[: TODO.index("std::string Twice")], "your files lack what is called:\n"),
        (TODO + "double Number(double x) { return x; }", "what is there already:\n"),
        (TODO + 'extern "C" void* PyInit_lab_60_driver() { return 0; }', "PyInit_lab"),
        ('#include "/etc/hostname"\n' + TODO, "/etc/hostname"),
        ('#include "../reference/twice.cc"\n' + TODO, "No such file"),
        ('#include "reference/twice.cc"\n' + TODO, "No such file"),
        ('#include "driver.cc"\n' + TODO, "No such file"),
        ('asm(".incbin \\"/etc/passwd\\"");\n' + TODO, "not found: /etc/passwd"),
    ],
    ids=range(9),
)
def test_what_does_not_compile_or_link_is_said(folder, tmp_path, box, text, said):
    record = judged(folder, tmp_path, text, box)
    assert verdicts(record) == ["compile_error"] * 2 and record["score"] == 0
    assert said in record["build"]["messages"]
    assert str(tmp_path) not in json.dumps(record)
    assert "root:" not in json.dumps(record)


@pytest.mark.parametrize(
    ("body", "expected", "score"),
    [
        ('return std::getenv("HOME") ? 2 * x : 2 * x;', ["policy", "policy"], 0),
        ("return 2 * x;", ["ok", "ok"], 5),
    ],
    ids=("calls it", "does not"),
)
def test_what_the_lab_forbids_costs_the_points(
    folder, tmp_path, box, body, expected, score
):
    lab_folder.in_cpp(tmp_path, forbid_imports={"twice.cc": ["getenv"]})
    record = judged(folder, tmp_path, with_answer(body), box)
    assert (verdicts(record), record["score"]) == (expected, score)
    said = "twice.cc uses getenv, which this lab is to do without"
    assert (said in record["flags"]) == (score == 0)


def test_what_a_module_calls_is_looked_at_too(tmp_path, box):
    forbidden = {"*": ["operator.add"]}
    folder = lab_folder.in_python(tmp_path, forbid_imports=forbidden)
    text = lab_folder.PYTHON.replace("LAB(", "TODO(")
    wrong = text.replace("return 2 * x", "import operator; return operator.add(x, x)")
    assert verdicts(judged(folder, tmp_path, wrong, box)) == ["policy", "policy"]
    assert verdicts(judged(folder, tmp_path, text, box)) == ["ok", "ok"]


# ---- Hostile answers -----------------------------------------------------------------

FORGED = r"""
  for (int file = 3; file < 20; ++file) {
    dprintf(file, "{\"ready\": true}\n{\"values\": [1.0]}\n{\"done\": true}\n");
  }
"""
# The driver's module can be reached, and so can the worker's own functions.
TAKEN_OVER = """#include <pybind11/pybind11.h>
#include <pybind11/eval.h>
__attribute__((constructor)) void Early() {
  pybind11::exec(R"(
import __main__
__main__.run_trial = lambda *all: {'values': [True]}
)");
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (at_load("_exit(0);"), {"exited"}),
        (at_load("std::exit(0);"), {"exited"}),
        (at_load("std::abort();"), {"crashed"}),
        (at_load(FORGED + "_exit(0);"), {"exited", "protocol_error"}),
        (at_load(FORGED), {"protocol_error", "exited", "wrong_answer"}),
        (at_load("if (fork() == 0) pause();"), {"policy"}),
        (at_load("throw 1;"), {"crashed"}),
        (TAKEN_OVER + TODO, {"wrong_answer"}),
        (
            with_answer(
                "std::vector<std::thread> all; for (int i = 0; i < 20; ++i) "
                "all.emplace_back([] { sleep(1); }); for (auto& t : all) t.join(); "
                "return 2 * x;"
            ),
            {"process_limit", "crashed"},
        ),
        (
            with_answer(
                "std::vector<std::string> all; for (int i = 0; i < 500; ++i) "
                "all.emplace_back(1 << 20, 'x'); return 2 * x;"
            ),
            {"memory_limit"},
        ),
        (
            with_answer(
                "for (int i = 0; i < 100000; ++i) puts(MORE); return 2 * x;",
                MORE + '#define MORE "a line of which there are too many"\n',
            ),
            {"output_limit"},
        ),
        (with_answer("_exit(0);"), {"exited"}),
        (
            with_answer('if (!std::ifstream("THE_REFERENCE")) throw 7; return 2 * x;'),
            {"raised"},
        ),
    ],
    ids=range(13),
)
def test_a_hostile_answer_gets_nothing(folder, tmp_path, box, text, expected):
    limits = {"mem_mb": 400, "threads": 4, "output_kb": 100}
    lab_folder.in_cpp(tmp_path, limits=limits)
    secret = folder / "reference" / "twice.cc"
    assert secret.is_file()
    text = text.replace("THE_REFERENCE", str(secret))
    record = judged(folder, tmp_path, text, box)
    assert record["status"] == "graded", record["tests"][0]["message"]
    assert record["tests"][0]["score"] == 0
    assert verdicts(record)[0] in expected, record["tests"][0]["message"]


def test_the_limits_of_a_lab_let_right_answers_pass(folder, tmp_path, box):
    text = with_answer(
        "std::vector<std::thread> all; for (int i = 0; i < 3; ++i) "
        "all.emplace_back([] {}); for (auto& t : all) t.join(); "
        "std::string some(100 << 20, 'x'); puts(std::string(900, 'x').c_str()); "
        "return 2 * x + (some.size() == 1);"
    )
    limits = {"mem_mb": 500, "threads": 4, "output_kb": 2}
    lab_folder.in_cpp(tmp_path, limits=limits)
    assert judged(folder, tmp_path, text, box)["score"] == 5


def test_a_compiler_has_the_lab_s_limits(folder, tmp_path, box):
    text = (
        "template <int n, int m> struct A { A<n - 1, 2 * m> a; A<n - 1, 2 * m + 1> b; };"
        "\ntemplate <int m> struct A<0, m> {};\nA<17, 0> all;\n"
    )
    lab_folder.in_cpp(tmp_path, limits={"compile_s": 1, "compile_mem_mb": 1500})
    record = judged(folder, tmp_path, text + TODO, box)
    assert verdicts(record) == ["compile_timeout"] * 2, record["build"]
    assert "not done after 1 s" in record["build"]["messages"]


# ---- Headers of students -------------------------------------------------------------


@pytest.fixture
def types(tmp_path):
    """A lab whose header is the student's."""
    folder = lab_folder.in_cpp(tmp_path, files=["twice.h"])
    shutil.rmtree(folder / "reference")
    (folder / "starter" / "twice.h").unlink()
    inline = CPP.replace('#include "twice.h"', "#pragma once\n#include <string>")
    inline = inline.replace("\ndouble Twice", "\ninline double Twice")
    inline = inline.replace("\nstd::string Twice", "\ninline std::string Twice")
    lab_folder.write(folder, reference___twice__h=inline)
    return folder


def test_a_header_is_compiled_with_the_driver(types, tmp_path, box):
    right = (types / "reference" / "twice.h").read_text()
    assert judged(types, tmp_path, right, box)["score"] == 5
    record = judged(types, tmp_path, right.replace("2 * x", "x"), box)
    assert verdicts(record) == ["wrong_answer", "ok"]
    short = right[: right.index("inline std::string Twice")]
    record = judged(types, tmp_path, short, box)
    assert verdicts(record) == ["compile_error"] * 2
    assert "driver.cc:" in record["build"]["messages"]


def test_a_header_that_takes_the_driver_s_macro_gets_nothing(types, tmp_path, box):
    right = (types / "reference" / "twice.h").read_text()
    lie = (
        "#undef PYBIND11_MODULE\n#define PYBIND11_MODULE(name, m) static void F(auto m)\n"
    )
    record = judged(types, tmp_path, f"{lie}{right}", box)
    assert record["score"] == 0 and record["status"] == "graded"
    assert set(verdicts(record)) <= {"raised", "compile_error"}


# ---- The lab's own mistakes cost no points -------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("driver__cc", DRIVER.replace("&Word", "&Ward"), "was not declared"),
        ("driver__cc", DRIVER.replace("60_driver", "61_driver"), "lab_60_driver"),
        ("driver__cc", DRIVER + "void F();\nvoid G() { F(); }\n", "  F()"),
        ("starter___twice__h", "int Twice;\n", "its own answer"),
    ],
    ids=range(4),
)
def test_a_driver_that_is_wrong_is_the_grader_s_fault(
    folder, tmp_path, box, name, text, said
):
    lab_folder.write(folder, **{name: text})
    answer = TODO.replace('#include "twice.h"', HEADER)
    record = judged(folder, tmp_path, answer, box)
    assert record["status"] == "grader_error" and record["score"] is None
    assert said in record["tests"][0]["message"]


def test_the_driver_is_compiled_once(folder, tmp_path, box, monkeypatch):
    # A driver that no other run has had.
    lab_folder.write(folder, driver__cc=f"{DRIVER}// {tmp_path}\n")
    compiled, kept = [], []
    compile_one, driver = own_units._Build._compile, own_units._Build.driver

    def noted_compile(self, source, *rest):
        compiled.append(source.name)
        return compile_one(self, source, *rest)

    def noted_driver(self):
        kept.append(driver(self))
        return kept[-1]

    monkeypatch.setattr(own_units._Build, "_compile", noted_compile)
    monkeypatch.setattr(own_units._Build, "driver", noted_driver)
    judged(folder, tmp_path, TODO, box)
    judged(folder, tmp_path, with_answer("return 2 * x;"), box)
    assert len(set(kept)) == 1 and len(kept) > 1
    assert compiled.count("driver.cc") == 1
    kept[0].unlink()


# ---- minitf in a driver, sanitizers, faults ------------------------------------------


def test_a_driver_may_use_minitf(folder, tmp_path, box):
    driver = DRIVER.replace(
        "double Number(double x) { return Twice(x); }",
        '#include "minitf/tensor/tensor.h"\n#include "python/bindings/numpy_bridge.h"\n'
        "double Number(double x) {\n  minitf::Tensor tensor(minitf::DType::kFloat64, "
        "minitf::Shape{1});\n  tensor.mutable_flat<double>()[0] = Twice(x);\n"
        "  return tensor.flat<double>()[0];\n}",
    )
    lab_folder.in_cpp(tmp_path, needs=["minitf"])
    lab_folder.write(folder, driver__cc=driver)
    record = judged(folder, tmp_path, TODO, box)
    assert record["score"] == 5, record["tests"][0]["message"] + str(record["build"])


def test_planted_faults_are_found(folder):
    lab_folder.write(folder, faults___thrice__patch=lab_folder.FAULT)
    forget_modules("lab_60_twice")
    lab = project.lab_at(str(folder))
    (found,) = faults.try_all(lab, faults.PLANTED, Verdicts(None))
    assert (found.killed_by, found.named, found.problem) == ("numbers", "60.1", "")


# ---- CUDA ----------------------------------------------------------------------------

KERNEL = """
__global__ void Double(double* x) { *x *= 2; }

double OnDevice(double x) {
  double* there = nullptr;
  cudaMalloc(&there, sizeof(double));
  cudaMemcpy(there, &x, sizeof(double), cudaMemcpyHostToDevice);
  Double<<<1, 1>>>(there);
  cudaMemcpy(&x, there, sizeof(double), cudaMemcpyDeviceToHost);
  return x;
}
"""


@pytest.fixture
def in_cuda(tmp_path):
    tasks = json.loads(json.dumps(lab_folder.MANIFEST["tasks"]))
    tasks["60.1"]["needs"] = ["cuda"]
    folder = lab_folder.in_cpp(tmp_path, files=["twice.cu"], tasks=tasks)
    text = KERNEL + CPP.replace("return 2 * x;", "return OnDevice(x);")
    lab_folder.write(folder, reference___twice__cu=text)
    return folder


def test_without_a_compiler_nothing_of_cuda_is_judged(
    in_cuda, tmp_path, box, monkeypatch
):
    monkeypatch.setattr(cuda, "nvcc", lambda: None)
    record = judged(in_cuda, tmp_path, "this is no CUDA", box)
    assert record["status"] == "grader_error" and verdicts(record) == ["skipped"] * 2
    assert record["tests"][0]["message"] == (
        "skipped: there is no CUDA compiler (nvcc) here"
    )


@pytest.mark.skipif(cuda.nvcc() is None, reason="there is no nvcc")
def test_without_a_device_answers_are_compiled_and_the_rest_is_run(
    in_cuda, tmp_path, box, monkeypatch
):
    monkeypatch.setattr(cuda, "DEVICE", tmp_path / "none")
    text = (in_cuda / "reference" / "twice.cu").read_text()
    record = judged(in_cuda, tmp_path, text, box)
    assert verdicts(record) == ["skipped", "ok"], record["build"]["messages"]
    assert (record["score"], record["max_score"]) == (3, 3)
    record = judged(in_cuda, tmp_path, text.replace("*x *= 2", "*y *= 2"), box)
    assert verdicts(record) == ["compile_error"] * 2
    assert 'identifier "y" is undefined' in record["build"]["messages"]


@pytest.mark.skipif(not cuda.devices(), reason="there is no GPU")
def test_with_a_device_all_of_it_is_run(in_cuda, tmp_path, box):
    text = (in_cuda / "reference" / "twice.cu").read_text()
    record = judged(in_cuda, tmp_path, text, box)
    assert (record["score"], record["max_score"]) == (5, 5), record["tests"]


def test_the_address_sanitizer_watches_such_a_lab(folder, tmp_path):
    forget_modules("lab_60_twice")
    lab = project.lab_at(str(folder))
    answer = tmp_path / "twice.cc"
    answer.write_text(with_answer("static int a[2]; return a[int(x) + 2];"))
    built = builds.build_answer(lab, {"twice.cc": answer}, tmp_path / "made", "asan")
    (wrong, right) = grade.grade_answer(lab, built).tasks
    assert wrong.results[0].status == "crashed" and right.points == 3
    with pytest.raises(project.LabError, match="of such a lab asan alone can watch"):
        builds.build_answer(lab, {"twice.cc": answer}, tmp_path / "made", "tsan")
