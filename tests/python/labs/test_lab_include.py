"""The header for labs: exercises include it, but files of the framework do not."""

import sys
from pathlib import Path

import pytest
from source_copy import ROOT

from minitf_lab.judge import regions
from minitf_lab.labs import labgen

sys.path.append(str(ROOT / "tests"))

import check_style

MARK = regions.LAB_INCLUDE
OWN = '#include "minitf/base/text.h"\n\n'
FIRST = '#include "kernels/cpu/common/arithmetic.h"\n'
LAST = '#include "minitf/tensor/dtype.h"\n'
SOLUTION = "int f() {\n  // LAB(99.1) begin: one\n  return 1;\n  // LAB(99.1) end\n}\n"
EXERCISE = SOLUTION.replace("LAB(", "TODO(").replace("return 1;", 'MINITF_TODO("99.1");')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("#include <a>\n#endif\n", f"#include <a>\n#endif\n\n{MARK}\n"),
        (OWN + "#include <a>\n", OWN + f"#include <a>\n\n{MARK}\n"),
        (FIRST + "\n", FIRST + f"{MARK}\n\n"),
        (OWN + LAST, OWN + f"{MARK}\n" + LAST),
        ("#include <a>\n\n" + FIRST, "#include <a>\n\n" + FIRST + f"{MARK}\n"),
        (OWN + FIRST + LAST, OWN + FIRST + f"{MARK}\n" + LAST),
        (f"{MARK}\n", f"{MARK}\n"),
    ],
)
def test_an_exercise_includes_the_header_for_labs(before, after):
    assert regions.make_exercise(before + SOLUTION) == after + EXERCISE


def test_every_exercise_in_cpp_has_it_and_no_file_of_the_framework():
    made = [one for one in labgen.exercises() if one[0].suffix != ".py"]
    assert len(made) > 50
    for target, source, exercise in made:
        assert exercise.count(MARK) == 1, target
        assert MARK not in source, target


@pytest.mark.parametrize("path", ["minitf/eager/tape.cc", "kernels/gpu/matmul.cu"])
def test_the_style_check_refuses_it_in_the_framework(path):
    finding = (1, "minitf/base/lab.h is not for the framework: ./lab gen inserts it")
    assert [*check_style.check_includes(Path(path), [MARK])] == [finding]


def test_the_style_check_accepts_it_in_exercises():
    exercise = Path("exercises/05_eager/tape.cc")
    assert not [*check_style.check_includes(exercise, [MARK])]
