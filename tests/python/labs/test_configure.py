"""How the build is configured: by CMake itself, and by ./lab, with labs in MINITF_LAB."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pybind11
import pytest

from minitf_lab import project


@pytest.fixture
def top(tmp_path):
    """The project in a folder whose name has a space in it."""
    top = tmp_path / "my minitf"
    top.mkdir()
    for path in project.ROOT.iterdir():
        if path.name not in {"build", "work", ".lab"}:
            (top / path.name).symlink_to(path)
    return top


def configured(top, lab="", packages="", options=()):
    """What CMake says, and what ninja would build."""
    command = ["cmake", "-S", top, "-B", top / "build", "-G", "Ninja"]
    command += [f"-DPython_EXECUTABLE={sys.executable}", f"-DMINITF_LAB={lab}"]
    done = subprocess.run(
        [*command, "-DMINITF_FAMILIES=none", *options],
        env={**os.environ, "PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
    )
    rules = top / "build" / "build.ninja"
    return done, rules.read_text() if rules.exists() else ""


def test_a_path_with_a_space_is_configured(top):
    packages = top / "packages of Python"
    packages.mkdir()
    (packages / "pybind11").symlink_to(Path(pybind11.__file__).parent)
    done, _ = configured(top, packages=packages)
    assert done.returncode == 0, done.stdout + done.stderr
    cache = (top / "build" / "CMakeCache.txt").read_text()
    assert f"{packages}/pybind11/include" in cache


@pytest.mark.parametrize(
    ("lab", "numbers"), [("4", {"04"}), ("04_gradients", {"04"}), ("0", {"00"}), ("", {})]
)
def test_a_lab_that_is_asked_for_is_built_in(top, lab, numbers):
    done, rules = configured(top, lab)
    assert done.returncode == 0, done.stdout + done.stderr
    for number, file in (
        ("00", "00_hello/approximate_equal.cc"),
        ("04", "04_gradients/math_grad.cc"),
    ):
        assert (f"exercises/{file}.o" in rules) == (number in numbers)


def test_cuda_of_a_lab_is_built_into_the_library_for_cards(top):
    """The starter's as long as the lab is not started: its errors name what to write."""
    lab = "11_cuda/transpose.cu"
    for number, folder in (("", ""), ("11", "exercises"), ("11", "work")):
        if folder == "work":
            shutil.copytree(project.ROOT / "exercises/11_cuda", top / "work/11_cuda")
        done, rules = configured(top, number)
        assert done.returncode == 0, done.stdout + done.stderr
        for other in ("exercises", "work"):
            assert (f"/{other}/{lab}" in rules) == (folder == other)


def rules_after(build, source):
    """The files that ninja makes after a change of ``source``, with their rules."""

    def query(target):
        command = ["ninja", "-C", build, "-t", "query", target]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        used, _, made = done.stdout.partition("  outputs:\n")
        return used.splitlines()[1:], [line.strip() for line in made.splitlines()]

    rules, left = {}, [(source, made) for made in query(source)[1]]
    while left:
        changed, target = left.pop()
        used, made = query(target)
        # ninja writes "|| file" for a file that is only made before this one.
        is_used = any(line.strip(" |") == changed and "||" not in line for line in used)
        if is_used and target not in rules:
            rules[target] = used[0].removeprefix("  input: ")
            left += [(target, one) for one in made]
    return rules


@pytest.mark.parametrize(
    "kernel", ["kernels/cpu/nn/softmax.cc", "kernels/cpu/cwise/cwise_power.cc"]
)
def test_a_change_of_a_kernel_compiles_one_file_and_links_one_library(top, kernel):
    """M230: Python, the tests and the drivers of labs take the new library as it is."""
    done, _ = configured(top, options=["-DMINITF_UNITY=OFF"])
    assert done.returncode == 0, done.stdout + done.stderr
    rules = rules_after(top / "build", str(top / kernel))
    compiled = {made for made, rule in rules.items() if "_COMPILER_" in rule}
    assert len(compiled) == 1
    assert compiled.pop().endswith(f"{kernel}.o")
    linked = {made for made, rule in rules.items() if "_LINKER_" in rule}
    assert "python/minitf/libminitf.so" in linked
    assert linked == {"python/minitf/libminitf.so", "tests/minitf_core_test"}


def test_a_lab_that_is_not_there_is_refused(top):
    done, _ = configured(top, "99")
    assert done.returncode == 1
    assert "MINITF_LAB: there is no lab 99" in done.stderr


# ---- The command ----------------------------------------------------------------------

# In place of Python, CMake and ninja: each says how it was called.
FAKE = """#!/bin/sh
case "$*" in *find_spec*) exit 0 ;; esac  # whether it has its packages
echo "$(basename "$0") $* MINITF_LAB=$MINITF_LAB PYTHONPATH=$PYTHONPATH" >>{log}
case "$*" in
  *"overlay 99"*) echo "there is no lab 99" >&2; exit 1 ;;
  *overlay*) echo /overlay ;;
esac
"""


@pytest.fixture
def called(tmp_path):
    """A function that runs ./lab, and tells what it has called, and its result."""
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "requirements.txt").write_text("")
    (tmp_path / "lab").write_text((project.ROOT / "lab").read_text())
    log = tmp_path / "log"
    for name in (".venv/bin/python", "bin/cmake", "bin/ninja"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FAKE.format(log=log))
        path.chmod(0o755)
    script = 'source "$0/lab" help; mkdir -p "$state"; '
    script += 'touch "$(system_stamp)" "$(venv_stamp)"'
    subprocess.run(["bash", "-c", script, tmp_path], check=True, capture_output=True)

    def run(lab, *command):
        log.write_text("")
        variables = {**os.environ, "MINITF_LAB": lab, "PYTHONPATH": ""}
        variables["PATH"] = f"{tmp_path}/bin:{os.environ['PATH']}"
        words = ["bash", tmp_path / "lab", *command]
        done = subprocess.run(words, env=variables, capture_output=True, text=True)
        return log.read_text().strip().split("\n"), done

    return run


def test_a_program_runs_on_the_labs_that_are_asked_for(called, tmp_path):
    for lab in ("4", "04_gradients", "0", "all"):
        calls, done = called(lab, "python", "a.py")
        assert done.returncode == 0, done.stderr
        assert calls[0].startswith(f"python -m minitf_lab overlay {lab} ")
        assert f"-DMINITF_LAB={lab} " in calls[1]
        path = f"/overlay:{tmp_path}/python:{tmp_path}/build/release/python"
        assert calls[-1] == f"python a.py MINITF_LAB={lab} PYTHONPATH={path}"


def test_a_program_runs_on_minitf_itself_if_no_lab_is_named(called):
    calls, _ = called("", "python", "a.py")
    assert "-DMINITF_LAB= " in calls[0]
    assert "overlay" not in "".join(calls)


@pytest.mark.parametrize("command", [("python", "a.py"), ("build",)])
def test_a_lab_that_is_not_there_is_refused_in_a_line(called, command):
    calls, done = called("99", *command)
    assert (done.returncode, done.stderr) == (1, "there is no lab 99\n")
    assert len(calls) == 1, "nothing is configured or built"


@pytest.mark.parametrize("command", ["test 04", "grade 04", "milestone mlp", "start 04"])
def test_other_commands_say_whose_files_they_use(called, command):
    calls, done = called("all", *command.split())
    assert done.returncode == 0, done.stderr
    assert len(calls) == 1
    assert calls[0].startswith(f"python -m minitf_lab {command} MINITF_LAB= PYTHONPATH=")
    assert "/overlay" not in calls[0]


def test_the_tool_builds_minitf_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(project, "ROOT", tmp_path)
    monkeypatch.setenv("MINITF_LAB", "all")
    script = tmp_path / "lab"
    script.write_text(f'#!/bin/sh\necho "$* $MINITF_LAB." >{tmp_path}/said\n')
    script.chmod(0o755)
    project.build("minitf")
    assert (tmp_path / "said").read_text() == "build release minitf .\n"
