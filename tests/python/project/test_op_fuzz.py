"""No argument of any op does harm: a clear exception, or the same result twice."""

import pytest

from minitf_lab.dev.checks import programs

fuzz_ops = programs.load("fuzz", "fuzz_ops")

CALLS_OF_AN_OP = 2  # ./lab fuzz ops makes more


@pytest.mark.parametrize("mode", fuzz_ops.MODES)
def test_arguments_that_make_no_sense(mode):
    problem = fuzz_ops.run_mode(mode, CALLS_OF_AN_OP, limit_s=200)
    assert problem == "", problem[:5000]


def test_what_goes_wrong_is_reported(monkeypatch, tmp_path):
    program = tmp_path / "program.py"
    monkeypatch.setattr(fuzz_ops, "PROGRAM", program)
    start = "import os, sys, time; open(sys.argv[3], 'w').write('Add of 1'); "
    for text, problem in [
        ("print('two runs differ')", "two runs differ\n"),
        ("os._exit(3)", "exit status 3\n\n    in Add of 1"),
        ("time.sleep(60)", "not finished after 2 s\n    in Add of 1"),
        ("", ""),
    ]:
        program.write_text(start + text)
        assert fuzz_ops.run_mode("eager", 1, limit_s=2) == problem
