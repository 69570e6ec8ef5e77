"""Lab 06, tasks 5 and 8: what a step calls, steps within steps, and further rules."""

from typing import Any

import numpy as np
from lab_06_training.trials import MODES, Model, gradient_of, train_trial

from minitf_lab.judge.case import Call, Mismatch, Trial, case
from minitf_lab.judge.draw import REAL, Draw

# ---- 06.5 Applying gradients ----------------------------------------------------------


def _expected_calls(
    names: list[str], pairs: list[tuple[int, Any]]
) -> list[tuple[str, str]]:
    """The methods and their scopes."""
    there = [names[i] for i, gradient in pairs if gradient is not None]
    if not there:
        return [("error", "")]
    calls = [(f"slots {' '.join(dict.fromkeys(there))}", "outer")]
    calls.append(("settings", "outer/step"))
    for k, name in enumerate(there):
        number = there[:k].count(name)
        scope = f"outer/step/update_{name}" + (f"_{number}" if number else "")
        calls.append((f"change {name}", scope))
    return [*calls, ("end", "outer/step")]


def _in_one_order(calls: list[tuple[str, str]], mode: str) -> list[tuple[str, str]]:
    """The same calls, variables by name: in which order they come is not asked for."""

    def plain(what: str, scope: str) -> tuple[str, str]:
        kind, *names = what.split()
        is_free = mode == "eager" and kind == "change"
        return " ".join([kind, *sorted(names)]), "any" if is_free else scope

    calls = [plain(*call) for call in calls]
    changes = iter(sorted(call for call in calls if call[0].startswith("change")))
    return [next(changes) if call[0].startswith("change") else call for call in calls]


def _calls_trial(names: list[str], pairs: list, counts: bool, mode: str) -> Trial:
    expected = _in_one_order(_expected_calls(names, pairs), mode)

    def check(values: list[Any]) -> Mismatch | str | None:
        got = _in_one_order(values[0], mode)
        for i, (one, other) in enumerate(zip(got, expected, strict=False)):
            if one != other:
                where = "call {} is {}, in the name scope {!r}"
                return f"{where.format(i, *one)}; expected {other[0]}, in {other[1]!r}"
        if len(got) != len(expected):
            return f"there are {len(got)} calls, expected {len(expected)}: {expected}"
        return None

    arguments = {"names": names, "pairs": pairs, "counts": counts, "mode": mode}
    shown = ", ".join(
        f"{names[i]} ({'no gradient' if gradient is None else 'a gradient'})"
        for i, gradient in pairs
    )
    title = f"the methods that a step of {shown} calls, {mode} mode"
    return Trial(title, [Call("calls_of_a_step", arguments)], check)


def _some_pairs(draw: Draw, numbers: list[int]) -> list[tuple[int, Any]]:
    forms = ["dense", "rows", "twice", "none"]
    return [
        (i, gradient_of(draw, (3, 2), "float32", draw.one_of(forms))) for i in numbers
    ]


@case("06.5", over=MODES)
def calls_in_turn(draw, mode):
    """A step makes slots, settings, changes, and its end, each in its name scope."""
    names = ["w", "a/w", "a/b/v", "V"]
    for numbers in ([0], [1], [0, 1], [2, 0], [3, 1, 2], [0, 0], [1, 2, 1, 1], [2, 1, 0]):
        for counts in (False, True):
            yield _calls_trial(names, _some_pairs(draw, numbers), counts, mode)
    nothing = [(i, None) for i in range(3)]
    for count in (1, 2, 3):
        yield _calls_trial(names, nothing[:count], count == 2, mode)


# ---- 06.8 A step that is one op -------------------------------------------------------

_STRENGTHS = {"l1_regularization_strength": 0.05, "l2_regularization_strength": 0.3}
FURTHER = {
    "adadelta": ("Adadelta", {"learning_rate": 0.5, "rho": 0.8, "epsilon": 1e-3}),
    "ftrl": ("Ftrl", {"learning_rate": 0.2, "learning_rate_power": -0.6, **_STRENGTHS}),
    "shrinking": (
        "Ftrl", {"learning_rate": 0.2, "l2_shrinkage_regularization_strength": 0.1},
    ),
    "proximal": ("ProximalGradientDescent", {"learning_rate": 0.1, **_STRENGTHS}),
    "proximal_adagrad": ("ProximalAdagrad", {"learning_rate": 0.1, **_STRENGTHS}),
}  # fmt: skip


@case("06.8", over=FURTHER)
def rules_of_other_optimizers(draw, name):
    """Any op can be called, in whatever order it has its inputs."""
    kind, options = FURTHER[name]
    for mode in MODES:
        for forms in (["dense"], ["rows"], ["dense", "rows"]):
            shapes = [(3, 2), (4,)][: len(forms)]
            yield train_trial(
                draw, kind, options, shapes, forms, num_steps=10, mode=mode,
                dtype=draw.one_of(REAL),
            )  # fmt: skip


@case("06.8")
def steps_within_steps(_draw):
    """The settings of an optimizer are its own, also while another one takes a step."""
    for rates in ((0.5, 0.125), (0.25, 1.0)):
        outer, inner = (
            {"learning_rate": rate, "momentum": momentum}
            for rate, momentum in zip(rates, (0.75, 0.25), strict=True)
        )

        def check(
            values: list[Any], outer: dict = outer, inner: dict = inner
        ) -> Mismatch | None:
            models = [Model("Momentum", one, np.zeros([])) for one in (outer, inner)]
            expected = []
            for _ in values[0]:
                for model in models:
                    model.step(np.ones([]))
                expected.append([float(model.w) for model in models])
            if values[0] == expected:
                return None
            return Mismatch("wrong", expected=str(expected), got=str(values[0]))

        arguments = {"outer": outer, "inner": inner, "num_steps": 3}
        title = f"Momentum {outer}, which takes a step of Momentum {inner} as it is asked"
        yield Trial(title, [Call("steps_within_steps", arguments)], check)
