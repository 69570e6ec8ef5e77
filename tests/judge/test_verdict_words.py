"""The word for how an answer ends says what it did, whatever it prints or returns."""

import time

import made_up
import pytest

from minitf_lab.judge.case import Call, Case, Trial

SAY = "print('all is well', flush=True); sys.stderr.write('Error: no\\n');"
LOADS = {
    "prints and exits": (SAY + "os._exit(1)", "exited"),
    "prints and exits with 0": (SAY + "os._exit(0)", "exited"),
    "prints a syntax error and exits": (
        "sys.stderr.write('SyntaxError: no\\n'); os._exit(1)",
        "exited",
    ),
    "exits with a number that no signal has": (SAY + "os._exit(250)", "exited"),
    "prints and crashes": (SAY + "ctypes.string_at(0)", "crashed"),
    "prints and raises": (SAY + "raise ValueError('no')", "raised"),
    "prints and raises what ends Python": (SAY + "sys.exit(3)", "raised"),
    "raises an error without a text": (
        "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd",
        "raised",
    ),
    "is not allowed something": (SAY + "socket.socket()", "policy"),
}
ODD = """
class Loud:
    def __repr__(self):
        os.write(2, b'it ran'); os._exit(0)
    __str__ = __repr__

class Liar(type):
    __name__ = property(lambda cls: os._exit(0))

class Named(metaclass=Liar): pass

class Untold(ValueError):
    def __str__(self): raise KeyError('no')

class Leaving(ValueError):
    __traceback__ = property(lambda self: os._exit(0))

class Number(float):
    def hex(self): raise RuntimeError('no')

class Text(dict):
    def items(self): raise RuntimeError('no')
"""
VALUES = {
    "is loud": ("return Loud()", "a Loud cannot be sent"),
    "has a name that exits": ("return Named()", "a Named cannot be sent"),
    "is deep in a list": ("return [(1, {'a': Loud()})]", "a Loud cannot be sent"),
    "raises as it is sent": ("return Number(1.0)", "it raised RuntimeError"),
    "raises as its parts are taken": ("return Text(a=1)", "it raised RuntimeError"),
    "is an error without a text": ("raise Untold", "it raised Untold"),
    "is an error with a trace that exits": ("raise Leaving('x')", "it raised Leaving: x"),
    "is an error with a loud part": (
        "raise ValueError(Loud)",
        "it raised ValueError: <class",
    ),
}


@pytest.mark.parametrize("name", LOADS)
def test_how_loading_ends(tmp_path, box, name):
    code, verdict = LOADS[name]
    driver = made_up.put_driver(tmp_path)
    driver.write_text(f"{made_up.DRIVER}\n{code}\n")
    found = made_up.outcome(driver, made_up.GOOD, box=box)
    assert found.verdict == verdict, found


@pytest.mark.parametrize("name", VALUES)
def test_a_value_that_cannot_be_sent(tmp_path, box, name):
    code, message = VALUES[name]
    driver = made_up.put_driver(tmp_path)
    driver.write_text(f"{made_up.DRIVER}\n{ODD}\ndef odd():\n    {code}\n")
    trial = Trial("odd", [Call("odd", {})], made_up.equal_to(1))
    case = Case("odd", "97.1", "It works", lambda draw: [trial])
    found = made_up.outcome(driver, case, box=box)
    assert (found.verdict, found.printed) == ("raised", ""), found
    assert message in found.message


def test_a_wrong_value_before_a_message_that_is_cut(tmp_path, box):
    """The judge stops a case at its first wrong value, here within the next message."""

    def slowly(values):
        time.sleep(2)  # the pipe is full meanwhile
        return "it is wrong"

    trials = [
        Trial("one", [Call("one", {})], slowly),
        Trial("much", [Call("do", {"code": "reached += ['x' * 8_000_000]"})], slowly),
    ]
    case = Case("cut", "97.1", "It works", lambda draw: trials)
    found = made_up.outcome(made_up.put_driver(tmp_path), case, box=box)
    assert (found.verdict, found.message) == ("wrong_answer", "it is wrong"), found
