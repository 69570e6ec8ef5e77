"""SWIG and compiled modules do what the cases of lab 12 expect."""

import re
from pathlib import Path

import pytest
from wrap import oracle

from minitf_lab.judge.case import load_module

LAB = Path(__file__).parents[2] / "labs" / "12_bindings"
TYPEMAPS, WRAPPER, CALLS = (
    load_module(LAB / f"cases_{name}.py") for name in ("typemaps", "wrapper", "calls")
)
ALL, BARE = WRAPPER.Argument(start=5), WRAPPER.Argument(methods=("in",), start=5)
ARGUMENTS = [[BARE, BARE], [ALL], [ALL, ALL], [ALL._replace(kind="pair"), ALL]]
ARGUMENTS.append([ALL._replace(kind="hidden"), ALL])
# The C++ functions that typemaps call. A plan is the step that fails, or that throws.
LIBRARY = r"""
%{
#include <stdexcept>
#include <string>
static std::string plan_, notes_;
static void note(const std::string& text) {
  notes_ += text + (PyGILState_Check() ? "\n" : " without the GIL\n");
}
static void show(const char* text, int x) { note(text + (": " + std::to_string(x))); }
static bool step(const std::string& text, const std::string& name) {
  note(text);
  if (plan_ == "std::runtime_error: " + name) throw std::runtime_error("planned");
  if (plan_ != "fail: " + name) return false;
  PyErr_SetString(PyExc_ValueError, "planned");
  return true;
}
static bool fails(const char* text) { return step(text, text); }
static long number(PyObject* object) { return PyLong_AsLong(object); }
static PyObject* object(double x) { return PyFloat_FromDouble(x); }
static PyObject* object(int x) { return PyLong_FromLong(x); }
static PyObject* object(const char* text) { return PyUnicode_FromString(text); }
static void call(std::initializer_list<int> values) {
  std::string text = "call f(";
  for (int x : values) text += (text.back() == '(' ? "" : ", ") + std::to_string(x);
  step(text + ")", "call f");
}
void plan(const char* text) { plan_ = text; notes_ = ""; }
const char* notes() { return notes_.c_str(); }
%}
void plan(const char *text);
const char *notes();
"""
RETURNS = {"int": "return 7;", "double": "return 2.5;", "const char *": 'return "text";'}


def _module(runs: list) -> str:
    """One interface for the functions of all runs, which are called f0, f1 and so on."""
    texts = []
    for index, run in enumerate(runs):
        name = f"f{index}"
        head, _, rest = run.interface.partition("\n")
        result, parameters = re.search(r"(.*) f\((.*)\);\n$", rest).groups()
        values = ", ".join(re.findall(r"\w+(?=,|$)", parameters))
        body = f"call({{{values}}}); {RETURNS.get(result, '')}"
        rest = re.sub(r"struct Box.*\nenum.*\n", "", rest)
        rest = rest.replace(f"{result} f(", f"{result} {name}(")
        rest = re.sub(r"%exception f\b", f"%exception {name}", rest)
        rest = re.sub(r"thread f;", f"thread {name};", rest)
        texts.append(f"%{{ {result} {name}({parameters}) {{ {body} }} %}}\n{rest}")
    types = "struct Box { int v; };\nenum Color { RED };\n"
    return f"{head}\n{LIBRARY}%inline %{{ {types} %}}\n" + "".join(texts)


def _check(runs: list, folder: Path, *, swig: bool) -> None:
    """Calls the function of each run, and compares the notes and the result."""
    folder.mkdir()
    interface = folder / "m.i"
    interface.write_text(_module(runs))
    oracle.compile_(oracle.generate(interface, folder, swig=swig), "m")
    calls = []
    for index, run in enumerate(runs):
        arguments = ", ".join(map(str, run.objects))
        calls += [f"m.plan({run.plan!r})", f"m.f{index}({arguments})", "m.notes()"]
    found = iter(oracle.call(folder, calls))
    for run, _, (returned, _), (notes, _) in zip(runs, found, found, found, strict=True):
        assert eval(notes).splitlines() == run.notes, run
        is_error = returned in ("ValueError", "RuntimeError")
        assert is_error == bool(run.plan) and (
            is_error or str(eval(returned)) == run.returned
        )


@pytest.mark.parametrize("swig", [False, True])
@pytest.mark.skipif(not oracle.has_swig, reason="swig is not installed")
def test_compiled_wrappers_run_as_the_cases_expect(tmp_path: Path, swig: bool) -> None:
    runs = []
    for some in ARGUMENTS:
        runs += [WRAPPER.run_of(some), WRAPPER.run_of(some, result="void")]
        runs += WRAPPER.failing_runs(some, "fail")
    held, released = [], []
    for around in CALLS.AROUND[:6]:
        for kind in ("int", "double", "const char *", "void"):
            held.append(CALLS.run_of(kind, CALLS.THREADS[0], around))
            released.append(CALLS.run_of(kind, CALLS.THREADS[2], around))
    if not swig:  # SWIG does not catch C++ exceptions
        runs += WRAPPER.failing_runs(ARGUMENTS[2], "std::runtime_error")
    _check(runs + held, tmp_path / "held", swig=swig)
    _check(
        [*released, CALLS.run_of("int", CALLS.THREADS[3])], tmp_path / "gil", swig=swig
    )


@pytest.mark.skipif(not oracle.has_swig, reason="swig is not installed")
def test_swig_chooses_the_typemaps_that_the_cases_expect(tmp_path: Path) -> None:
    texts = [text.split(": ") for found in TYPEMAPS.ORDERS.values() for text in found]
    orders = [(parameter, patterns.split(", ")) for parameter, patterns in texts]
    (first, *_), seconds = (
        TYPEMAPS.PAIRS
    )  # SWIG finds other spellings of the last type only
    pairs = [f"({first}, {second})" for second in seconds]
    orders.append((f"{first}, {seconds[0]}", pairs))
    for index, (parameter, patterns) in enumerate(orders):
        text = f"%module m\n{TYPEMAPS.DECLARATIONS}"
        wanted = []
        for near in reversed(range(len(patterns))):
            text += f'%typemap(in) {patterns[near]} "chose({near});"\n'
            far = range(near + 1, len(patterns))
            text += "".join(f'%typemap(in) {patterns[k]} "chose({k});"\n' for k in far)
            text += f"void f{near}({parameter});\n"
            wanted.append(near)
        interface = tmp_path / f"order{index}.i"
        interface.write_text(text)
        wrapper = oracle.generate(interface, tmp_path, swig=True).read_text()
        chosen = [int(k) for k in re.findall(r"chose\((\d+)\);", wrapper)]
        assert chosen == wanted, (parameter, patterns)
