"""A lab of two files in C++ or one in Python, written to a folder for tests."""

import json

from minitf_lab import project
from minitf_lab.course import judging
from minitf_lab.judge.case import forget_modules
from minitf_lab.labs.handin import intake

MANIFEST = {
    "title": "Twice",
    "files": ["twice.cc"],
    "time_limit_s": 5,
    "tasks": {
        "60.1": {"title": "Numbers", "points": 2, "cases": 1, "doc": "README.md"},
        "60.2": {"title": "Words", "points": 3, "cases": 1, "doc": "README.md"},
    },
}
HEADER = """// What doubles.
#pragma once
#include <string>

double Twice(double x);
std::string Twice(const std::string& x);
"""
CPP = """// What doubles.
#include "twice.h"

#include "minitf/base/lab.h"

double Twice(double x) {
  // LAB(60.1) begin: return twice the number
  return 2 * x;
  // LAB(60.1) end
}

std::string Twice(const std::string& x) {
  // LAB(60.2) begin: return the word, two times
  return x + x;
  // LAB(60.2) end
}
"""
DRIVER = """// What the cases call.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "twice.h"

double Number(double x) { return Twice(x); }
std::string Word(const std::string& x) { return Twice(x); }

PYBIND11_MODULE(lab_60_driver, module) {
  module.def("number", &Number, pybind11::arg("x"));
  module.def("word", &Word, pybind11::arg("x"));
}
"""
PYTHON = '''"""What doubles."""


def number(x):
    """Twice the number."""
    # LAB(60.1) begin: return twice the number
    return 2 * x
    # LAB(60.1) end


def word(x):
    """The word, two times."""
    # LAB(60.2) begin: return the word, two times
    return x + x
    # LAB(60.2) end
'''
PYTHON_DRIVER = '''"""What the cases call."""

from twice import number, word  # noqa: F401
'''
CASES = '''"""Cases."""

from minitf_lab.judge.case import Call, Trial, case


def trial(function, x, expected):
    def check(values):
        return None if values == [expected] else f"it is {values}"

    return Trial(f"{x}", [Call(function, {"x": x})], check)


@case("60.1")
def numbers(draw):
    """Numbers are doubled."""
    for x in (0.5, float(draw.whole(1, 1000))):
        yield trial("number", x, 2 * x)


@case("60.2")
def words(draw):
    """Words are repeated."""
    yield trial("word", "ab", "abab")
'''
FAULT = """task 60.1: it is three times the number
--- a/twice.cc
+++ b/twice.cc
@@ -6,5 +6,5 @@
 double Twice(double x) {
   // LAB(60.1) begin: return twice the number
-  return 2 * x;
+  return 3 * x;
   // LAB(60.1) end
 }
"""


def write(folder, **files):
    """Files by name, in which __ stands for a point and ___ for a slash."""
    for name, text in files.items():
        path = folder / name.replace("___", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def in_cpp(top, **changes):
    """The lab in C++; its folder."""
    folder = top / "60_twice"
    write(
        folder,
        lab__json=json.dumps(MANIFEST | changes),
        README__md="# Twice\n",
        starter___twice__h=HEADER,
        reference___twice__cc=CPP,
        driver__cc=DRIVER,
        cases__py=CASES,
    )
    return folder


def in_python(top, **changes):
    """The lab in Python; its folder."""
    folder = top / "60_twice"
    write(
        folder,
        lab__json=json.dumps(MANIFEST | {"files": ["twice.py"]} | changes),
        README__md="# Twice\n",
        reference___twice__py=PYTHON,
        driver__py=PYTHON_DRIVER,
        cases__py=CASES,
    )
    return folder


def judged(folder, top, text, box=None, name=None):
    """The record of a hand-in whose only file says ``text``."""
    forget_modules("lab_60_twice")
    lab = project.lab_at(str(folder))
    source = top / "hand-in"
    source.mkdir(exist_ok=True)
    (source / (name or lab.files[0])).write_text(text)
    into = top / f"taken-{len(list(top.iterdir()))}"
    record = judging.judge(lab, intake.take(lab, source, into), b"key", box=box)
    print(json.dumps(record, indent=1))  # pytest shows it if the test fails
    return record


def verdicts(record):
    """The verdict of each task."""
    return [test["verdict"] for test in record["tests"]]
