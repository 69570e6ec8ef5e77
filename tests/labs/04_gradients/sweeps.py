"""Programs of calls that compute nothing, and what a sweep back must do with them.

A value is a number and has a type; a call takes values and makes values, and its gradient
function answers as it was told, with gradients of which only the origin is known, such
as "f2 to input 0". So what the sweep asks, and what it adds up, can be compared word by
word with the model here, which knows nothing but the text of the exercise.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial
from minitf_lab.judge.draw import Draw

HAVE_GRADIENTS = (
    "float32", "float64", "float16", "bfloat16", "complex64", "complex128", "resource"
)  # fmt: skip
HAVE_NONE = (
    "int32", "int64", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool",
    "string",
)  # fmt: skip
# What a call has in place of answers, and what that means.
NO_FUNCTION = {
    "missing": "nothing registered",
    "flat": "registered as having no gradient",
    "None": "with an empty function of its own",
}

# A gradient: how often each origin is in it, and whether all of that came in slices.
Gradient = tuple[Counter, bool]


@dataclass
class Sweep:
    """A program and a question.

    Attributes:
        types: Of every value; those behind the program's are the dys that are given.
        calls: Dicts of name, inputs, outputs, answers, as ``sweep_over`` takes them.
        dys: A number for every y, or -1 for ones; empty for ones everywhere.
    """

    types: list[str]
    calls: list[dict[str, Any]] = field(default_factory=list)
    ys: list[int] = field(default_factory=list)
    xs: list[int] = field(default_factory=list)
    dys: list[int] = field(default_factory=list)
    stopped: list[int] = field(default_factory=list)

    def has_gradient(self, value: int) -> bool:
        """Whether the type of a value has gradients."""
        return self.types[value] in HAVE_GRADIENTS

    def title(self) -> str:
        """The program and the question, as a person would write them."""

        def names(values: list[int]) -> str:
            return ", ".join(
                f"v{v}" if self.has_gradient(v) else f"v{v} ({self.types[v]})"
                for v in values
            )

        lines = []
        for call in self.calls:
            answers = call["answers"]
            how = NO_FUNCTION.get(str(answers), f"which answers {answers}")
            takes = names(call["inputs"])
            lines.append(f"{names(call['outputs'])} = {call['name']}({takes}), {how}")
        asked = f"gradients of {names(self.ys)} by {names(self.xs)}"
        stops = f", stopped {names(self.stopped)}" if self.stopped else ""
        return "; ".join([*lines, asked + stops])


# ---- The model ------------------------------------------------------------------------


@dataclass
class Expected:
    """What must come of a sweep.

    Attributes:
        is_error: Whether a call that must be asked has no gradient function.
        asked: What each call that is asked is given for its outputs.
        gradients: That of each x.
        most_sums: How many values have more than one contribution.
    """

    is_error: bool = False
    asked: dict[str, list[Gradient | None]] = field(default_factory=dict)
    gradients: list[Gradient | None] = field(default_factory=list)
    most_sums: int = 0


def _dependent(sweep: Sweep) -> set[int]:
    found = {x for x in sweep.xs if sweep.has_gradient(x)}
    for call in sweep.calls:
        if found & set(call["inputs"]):
            found |= {
                output
                for output in call["outputs"]
                if sweep.has_gradient(output) and output not in sweep.stopped
            }
    return found


def _total(contributions: list[Gradient]) -> Gradient | None:
    if not contributions:
        return None
    total = sum((origins for origins, _ in contributions), Counter())
    return total, all(is_rows for _, is_rows in contributions)


def _answer(told: str, name: str, i: int, dys: list) -> Gradient | None:
    if told == "none":
        return None
    if told.startswith("dy"):
        return dys[int(told[2:])]
    return Counter({f"{name} to input {i}": 1}), told == "rows"


def expected_of(sweep: Sweep) -> Expected:
    """What must come of a sweep."""
    result = Expected()
    dependent = _dependent(sweep)
    contributions: dict[int, list[Gradient]] = {}
    for i, y in enumerate(sweep.ys):
        given = sweep.dys[i] if sweep.dys else -1
        origin = f"ones for v{y}" if given < 0 else f"dys[{i}]"
        if sweep.has_gradient(y):
            contributions.setdefault(y, []).append((Counter({origin: 1}), False))
    for call in reversed(sweep.calls):
        if not dependent & set(call["inputs"]):
            continue
        dys = [
            None if v in sweep.stopped else _total(contributions.get(v, []))
            for v in call["outputs"]
        ]
        if call["answers"] in (None, "flat") or all(dy is None for dy in dys):
            continue
        if call["answers"] == "missing":
            return Expected(is_error=True)
        result.asked[call["name"]] = dys
        for i, value in enumerate(call["inputs"]):
            gradient = _answer(call["answers"][i], call["name"], i, dys)
            if gradient is not None and value in dependent:
                contributions.setdefault(value, []).append(gradient)
    result.gradients = [_total(contributions.get(x, [])) for x in sweep.xs]
    result.most_sums = sum(len(terms) > 1 for terms in contributions.values())
    return result


# ---- What came back -------------------------------------------------------------------


class _Record:
    """What a sweep has emitted, read as gradients."""

    def __init__(self, sweep: Sweep, result: dict[str, Any]) -> None:
        self.emitted = {output: (op, inputs) for op, inputs, output in result["emitted"]}
        self._origins = {
            made: Counter({f"{name} to input {i}": 1}) for made, name, i in result["made"]
        }
        for i, given in enumerate(sweep.dys):
            if given >= 0:
                self._origins[given] = Counter({f"dys[{i}]": 1})

    def origins(self, value: int) -> Counter:
        """How often each origin is in a value."""
        if value not in self._origins:
            self._origins[value] = self._origins_of_call(value)
        return self._origins[value]

    def _origins_of_call(self, value: int) -> Counter:
        op, inputs = self.emitted.get(value, ("", []))
        if op == "OnesLike":
            return Counter({f"ones for v{inputs[0]}": 1})
        if op == "UnsortedSegmentSum":  # slices made dense
            return self.origins(inputs[0])
        if op in {"AddN", "ConcatV2"}:
            terms = inputs if op == "AddN" else inputs[:-1]
            return sum((self.origins(term) for term in terms), Counter())
        return Counter({f"v{value}, which is no gradient": 1})

    def gradient(self, parts: list[int]) -> Gradient | None:
        return (self.origins(parts[0]), len(parts) == 3) if parts else None

    def num_sums(self) -> int:
        ops = [op for op, _ in self.emitted.values()]
        return ops.count("AddN") + ops.count("ConcatV2") // 2

    def other_ops(self) -> list[str]:
        usual = {"OnesLike", "AddN", "ConcatV2", "StridedSlice", "UnsortedSegmentSum"}
        return [op for op, _ in self.emitted.values() if op not in usual]


def _text(gradient: Gradient | None) -> str:
    if gradient is None:
        return "none"
    origins, is_rows = gradient
    terms = [
        f"{n} times {text}" if n > 1 else text for text, n in sorted(origins.items())
    ]
    return " + ".join(terms) + (" (slices)" if is_rows else "")


def _differ(got: Any, expected: Any, what: str) -> Mismatch | None:
    if got == expected:
        return None
    return Mismatch(f"{what}: wrong", expected=_text(expected), got=_text(got))


def _wrong_asked(
    asked: list, expected: dict[str, list], record: _Record
) -> Mismatch | None:
    names = [name for name, _ in asked]
    for name in sorted({*names, *expected}):
        wanted = 1 if name in expected else 0
        if names.count(name) != wanted:
            return Mismatch(
                f"how often the gradient of {name} is asked for: wrong",
                expected=str(wanted),
                got=str(names.count(name)),
            )
    for name, dys in asked:
        for i, (parts, dy) in enumerate(zip(dys, expected[name], strict=True)):
            what = f"dy[{i}] of {name}"
            if wrong := _differ(record.gradient(parts), dy, what):
                return wrong
    return None


def _wrong(sweep: Sweep, got: Any) -> Mismatch | str | None:
    expected = expected_of(sweep)
    if expected.is_error:
        named = isinstance(got, Raised) and "No gradient defined" in got.message
        return None if named else "it must raise: a call has no gradient function"
    if isinstance(got, Raised):
        return f"it raised {got.type}: {got.message}"
    record = _Record(sweep, got)
    if wrong := _wrong_asked(got["asked"], expected.asked, record):
        return wrong
    for x, parts, gradient in zip(
        sweep.xs, got["gradients"], expected.gradients, strict=True
    ):
        if wrong := _differ(record.gradient(parts), gradient, f"dL/dv{x}"):
            return wrong
    if record.num_sums() > expected.most_sums:
        many = f"it makes {record.num_sums()} sums"
        return f"{many}, of {expected.most_sums} values with more than one contribution"
    other = record.other_ops()
    return f"it calls {other[0]}, which nobody asked for" if other else None


def sweep_trial(sweep: Sweep) -> Trial:
    """One sweep, compared with the model."""
    arguments = {
        "types": sweep.types,
        "calls": sweep.calls,
        "request": {
            "ys": sweep.ys,
            "xs": sweep.xs,
            "dys": sweep.dys,
            "stopped": sweep.stopped,
        },
    }
    call = Call("sweep_over", arguments, may_raise=True)
    return Trial(sweep.title(), [call], lambda values: _wrong(sweep, values[0]))


# ---- Sweeps by chance -----------------------------------------------------------------


def _a_type(draw: Draw) -> str:
    if draw.coin(0.75):
        return "float32"
    return draw.one_of([*HAVE_GRADIENTS, *HAVE_NONE])


# What most calls of a sweep answer: new gradients, or slices.
MOODS = (("new", "new", "new", "rows"), ("new", "rows"), ("rows",))


def _answers(
    draw: Draw, sweep: Sweep, inputs: list[int], num_outputs: int, mood: tuple
) -> Any:
    if draw.coin(0.08):
        return draw.one_of([None, "flat", "missing"])
    told = [*mood, "none", *(f"dy{i}" for i in range(num_outputs))]
    if draw.coin(0.15):
        told = [draw.one_of(told)]  # the same for every input
    return [
        draw.one_of(told) if sweep.has_gradient(value) or draw.coin(0.3) else "none"
        for value in inputs
    ]


def make_sweep(draw: Draw, num_calls: int, num_stops: int) -> Sweep:
    """A program by chance, of some calls, most often one in which a call is asked."""
    while True:
        sweep = _any_sweep(draw, num_calls, num_stops)
        expected = expected_of(sweep)
        if expected.asked or expected.is_error or draw.coin(0.15):
            return sweep


def _any_sweep(draw: Draw, num_calls: int, num_stops: int) -> Sweep:
    sweep = Sweep([_a_type(draw) for _ in range(draw.whole(1, 3))])
    mood = draw.one_of(MOODS)
    for i in range(num_calls):
        known = list(range(len(sweep.types)))
        newest = known[-3:]
        inputs = [
            draw.one_of(newest if draw.coin(0.6) else known)
            for _ in range(draw.whole(0, 3) or 1)
        ]
        if draw.coin(0.1):
            inputs = [inputs[0]] * draw.whole(2, 4)
        num_outputs = draw.one_of([1, 1, 1, 1, 2, 2, 3, 4]) if draw.coin(0.97) else 0
        outputs = [len(sweep.types) + i for i in range(num_outputs)]
        sweep.types += [_a_type(draw) for _ in outputs]
        sweep.calls.append({
            "name": f"f{i}",
            "inputs": inputs if draw.coin(0.95) else [],
            "outputs": outputs,
        })  # fmt: skip
        answers = _answers(draw, sweep, sweep.calls[-1]["inputs"], len(outputs), mood)
        sweep.calls[-1]["answers"] = answers
    values = list(range(len(sweep.types)))
    num_ys = draw.whole(1, 3) if draw.coin(0.97) else 0
    sweep.ys = [draw.one_of(values[-4:]) for _ in range(num_ys)]
    early = values[: 2 + len(values) // 2]
    num_xs = draw.whole(1, 4) if draw.coin(0.97) else 0
    sweep.xs = [draw.one_of(early) for _ in range(num_xs)]
    sweep.stopped = [draw.one_of(values) for _ in range(num_stops)]
    if draw.coin():
        for y in sweep.ys:
            is_given = draw.coin(0.7)
            sweep.dys.append(len(sweep.types) if is_given else -1)
            sweep.types += [sweep.types[y]] if is_given else []
    return sweep


def make_fan(draw: Draw, num_uses: int) -> Sweep:
    """A value that is used by some calls, some of which hand on what they are given.

    What they are given is new, or slices: so the value gets one gradient several times,
    as slices or not, beside others.
    """
    sweep = Sweep(["float32"], xs=[0])
    for i in range(num_uses):
        times = draw.whole(1, 3)
        used, read = 2 * i + 1, 2 * i + 2
        sweep.types += ["float32", "float32"]
        told = ["dy0"] if draw.coin(0.6) else ["dy0", "new", "rows", "none"]
        answers = [draw.one_of(told) for _ in range(times)]
        sweep.calls += [
            {
                "name": f"f{i}",
                "inputs": [0] * times,
                "outputs": [used],
                "answers": answers,
            },
            {
                "name": f"g{i}",
                "inputs": [used],
                "outputs": [read],
                "answers": [draw.one_of(["rows", "rows", "new", "dy0"])],
            },
        ]
        sweep.ys.append(read)
    if draw.coin(0.2):
        sweep.xs += [0, 1]
    return sweep


def make_paths(draw: Draw, length: int) -> Sweep:
    """Paths side by side, each of which may begin at an x and be stopped on the way.

    Now and then a call takes the end of another path, too. So there is much that is made
    of stopped values alone, some of it by calls without a gradient function.
    """
    sweep = Sweep(["float32"] * draw.whole(1, 3))
    ends = list(range(len(sweep.types)))
    sweep.xs = draw.some_of(ends, 1)
    for i in range(length * len(ends)):
        path = i % len(ends)
        inputs = [ends[path]]
        if draw.coin(0.15):
            inputs.append(draw.one_of(ends))
        output = len(sweep.types)
        sweep.types.append("float32")
        answers = [draw.one_of(["new", "new", "dy0", "rows"]) for _ in inputs]
        sweep.calls.append({
            "name": f"f{i}",
            "inputs": inputs,
            "outputs": [output],
            "answers": "missing" if draw.coin(0.1) else answers,
        })  # fmt: skip
        ends[path] = output
        if draw.coin(1 / (1 + length)):
            sweep.stopped.append(output)
    sweep.ys = draw.some_of(ends, 1)
    return sweep
