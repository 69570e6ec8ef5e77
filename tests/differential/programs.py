"""Cases: calls of a function as programs, in graph mode and in eager mode.

A case is plain data, from which its program is written; so it can be made smaller piece
by piece when the two frameworks disagree about it (``shrink.py``).
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

import hidden
import numpy as np
from draw import OMITTED, Draw, add_tensor, draw_value
from values import TensorArg, array_text, literal_text

SPOIL = 0.3  # how many calls have something wrong on purpose
HIDDEN = 0.15  # of how many cases only the step knows the shapes


@dataclass
class Entry:
    """A line of a table: a function, and what its arguments may be.

    Attributes:
        function: its name below ``tf``.
        args, kwargs: values and Specs.
        aliases: other names of the same function.
        modes: in which modes it is called.
        gradients: up to which order derivatives are taken.
        values: False where only types and shapes are compared, as for random numbers.
        has_name: whether it takes ``name=``.
        exact: whether every number is compared by itself, however small.
        signs: whether -0.0 is another number than 0.0.
        make: in place of a call: what writes a whole program.
    """

    function: str
    args: tuple = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    modes: tuple[str, ...] = ("graph", "eager")
    gradients: int = 2
    values: bool = True
    has_name: bool = True
    exact: bool = False
    signs: bool = False
    weight: float = 1.0
    make: Callable[[Draw], str] | None = None
    covers: tuple[str, ...] = ()


OPTIONS = frozenset(field.name for field in fields(Entry)) - {
    "function",
    "args",
    "kwargs",
}


def call(function: str, *args: Any, **kwargs: Any) -> Entry:
    """A line of a table. What an ``Entry`` takes may stand among the arguments."""
    options = {key: kwargs.pop(key) for key in OPTIONS & set(kwargs)}
    return Entry(function, args, kwargs, **options)


def program(function: str, make: Callable[[Draw], str], **options: Any) -> Entry:
    """A line of a table whose cases are whole programs."""
    return Entry(function, make=make, **options)


@dataclass
class Case:
    """A call with its arguments, or a program.

    Attributes:
        text: the program, if it is not a call.
        hidden: whether only the step knows its shapes.
        with_shapes: then, the program with static shapes.
    """

    entry: Entry
    mode: str
    function: str = ""
    args: list[Any] = field(default_factory=list)
    kwargs: dict[str, Any] = field(default_factory=dict)
    order: int = 0
    weights: str = "none"
    text: str = ""
    hidden: bool = False
    with_shapes: str = ""

    def tensors(self) -> Iterator[TensorArg]:
        """The tensors among the arguments, in order."""
        yield from _tensors_in([*self.args, *self.kwargs.values()])

    def program(self) -> str:
        """The program of this case."""
        if self.text:
            return self.text
        return _in_graph(self) if self.mode == "graph" else _eagerly(self)


def _tensors_in(value: Any) -> Iterator[TensorArg]:
    if isinstance(value, TensorArg):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors_in(item)


def draw_case(entry: Entry, pick: random.Random, always_hidden: bool = False) -> Case:
    """A new case of ``entry``, whose shapes may be hidden in graph mode."""
    hides = "graph" in entry.modes and (always_hidden or pick.random() < HIDDEN)
    if pick.random() < SPOIL + 0.2 * hides:
        try:
            return _draw(entry, Draw(pick, spoil=0.25, hidden=hides))
        except (IndexError, ValueError):
            pass  # what is wrong leaves no choice for what depends on it
    return _draw(entry, Draw(pick, hidden=hides))


def with_shapes(case: Case) -> Case:
    """The same case, with static shapes."""
    known = {id(arg): replace(arg, known="constant") for arg in case.tensors()}
    args = replace_tensors(case.args, known)
    kwargs = replace_tensors(case.kwargs, known)
    return replace(case, args=args, kwargs=kwargs, text=case.with_shapes, hidden=False)


def replace_tensors(value: Any, others: dict[int, TensorArg]) -> Any:
    """``value`` with the tensors in it replaced by ``others``, which are found by id."""
    if isinstance(value, (list, tuple)):
        return type(value)(replace_tensors(item, others) for item in value)
    if isinstance(value, dict):
        return {key: replace_tensors(item, others) for key, item in value.items()}
    return others.get(id(value), value)


def _draw(entry: Entry, draw: Draw) -> Case:
    pick = draw.pick
    mode = "graph" if draw.hidden else pick.choice(entry.modes)
    if entry.make is not None:
        text = entry.make(draw)
        case = Case(entry, mode, entry.function, text=text, hidden=draw.hidden)
        if draw.hidden:
            case.text, case.with_shapes = hidden.without_shapes(text), text
        return case
    kwargs: dict[str, Any] = {}
    args = [draw_value(value, draw) for value in entry.args]
    for key, value in entry.kwargs.items():
        drawn = draw_value(value, draw)
        if key == "**":
            kwargs |= drawn
        elif drawn is not OMITTED:
            kwargs[key] = drawn
    if entry.has_name and pick.random() < 0.2:
        kwargs["name"] = pick.choice(("n", "my_name", "a/b"))
    for i, value in enumerate(args):
        if value is OMITTED:
            args = args[:i]
            break
    if draw.hidden and entry.values:
        args = [_in_tensor(value, draw) for value in args]
        kwargs = {key: _in_tensor(value, draw) for key, value in kwargs.items()}
    return Case(
        entry,
        mode,
        pick.choice((entry.function, *entry.aliases)),
        args,
        kwargs,
        pick.randint(0, entry.gradients),
        pick.choice(("none", "weights", "weights", "zeros")),
        hidden=draw.hidden,
    )


def _in_tensor(value: Any, draw: Draw) -> Any:
    """A number or a list of them, now and then in a tensor that only the step knows."""
    kinds = {type(item) for item in (value if isinstance(value, list) else [value])}
    dtype = "int32" if kinds == {int} else "float32" if kinds == {float} else None
    if dtype is None or np.max(np.abs(value)) >= 2**31 or not draw.chance(0.2):
        return value
    return add_tensor(draw, np.array(value, dtype), dtype)


GRAPH = "with tf.Graph().as_default() as graph, tf.Session() as session:\n"


def in_graph(lines: list[str]) -> str:
    """A program that runs ``lines`` with a new graph and a session."""
    return GRAPH + "".join(f"    {line}\n" for line in lines)


# ---- Writing ---------------------------------------------------------------------------


def _text_of(value: Any) -> str:
    if isinstance(value, TensorArg):
        return literal_text(value) if value.how == "literal" else value.name
    if isinstance(value, list):
        return "[" + ", ".join(_text_of(item) for item in value) + "]"
    if isinstance(value, tuple):
        return "(" + "".join(_text_of(item) + ", " for item in value) + ")"
    return repr(value)


def call_text(case: Case) -> str:
    """The call itself, as an expression."""
    parts = [_text_of(value) for value in case.args]
    parts += [f"{key}={_text_of(value)}" for key, value in case.kwargs.items()]
    return f"tf.{case.function}({', '.join(parts)})"


def _constant(arg: TensorArg) -> str:
    text = f"tf.constant({array_text(arg.array, arg.dtype)}"
    if arg.dtype == "bfloat16":
        return f"tf.cast({text}), tf.bfloat16)"
    return f"{text}, tf.string)" if arg.dtype == "string" else f"{text})"


def _xs(case: Case) -> list[str]:
    return [
        arg.name
        for arg in case.tensors()
        if arg.how == "tensor" and arg.dtype.startswith(("float", "bfloat"))
    ]


def _weights(case: Case, ys: str) -> str:
    return {
        "none": "None",
        "weights": f"weights({ys})",
        "zeros": f"[tf.zeros_like(item) for item in {ys}]",
    }[case.weights]


def _in_graph(case: Case) -> str:
    lines, feed = [], []
    for arg in case.tensors():
        if arg.how == "literal":
            continue
        if arg.known == "constant":
            lines.append(f"{arg.name} = {_constant(arg)}")
            continue
        lines.append(
            f'{arg.name} = tf.placeholder(tf.{arg.dtype}, {arg.known}, name="{arg.name}")'
        )
        array = array_text(arg.array, arg.dtype)
        if arg.dtype == "bfloat16":
            array += ".astype(tf.bfloat16.as_numpy_dtype)"
        feed.append(f"{arg.name}: {array}")
    lines.append(f"feed = {{{', '.join(feed)}}}")
    lines.append(f"y = {call_text(case)}")
    lines.append('show("y", y)')
    shows = (
        'show("value", session.run(flat(y), feed))'
        if case.entry.values
        else 'show("sizes", [item.shape for item in session.run(flat(y), feed)])'
    )
    lines.append(shows)
    xs = _xs(case)
    if case.order and xs:
        lines.append("ys = real(y)")
        weights = _weights(case, "ys")
        lines.append(f"d = tf.gradients(ys, [{', '.join(xs)}], {weights}) if ys else []")
        lines.append('show("d", [item is not None for item in d])')
        lines.append('show("first", session.run(flat(d), feed))')
    if case.order == 2 and xs:
        lines.append("ds = real(d)")
        lines.append(
            f"dd = tf.gradients(ds, [{', '.join(xs)}], weights(ds)) if ds else []"
        )
        lines.append('show("dd", [item is not None for item in dd])')
        lines.append('show("second", session.run(flat(dd), feed))')
    return in_graph(lines)


def _eagerly(case: Case) -> str:
    lines = [
        f"{arg.name} = {_constant(arg)}" for arg in case.tensors() if arg.how != "literal"
    ]
    xs = ", ".join(_xs(case))
    shows = 'show("value", flat(y))'
    if not case.entry.values:
        shows = 'show("sizes", [item.shape for item in flat(y)])'
    if not case.order or not xs:
        lines += [f"y = {call_text(case)}", shows]
        return "\n".join(lines) + "\n"
    inner = [
        f"    inner.watch([{xs}])",
        f"    y = {call_text(case)}",
        "    ys = real(y)",
    ]
    first = f"d = inner.gradient(ys, [{xs}], {_weights(case, 'ys')}) if ys else []"
    shown = [shows, 'show("d", [item is not None for item in d])']
    shown.append('show("first", flat(d))')
    if case.order == 1:
        lines += ["with tf.GradientTape() as inner:", *inner, first, *shown]
        return "\n".join(lines) + "\n"
    lines += ["with tf.GradientTape() as outer:", f"    outer.watch([{xs}])"]
    lines += ["    with tf.GradientTape() as inner:"] + [f"    {line}" for line in inner]
    lines += [f"    {first}", "    ds = real(d)", *shown]
    lines.append(f"dd = outer.gradient(ds, [{xs}], weights(ds)) if ds else []")
    lines.append('show("dd", [item is not None for item in dd])')
    lines.append('show("second", flat(dd))')
    return "\n".join(lines) + "\n"
