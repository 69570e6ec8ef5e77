"""Makes the same interface file into two modules, SWIG's and ours, and calls both."""

import json
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).parent
GENERATOR = HERE.parents[2] / "python"
# Addresses, and the texts of errors that Python raises: about the number and the names of
# arguments for functions that SWIG writes, about attributes of cvar for ours.
VARYING = re.compile(
    r"0x[0-9a-f]+|^[\w.]+\(\) (takes|missing|got|expected) .*"
    r"|^Unknown C global variable .*|^Variable \w+ is read-only\."
    r"|^'_Variables' object has no attribute .*|^property '\w+' of '_Variables' object .*"
)
has_swig = shutil.which("swig") is not None

# The names that calls may use, beside the module m.
PREAMBLE = """
import json, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import m
nan, inf = float("nan"), float("inf")
class Index:
    def __init__(self, n): self.n = n
    def __index__(self): return self.n
class Number(int): pass
class Text(str): pass
square = np.arange(9.0).reshape(3, 3)
read_only = np.arange(9.0).reshape(3, 3)
read_only.flags.writeable = False
if hasattr(m, "Point"):
    class Sub(m.Point):
        def __init__(self, *args):
            super().__init__(*args)
            self.own = 5
    class Bare(m.Point):
        def __init__(self): pass
    bare, p = Bare(), m.Point(1, 2)
    q, l = m.Plain(), m.Line()
if hasattr(m, "Jar"):
    j = m.Jar()
def outcome(text):
    try:
        return [repr(eval(text)), ""]
    except Exception as error:
        return [type(error).__name__, str(error)]
for text in json.load(sys.stdin):
    print(json.dumps(outcome(text)), flush=True)
"""


def run(command: list, folder: Path) -> None:
    """Runs a command in a folder, and fails with what it printed."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]


def generate(interface: Path, folder: Path, *, swig: bool) -> Path:
    """Writes the wrapper of an interface file, by SWIG or by ours; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    name = interface.stem
    if swig:
        options = ["-w314,451,454", "-outdir", str(folder), "-o", f"{name}_wrap.cc"]
        run(["swig", "-python", "-c++", f"-I{HERE}", *options, str(interface)], folder)
    else:
        code = f"import sys; sys.path.insert(0, {str(GENERATOR)!r}); import runpy; "
        code += "runpy.run_module('minitf_wrap', run_name='__main__')"
        run([sys.executable, "-c", code, str(interface), f"-I{HERE}"], folder)
    return folder / f"{name}_wrap.cc"


def compile_(source: Path, module: str, *flags: str) -> None:
    """Compiles a wrapper to the extension of a module, beside it."""
    include = sysconfig.get_path("include")
    command = ["g++", "-std=c++20", "-O0", "-shared", "-fPIC", f"-I{include}", *flags]
    command.append(f"-I{GENERATOR.parent}")
    run([*command, str(source), "-o", f"_{module}.so"], source.parent)


def call(folder: Path, calls: list[str]) -> list[tuple[str, str]]:
    """Returns what each call gives: a repr, or the type and the text of an exception.

    A call that ends the process gives ("crash", "").
    """
    found: list[tuple[str, str]] = []
    while len(found) < len(calls):
        done = subprocess.run(
            [sys.executable, "-c", PREAMBLE, str(folder)],
            input=json.dumps(calls[len(found) :]),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode <= 0, done.stderr[-3000:]
        for line in done.stdout.splitlines():
            found.append(tuple(VARYING.sub("", text) for text in json.loads(line)))
        if done.returncode and len(found) < len(calls):
            found.append(("crash", ""))
    return found
