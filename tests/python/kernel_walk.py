"""``docs/walks/python_to_kernel.md``: the calls from ``tf.matmul`` to its kernel.

    python tests/python/kernel_walk.py     runs it, and writes what was called; needs gdb

The run is recorded in kernel_walk.json: files and functions, without lines. Python's own
profiler says which Python functions are active when they call C++, and gdb says which C++
functions are active when the shape function and the kernel begin. ``./lab gen`` writes
the page: it finds the line of each function in the source as it is then. A function that
is gone is an error, so the page cannot rot.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from minitf_lab import project

PAGE = project.ROOT / "docs" / "walks" / "python_to_kernel.md"
RECORD = Path(__file__).with_suffix(".json")
CPP_FOLDERS = ("python/bindings", "minitf", "kernels/cpu")
Hop = tuple[str, str]  # path from the top folder, and function

# What is run: the mode, the call in Python, the function of ``_minitf`` that it comes to,
# and the C++ function at which the walk ends.
STEPS = {
    "eager": [
        ("the product is computed at once", "execute", "MatMulOp<float>::Multiply")
    ],
    "graph": [
        ("a node is added to the graph", "add_node", "MatMulShape"),
        ("the session runs the node", "run", "MatMulOp<float>::Multiply"),
    ],
}
PROGRAM = """
import json, sys
import minitf as tf

def watch(frame, event, arg):
    if event == "c_call" and arg.__name__ in sys.argv[2:]:
        rows = []
        while frame is not None:
            rows.insert(0, (frame.f_code.co_filename, frame.f_code.co_qualname))
            frame = frame.f_back
        print("PYTHON", arg.__name__, json.dumps(rows[1:]), flush=True)

A, B = [[3.0, 3.0]], [[2.0], [2.0]]
if sys.argv[1] == "eager":
    tf.enable_eager_execution()
    a, b = tf.constant(A), tf.constant(B)
    sys.setprofile(watch)
    tf.matmul(a, b)
else:
    a, b = tf.placeholder(tf.float32, [1, 2]), tf.placeholder(tf.float32, [2, 1])
    with tf.Session() as session:
        sys.setprofile(watch)
        session.run(tf.matmul(a, b), {a: A, b: B})
"""
HEAD = """\
# From tf.matmul to the kernel

`tf.matmul([[3, 3]], [[2], [2]])` is `[[12]]`. These tables list the functions that are
active on the way from Python to the kernel. The caller comes first. Each row names the
file, the line at which the function begins, and the function.

The tables come from a run: Python's profiler lists the Python functions, and gdb the C++
functions. The compiler has inlined some functions, which are therefore missing. To repeat
the run, call `tests/python/kernel_walk.py`. `./lab gen` looks up the lines again. To see
in a log which nodes an executor runs, set `MINITF_VLOG=2`.
"""


# ---- The run ---------------------------------------------------------------------------


def why_not() -> str:
    """Why nothing can be run here; empty if it can."""
    if shutil.which("gdb") is None:
        return "gdb is not installed"
    command = ["gdb", "-q", "-batch", "-nx", "-ex", "run", "--args", "true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    works = "exited normally" in done.stdout
    return "" if works else "gdb cannot run a program here, as in a container"


def _traced(mode: str) -> str:
    """What gdb prints about a run in a mode."""
    command = ["gdb", "-q", "-batch", "-nx", "-ex", "set breakpoint pending on"]
    targets = sorted({target for _, _, target in STEPS[mode]} | {"MatMulShape"})
    for target in targets:
        place = f"(anonymous namespace)::{target}" if "::" in target else target
        command += ["-ex", f"break minitf::{place}"]
    command += ["-ex", "set debuginfod enabled off", "-ex", "run"]
    command += ["-ex", "bt", "-ex", "continue"] * 8
    names = [name for _, name, _ in STEPS[mode]]
    command += ["--args", sys.executable, "-c", PROGRAM, mode, *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.stdout


def _python_hops(text: str, name: str) -> list[Hop]:
    """The Python functions that were active when ``_minitf.name`` was called."""
    rows = re.search(rf"^PYTHON {name} (.*)$", text, re.MULTILINE)
    if rows is None:
        raise project.LabError(f"the run did not call _minitf.{name}:\n{text[-2000:]}")
    folder = f"{project.ROOT / 'python'}{os.sep}"
    return [
        (f"python/{path.removeprefix(folder)}", function)
        for path, function in json.loads(rows[1])
    ]


def _function(frame: str) -> str:
    """The name of a C++ function of minitf in a frame, or ''.

    >>> _function("#1  0x0 in minitf::(anonymous namespace)::F<int>::Run(long) () from x")
    'F::Run'
    """
    frame = frame.replace("(anonymous namespace)::", "")
    found = re.match(r"#\d+ +(?:0x\w+ in )?(?:[\w ]+ )?minitf::([\w:<>]+)\(", frame)
    return re.sub(r"<[^<>]*>", "", found[1]) if found and "@plt" not in frame else ""


def _cpp_hops(text: str, target: str) -> list[Hop]:
    """The C++ functions that were active at the first stop at ``target``."""
    end = re.sub(r"<.*>", "", target)
    for part in text.split(" hit Breakpoint ")[1:]:
        frames = re.findall(r"^#\d+ .*$", part, re.MULTILINE)
        frames = [frame for frame in frames if _function(frame)]
        if frames and _function(frames[0]) == end:
            break
    else:
        raise project.LabError(f"the run did not come to {target}:\n{text[-2000:]}")
    hops: list[Hop] = []
    for frame in reversed(frames):
        folders = CPP_FOLDERS[:1] if "/_minitf." in frame else CPP_FOLDERS[1:]
        caller = hops[-1][0] if hops else ""
        hops.append((_file_of(_function(frame), folders, caller), _function(frame)))
    return hops


def record() -> dict[str, list[list[Hop]]]:
    """Runs the program in both modes.

    Raises:
        LabError: a function that the walk must come to was not called.
    """
    found = {}
    for mode, steps in STEPS.items():
        text = _traced(mode)
        found[mode] = [
            _python_hops(text, name) + _cpp_hops(text, target)
            for _, name, target in steps
        ]
    return found


# ---- The page --------------------------------------------------------------------------


@cache
def _text(path: str) -> str:
    return (project.ROOT / path).read_text()


@cache
def _sources() -> list[str]:
    paths = [path for top in CPP_FOLDERS for path in (project.ROOT / top).rglob("*.*")]
    names = [str(p.relative_to(project.ROOT)) for p in paths if p.suffix in (".cc", ".h")]
    return sorted(names, key=lambda name: (name.endswith(".h"), name))


def _cpp_line(path: str, function: str) -> int:
    """The line at which a C++ function is defined in a file; 0 if it is not."""
    owner, _, name = function.rpartition("::")
    text = _text(path)
    patterns = [rf"^\S.*?\b{re.escape(function)}\("]
    if owner:
        inner = owner.rpartition("::")[2]
        patterns.append(rf"^class {inner}\b[^;]*?{{(?:.|\n)*?^  \S.*?\b(?P<at>{name})\(")
    for pattern in patterns:
        for found in re.finditer(pattern, text, re.MULTILINE):
            # Not the {} of a default; a declaration ends in a semicolon.
            if re.search(r"\{(?!\})|;", text[found.end() :])[0] == "{":
                start = found.start("at") if "at" in found.groupdict() else found.start()
                return text.count("\n", 0, start) + 1
    return 0


def _file_of(function: str, folders: tuple[str, ...], caller: str) -> str:
    """The file that defines a C++ function: that of its caller, or the only one.

    Raises:
        LabError: there are several, or none.
    """
    found = [path for path in _sources() if path.startswith(folders)]
    found = [path for path in found if _cpp_line(path, function)]
    if caller in found:
        return caller
    if len(found) != 1:
        raise project.LabError(
            f"{function} is defined in {', '.join(found) or 'no file'}"
        )
    return found[0]


def _python_line(path: str, function: str) -> int:
    """The line at which a Python function is defined in a file; 0 if it is not."""
    body = ast.parse(_text(path)).body
    node = None
    for name in function.replace(".<locals>", "").split("."):
        named = [child for child in body if getattr(child, "name", "") == name]
        if not named:
            return 0
        node = named[-1]
        body = node.body
    return node.lineno


def line_of(path: str, function: str) -> int:
    """The line at which a function begins.

    Raises:
        LabError: the file is gone, or does not define the function.
    """
    find = _python_line if path.endswith(".py") else _cpp_line
    line = find(path, function) if (project.ROOT / path).exists() else 0
    if not line:
        raise project.LabError(
            f"{path} has no function {function}: run tests/python/kernel_walk.py again"
        )
    return line


def page(found: dict[str, list[list[Hop]]] | None = None) -> str:
    """The text of the page, from a record; from that of the repository if none is given.

    Raises:
        LabError: a function of the record is gone.
    """
    found = json.loads(RECORD.read_text()) if found is None else found
    parts = [HEAD]
    for mode, steps in STEPS.items():
        for (what, _, _), hops in zip(steps, found[mode], strict=True):
            title = "Eager mode" if mode == "eager" else "Graph mode"
            rows = [
                f"| [`{path}:{line}`](../../{path}#L{line}) | `{function}` |"
                for path, function in hops
                for line in [line_of(path, function)]
            ]
            table = ["| file and line | function |", "| --- | --- |", *rows]
            parts.append(f"## {title}: {what}\n\n" + "\n".join(table) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    if why_not():
        sys.exit(why_not())
    RECORD.write_text(json.dumps(record(), indent=1) + "\n")
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
