"""What trials of lab 05 are made of: models of recording, and gradients by jets.

``Recorder`` says which tape records which call, by sets of names. ``TapeModel`` says of
which values a tf.GradientTape knows how they were made: all others are constants, and
jets (judge/jets.py) differentiate the program with these constants.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from lab_common import jets
from lab_common.checks import Look, call_trial, equals, within
from lab_common.programs import Program, describe_program, make_program

from minitf_lab.judge.case import Mismatch, Raised, Trial, close, describe
from minitf_lab.judge.draw import Draw

TOLERANCE = {"float32": 2e-4, "complex64": 2e-4, "float64": 1e-9, "complex128": 1e-9}
MODES = ("eager", "graph")

Arrays = dict[str, np.ndarray]
Event = list[Any]


# ---- Calls ----------------------------------------------------------------------------


@dataclass
class Request:
    """One call, with what must come of it.

    Attributes:
        outputs: Arrays, if the call is right.
        error: Else the kind of the error, and words that its text must have.
    """

    op: str
    inputs: list[np.ndarray]
    outputs: list[np.ndarray] = field(default_factory=list)
    attrs: dict[str, Any] = field(default_factory=dict)
    lengths: list[int] | None = None
    error: tuple[str, ...] = ()

    @property
    def arguments(self) -> dict[str, Any]:
        """What the driver gets."""
        return {
            "op": self.op, "inputs": self.inputs, "attrs": self.attrs,
            "lengths": self.lengths,
        }  # fmt: skip

    @property
    def title(self) -> str:
        """The call as a person would write it."""
        words = [describe(value) for value in self.inputs]
        words += [f"{name}={value}" for name, value in self.attrs.items()]
        if self.lengths is not None:
            words.append(f"lengths {self.lengths}")
        return f"{self.op}({', '.join(words)})"


def wrong_error(got: Any, kind: str, *words: str) -> str | None:
    """What is wrong with an error as the driver gives it."""
    if isinstance(got, Raised):
        got = {"raised": got.type, "text": got.message}
    if not isinstance(got, dict) or "raised" not in got:
        return f"nothing is raised, expected {kind}"
    if got["raised"] != kind:
        return f"{got['raised']} is raised, expected {kind}: {got['text']}"
    missing = [word for word in words if word not in got["text"]]
    if missing:
        return f"the error does not say {missing[0]!r}: {got['text']}"
    return None


def error_is(kind: str, *words: str) -> Look:
    """A look at an error as the driver gives it."""
    return lambda got: wrong_error(got, kind, *words)


def _wrong_answer(request: Request, got: Any) -> Mismatch | str | None:
    if request.error:
        return wrong_error(got, *request.error)
    if "raised" in got:
        return f"it raised {got['raised']}: {got['text']}"
    if len(got["outputs"]) != len(request.outputs):
        return f"there are {len(got['outputs'])} outputs, not {len(request.outputs)}"
    for i, (one, expected) in enumerate(
        zip(got["outputs"], request.outputs, strict=True)
    ):
        tolerance = TOLERANCE.get(np.asarray(expected).dtype.name, 0)
        if wrong := close(one, expected, rtol=tolerance, atol=tolerance, what=f"out {i}"):
            return wrong
    for i, (one, given) in enumerate(zip(got["inputs"], request.inputs, strict=True)):
        if wrong := close(one, np.asarray(given), what=f"input {i} afterwards"):
            return wrong
    return None


def calls_trial(requests: list[Request]) -> Trial:
    """Calls one after the other."""

    def look(got: Any) -> Mismatch | str | None:
        if len(got) != len(requests):
            return f"{len(got)} calls come to an end, of {len(requests)}"
        for i, (request, one) in enumerate(zip(requests, got, strict=True)):
            if wrong := _wrong_answer(request, one):
                return within(f"call {i + 1}, {request.title}", wrong)
        return None

    title = "; ".join(request.title for request in requests)
    return call_trial(title, look, "calls", requests=[one.arguments for one in requests])


# ---- What is recorded -----------------------------------------------------------------


@dataclass
class _Recording:
    """A tape as the model sees it.

    Attributes:
        thread: Whose calls it records; empty: nobody's.
        around: The stops that lived when it was started.
    """

    thread: str = ""
    around: set[int] = field(default_factory=set)
    records: int = 0
    watched: set[str] = field(default_factory=set)


class Recorder:
    """Which tapes record which calls: a model of the driver's ``tape_events``."""

    def __init__(self) -> None:
        self.tapes: dict[str, _Recording] = {}
        self.smooth: dict[str, bool] = {}  # for each value whether it may have a gradient
        self.stops: dict[str, list[int]] = {}
        self._made = 0

    def do(self, event: Event) -> dict[str, Any] | None:
        """One event."""
        thread, kind, *arguments = event
        if kind == "look":
            return {
                name: {
                    "records": tape.records,
                    "recording": bool(tape.thread),
                    "watched": sorted(tape.watched & set(self.smooth)),
                }
                for name, tape in sorted(self.tapes.items())
            }
        if kind == "value":
            self.smooth[arguments[0]] = np.asarray(arguments[1]).dtype.kind in "fc"
            for tape in self.tapes.values():  # another tensor has this name now
                tape.watched.discard(arguments[0])
        elif kind == "tape":
            self.tapes[arguments[0]] = _Recording()
        elif kind == "drop":
            del self.tapes[arguments[0]]
        elif kind == "end":
            for tape in self.tapes.values():
                tape.thread += " that was" if tape.thread == thread else ""
        elif kind in {"pause", "go on"}:
            stops = self.stops.setdefault(thread, [])
            self._made += 1
            if kind == "pause":
                stops.append(self._made)
            else:
                stops.pop()
        elif kind == "call":
            self._call(thread, *arguments)
        else:
            self._of_tape(thread, kind, *arguments)
        return None

    def _of_tape(self, thread: str, kind: str, name: str, value: Any = "") -> None:
        tape = self.tapes[name]
        if kind == "start" and not tape.thread:
            tape.thread, tape.around = thread, set(self.stops.get(thread, []))
        elif kind == "stop":
            tape.thread = ""
        elif kind == "watch":
            tape.watched.add(value)
        elif kind == "ignore":
            tape.around &= set(self.stops.get(thread, [])[:value])
        elif kind == "reset":
            tape.records, tape.watched = 0, set()

    def _call(
        self, thread: str, op: str, inputs: list[str], outputs: list[str], attrs: dict
    ) -> None:
        smooth = self._smooth_outputs(op, inputs, outputs, attrs)
        stops = set(self.stops.get(thread, []))
        for tape in self.tapes.values():
            sees = tape.thread == thread and stops <= tape.around
            depends = bool(tape.watched & set(inputs))
            for output in outputs:
                tape.watched.discard(output)
            if sees and depends:
                tape.records += 1
                tape.watched |= {name for name in outputs if smooth[name]}
        self.smooth.update(smooth)

    def _smooth_outputs(
        self, op: str, inputs: list[str], outputs: list[str], attrs: dict
    ) -> dict[str, bool]:
        """For each output whether it may have a gradient, by its type."""
        if op == "IdentityN":
            of_inputs = [self.smooth[name] for name in inputs]
            return dict(zip(outputs, of_inputs, strict=True))
        is_smooth = op != "Shape" and (
            attrs["DstT"] in {1, 2}
            if op == "Cast"
            else not inputs or any(self.smooth[name] for name in inputs)
        )
        return dict.fromkeys(outputs, is_smooth)


def events_trial(events: list[Event]) -> Trial:
    """A script, whose ``look`` events must see what the model sees."""
    model = Recorder()
    expected = [seen for event in events if (seen := model.do(event)) is not None]

    def check(got: Any) -> Mismatch | str | None:
        if len(got) != len(expected):
            return f"it looks {len(got)} times, expected {len(expected)}"
        for i, (one, other) in enumerate(zip(got, expected, strict=True)):
            for name, tape in other.items():
                for what, value in tape.items():
                    if one[name][what] != value:
                        return Mismatch(
                            f"at look {i + 1}, {what} of tape {name}",
                            expected=str(value),
                            got=str(one[name][what]),
                        )
        return None

    return call_trial(told(events), check, "tape_events", events=events)


def told(events: list[Event]) -> str:
    """A script in words."""
    words = []
    for thread, kind, *arguments in events:
        where = "" if thread == "main" else f" in thread {thread}"
        if kind == "call":
            op, inputs, outputs, _ = arguments
            words.append(f"{', '.join(outputs)} = {op}({', '.join(inputs)}){where}")
        else:
            names = [str(a) for a in arguments if isinstance(a, (str, int))]
            words.append(" ".join([kind, *names]) + where)
    return "; ".join(words)


# ---- Gradients ------------------------------------------------------------------------


def wrong_gradient(
    got: Any, expected: np.ndarray | None, dtype: str, what: str
) -> Mismatch | None:
    """What is wrong with a gradient; None is one that is not there."""
    if got is None or expected is None:
        return close(got, expected, what=what)
    tolerance = TOLERANCE[dtype]
    scale = float(np.max(np.abs(expected), initial=0))
    return close(
        got, expected.astype(dtype), rtol=tolerance, atol=tolerance * scale, what=what
    )


def answers_trial(
    title: str,
    program: list,
    inputs: Arrays,
    questions: list[dict[str, Any]],
    expected: list[list[np.ndarray]],
    *,
    num_parts: int = 1,
) -> Trial:
    """Questions to a tape that watches their xs, and a gradient for each of these."""

    def check(got: Any) -> Mismatch | str | None:
        for i, (answer, wanted) in enumerate(zip(got["answers"], expected, strict=True)):
            if isinstance(answer, dict):
                return f"it raised {answer['raised']}: {answer['text']}"
            for x, parts, one in zip(questions[i]["xs"], answer, wanted, strict=True):
                what = f"dL/d{x} of question {i + 1}"
                if len(parts) != num_parts:
                    return f"{what} has {len(parts)} parts, expected {num_parts}"
                if wrong := close(dense(parts), one, rtol=1e-9, what=what):
                    return wrong
        return None

    return call_trial(
        title, check, "gradients", program=program, inputs=inputs,
        watched=questions[0]["xs"], questions=questions, is_persistent=True,
    )  # fmt: skip


def dense(parts: list[np.ndarray]) -> np.ndarray | None:
    """A gradient from its parts: none, one, or the three of slices."""
    if len(parts) <= 1:
        return parts[0] if parts else None
    values, indices, shape = parts
    total = np.zeros(shape, values.dtype)
    np.add.at(total, indices, values)
    return total


def inputs_of(program: Program) -> list[str]:
    """The inputs that have gradients."""
    return [name for name in program.inputs if name in program.shapes]


def programs(draw: Draw, count: int, dtype: str = "float64") -> Iterator[Program]:
    """Programs of one to ten calls, from short to long."""
    for i in range(count):
        yield make_program(draw, 1 + i * 10 // count, dtype)


def questions_of(draw: Draw, program: Program, count: int) -> list[dict[str, Any]]:
    """Questions by chance: one to three ys, any xs, with weights and without."""
    dtype = next(iter(program.inputs.values())).dtype.name
    names = [name for step in program.steps for name in step["outputs"]][::-1]
    questions = []
    for _ in range(count):
        ys = [names[0], *draw.some_of(names[1:])][: draw.whole(1, 3)]
        ys += [ys[0]] if draw.coin(0.2) else []
        dys = [
            draw.array(program.shapes[y], dtype) if draw.coin(0.7) else None for y in ys
        ]
        xs = draw.shuffled(draw.some_of(inputs_of(program), 1))
        xs += [xs[0]] if draw.coin(0.2) else []
        questions.append({"ys": ys, "xs": xs, "dys": dys})
    return questions


def total_weights(ys: list[str], dys: list, values: dict[str, Any]) -> Arrays:
    """dL/dy for every y, added up where one is named twice."""
    total: Arrays = {}
    for y, dy in zip(ys, dys, strict=True):
        value = values[y].value
        one = np.ones(value.shape, value.dtype) if dy is None else np.asarray(dy)
        total[y] = total[y] + one if y in total else one
    return total


def gradients_of(
    program: list, inputs: Arrays, question: dict[str, Any], stopped: set[str]
) -> list[np.ndarray | None]:
    """dL/dx for every x of a question, by jets."""
    weights = total_weights(
        question["ys"], question["dys"], jets.run(program, inputs, stopped=())
    )
    return [
        jets.gradient(program, inputs, x, weights, stopped - {x}) for x in question["xs"]
    ]


def tape_trial(
    program: Program, questions: list[dict[str, Any]], *, watched: list[str], **how: Any
) -> Trial:
    """Gradients by a C++ tape, with the numbers of its records."""
    wide = {
        name: value.astype({"float32": "float64", "complex64": "complex128"}.get(
            value.dtype.name, value.dtype
        ))
        for name, value in program.inputs.items()
    }  # fmt: skip
    made, count = set(watched), 0
    for step in program.steps:
        if made & set(step["inputs"]):
            made |= set(step["outputs"])
            count += 1
    stopped = set(program.shapes) - made
    is_persistent = how.get("is_persistent", False)
    dtype = next(iter(program.inputs.values())).dtype.name

    def check(result: Any) -> Mismatch | str | None:
        answers, records = result["answers"], result["records"]
        if records[0] != count:
            return f"{records[0]} calls are recorded, expected {count}"
        for i, (question, got) in enumerate(zip(questions, answers, strict=True)):
            if i and not is_persistent:
                return wrong_error(got, "FailedPreconditionError", "persistent")
            if isinstance(got, dict):
                return f"question {i + 1}: it raised {got['raised']}: {got['text']}"
            expected = gradients_of(program.steps, wide, question, stopped)
            for x, parts, one in zip(question["xs"], got, expected, strict=True):
                what = f"question {i + 1}, dL/d{x}"
                if wrong := wrong_gradient(dense(parts), one, dtype, what):
                    return wrong
            if not is_persistent and records[i + 1]:
                return f"{records[i + 1]} records are kept after the gradient"
            if is_persistent and not how.get("asks_within") and records[i + 1] != count:
                return f"{records[i + 1]} records are left of {count}"
        if how.get("asks_within") and not result["is_recording"]:
            return "asked, it does not record any more"
        if not is_persistent and records[-1]:
            return f"asked, it has {records[-1]} records of what was called later"
        return None

    shown = "; ".join(
        f"d({', '.join(q['ys'])})/d({', '.join(q['xs'])})" for q in questions
    )
    kinds = ", ".join(f"{n} {describe(v)}" for n, v in program.inputs.items())
    title = f"{describe_program(program.steps)}, with {kinds}, watched {watched}: {shown}"
    return call_trial(
        title, check, "gradients", program=program.steps, inputs=program.inputs,
        watched=watched, questions=questions, **how,
    )  # fmt: skip


def known(function: str, arguments: dict[str, Any], expected: Any, title: str) -> Trial:
    """A call whose value is plain data."""
    return call_trial(title, equals(expected), function, **arguments)


def memory_trials(ask: str) -> Iterator[Trial]:
    """Chains on a tape that lets go of them in a way, or does not."""
    for length in (2, 30):
        # y and what a tape keeps, with room for two more; none where nothing is kept.
        kept = {"once": 4, "persistent": length + 3, "unwatched": 1}[ask]
        limits = {"forward": 1 if ask == "unwatched" else length + 2, "after": kept}

        def check(result: Any, limits: dict = limits) -> Mismatch | None:
            for when, limit in limits.items():
                got = result[when]
                if got > limit + 0.5:
                    return Mismatch(
                        f"{when}: too many tensors are alive",
                        expected=f"at most {limit}",
                        got=f"{got:.1f}",
                    )
            return None

        title = f"a chain of {length} Sin, {ask}"
        yield call_trial(title, check, "memory", length=length, ask=ask)
