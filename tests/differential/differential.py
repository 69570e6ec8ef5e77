"""``./lab test differential``: the whole public API beside the real TensorFlow.

Cases are drawn from the tables in tests/differential: calls and small programs, in graph
mode and in eager mode. Two processes run each of them, one with minitf and one with
TensorFlow (compat.v1, in the environment of ``./lab bench --peers``), and tell what they
saw: values, types, static shapes, names, gradients, exceptions. The first fact that
differs makes a mismatch. Mismatches of one function and kind are counted together; of
each, the smallest program is printed and kept in ``.lab/differential``, where it runs by
itself.

What differs on purpose stands in docs/differences.md, and in
tests/differential/differences.py, which recognises it.

Read next: ``tests/differential/programs.py``.
"""

import argparse
import os
import pickle
import random
import re
import select
import struct
import subprocess
import sys
import time
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import compare
import differences
import hidden
import programs
import shrink

from minitf_lab import project

FOLDER = Path(__file__).parent
PEER = project.ROOT / ".lab" / "peers" / "bin" / "python"
FOUND = project.ROOT / ".lab" / "differential"
LIMIT_S = 30
AHEAD = 32  # so many cases are on their way at a time
SHRINK_S = 60  # how long cases that failed are made smaller, all together
LOW = ("bfloat16", "float16", "float32", "complex64")

HEAD = '''"""Found by ./lab test differential --seed {seed}, case {number}: {title}

    ./lab python {path} [minitf|tensorflow]

minitf:     {ours}
TensorFlow: {theirs}
"""

import sys

sys.path.insert(0, "tests/differential")
import prelude

tf = prelude.framework(sys.argv[1] if sys.argv[1:] else "minitf")
globals().update(prelude.names(tf, print))

'''


class Framework:
    """A process that runs programs, and is started again when one kills it."""

    def __init__(self, name: str, python: str):
        self.name = name
        self._command = [python, str(FOLDER / "worker.py"), name]
        self._process: subprocess.Popen | None = None

    def run(self, program: str) -> list:
        """The facts that ``program`` shows; what it dies of is one of them."""
        if self._process is None:
            self._start()
        request = pickle.dumps(program)
        try:
            self._process.stdin.write(struct.pack("q", len(request)) + request)
            self._process.stdin.flush()
            length = struct.unpack("q", self._read(8))[0]
            return pickle.loads(self._read(length))
        except TimeoutError:
            return self._lost(f"no end within {LIMIT_S} s")
        except (OSError, EOFError):
            self._process.wait()
            return self._lost(f"the process died: status {self._process.returncode}")

    def _start(self) -> None:
        settings = {
            "CUDA_VISIBLE_DEVICES": "",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "TF_USE_LEGACY_KERAS": "1",  # else there is no tf.layers
        }
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | settings,
        )

    def _read(self, count: int) -> bytes:
        data = b""
        end = time.monotonic() + LIMIT_S
        pipe = self._process.stdout.fileno()
        while len(data) < count:
            if not select.select([pipe], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError
            part = os.read(pipe, count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def _lost(self, why: str) -> list:
        self.stop()
        return [("raises", why), ("message", why)]

    def stop(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


@dataclass
class Group:
    """Mismatches of one function and kind; the smallest is kept."""

    count: int = 0
    number: int = -1
    case: Any = None
    mismatch: Any = None


@dataclass
class Tester:
    """Draws, runs and compares cases.

    Attributes:
        groups: what was found, by function and kind.
        intended: how often each row of docs/differences.md was met.
        counts: how many cases each line of the tables has had.
        hides: whether only the step knows the shapes of all cases, drawn line by line.
        table: what became of the cases with hidden shapes.
    """

    seed: int
    entries: list
    hides: bool = False
    groups: dict[tuple[str, str], Group] = field(default_factory=dict)
    intended: Counter = field(default_factory=Counter)
    counts: Counter = field(default_factory=Counter)

    def __post_init__(self):
        self._frameworks = [
            Framework("minitf", sys.executable),
            Framework("tensorflow", str(PEER)),
        ]
        self._pools = [ThreadPoolExecutor(1) for _ in self._frameworks]
        self._weights = [entry.weight for entry in self.entries]
        if self.hides:
            self.entries = [entry for entry in self.entries if "graph" in entry.modes]
        self.table = hidden.Table()

    def draw(self, number: int) -> Any:
        """Case ``number`` of this seed."""
        pick = random.Random(f"{self.seed}:{number}")
        if self.hides:
            entry = self.entries[number % len(self.entries)]
        else:
            entry = pick.choices(self.entries, self._weights)[0]
        return programs.draw_case(entry, pick, self.hides)

    def _send(self, case: Any) -> list:
        sent = [case, case] + [programs.with_shapes(case)] * case.hidden
        return [
            self._pools[i % 2].submit(self._frameworks[i % 2].run, item.program())
            for i, item in enumerate(sent)
        ]

    def _compare(self, case: Any, answers: list) -> tuple[Any, str | None]:
        """The mismatch of a case or None, and the row of the document that has it."""
        ours, theirs, *known = (answer.result() for answer in answers)
        types = {arg.dtype for arg in case.tensors()}
        text = case.program()
        low = next((name for name in LOW if name in types or f"tf.{name}" in text), None)
        options = {"low": low, "exact": case.entry.exact, "signs": case.entry.signs}
        found = compare.first_mismatch(ours, theirs, **options)
        row = None if found is None else differences.row_of(case, found)
        if known:
            result = hidden.outcome(found, row, ours, *known, options)
            self.table.add(case, result)
            row = None if result == "differs" else row
            found = found if result in ("differs", "row") else None
        return found, row

    def run(self, count: int) -> None:
        """Runs cases 0 to ``count`` - 1."""
        under_way: deque[tuple[int, Any, list]] = deque()
        for number in range(count):
            case = self.draw(number)
            self.counts[case.entry.function] += 1
            under_way.append((number, case, self._send(case)))
            if len(under_way) > AHEAD:
                self._judge(*under_way.popleft())
        for number, case, answers in under_way:
            self._judge(number, case, answers)

    def _judge(self, number: int, case: Any, answers: list) -> None:
        found, row = self._compare(case, answers)
        if row is not None:
            self.intended[row] += 1
        if found is None or row is not None:
            return
        group = self.groups.setdefault((case.entry.function, found.kind), Group())
        group.count += 1
        if group.case is None or len(case.program()) < len(group.case.program()):
            group.number, group.case, group.mismatch = number, case, found

    def shrink(self) -> None:
        """Makes the case of every group smaller."""
        end = time.monotonic() + SHRINK_S
        for (_, kind), group in self.groups.items():

            def still_fails(case: Any, kind: str = kind, group: Group = group) -> bool:
                if time.monotonic() > end:
                    return False
                found, row = self._compare(case, self._send(case))
                if found is None or row is not None or found.kind != kind:
                    return False
                group.mismatch = found
                return True

            group.case = shrink.shrink(group.case, still_fails)

    def stop(self) -> None:
        """Ends both processes."""
        for framework in self._frameworks:
            framework.stop()
        for pool in self._pools:
            pool.shutdown()


def _short(value: Any) -> str:
    return re.sub(r"\s+", " ", str(value))[:400]


def _in_docstring(value: Any) -> str:
    return _short(value).replace("\\", "\\\\").replace('"', "'")


def _write(tester: Tester) -> None:
    FOUND.mkdir(parents=True, exist_ok=True)
    for path in FOUND.glob("*.py"):
        path.unlink()
    ordered = sorted(tester.groups.items(), key=lambda item: -item[1].count)
    for (function, kind), group in ordered:
        path = FOUND / f"{function.replace('.', '_')}_{kind.replace('.', '_')}.py"
        head = HEAD.format(
            seed=tester.seed,
            number=group.number,
            title=f"{function}, {group.mismatch.label}",
            path=path.relative_to(project.ROOT),
            ours=_in_docstring(group.mismatch.ours),
            theirs=_in_docstring(group.mismatch.theirs),
        )
        text = group.case.program()
        path.write_text(head + text)
        print(f"\n== {function}: {group.mismatch.label} differs ({group.count} cases)")
        print(f"   minitf      {_short(group.mismatch.ours)}")
        print(f"   TensorFlow  {_short(group.mismatch.theirs)}")
        print(f"   ./lab python {path.relative_to(project.ROOT)} [minitf|tensorflow]")
        print("".join(f"      {line}\n" for line in text.splitlines()), end="")


def run(seed: int, cases: int, only: str, hides: bool = False) -> int:
    """Runs ``cases`` cases of ``seed``; returns the exit status.

    Args:
        seed: the same cases in every run.
        cases: how many.
        only: a function, such as ``nn.softmax``, or the beginning of names, ``nn.*``.
        hides: only the step knows the shapes of all cases.

    Raises:
        LabError: TensorFlow is missing, or no line of the tables is named like ``only``.
    """
    if not PEER.exists():
        raise project.LabError(
            "the differential tester needs TensorFlow: ./lab bench --peers brings it"
        )
    import tables  # reads the registry of ops, and so needs a minitf that is built

    pattern = re.escape(only).replace(r"\*", ".*") or ".*"
    entries = [entry for entry in tables.ENTRIES if re.fullmatch(pattern, entry.function)]
    if not entries:
        raise project.LabError(f"no function in the tables is named like '{only}'")
    tester = Tester(seed, entries, hides)
    start = time.monotonic()
    try:
        tester.run(cases)
        took = time.monotonic() - start
        print(f"{took:.0f} s for {cases} cases", flush=True)
        if hides:
            print("\n".join(tester.table.lines()), flush=True)
        tester.shrink()
    finally:
        tester.stop()
    _write(tester)
    failed = sum(group.count for group in tester.groups.values())
    met = ", ".join(f"{row} {count}" for row, count in sorted(tester.intended.items()))
    print(f"\nintended differences met: {met or 'none'}")
    print(f"{len(tester.counts)} functions, {cases / took * 60:,.0f} cases a minute")
    print(f"seed {seed}: {cases - failed} passed, {failed} failed")
    return 1 if failed else 0


def main(args: argparse.Namespace) -> int:
    """``./lab test differential``."""
    return run(args.seed, args.cases, args.only, args.hidden)
