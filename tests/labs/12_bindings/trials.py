"""Trials of lab 12, part A: interfaces, and runs of their wrappers."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lab_12_bindings.cpp_machine import CompileError, Machine, Type
from lab_common.checks import Wrong, call_trial, equals

from minitf_lab.judge.case import Mismatch, Trial


@dataclass
class Run:
    """A call of the function ``symbol`` of a wrapper.

    ``notes`` and ``returned`` are what must come of it. ``Machine`` explains the others.
    """

    interface: str
    symbol: str
    objects: list
    notes: list[str]
    returned: str
    plan: str = ""
    library: dict[str, tuple[str, Any]] = field(default_factory=dict)
    types: list[str] = field(default_factory=list)

    def outcome(self, text: str) -> tuple[list[str], str]:
        """The notes of the function in a wrapper, and what it returns.

        Raises:
            CompileError: a compiler refuses the function.
        """
        end = f"static const char\\* const wrap_{self.symbol}_names"
        form = rf"wrap_{self.symbol}\([^{{]*\{{(.*?){end}"
        body = re.search(form, text, re.DOTALL)
        if not body:
            raise CompileError(f"there is no function wrap_{self.symbol}", "")
        machine = Machine(self.objects, self.plan, self.library, self.types)
        returned = machine.run(body[1])
        return machine.notes, returned


def _wrong_run(run: Run, text: Any) -> Wrong:
    notes, returned = run.outcome(str(text))
    wrong = [pair for pair in zip(run.notes, notes, strict=False) if pair[0] != pair[1]]
    if wrong:
        return Mismatch("the steps differ", expected=wrong[0][0], got=wrong[0][1])
    same = min(len(notes), len(run.notes))
    if missing := run.notes[same:]:
        return Mismatch(f"steps are missing: {', '.join(missing)}")
    if notes[same:]:
        return Mismatch(f"there are more steps: {', '.join(notes[same:])}")
    return equals(run.returned, "the wrapper returns something else")(returned)


def wrapper_trial(title: str, interface: str, look: Any) -> Trial:
    """A look at the wrapper of an interface; what does not compile is shown."""

    def careful(text: Any) -> Wrong:
        try:
            return look(text)
        except CompileError as error:
            message, line = error.args
            return Mismatch(f"the generated C++ does not compile: {message}", got=line)

    title = f"{title}; the interface:\n{interface}"
    return call_trial(title, careful, "wrapper", text=interface)


def run_trials(runs: Iterable[Run]) -> Iterable[Trial]:
    """A trial for each run."""
    for run in runs:
        title = f"wrap_{run.symbol}, the step that fails: {run.plan or 'none'}"
        look = lambda text, run=run: _wrong_run(run, text)  # noqa: E731
        yield wrapper_trial(title, run.interface, look)


def destroyed_by(text: str, spelled: str) -> str:
    """Returns the deletion in the descriptor of a pointer type; "nothing" for nullptr.

    Raises:
        CompileError: a compiler refuses it.
    """
    type_ = Type.of(spelled)
    name = "p_" * type_.stars + type_.base
    form = rf'SWIGTYPE_{name}_info = \{{"{re.escape(spelled)}", (.*?), nullptr\}};\n'
    row = re.search(form, text, re.DOTALL)
    if not row:
        raise CompileError(f"there is no descriptor of the type '{spelled}'", "")
    if row[1] == "nullptr":
        return "nothing"
    form = r"\[\]\s*\(void\s*\*\s*(\w+)\)\s*\{(.*\})"
    body = re.fullmatch(form, row[1].strip(), re.DOTALL)
    if not body:
        raise CompileError("expected nullptr or a lambda [](void* p) { ... }", row[1])
    machine = Machine([], "", {body[1]: ("void *", None)}, [type_.base])
    machine.run(body[2])
    return ", ".join(machine.notes)
