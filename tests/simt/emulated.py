"""Compiles CUDA files for the emulator, runs them, and reads what they are said to do.

What a case of ``tests/simt/cases`` shall give stands in its comments:

    // EXPECT race shared 1          a finding: kind, memory ("-": none), and its lines,
                                     which are those that end in "LINE 1"
    // EXPECT may uninit shared      one that there may be, depending on the order
    // EXPECT note race global       one that is a note
    ... = room[i];  // LINE LINE     both sides of a race are this line

Read next: ``tests/python/project/test_simt_cases.py``.
"""

import atexit
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).parent / "cases"
TRANSLATOR = ROOT / "kernels" / "simt" / "cu2cpp.py"
HEADERS = ROOT / "kernels" / "simt" / "include"
CHECK = ["-g", "-fsanitize=thread,bounds", "-fstack-clash-protection"]
OF_CLANG = ["-mllvm", "-tsan-instrument-read-before-write=1"]
EXPECT = re.compile(r"^// EXPECT (?:(may|note) )?(\S+) (\S+)((?: \w+)*)$", re.MULTILINE)
LINE = re.compile(r"// LINE((?: \w+)*)$")
TIMEOUT = 60  # seconds
SPIN_LIMIT = 2_000_000  # accesses, after which a spin is stopped


@dataclass(frozen=True)
class Finding:
    """What check mode has found: as in its JSON, but for the count."""

    kind: str
    space: str
    lines: tuple[int, ...]
    is_note: bool = False


@dataclass
class Expected:
    """What a case shall give."""

    findings: set[Finding] = field(default_factory=set)
    possible: set[tuple[str, str]] = field(default_factory=set)  # kinds and spaces

    def differs(self, found: set[Finding]) -> str:
        """How ``found`` differs; empty if it does not."""
        extra = {
            f for f in found - self.findings if (f.kind, f.space) not in self.possible
        }
        missing = self.findings - found
        return "".join(
            f"{what}: {sorted(map(str, some))}\n"
            for what, some in (("missing", missing), ("too many", extra))
            if some
        )


def expected(text: str) -> Expected:
    """What the comments of a case say."""
    lines: dict[str, list[int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if found := LINE.search(line):
            labels = found[1].split()
            twice = labels == ["LINE"]
            for label in [""] if twice or not labels else labels:
                lines.setdefault(label, []).extend([number] * (1 + twice))
    result = Expected()
    for how, kind, space, labels in EXPECT.findall(text):
        space = "" if space == "-" else space
        if how == "may":
            result.possible.add((kind, space))
            continue
        named = tuple(sorted(n for label in labels.split() or [""] for n in lines[label]))
        result.findings.add(Finding(kind, space, named, how == "note"))
    return result


@cache
def libraries() -> list[str]:
    """The emulator's, and what they need. They are built if need be."""
    folder = Path(os.environ.get("SIMT_BUILD", ROOT / "build" / "release/kernels/simt"))
    backtrace = subprocess.run(
        ["g++", "-print-file-name=libbacktrace.a"],
        capture_output=True,
        text=True,
        check=True,
    )
    return [
        *(str(folder / f"lib{name}.a") for name in ("simt_check", "simt")),
        *(backtrace.stdout.strip(), "-lpthread", "-ldl"),
    ]


@cache
def _precompiled(compiler: str, level: str) -> list[str]:
    """Options with which cuda.h is compiled once, which takes half of a case's time."""
    folder = Path(tempfile.mkdtemp(prefix="simt-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    out = folder / "kernels" / "simt" / "cuda.h.gch"
    out.parent.mkdir(parents=True)
    command = [compiler, *_options(compiler, level), "-x", "c++-header"]
    _run([*command, str(ROOT / "kernels" / "simt" / "cuda.h"), "-o", str(out)])
    return ["-include-pch", str(out)] if compiler == "clang++" else [f"-I{folder}"]


def _options(compiler: str, level: str) -> list[str]:
    options = ["-std=c++20", level, *CHECK, f"-I{ROOT}", f"-I{HEADERS}"]
    return options + (OF_CLANG if compiler == "clang++" else [])


def compile_case(source: Path, folder: Path, compiler: str, level: str) -> Path:
    """The program of a CUDA file in check mode.

    Raises:
        AssertionError: it does not compile.
    """
    program = folder / f"{source.stem}_{compiler}{level}"
    translated = program.with_suffix(".cc")
    _run([sys.executable, str(TRANSLATOR), str(source), str(translated)])
    first = _precompiled(compiler, level)
    command = [compiler, *first, *_options(compiler, level), "-c", str(translated)]
    _run([*command, "-o", f"{program}.o"])
    _run(["g++", f"{program}.o", *libraries(), "-o", str(program)])
    return program


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@dataclass
class Ran:
    """What came of a run."""

    findings: set[Finding]
    profile: list[dict]
    text: str  # of stderr
    json: str
    status: int


def run(program: Path, **settings: object) -> Ran:
    """Runs a program; ``settings`` are SIMT_SEED and so on, without SIMT_."""
    report = program.with_suffix(".json")
    report.unlink(missing_ok=True)
    environment = {f"SIMT_{name.upper()}": str(value) for name, value in settings.items()}
    done = subprocess.run(
        [str(program)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env={**os.environ, "SIMT_JSON": str(report), **environment},
    )
    text = report.read_text() if report.exists() else '{"findings": [], "profile": []}'
    read = json.loads(text)
    findings = {
        Finding(f["kind"], f["space"], tuple(f["lines"]), f["note"])
        for f in read["findings"]
    }
    return Ran(findings, read["profile"], done.stderr, text, done.returncode)
