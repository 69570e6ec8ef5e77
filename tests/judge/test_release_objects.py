"""An object that students get does what minitf's own does, in this machine's build."""

import re
import subprocess

import pytest

from minitf_lab import project
from minitf_lab.course.release import reference_objects
from minitf_lab.judge import variant
from minitf_lab.labs import builds, grade
from minitf_lab.labs.answers import Answer

LABS = ("00", "04")  # a kernel, and two files of the core
FAMILY = "minitf/contrib/image/image_scale.cc"  # a kernel in a folder of the core
WITH_EIGEN = "kernels/cpu/conv/conv2d_winograd.cc"
OF_MODULE = "python/bindings/numpy_bridge.cc"


@pytest.fixture(scope="module")
def objects():
    files = [file for lab in LABS for file in project.find_lab(lab).files]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reference_objects, "SETS", {"release": "portable"})
        return reference_objects.compile_all([*files, FAMILY, WITH_EIGEN, OF_MODULE])


@pytest.mark.parametrize("number", LABS)
def test_an_object_takes_the_place_of_its_source(number, objects, tmp_path):
    lab = project.find_lab(number)
    builds.build_framework(lab)
    compiles, command = variant.commands("release")
    for file in lab.files:
        left_out = variant._object_of(compiles[project.ROOT / file])
        command = [word for word in command if word != left_out]
        target = tmp_path / file.replace("/", "_")
        target.write_bytes(objects[f"objects/release/{file}.o"])
        command.append(str(target.with_suffix(".o")))
        target.rename(command[-1])
    library = tmp_path / "libminitf.so"
    command[command.index("-o") + 1] = str(library)
    variant.run_compiler([*command, "-Wl,--no-undefined"], project.build_folder())
    cases = grade.cases_of(lab, with_hidden=True)
    results = [*grade.run_cases(lab, Answer(library, {}), cases)]
    assert results and all(result.passed for result in results)


def test_an_object_of_a_family_is_handed_out(objects):
    assert b"BicubicTaps" in objects[f"objects/release/{FAMILY}.o"]


def test_an_object_shares_no_function_of_eigen(objects, tmp_path):
    made = tmp_path / "made.o"
    made.write_bytes(objects[f"objects/release/{WITH_EIGEN}.o"])
    done = subprocess.run(["nm", made], capture_output=True, text=True, check=True)
    eigen = [line for line in done.stdout.splitlines() if "5Eigen" in line]
    assert eigen and all(re.search(r" [a-z] ", line) for line in eigen)


def test_an_object_of_the_module_is_handed_out(objects):
    assert b"TensorFromArray" in objects[f"objects/release/{OF_MODULE}.o"]


def test_an_object_has_no_debug_information_and_no_paths(objects):
    for path, data in objects.items():
        assert b".debug_" not in data and b".symtab" in data, path
        assert str(project.ROOT).encode() not in data, path
