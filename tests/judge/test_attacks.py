"""Hostile answers: each has the verdict of its table, and the judge goes on."""

import subprocess
from dataclasses import replace
from pathlib import Path

import made_up
import numpy as np
import pytest
from in_cpp import (
    BLAMING,
    COMPILING,
    LOADING,
    LOADING_HEAD,
    MEMORY,
    RIGHT,
    RUNNING,
    RUNNING_HEAD,
    SCAN,
    SYMBOLS,
    TWICE,
)
from in_python import ATTACKS, FIND

from minitf_lab import project
from minitf_lab.course import judging
from minitf_lab.judge import compile_box, runner
from minitf_lab.judge.case import Call, Case, Trial, close_to
from minitf_lab.judge.runner import Worker
from minitf_lab.labs import grade, patience
from minitf_lab.labs.answers import Answer
from minitf_lab.labs.handin import intake


def limits_of(attack):
    """Short ones for what hangs; what ends by itself has time on a busy machine."""
    return made_up.LIMITS if "timeout" in attack.verdicts else made_up.PATIENT


def check(attack, result):
    assert not result.passed, attack.name
    allowed = attack.verdicts.replace("raised", "raised policy").split()
    assert result.verdict in allowed, result
    assert "reached" not in result.message, result
    assert "\x1b" not in result.message + result.printed
    assert len(result.message) <= runner.MAX_MESSAGE


@pytest.fixture(scope="module")
def in_python(tmp_path_factory, box):
    environment = made_up.lab_06(tmp_path_factory.mktemp("lab_06"), FIND, ATTACKS)
    driver = project.find_lab("06").tests / "driver.py"
    with Worker(driver, environment=environment, box=box) as worker:
        yield worker


@pytest.mark.parametrize("number", range(len(ATTACKS)), ids=[a.name for a in ATTACKS])
def test_an_answer_in_python(in_python, number):
    attack = ATTACKS[number]
    check(attack, in_python.run(made_up.clipping(number), limits_of(attack)))


@pytest.fixture(scope="module")
def in_cpp(tmp_path_factory, box):
    folder = tmp_path_factory.mktemp("lab_00")
    cases = "".join(f"case {i}: {{ {a.code} break; }}\n" for i, a in enumerate(RUNNING))
    library = project.build_folder() / "python" / "minitf" / "libminitf.so"
    names = {
        "LIBRARY": library,
        "SOURCE": project.ROOT / made_up.UNIT,
        "CASES": project.find_lab("00").tests / "cases.py",
    }
    defines = "".join(f'#define {name} "{path}"\n' for name, path in names.items())
    attack = f"static void Do(int attack) {{ switch (attack) {{\n{cases} }} }}\n"
    made = made_up.lab_00(
        folder,
        defines + RUNNING_HEAD + attack,
        "Do(static_cast<int>(tolerance_)); result[i] = false;",
        box,
    )
    driver = project.find_lab("00").tests / "driver.py"
    with Worker(driver, made, box=box) as worker:
        yield worker


@pytest.mark.parametrize("number", range(len(RUNNING)), ids=[a.name for a in RUNNING])
def test_an_answer_in_cpp(in_cpp, number):
    attack = RUNNING[number]
    check(attack, in_cpp.run(made_up.near(number), limits_of(attack)))


@pytest.fixture(scope="module")
def memory(tmp_path_factory, box):
    """A library with all attacks on memory, and after them all that is right."""
    folder = tmp_path_factory.mktemp("memory")
    codes = [*(attack.code for attack in MEMORY), *RIGHT]
    made = made_up.lab_00(folder, RUNNING_HEAD, made_up.chosen(codes), box)
    driver = project.find_lab("00").tests / "driver.py"
    with Worker(driver, made, box=box) as worker:
        yield worker


@pytest.mark.parametrize("number", range(len(MEMORY)), ids=[a.name for a in MEMORY])
def test_an_answer_that_goes_beyond_its_memory(memory, number):
    attack = MEMORY[number]
    is_seen = "others see" in attack.name  # who has no array, but a tensor
    case = (made_up.near if is_seen else made_up.near_by_feed)(number)
    result = memory.run(case, limits_of(attack))
    check(attack, result)
    if result.verdict == "out_of_bounds":
        assert result.message.startswith("it "), result


@pytest.mark.parametrize("number", range(len(RIGHT)))
def test_a_right_answer_that_needs_its_memory(memory, number):
    result = memory.run(made_up.near_by_feed(len(MEMORY) + number), made_up.PATIENT)
    assert result.passed, result


def test_what_is_expected_is_nowhere_in_the_memory_of_an_answer(tmp_path, box):
    """Its input is, which shows that the search finds what there is."""
    secrets = [0x41D5C3A7B1E96F25, 0x40F7A5D3916B8C2E]  # odd numbers, as float64
    given, expected = np.array(secrets, np.uint64).view(np.float64)
    halves = [f"Scan(0x{n ^ 0x5A5A5A5A5A5A5A5A:x}, 0x5a5a5a5a5a5a5a5a);" for n in secrets]
    body = made_up.chosen(f"{half} result[i] = false;" for half in halves)
    library = made_up.lab_00(tmp_path, SCAN, body, box)
    driver = project.find_lab("00").tests / "driver.py"
    with Worker(driver, library, box=box) as worker:
        for number, is_reached in ((0, True), (1, False)):
            attrs = {"tolerance": float(number)}
            call = Call("in_steps", {"feeds": [[np.array([given])] * 2], "attrs": attrs})
            trial = Trial("a number", [call], close_to([np.array([expected])]))
            case = Case(f"scan {number}", "00.2", "it", lambda draw, one=trial: [one])
            result = worker.run(case, made_up.PATIENT)
            assert not result.passed
            assert "reached little" not in result.message
            if "no map" in result.message:  # Landlock allows none, and so no search
                assert box.kind == "landlock"
                continue
            assert ("reached a number" in result.message) == is_reached, result


def test_an_answer_with_functions_of_others(tmp_path, box):
    """They are used in its own process alone, which decides nothing."""
    library = made_up.lab_00(tmp_path, SYMBOLS, "result[i] = false;", box)
    driver = project.find_lab("00").tests / "driver.py"
    with Worker(driver, library, box=box) as worker:
        result = worker.run(made_up.near(1), made_up.PATIENT)
    assert result.verdict == "wrong_answer", result


def test_an_answer_with_a_function_that_minitf_has(tmp_path, box):
    with pytest.raises(project.BuildError, match="multiple definition") as error:
        made_up.lab_00(tmp_path, TWICE, "result[i] = false;", box)
    assert error.value.verdict == "compile_error"


@pytest.mark.parametrize("attack", LOADING, ids=[a.name for a in LOADING])
def test_a_library_that_is_loaded(tmp_path, box, monkeypatch, attack):
    monkeypatch.setattr(runner, "START_LIMIT_S", 3)
    driver = made_up.put_driver(tmp_path)
    made = made_up.library(tmp_path, attack.name, LOADING_HEAD, attack.code)
    how = {"box": box, "library": made, "limits": limits_of(attack)}
    check(attack, made_up.outcome(driver, made_up.GOOD, **how))
    assert not (project.ROOT / "x").exists()


@pytest.mark.parametrize("name", COMPILING)
def test_a_file_that_is_compiled(tmp_path, box, monkeypatch, name):
    monkeypatch.setattr(compile_box, "MORE_WALL_S", 4)
    monkeypatch.setattr(compile_box, "CPU_S", 4)
    monkeypatch.setattr(compile_box, "MEMORY_MB", 1500)
    secret = tmp_path / "secret"
    secret.write_text("the canary sings")
    text, message = COMPILING[name]
    source = tmp_path / "in" / "answer.cc"
    project.put(source, text.replace("SECRET", str(secret)))
    target = tmp_path / "out" / "answer.o"
    target.parent.mkdir()
    command = ["g++", "-O1", f"-I{project.ROOT}", "-o", str(target), "-c", str(source)]
    said = compile_box.run_tool(box, command, target, [source, *compile_box.headers()])
    assert said.cause in {"compile_error", "compile_timeout"}, said
    # What Landlock hides is there, and refused.
    assert message in said.text.replace("Permission denied", "No such file")
    assert "canary" not in said.text
    assert not target.exists()
    assert len(said.text) <= compile_box.MAX_SAID
    assert [p.name for p in target.parent.iterdir()] == []


@pytest.mark.parametrize("name", BLAMING)
def test_a_file_that_blames_the_machine(tmp_path, box, monkeypatch, name):
    """Who could choose between no points and no mark would take the second."""
    monkeypatch.setattr(compile_box, "MEMORY_MB", 1200)
    lab = project.find_lab("00")
    text = BLAMING[name] + (lab.starter / "approximate_equal.cc").read_text()
    project.put(tmp_path / "source" / "approximate_equal.cc", text)
    hand_in = intake.take(lab, tmp_path / "source", tmp_path / "into")
    record = judging.judge(lab, hand_in, b"k", box=box)
    assert (record["status"], record["score"]) == ("graded", 0), record
    assert record["tests"][0]["verdict"] in {"compile_error", "compile_timeout"}


def test_an_answer_that_hangs_in_all_cases(tmp_path, box, monkeypatch):
    made = made_up.lab_00(tmp_path, "", "for (volatile int n = 0;; n = n + 1) {}", box)
    lab = replace(project.find_lab("00"), time_limit_s=0.4)
    cases = [case for case in grade.cases_of(lab) if case.task == "00.2"]
    found = {}
    for most in (patience.IN_A_ROW, 1000):
        monkeypatch.setattr(patience, "IN_A_ROW", most)
        results = [*grade.run_cases(lab, Answer(made, {}, box=box), cases, "all")]
        assert {result.verdict for result in results} == {"timeout"}
        found[most] = sum("not run" in result.message for result in results)
    assert found == {4: len(cases) - 4, 1000: 0}


def test_the_judge_is_alone_in_the_end():
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True)
    mine = [line for line in listed.stdout.split("\n") if "/97_made_up/" in line]
    assert not mine, mine
    assert not Path("/tmp/97_made_up").exists()
