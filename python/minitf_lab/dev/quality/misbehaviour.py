"""Answers that misbehave, one of each kind for every lab: does it cost the case alone?

A region of the lab is filled with each of ``KINDS``. The first case that comes to it must
fail with what it is in the report, and a case of another task must pass in the same run.
All of them stand in one library beside the right answer (``together.py``).
"""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from minitf_lab import project
from minitf_lab.dev.quality import faults, together
from minitf_lab.dev.quality.together import Change, WrongAnswer
from minitf_lab.judge.case import Case
from minitf_lab.judge.regions import Region, find_regions
from minitf_lab.judge.runner import Worker
from minitf_lab.labs import builds, grade
from minitf_lab.results import MAX_TEXT, Limits
from minitf_lab.verdicts import Verdicts

QUESTION = "misbehaviour"
HANGING_S = 3  # is enough to say that it hangs


@dataclass(frozen=True)
class Kind:
    """A way to misbehave.

    Attributes:
        cpp: What stands in a region in C++.
        python: The same in Python.
        verdicts: What a record may call it.
        said: A pattern of what the report says.
        in_kernel: What check mode says if it stands in a kernel of CUDA; if that is
            empty, the case ends as anywhere.
        needs_locks: Whether it is only for labs whose answers have some.
    """

    cpp: str
    python: str
    verdicts: set[str]
    said: str
    in_kernel: str = ""
    needs_locks: bool = False


# What is thrown may have been caught on its way, and then be a wrong value.
THROWN = {"raised", "crashed", "wrong_answer"}
KINDS = {
    "an endless loop": Kind(
        "for (volatile int i = 0;; i = i + 1) {}",
        "while True:\n    pass",
        {"timeout"},
        "still running after",
    ),
    "exit(0)": Kind(
        "std::exit(0);",
        "import os\nos._exit(0)",
        {"exited"},
        "it ended the process before the case was over",
    ),
    "a thrown number": Kind("throw 1;", "raise KeyError(1)", THROWN, "."),
    "a null pointer": Kind(
        "volatile int* volatile nowhere = nullptr;\n*nowhere = 1;",
        "import ctypes\nctypes.memset(0, 1, 1)",
        {"crashed"},
        "SIGSEGV: it used memory that is not its own",
        "check mode: null-pointer",
    ),
    "a recursion without end": Kind(
        "struct Deep {\n  static int Go(volatile int n) { return Go(n + 1) + n; }\n};\n"
        "volatile int depth = Deep::Go(0);\nstatic_cast<void>(depth);",
        "def deep(n):\n    return deep(n + 1) + n\ndeep(0)",
        THROWN,
        "SIGSEGV: it used .* a function that calls itself without end|recursion depth",
        "check mode: stack-overflow.* recursion without an end",
    ),
    "10 GB": Kind(
        "char* volatile block = new char[size_t{10} << 30];\nblock[0] = 1;",
        "block = bytearray(10 << 30)",
        THROWN | {"memory_limit"},
        "bad_alloc|MemoryError|memory",
    ),
    "a megabyte that it prints": Kind(
        "for (int i = 0; i < 1024; ++i) std::fputs(std::string(1023, 'x').append(\"\\n\")"
        '.c_str(), stderr);\nthrow std::runtime_error("it printed");',
        'print(("x" * 1023 + "\\n") * 1024)\nraise KeyError("it printed")',
        THROWN,
        "it printed",
        "check mode: host-pointer",  # the text's, which is in memory of the host
    ),
    "a lock that it takes twice": Kind(
        "std::mutex lock;\nlock.lock();\nlock.lock();",
        "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
        {"timeout"},
        "a wait that nothing ends",
        needs_locks=True,
    ),
}


def _answer(name: str, kind: Kind, file: str, region: Region) -> WrongAnswer:
    """The answer to the first region of a file."""
    code = kind.python if file.endswith(".py") else kind.cpp
    text = textwrap.indent(code, region.indent)
    called = re.sub(r"\W", "_", name)
    return WrongAnswer(called, region.task, (Change(file, 0, region.first, text),))


def _problem(
    lab: project.Lab, worker: Worker, cases: list[Case], wrong: WrongAnswer, kind: Kind
) -> str:
    """What is wrong with how an answer was judged; empty if nothing is."""
    limits = grade.limits(lab)
    short = Limits(HANGING_S, limits.memory_mb)
    own = [case for case in cases if case.task == wrong.task]
    hangs = kind.verdicts == {"timeout"}
    found = together.first_failure(worker, own, short if hangs else limits, wrong.key)
    if found is None:
        return f"no case of task {wrong.task} fails"
    verdicts, said = kind.verdicts, kind.said
    if wrong.changes[0].file.endswith(".cu") and kind.in_kernel:
        verdicts, said = {"wrong_answer"}, kind.in_kernel
    is_told = found.verdict in verdicts and re.search(said, found.message)
    if not is_told or not found.details.get("case") or len(found.printed) > MAX_TEXT:
        return f"{found.name}: {found}"
    other = next(case for case in cases if case.task != wrong.task)
    after = worker.run(other, limits)
    return "" if after.passed else f"then {other.name} fails: {after.message}"


def try_all(lab: project.Lab, known: Verdicts) -> Iterator[tuple[str, str, bool]]:
    """Tries each kind, in the first region of the lab's last file, in C++ if it has one.

    Yields:
        Its name, what is wrong with how it was judged, and whether that is the verdict of
        an earlier run.
    """
    kinds = {
        name: kind
        for name, kind in KINDS.items()
        if lab.number in project.WITH_THREADS or not kind.needs_locks
    }
    right = builds.files_of(lab, "reference")
    key = faults.key_of(lab, Path(__file__).read_bytes(), right.values())
    if known.find(QUESTION, key) is not None:
        yield from ((name, "", True) for name in kinds)
        return
    builds.build_framework(lab)
    file = (lab.cpp_files or lab.python_files)[-1]
    region = find_regions(right[file].read_text())[0]
    wrongs = {n: _answer(n, kind, file, region) for n, kind in kinds.items()}
    folder = builds.made_folder(lab) / "misbehaviour"
    answer, refused = together.build(lab, right, [*wrongs.values()], folder)
    cases = grade.cases_of(lab)
    problems = {}
    with grade.worker_of(lab, answer) as worker:
        for name, wrong in wrongs.items():
            problems[name] = refused.get(wrong.key) or _problem(
                lab, worker, cases, wrong, kinds[name]
            )
            yield name, problems[name], False
    if not any(problems.values()):
        known.keep(QUESTION, key, {})
