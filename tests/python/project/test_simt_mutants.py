"""Check mode of the emulator: each clean case with one thing made wrong is reported.

Every place in the clean cases where a barrier, a guard, an atomic, a fence, the zeroing
of memory or its size can be taken away, is; unoptimized, as labs are graded.
"""

import functools
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "simt"))
import emulated

COUNTER = r"(?:[a-z]+|threadIdx\.x)"
BOUND = r"(?:n|kTile|steps|n / 4|half|16|32|gridDim\.x)"
# What is taken away, where, and what stands there instead.
RULES = [
    ("barrier", r"__sync(?:threads|warp)\(\);", ""),
    ("guard", rf"if \({COUNTER} < [^;{{}}&]*?(?: - 1)?\) (?!\{{\n    return)", ""),
    ("guard", r"  if \((?:i >= n|threadIdx\.x >= 32)\) return;\n", ""),
    ("bound", rf"(?<=[a-z]) < (?P<bound>{BOUND})(?=[ ;)&])", r" <= \g<bound>"),
    ("atomic", r"atomicAdd\((?P<at>&[^;]*?|\w+), (?P<more>1|\w+\[[^;]*\])\);",
     r"*(\g<at>) += \g<more>;"),
    ("atomic", r"atomicExch\((?P<at>\w+), (?P<value>\w+)\)", r"*\g<at> = \g<value>"),
    ("fence", r"__threadfence\(\);", ""),
    ("zeros", r"mine\[threadIdx\.x\] = 0;", ";"),
    ("zeros", r"\(std::vector<\w+>\((?P<size>\d+), 0(?:\.0F)?\)\)", r"(\g<size>)"),
    ("size", r"(?P<all>__shared__ \w+ \w+\[\w+)\]", r"\g<all> / 2]"),
    ("size", r"256 \* sizeof\(float\)", "128 * sizeof(float)"),
]  # fmt: skip
OF_HOST = ("zeros", "size")  # these may be in main, too


@functools.cache
def mutants():
    """Each as its name, and its text."""
    found = {}
    for case in sorted(emulated.CASES.glob("clean_*.cu")):
        text = case.read_text()
        host = text.index("int main()")
        for what, pattern, instead in RULES:
            for match in re.finditer(pattern, text):
                if match.start() > host and what not in OF_HOST:
                    continue
                line = text.count("\n", 0, match.start()) + 1
                name = f"{case.stem}-{what}-{line}-{match.start()}"
                new = match.expand(instead)
                found[name] = text[: match.start()] + new + text[match.end() :]
    return found


@pytest.mark.parametrize("name", mutants())
def test_what_is_taken_away_is_missed(name, tmp_path):
    source = tmp_path / f"{name}.cu"
    source.write_text(mutants()[name])
    program = emulated.compile_case(source, tmp_path, "g++", "-O0")
    ran = emulated.run(program, access_limit=emulated.SPIN_LIMIT)
    assert any(not finding.is_note for finding in ran.findings), ran.text


def test_there_are_mutants_of_each_kind():
    assert len(mutants()) >= 60
    kinds = {name.split("-")[1] for name in mutants()}
    assert kinds == {what for what, _, _ in RULES}
