"""What trials of lab 12, part A, are made of: interfaces, and runs of their wrappers."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lab_12_bindings.cpp_machine import CppFunction, Machine, Outcome, function_of
from lab_12_bindings.cpp_text import CompileError, Parser, Statement, Type
from lab_common.checks import Wrong, call_trial, equals

from minitf_lab.judge.case import Mismatch, Trial


@dataclass
class Run:
    """A call of one function of a wrapper, and what must come of it.

    Attributes:
        what: What is tried, for the report.
        interface: The text of the interface file.
        symbol: The function.
        objects: The arguments that Python passes.
        notes: The notes that are expected.
        returned: What the wrapper must return.
        plan: The step that fails; see ``Machine``.
        functions: The functions and variables of the C++ library.
        types: The names of its classes and enums.
    """

    what: str
    interface: str
    symbol: str
    objects: list
    notes: list[str]
    returned: str
    plan: str = ""
    functions: dict[str, CppFunction] = field(default_factory=dict)
    types: list[str] = field(default_factory=list)

    def outcome(self, text: str) -> Outcome:
        """What the function does in a wrapper.

        Raises:
            CompileError: a compiler refuses the function.
        """
        statements = function_of(text, self.symbol, self.types, self.functions)
        return Machine(self.objects, self.plan, self.functions).run(statements)


def wrong_run(run: Run, text: Any) -> Wrong:
    """What is wrong with a function of a wrapper."""
    try:
        outcome = run.outcome(str(text))
    except CompileError as error:
        message, line = error.args
        return Mismatch(f"the generated C++ does not compile: {message}", got=line)
    for expected, got in zip(run.notes, outcome.notes, strict=False):
        if expected != got:
            return Mismatch("the steps differ", expected=expected, got=got)
    rest = len(outcome.notes) - len(run.notes)
    if rest:
        notes = outcome.notes[len(run.notes) :] or run.notes[len(outcome.notes) :]
        word = "more" if rest > 0 else "missing"
        return Mismatch(f"steps are {word}: {', '.join(notes)}")
    return equals(run.returned, "the wrapper returns something else")(outcome.returned)


def run_trials(runs: Iterable[Run]) -> Iterable[Trial]:
    """A trial for each run."""
    for run in runs:
        title = f"{run.what}, {run.plan or 'no step fails'}; the interface:\n"

        def look(text: Any, run: Run = run) -> Wrong:
            return wrong_run(run, text)

        yield call_trial(title + run.interface, look, "wrapper", text=run.interface)


def destroyed_by(text: str, type_: Type) -> str:
    """What the descriptor of a type of pointers deletes; empty if nothing.

    Raises:
        CompileError: a compiler refuses it.
    """
    name = "p_" * type_.stars + type_.base
    form = rf'SWIGTYPE_{name}_info = \{{"{re.escape(str(type_))}", (.*?), nullptr\}};\n'
    row = re.search(form, text, re.DOTALL)
    if not row:
        raise CompileError(f"there is no descriptor of the type '{type_}'", "")
    if row[1] == "nullptr":
        return ""
    form = r"\[\]\s*\(void\s*\*\s*(\w+)\)\s*\{(.*\})"
    body = re.fullmatch(form, row[1].strip(), re.DOTALL)
    if not body:
        raise CompileError("expected nullptr or a lambda [](void* p) { ... }", row[1])
    statements = Parser(body[2], [type_.base], [body[1]]).function()
    machine = Machine([], "", {body[1]: CppFunction("void *", None)})
    machine.run([*statements, Statement("return", [("literal", 0)])])
    return ", ".join(machine.notes)
