"""What trials of lab 06 are made of: optimizers, names and rates in plain numpy.

Settings are 32-bit numbers, whatever the type of the variables is, unless they are given
as tensors of float64; and so are the powers that Adam keeps. All else is computed with 64
bits.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_common.checks import call_trial

from minitf_lab.judge.case import Mismatch, Trial, close, describe
from minitf_lab.judge.draw import Draw

TOLERANCE = {"float32": 2e-5, "float64": 1e-9}
MODES = ("graph", "eager")

Gradient = Any  # an array, a pair of values and indices, or None


# ---- Optimizers -----------------------------------------------------------------------


AS_TENSORS = {"learning_rate", "momentum", "decay", "beta1", "beta2", "epsilon"}


def _kept(value: Any, is_exact: bool) -> Any:
    is_exact = is_exact or isinstance(value, (bool, str))
    return value if is_exact else float(np.float32(value))


class Model:
    """An optimizer of one variable, in numpy.

    The powers of Adam have the type of its betas: float64 if the settings that are given
    are tensors of that type.
    """

    def __init__(
        self,
        kind: str,
        options: dict[str, Any],
        start: np.ndarray,
        power: Any = np.float32,
    ) -> None:
        defaults = {
            "GradientDescent": {},
            "Momentum": {"use_nesterov": False},
            "Adagrad": {"initial_accumulator_value": 0.1},
            "RMSProp": {
                "decay": 0.9, "momentum": 0.0, "epsilon": 1e-10, "centered": False,
            },
            "Adadelta": {"rho": 0.95, "epsilon": 1e-8},
            "Ftrl": {
                "initial_accumulator_value": 0.1, "learning_rate_power": -0.5,
                "l1_regularization_strength": 0.0, "l2_regularization_strength": 0.0,
                "l2_shrinkage_regularization_strength": 0.0,
            },
            "Adam": {
                "learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8,
            },
        }[kind]  # fmt: skip
        given = {**defaults, **options}
        self.kind = kind
        exact = {"initial_accumulator_value"}
        if power is np.float64:
            exact |= {*options} & AS_TENSORS
        self.set = {name: _kept(value, name in exact) for name, value in given.items()}
        self.w = start.astype(np.float64)
        first = 1.0 if kind == "RMSProp" else 0.0
        first = self.set.get("initial_accumulator_value", first)
        self.a = np.full(start.shape, first)
        self.b = np.zeros(start.shape)
        self.c = np.zeros(start.shape)
        self.power = power
        self.powers = [power(self.set.get(f"beta{i}", 0)) for i in (1, 2)]

    def step(self, gradient: Gradient) -> None:
        """One step."""
        if gradient is None:
            return
        if not isinstance(gradient, tuple):
            self._change(gradient.astype(np.float64), np.s_[...])
            return
        values, indices = gradient
        total = np.zeros(self.w.shape)
        np.add.at(total, indices, values.astype(np.float64))
        if self.kind == "Adam":
            self._change(total, np.s_[...])
        else:
            rows = np.unique(indices)
            self._change(total[rows], rows)

    def after(self, gradient: Gradient) -> np.ndarray:
        """The value after one more step, in which no other variable changes."""
        with np.errstate(all="ignore"):
            self.step(gradient)
        self.advance()
        return self.w.astype("f")

    def advance(self) -> None:
        """What follows the changes of all variables."""
        for i in (0, 1):
            factor = self.power(self.set.get(f"beta{i + 1}", 0))
            self.powers[i] = self.power(self.powers[i] * factor)

    def _change(self, g: np.ndarray, at: Any) -> None:
        getattr(self, f"_{self.kind.lower()}")(g, at, self.set["learning_rate"])

    def _gradientdescent(self, g: np.ndarray, at: Any, lr: float) -> None:
        self.w[at] -= lr * g

    def _momentum(self, g: np.ndarray, at: Any, lr: float) -> None:
        momentum = self.set["momentum"]
        self.a[at] = momentum * self.a[at] + g
        ahead = g + momentum * self.a[at] if self.set["use_nesterov"] else self.a[at]
        self.w[at] -= lr * ahead

    def _adagrad(self, g: np.ndarray, at: Any, lr: float) -> None:
        self.a[at] += g * g
        self.w[at] -= lr * g / np.sqrt(self.a[at])

    def _rmsprop(self, g: np.ndarray, at: Any, lr: float) -> None:
        decay = self.set["decay"]
        self.a[at] = decay * self.a[at] + (1 - decay) * g * g
        self.b[at] = decay * self.b[at] + (1 - decay) * g
        spread = self.a[at] - self.b[at] ** 2 if self.set["centered"] else self.a[at]
        change = lr * g / np.sqrt(spread + self.set["epsilon"])
        self.c[at] = self.set["momentum"] * self.c[at] + change
        self.w[at] -= self.c[at]

    def _adadelta(self, g: np.ndarray, at: Any, lr: float) -> None:
        rho, epsilon = self.set["rho"], self.set["epsilon"]
        self.a[at] = rho * self.a[at] + (1 - rho) * g * g
        change = g * np.sqrt(self.b[at] + epsilon) / np.sqrt(self.a[at] + epsilon)
        self.b[at] = rho * self.b[at] + (1 - rho) * change * change
        self.w[at] -= lr * change

    def _ftrl(self, g: np.ndarray, at: Any, lr: float) -> None:
        power = -self.set["learning_rate_power"]
        l1, l2, shrinkage = (
            self.set[f"{name}_regularization_strength"]
            for name in ("l1", "l2", "l2_shrinkage")
        )
        before, self.a[at] = self.a[at] ** power, self.a[at] + g * g
        after = self.a[at] ** power
        ahead = g + 2 * shrinkage * self.w[at]
        self.b[at] += ahead - (after - before) / lr * self.w[at]
        rest = np.sign(self.b[at]) * np.maximum(np.abs(self.b[at]) - l1, 0)
        self.w[at] = -rest / (after / lr + 2 * l2)

    def _adam(self, g: np.ndarray, at: Any, lr: float) -> None:
        beta1, beta2 = self.set["beta1"], self.set["beta2"]
        power1, power2 = (float(power) for power in self.powers)
        self.a[at] = beta1 * self.a[at] + (1 - beta1) * g
        self.b[at] = beta2 * self.b[at] + (1 - beta2) * g * g
        rate = lr * np.sqrt(1 - power2) / (1 - power1)
        self.w[at] -= rate * self.a[at] / (np.sqrt(self.b[at]) + self.set["epsilon"])


def gradient_of(
    draw: Draw,
    shape: tuple[int, ...],
    dtype: str,
    form: str,
    index: str = "int32",
    kind: str = "signed",
) -> Gradient:
    """A gradient: ``dense``, ``rows``, ``twice`` (rows that come twice) or ``none``.

    Its numbers are of a kind that ``draw.array`` knows.
    """
    if form == "none":
        return None
    if form == "dense":
        return draw.array(shape, dtype, kind)
    rows = draw.shuffled(range(shape[0]))[: draw.whole(0, shape[0])]
    if form == "twice":
        rows = [draw.whole(0, shape[0] - 1) for _ in range(draw.whole(1, 6))]
        rows = draw.shuffled([*rows, rows[0]])
    values = draw.array((len(rows), *shape[1:]), dtype, kind)
    return values, np.array(rows, index)


def train_trial(
    draw: Draw,
    kind: str,
    options: dict[str, Any],
    shapes: list[tuple[int, ...]],
    forms: list[str],
    *,
    dtype: str = "float32",
    num_steps: int = 100,
    mode: str = "graph",
    as_what: str = "number",
    index: str = "int32",
    numbers: str = "signed",
) -> Trial:
    """Steps of an optimizer, compared with the model's.

    Each variable has a shape, and a form of its gradient (``gradient_of``); ``as_what``
    is what settings are (``optimizer_of`` in ``steps.py``).
    """
    starts = [draw.array(shape, dtype) for shape in shapes]
    steps = [
        [
            gradient_of(draw, s, dtype, f, index, numbers)
            for s, f in zip(shapes, forms, strict=True)
        ]
        for _ in range(num_steps)
    ]

    def check(result: Any) -> Mismatch | str | None:
        power = np.float64 if as_what in ("double", "numpy") else np.float32
        models = [Model(kind, options, start, power) for start in starts]
        shown = iter(result["values"])
        for i, gradients in enumerate(steps):
            for model, gradient in zip(models, gradients, strict=True):
                with np.errstate(all="ignore"):
                    model.step(gradient)
                model.advance()
            if i not in (0, 1, 9, num_steps - 1):
                continue
            for j, (model, got) in enumerate(zip(models, next(shown), strict=True)):
                expected = model.w.astype(dtype)
                scale = TOLERANCE[dtype] * max(1, i / 10)
                what = f"w{j} after step {i + 1}"
                if wrong := close(got, expected, rtol=scale, atol=scale, what=what):
                    return wrong
        if result["steps"] != num_steps:
            return f"{num_steps} steps are counted as {result['steps']}"
        return None

    settings = ", ".join(f"{name}={value}" for name, value in options.items())
    shown_kinds = ", ".join(
        f"{describe(start)} ({form})" for start, form in zip(starts, forms, strict=True)
    )
    form = "" if as_what == "number" else f", settings by {as_what}"
    title = f"{num_steps} steps of {kind}({settings}) in {mode} mode{form}: {shown_kinds}"
    return call_trial(
        title, check, "train", kind=kind, options=options, starts=starts, steps=steps,
        mode=mode, as_what=as_what,
    )  # fmt: skip


def after_steps(what: str, count: int) -> list[str]:
    """Names of the values after each step."""
    return [f"{what} after step {i + 1}" for i in range(count)]


def shapes_of_rows(draw: Draw) -> Iterator[tuple[int, ...]]:
    """Shapes of variables that have rows."""
    yield (1,)
    yield (3,)
    for rank in range(2, 5):
        yield draw.shape(rank)


# ---- Names ----------------------------------------------------------------------------


class Names:
    """Which names of a graph are taken."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def unique(self, name: str) -> str:
        """``name``, with the first number that is free if it is taken."""
        free, number = name, 0
        while free.lower() in self.taken:
            number += 1
            free = f"{name}_{number}"
        self.taken.add(free.lower())
        return free


def names_of(program: list) -> list:
    """What the driver's ``name_scopes`` must give for a program without bad names."""
    names, kept, out = Names(), [], []

    def below(scope: str, name: str) -> str:
        return names.unique(f"{scope}/{name}" if scope else name)

    def walk(steps: list, scope: str) -> None:
        for kind, name, *body in steps:
            if kind == "node":
                out.append(below(scope, name))
                continue
            if kind == "escape":
                return
            name = kept[name] if kind == "again" else name
            if not name:
                inner = ""
            else:
                inner = name[:-1] if name.endswith("/") else below(scope, name)
            kept.append(f"{inner}/" if inner else "")
            out.append(kept[-1])
            walk(body[0], inner)
            out.append(f"in {scope}")

    walk(program, "")
    return out


def scopes_trial(program: list, expected: list | None = None) -> Trial:
    """Opens scopes, and compares all names."""
    expected = names_of(program) if expected is None else expected

    def check(got: Any) -> Mismatch | None:
        for i, (one, other) in enumerate(zip(got, expected, strict=False)):
            if one != other:
                return Mismatch(f"name {i} is wrong", expected=f"{other}", got=f"{one}")
        if len(got) != len(expected):
            return Mismatch(f"there are {len(got)} names, expected {len(expected)}")
        return None

    return call_trial(f"the steps {program}", check, "name_scopes", program=program)


def no_pairs(found: list[list[str]]) -> str | None:
    """A look at pairs of nodes that use one variable in no order."""
    if not found:
        return None
    variable, one, other = found[0]
    return f"{one} and {other} use {variable}, and nothing says which of them runs first"


# ---- Checks ---------------------------------------------------------------------------


def error_with(kind: str, *words: str) -> Any:
    """A check that the only value is such an error, whose text has these words."""

    def check(values: list[Any]) -> str | None:
        return wrong_error(values[0], kind, *words)

    return check


def wrong_error(got: Any, kind: str, *words: str) -> str | None:
    """What is wrong with an error as the driver gives it."""
    if not isinstance(got, dict) or "raised" not in got:
        return f"nothing is raised, expected {kind}; there is {describe(got)}"
    if got["raised"] != kind:
        return f"{got['raised']} is raised, expected {kind}: {got['text']}"
    missing = [word for word in words if word not in got["text"]]
    if missing:
        return f"the error does not say {missing[0]!r}: {got['text']}"
    return None
