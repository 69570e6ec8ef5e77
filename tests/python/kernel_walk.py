"""``docs/walks/python_to_kernel.md``: the calls from each binding to a kernel.

    python tests/python/kernel_walk.py     runs them, and writes what was called

This needs gdb, a C compiler, and the modules by SWIG and by minitf_wrap in the build.
The run is recorded in kernel_walk.json: files and functions, without lines. Python's own
profiler says which Python functions are active when they call C++, and gdb says which C++
functions are active when the shape function and the kernel begin. ``./lab gen`` writes
the page: it finds the line of each function in the source as it is then. A function that
is gone is an error, so the page cannot rot. The lines that ``MINITF_VLOG`` prints are
recorded and found in the same way.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from minitf_lab import project

PAGE = project.ROOT / "docs" / "walks" / "python_to_kernel.md"
RECORD = Path(__file__).with_suffix(".json")
PROGRAMS = Path(__file__).parent / "walks"
BUILD = Path(os.environ.get("MINITF_BUILD", project.build_folder()))
# Where the function of a frame is defined, by what the frame contains.
FOLDERS = {
    "/c_calls.c:": ("tests/python/walks",),
    "/_minitf.": ("python/bindings",),
    "/_minitf_swig.": ("python/swig",),
    "/libminitf_c.": ("minitf/c",),
    "": ("minitf", "kernels/cpu"),
}
NEEDED = {"C API": "cc", "SWIG": "swig"}  # programs besides gdb
SHAPE = "MatMulShape"
KERNEL = "MatMulOp<float>::Multiply"
# Parts of the log that are about the machine, not about the call.
OF_MACHINE = ("gpu_backend.cc", "autotune.cc")
Hop = tuple[str, str]  # path from the top folder, and function
Place = tuple[int, str, int]  # of a log statement: level, path, line


@dataclass(frozen=True)
class Walk:
    """One table of the page, and how its calls are found in a run."""

    binding: str
    mode: str  # eager or graph
    what: str
    entry: str  # the function that Python calls in the binding; empty for C
    target: str  # the C++ function at which the walk ends

    @property
    def title(self) -> str:
        """The heading on the page, by which the record finds the walk, too."""
        return f"{self.binding}, {self.mode} mode: {self.what}"

    @property
    def run(self) -> str:
        """The run in which the calls are found."""
        return f"{self.binding}, {self.mode}"


ADDED, RUN = "a node is added to the graph", "the session runs the node"
WALKS = [
    Walk("pybind11", "eager", "the product is computed at once", "execute", KERNEL),
    Walk("pybind11", "graph", ADDED, "add_node", SHAPE),
    Walk("pybind11", "graph", RUN, "run", KERNEL),
    Walk("C API", "eager", "the product is computed at once", "", KERNEL),
    Walk("C API", "graph", ADDED, "", SHAPE),
    Walk("C API", "graph", RUN, "", KERNEL),
    Walk("SWIG", "graph", ADDED, "TF_FinishOperation", SHAPE),
    Walk("SWIG", "graph", RUN, "Step_run", KERNEL),
    Walk("minitf_wrap", "graph", ADDED, "TF_FinishOperation", SHAPE),
    Walk("minitf_wrap", "graph", RUN, "Step_run", KERNEL),
]
BINDINGS = list(dict.fromkeys(walk.binding for walk in WALKS))
HEAD = """\
# From tf.matmul to the kernel

`tf.matmul([[3, 3]], [[2], [2]])` is `[[12]]`. These tables list the functions that are
active on the way from the program to the kernel, for each binding. The caller comes
first. Each row names the file, the line at which the function begins, and the function.

The tables come from runs of the programs in `tests/python/walks`. Python's profiler lists
the Python functions, and gdb the C and C++ functions. The compiler has inlined some
functions, which are therefore missing. To repeat the runs, call
`tests/python/kernel_walk.py`. `./lab gen` looks up the lines again.

SWIG and minitf_wrap generate a Python module and a C++ wrapper when minitf is built. The
row of a generated function has the line of the interface file that declares it.
"""
LOG = """\
## What MINITF_VLOG prints on the way

With `MINITF_VLOG=1`, minitf prints the lines of level 1 to the error stream; with
`MINITF_VLOG=2` the lines of level 2, too. Level 3 adds the graph before and after its
passes. Each row has one log statement, a line that it printed in the runs above, and the
runs that printed it. SWIG and minitf_wrap call the C API, and so print its lines.

| level | file and line | line | printed in |
| --- | --- | --- | --- |
"""


# ---- The runs --------------------------------------------------------------------------


def why_not(*bindings: str) -> str:
    """Why the programs of ``bindings`` cannot be run here; empty if they can."""
    needed = ["gdb", *(NEEDED[name] for name in bindings if name in NEEDED)]
    for program in needed:
        if shutil.which(program) is None:
            return f"{program} is not installed"
    command = ["gdb", "-q", "-batch", "-nx", "-ex", "run", "--args", "true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    works = "exited normally" in done.stdout
    return "" if works else "gdb cannot run a program here, as in a container"


def _command(binding: str, mode: str, scratch: str) -> list[str]:
    """The program that uses a binding. The one in C is compiled into ``scratch``."""
    if binding != "C API":
        folder = BUILD / "python" / "wrapped" / binding.lower()
        if binding != "pybind11" and not (folder / "minitf_swig.py").exists():
            raise project.LabError(f"{folder} has no minitf_swig.py: run ./lab build")
        name = binding if binding == "pybind11" else str(folder)
        return [sys.executable, str(PROGRAMS / "python_calls.py"), name, mode]
    program, library = f"{scratch}/c_calls", BUILD / "python" / "minitf"
    compiler = ["cc", "-std=c11", "-g", "-O0", f"-I{project.ROOT}", f"-L{library}"]
    files = [str(PROGRAMS / "c_calls.c"), "-o", program, "-lminitf_c"]
    done = subprocess.run(
        [*compiler, f"-Wl,-rpath,{library}", *files],
        capture_output=True,
        text=True,
        timeout=60,
    )
    if done.returncode:
        raise project.LabError(f"c_calls.c cannot be compiled:\n{done.stderr[-2000:]}")
    return [program, mode]


def _traced(binding: str, mode: str) -> tuple[str, str]:
    """The output of gdb for a run, and the error stream with the log."""
    command = ["gdb", "-q", "-batch", "-nx", "-ex", "set breakpoint pending on"]
    for target in (f"(anonymous namespace)::{KERNEL}", SHAPE):
        command += ["-ex", f"break minitf::{target}"]
    command += ["-ex", "set debuginfod enabled off", "-ex", "run"]
    command += ["-ex", "bt", "-ex", "continue"] * 8
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [*command, "--args", *_command(binding, mode, scratch)],
            capture_output=True,
            text=True,
            env=os.environ | {"MINITF_VLOG": "2", "CUDA_VISIBLE_DEVICES": ""},
            timeout=300,
        )
    if "PRODUCT 12\n" not in done.stdout:
        text = (done.stdout + done.stderr)[-2000:]
        raise project.LabError(f"{binding}, {mode} mode: the product is not 12:\n{text}")
    return done.stdout, done.stderr


def _python_hops(text: str, name: str) -> list[Hop]:
    """The Python functions that were active when a binding's function was called."""
    rows = re.search(rf"^PYTHON {name} (.*)$", text, re.MULTILINE)
    if rows is None:
        raise project.LabError(f"the run did not call {name}:\n{text[-2000:]}")
    hops = []
    for path, function in json.loads(rows[1]):
        if path.endswith("/minitf_swig.py"):
            hops.append((_file_of(function, ("python/swig",), ""), function))
        else:
            hops.append((str(Path(path).relative_to(project.ROOT)), function))
    return hops


def _function(frame: str) -> str:
    """The name of a C++ function of minitf or of a program in a frame, or ''.

    >>> _function("#1  0x0 in minitf::(anonymous namespace)::F<int>::Run(long) () from x")
    'F::Run'
    >>> _function("#2  0x0 in TF_SessionRun () from x/libminitf_c.so")
    'TF_SessionRun'
    >>> _function("#3  0x0 in RunGraph (a=0x0) at /x/c_calls.c:60")
    'RunGraph'
    """
    frame = frame.replace("(anonymous namespace)::", "")
    start = r"#\d+ +(?:0x\w+ in )?(?:[\w ]+ )?"
    found = re.match(rf"{start}minitf::(?:[a-z]\w*::)?([\w:<>]+)\(", frame)
    found = found or re.match(rf"{start}(TFE?_\w+|_?wrap_\w+) ?\(", frame)
    if "/c_calls.c:" in frame:
        found = re.match(rf"{start}(?!main)(\w+) \(", frame)
    return re.sub(r"<[^<>]*>", "", found[1]) if found and "@plt" not in frame else ""


def _cpp_hops(text: str, target: str) -> list[Hop]:
    """The C++ functions that were active at the first stop at ``target``."""
    end = re.sub(r"<.*>", "", target)
    for part in re.split(r"\bBreakpoint [\d.]+, ", text)[1:]:
        frames = re.findall(r"^#\d+ .*$", part, re.MULTILINE)
        frames = [frame for frame in frames if _function(frame)]
        if frames and _function(frames[0]) == end:
            break
    else:
        raise project.LabError(f"the run did not come to {target}:\n{text[-2000:]}")
    hops: list[Hop] = []
    for frame in reversed(frames):
        folders = next(value for key, value in FOLDERS.items() if key in frame)
        caller = hops[-1][0] if hops else ""
        hops.append((_file_of(_function(frame), folders, caller), _function(frame)))
    return hops


def _examples(lines: list[Hop]) -> list[Hop]:
    """One line of each log statement: the first one about MatMul, or the first one."""
    found: dict[Place, Hop] = {}
    for file, text in lines:
        place = log_place(file, text)
        if "MatMul" not in found.setdefault(place, (file, text))[1] and "MatMul" in text:
            found[place] = (file, text)
    return list(found.values())


def record(*bindings: str) -> dict[str, dict[str, list[Hop]]]:
    """Runs the programs of ``bindings``.

    Returns the calls of each walk, and for each run the files and texts of its log.

    Raises:
        LabError: a function that the walk must come to was not called.
    """
    walks = [walk for walk in WALKS if walk.binding in bindings]
    texts = {walk.run: _traced(walk.binding, walk.mode) for walk in walks}
    calls = {}
    for walk in walks:
        text = texts[walk.run][0]
        calls[walk.title] = _python_hops(text, walk.entry) if walk.entry else []
        calls[walk.title] += _cpp_hops(text, walk.target)
    log = {}
    for run, (_, errors) in texts.items():
        lines = re.findall(r"^([\w.]+\.(?:cc|h)):\d+\] (.*)$", errors, re.MULTILINE)
        log[run] = _examples([line for line in lines if line[0] not in OF_MACHINE])
    return {"calls": calls, "log": log}


# ---- The page --------------------------------------------------------------------------


@cache
def _text(path: str) -> str:
    return (project.ROOT / path).read_text()


@cache
def _sources() -> list[str]:
    tops = {folder for folders in FOLDERS.values() for folder in folders}
    paths = {path for top in tops for path in (project.ROOT / top).rglob("*.*")}
    endings = (".cc", ".c", ".i", ".h")
    names = [str(p.relative_to(project.ROOT)) for p in paths if p.suffix in endings]
    return sorted(names, key=lambda name: (name.endswith(".h"), name))


def _interface_line(path: str, function: str) -> int:
    """The line of an interface file from which a function is generated; 0 without one.

    A function is there by its own name, and a method within its class.
    """
    name = re.sub(r"^_?wrap_|_\d+$", "", function)
    text = _text(path)
    owner, _, method = name.replace(".", "_").partition("_")
    found = re.search(rf"^\w.*\b{name}\(", text, re.MULTILINE) or re.search(
        rf"^class {owner} {{(?:.|\n)*?(?P<at>^  \w.*\b{method}\()", text, re.MULTILINE
    )
    if found is None:
        return 0
    return text.count("\n", 0, found.start(found.lastgroup or 0)) + 1


def _cpp_line(path: str, function: str) -> int:
    """The line at which a C++ function is defined in a file; 0 if it is not."""
    if path.endswith(".i"):
        return _interface_line(path, function)
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


def log_place(file: str, text: str) -> Place:
    """The level, the path and the line of the VLOG that printed ``text``.

    Raises:
        LabError: no statement in a file of this name begins with such a text.
    """
    for path in _sources():
        for found in re.finditer(r'VLOG\((\d)\) << "([^"]+)"', _text(path)):
            if path.endswith(f"/{file}") and text.startswith(found[2]):
                return int(found[1]), path, _text(path).count("\n", 0, found.start()) + 1
    raise project.LabError(
        f"{file} has no VLOG of {text!r}: run tests/python/kernel_walk.py again"
    )


def _link(path: str, line: int) -> str:
    return f"[`{path}:{line}`](../../{path}#L{line})"


def _log_rows(log: dict[str, list[Hop]]) -> list[str]:
    """One row for each VLOG of the runs."""
    example: dict[Place, str] = {}
    runs: dict[Place, list[str]] = {}
    for run, lines in log.items():
        for file, text in lines:
            place = log_place(file, text)
            example.setdefault(place, text)
            runs.setdefault(place, []).append(run)
    return [
        f"| {level} | {_link(path, line)} | `{text}` | {_in_words(found, list(log))} |"
        for (level, path, line), text in example.items()
        for found in [runs[level, path, line]]
    ]


def _in_words(runs: list[str], known: list[str]) -> str:
    """The runs, those of a mode in a word if all of them are there."""
    for words, ending in (
        ("all runs", ""),
        ("graph mode", "graph"),
        ("eager mode", "eager"),
    ):
        if runs == [run for run in known if run.endswith(ending)]:
            return words
    return "; ".join(runs)


def page(found: dict[str, dict[str, list[Hop]]] | None = None) -> str:
    """The text of the page, from a record; from that of the repository if none is given.

    Raises:
        LabError: a function of the record is gone.
    """
    found = json.loads(RECORD.read_text()) if found is None else found
    parts = [HEAD]
    for walk in WALKS:
        rows = [
            f"| {_link(path, line_of(path, function))} | `{function}` |"
            for path, function in found["calls"][walk.title]
        ]
        table = ["| file and line | function |", "| --- | --- |", *rows]
        parts.append(f"## {walk.title}\n\n" + "\n".join(table) + "\n")
    parts.append(LOG + "\n".join(_log_rows(found["log"])) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    if why_not(*BINDINGS):
        sys.exit(why_not(*BINDINGS))
    lines = json.dumps(record(*BINDINGS), indent=1) + "\n"
    # One line for each pair.
    pairs = re.sub(r'\[\s+("[^"]*"),\s+("[^"]*")\s+\]', r"[\1, \2]", lines)
    RECORD.write_text(pairs)
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
