"""What tf.GradientTape must say in a script of events, in both modes.

The model knows no records: of each tape it keeps the names of values that are watched,
and those of which the tape has seen how they were made. All other values are constants
to it, and jets differentiate the program with these constants.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from lab_05_eager.trials import Arrays, Event, gradients_of, wrong_error, wrong_gradient
from lab_common import jets
from lab_common.checks import call_trial, first_wrong, within
from lab_common.programs import describe_program

from minitf_lab.judge.case import Call, Mismatch, Trial, close


@dataclass
class _Tape:
    """A tape: its options, and what it knows."""

    is_persistent: bool = False
    watches_variables: bool = True
    is_recording: bool = False
    is_there: bool = False
    is_elsewhere: bool = False  # whether another thread entered it
    around: int = 0  # how many stops lived when it was started
    pauses: list[int | None] = field(default_factory=list)  # what it ignored before
    watched: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)


class TapeModel:
    """The events of the driver's ``Tapes``, with sets of names in place of tapes."""

    def __init__(self, program: list, inputs: Arrays, variables: dict[str, Any]) -> None:
        self.program, self.inputs, self.variables = program, dict(inputs), variables
        self.now = {name: value for name, (value, _) in variables.items()}
        self.tapes: dict[str, _Tape] = {}
        self.stops = 0
        self.is_elsewhere = False  # whether this event comes in another thread
        self.steps: list[dict[str, Any]] = []  # those that were run
        self.results: list[Any] = []

    def do(self, event: Event) -> None:
        """One event."""
        self.is_elsewhere = event[0] == "in"
        kind, *arguments = event[1:] if self.is_elsewhere else event
        getattr(self, "_" + kind.replace(" ", "_"))(*arguments)

    def _new(self, name: str, options: dict[str, Any]) -> None:
        self.tapes[name] = _Tape(
            options.get("persistent", False),
            options.get("watch_accessed_variables", True),
        )

    def _raise(self, kind: str, *words: str) -> None:
        self.results.append(("raised", kind, *words))

    def _enter(self, name: str) -> None:
        tape = self.tapes[name]
        if tape.is_recording:
            return self._raise("ValueError", "already recording")
        if not tape.is_there:
            tape.watched, tape.made = set(), set()
        tape.is_there = tape.is_recording = True
        tape.around, tape.is_elsewhere = self.stops, self.is_elsewhere
        return None

    def _leave(self, name: str) -> None:
        self.tapes[name].is_recording = False

    def _reset(self, name: str) -> None:
        tape = self.tapes[name]
        if not tape.is_recording:
            return self._raise("ValueError", "not recording")
        tape.watched, tape.made = set(), set()
        return None

    def _pause(self, name: str) -> None:
        tape = self.tapes[name]
        tape.pauses.append(tape.around)
        tape.is_recording = False

    def _resume(self, name: str) -> None:
        around = self.tapes[name].pauses.pop()
        self._enter(name)
        self.tapes[name].around = min(around, self.stops)

    def _stop(self) -> None:
        self.stops += 1

    def _go_on(self) -> None:
        self.stops -= 1
        for tape in self.tapes.values():
            tape.around = min(tape.around, self.stops)

    def _watch(self, name: str, names: Any) -> None:
        tape = self.tapes[name]
        if not tape.is_there:
            return self._raise("RuntimeError")
        tape.watched |= set(_flat(names))
        return None

    def _variables_of(self, name: str) -> None:
        watched = self.tapes[name].watched
        self.results.append(" ".join(v for v in self.variables if v in watched))

    def _listed(self, name: str) -> None:
        tape = self.tapes[name]
        is_here = tape.is_recording and tape.is_elsewhere == self.is_elsewhere
        self.results.append(f"{int(is_here)} times in the list of this thread")

    def _assign(self, name: str, value: np.ndarray, is_added: bool) -> None:
        self.now[name] = self.now[name] + value if is_added else np.asarray(value)

    def _read(self, name: str) -> None:
        values = jets.run(self.steps, self.inputs)
        self.results.append(("value", self.now.get(name, None), values, name))

    def _steps(self, first: int, last: int) -> None:
        for step in self.program[first:last]:
            for name in step["inputs"]:
                if name in self.variables:
                    self.inputs.setdefault(name, self.now[name])
            for tape in self.tapes.values():
                if not tape.is_recording or self.stops > tape.around:
                    continue
                if tape.is_elsewhere != self.is_elsewhere:
                    continue
                if tape.watches_variables:
                    tape.watched |= {
                        name
                        for name in step["inputs"]
                        if name in self.variables and self.variables[name][1]
                    }
                if (tape.watched | tape.made) & set(step["inputs"]):
                    tape.made |= set(step["outputs"])
            self.steps.append(step)

    def _jacobian(self, name: str, y: str, x: str) -> None:
        self._ask(name, y, x)  # they are scalars

    def _ask(
        self,
        name: str,
        ys: Any,
        xs: Any,
        dys: Any = None,
        options: dict[str, Any] | None = None,
        names: list[str] = (),
    ) -> None:
        del names
        tape = self.tapes[name]
        if not tape.is_there:
            return self._raise("RuntimeError", "persistent")
        flat_ys, flat_xs = _flat(ys), _flat(xs)
        given = dys or [None] * len(flat_ys)
        question = {"ys": flat_ys, "xs": flat_xs, "dys": given}
        inputs = {**self.now, **self.inputs}
        everything = {o for step in self.steps for o in step["outputs"]} | set(inputs)
        found = gradients_of(self.steps, inputs, question, everything - tape.made)
        wants_zeros = (options or {}).get("unconnected_gradients") == "zero"
        for i, x in enumerate(flat_xs):
            if x not in tape.watched | tape.made and x not in flat_ys:
                found[i] = None
            elif x not in tape.watched | tape.made:
                found[i] = self._own(x, question, inputs)
            if wants_zeros and found[i] is None:
                found[i] = np.zeros_like(_value(self.steps, inputs, x))
        self.results.append(("gradients", xs, flat_xs, found))
        if not tape.is_persistent:
            tape.is_there = tape.is_recording = False
        return None

    def _own(self, x: str, question: dict[str, Any], inputs: Arrays) -> np.ndarray:
        alone = {
            "ys": [y for y in question["ys"] if y == x],
            "dys": [
                dy for y, dy in zip(question["ys"], question["dys"], strict=True)
                if y == x
            ],
            "xs": [x],
        }  # fmt: skip
        return gradients_of(self.steps, inputs, alone, set())[0]


def _value(steps: list, inputs: Arrays, name: str) -> np.ndarray:
    return jets.run(steps, inputs)[name].value


def _flat(names: Any) -> list[str]:
    """The names of a structure, those of a dictionary by their keys."""
    if isinstance(names, str):
        return [names]
    members = [names[key] for key in sorted(names)] if isinstance(names, dict) else names
    return [name for member in members for name in _flat(member)]


def _leaves(got: Any, names: Any) -> list[Any] | None:
    """The gradients in the structure of ``names``; None if it has another."""
    if isinstance(names, str):
        return [got]
    if isinstance(names, dict):
        if not isinstance(got, dict) or set(got) != set(names):
            return None
        parts = [_leaves(got[key], names[key]) for key in sorted(names)]
    else:
        if not isinstance(got, (list, tuple)) or len(got) != len(names):
            return None
        parts = [_leaves(one, name) for one, name in zip(got, names, strict=True)]
    return None if None in parts else [leaf for part in parts for leaf in part]


def _wrong(got: Any, expected: Any, dtype: str) -> Mismatch | str | None:
    if isinstance(expected, np.ndarray):
        if isinstance(got, dict):
            return f"it raised {got['raised']}: {got['text']}"
        return close(got, expected, rtol=1e-9)
    if isinstance(expected, list):
        if not isinstance(got, list) or len(got) != len(expected):
            return f"there should be {len(expected)} gradients: {got}"
        return first_wrong(map(_wrong, got, expected, [dtype] * len(got)))
    if isinstance(expected, str):
        if got == expected:
            return None
        return Mismatch("wrong variables", expected=expected, got=str(got))
    kind, *details = expected
    if kind == "raised":
        return wrong_error(got, *details)
    if isinstance(got, dict) and "raised" in got:
        return f"it raised {got['raised']}: {got['text']}"
    if kind == "value":
        now, values, name = details
        return wrong_gradient(
            got, values[name].value if now is None else now, dtype, name
        )
    names, flat, gradients = details
    leaves = _leaves(got, names)
    if leaves is None:
        return Mismatch("another structure", expected=str(names), got=str(got))
    for x, one, other in zip(flat, leaves, gradients, strict=True):
        if wrong := wrong_gradient(one, other, dtype, f"dL/d{x}"):
            return wrong
    return None


def script_trial(
    mode: str,
    script: list[Event],
    program: list,
    inputs: Arrays,
    variables: dict[str, Any] | None = None,
) -> Trial:
    """A script of tf.GradientTape, in a mode, compared with the model."""
    model = TapeModel(program, inputs, variables or {})
    for event in script:
        model.do(event)
    return results_trial(mode, script, program, inputs, model.results, variables)


def results_trial(
    mode: str,
    script: list[Event],
    program: list,
    inputs: Arrays,
    expected: list[Any],
    variables: dict[str, Any] | None = None,
) -> Trial:
    """A script with the results that its events must give.

    Each is an array or a list of them, text, or ("raised", a kind of error, words).
    """
    every = [*inputs.values(), *(value for value, _ in (variables or {}).values())]
    dtype = next(v.dtype.name for v in every if v.dtype.kind in "fc")

    def check(got: Any) -> Mismatch | str | None:
        if len(got) != len(expected):
            last = got[-1] if got else "nothing"
            return f"there are {len(got)} results, expected {len(expected)}; last: {last}"
        for i, (one, other) in enumerate(zip(got, expected, strict=True)):
            if wrong := _wrong(one, other, dtype):
                return within(f"result {i + 1}", wrong)
        return None

    title = f"{mode}: {describe_program(program)}: {told_script(script)}"
    return call_trial(
        title, check, "tapes", mode=mode, script=script, program=program, inputs=inputs,
        variables=variables or {},
    )  # fmt: skip


def places_trial(events: list[Event], program: list, values: list[Any]) -> Trial:
    """Events with tapes that know several graphs, and eager mode, which is place 0.

    Each event has its place in front; what happens to a tape happens to all of it. Each
    place runs the program, with an x of its own.
    """
    models = [TapeModel(program, {"x": value}, {}) for value in values]
    for place, kind, *arguments in events:
        is_local = kind in {"watch", "steps", "ask"}
        for i in [place] if is_local else range(len(models)):
            models[i].do([kind, *arguments])

    def check(values_: list[Any]) -> Mismatch | str | None:
        for place, (got, model) in enumerate(zip(values_[0], models, strict=True)):
            if len(got) != len(model.results):
                return f"place {place} has {len(got)} results, not {len(model.results)}"
            for i, (one, other) in enumerate(zip(got, model.results, strict=True)):
                if wrong := _wrong(one, other, "float64"):
                    return within(f"place {place}, result {i + 1}", wrong)
        return None

    arguments = {"events": events, "program": program, "values": values}
    title = f"{describe_program(program)} in places, of which 0 is eager mode: "
    title += told_script(events)
    return Trial(title, [Call("places", arguments)], check)


def told_script(script: list[Event]) -> str:
    """A script in words."""
    return "; ".join(" ".join(map(str, event)) for event in script)
