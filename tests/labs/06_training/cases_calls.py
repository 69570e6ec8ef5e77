"""Lab 06, tasks 5 and 7 to 9: what a step calls and waits for, and further rules."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_06_training.cases_steps import MOMENTUM, OF_ONE_OP, RMSPROP, SPARSE
from lab_06_training.trials import (
    MODES,
    Model,
    after_steps,
    gradient_of,
    no_pairs,
    train_trial,
)
from lab_common.checks import are_close, call_trial, equals

from minitf_lab.judge.case import Mismatch, Trial, case, close
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

    def check(result: Any) -> Mismatch | str | None:
        got = _in_one_order(result, mode)
        for i, (one, other) in enumerate(zip(got, expected, strict=False)):
            if one != other:
                where = "call {} is {}, in the name scope {!r}"
                return f"{where.format(i, *one)}; expected {other[0]}, in {other[1]!r}"
        if len(got) != len(expected):
            return f"there are {len(got)} calls, expected {len(expected)}: {expected}"
        return None

    shown = ", ".join(
        f"{names[i]} ({'no gradient' if gradient is None else 'a gradient'})"
        for i, gradient in pairs
    )
    title = f"the methods that a step of {shown} calls, {mode} mode"
    return call_trial(
        title, check, "calls_of_a_step", names=names, pairs=pairs, counts=counts,
        mode=mode,
    )  # fmt: skip


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


def several_steps_trial(
    rule: tuple[str, dict], forms: list[str], as_what: str, constrained: bool = False
) -> Trial:
    kind, options = rule
    title = (
        f"steps of {kind}, each after all variables were set, gradients {forms}, "
        f"settings by {as_what}{', a constraint' if constrained else ''}"
    )
    return call_trial(
        title, no_pairs, "order_of_several_steps", kind=kind, options=options,
        forms=forms, as_what=as_what, constrained=constrained,
    )  # fmt: skip


def _after_rates(
    kind: str, options: dict, gradient: Any, start: np.ndarray, rates: list[float]
) -> np.ndarray:
    """The value after steps with one gradient, each with a rate of its own."""
    model = Model(kind, options, start)
    for rate in rates:
        model.set["learning_rate"] = rate
        value = model.after(gradient)
    return value


def _one_run_trials(draw: Draw, rule: tuple[str, dict]) -> Iterator[Trial]:
    """Steps in one run, each with a rate of its own."""
    kind, options = rule
    for rates in ([0.5], [0.5, 0.25], [0.125, 1.0, 0.5]):
        for forms in (["dense"], ["rows"], ["dense", "rows"]):
            pairs = [
                (
                    gradient_of(draw, (3, 2), "float32", form),
                    draw.array((3, 2), "float32"),
                )
                for form in forms
            ]
            expected = [_after_rates(kind, options, *pair, rates) for pair in pairs]
            names = [f"w{i}" for i in range(len(pairs))]
            check = are_close(expected, names, rtol=1e-4, atol=1e-4)
            title = f"steps of {kind} in one run, rates {rates}, gradients {forms}"
            yield call_trial(
                title, check, "steps_in_one_run", kind=kind, options=options, rates=rates,
                pairs=pairs,
            )  # fmt: skip


@case("06.5", over=["sgd", "momentum"])
def steps_in_one_run(draw, name):
    """Steps that wait for one another can be taken in one run, each with its own rate."""
    yield from _one_run_trials(draw, SPARSE[name])


def _own_changes_trials(kind: str, constrained: bool, mode: str) -> Iterator[Trial]:
    """Steps by changes that return a node, a tensor, or what an assignment returns."""
    for form in ("node", "tensor", "assigned"):
        gradients = [3.0, 0.5, -1.0]
        changed = [1 - 0.5 * gradient for gradient in gradients]
        kept = [max(one, 0.0) if constrained else one for one in changed]

        def check(got: Any, kept: list[float] = kept) -> Mismatch | str | None:
            if got.get("late"):
                return f"the step does not wait for {got['late'][0]}"
            if got.get("unordered"):
                return no_pairs(got["unordered"])
            expected = np.array([*kept, 4.0])
            return close(np.array(got["values"]), expected, what="variables and count")

        limit = ", at least 0," if constrained else ""
        returned = "what an assignment returns" if form == "assigned" else f"a {form}"
        title = f"variables{limit} and changes that return {returned}, end of {kind}"
        yield call_trial(
            title, check, "own_changes", kind=kind, form=form, gradients=gradients,
            constrained=constrained, mode=mode,
        )  # fmt: skip


@case("06.5", over=MODES)
def changes_before_constraints(_draw, mode):
    """A change may return a node, a tensor, or what an assignment returns."""
    yield from _own_changes_trials("GradientDescent", True, mode)


# ---- 06.6 The end of a step -----------------------------------------------------------


# ---- 06.7 Rows that come twice --------------------------------------------------------


@case("06.7", over=["momentum", "adagrad"])
def rows_that_are_not_finite(draw, name):
    """A row that is infinite or NaN is added to those of its index alone."""
    for shape in ((3,), (4, 2), (3, 2, 2)):
        for mode in MODES:
            yield train_trial(
                draw, *SPARSE[name], [shape], ["twice"], dtype=draw.one_of(REAL),
                num_steps=2, mode=mode, numbers="special",
            )  # fmt: skip


# ---- 06.8 A step that is one op -------------------------------------------------------


@case("06.8", over=[name for name in OF_ONE_OP if name != "sgd"])
def settings_in_any_order(draw, name):
    """A class may list its settings and slots in any order."""
    kind, options = OF_ONE_OP[name]
    for form in ("dense", "rows"):
        for mode in MODES:
            yield train_trial(
                draw, kind, options, [(3, 2)], [form], dtype=draw.one_of(REAL),
                num_steps=5, mode=mode, as_what="turned",
            )  # fmt: skip


@case("06.8")
def settings_that_are_set(draw):
    """A setting that is a variable is read by each step, after what that waits for."""
    for rule in (MOMENTUM, RMSPROP):
        for form in ("dense", "rows"):
            yield several_steps_trial(rule, [form], "variable")
    yield from _one_run_trials(draw, SPARSE["momentum"])


FURTHER = {
    "adadelta": ("Adadelta", {"learning_rate": 0.5, "rho": 0.8, "epsilon": 1e-3}),
    "ftrl": ("Ftrl", {
        "learning_rate": 0.2, "learning_rate_power": -0.6,
        "l1_regularization_strength": 0.05, "l2_regularization_strength": 0.3,
        "l2_shrinkage_regularization_strength": 0.1,
    }),
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
        models = [Model("Momentum", one, np.zeros([])) for one in (outer, inner)]
        expected = [[float(one.after(np.ones([]))) for one in models] for _ in range(3)]
        title = f"Momentum {outer}, which takes a step of Momentum {inner} as it is asked"
        yield call_trial(
            title,
            equals(expected),
            "steps_within_steps",
            outer=outer,
            inner=inner,
            num_steps=3,
        )


# ---- 06.9 Adam ------------------------------------------------------------------------


@case("06.9", over=["number", "variable"])
def adam_reads_what_was_set(_draw, as_what):
    """Adam that waits for others reads all variables after these, w from no copy."""
    options = {"learning_rate": 0.5, "epsilon": 0.25}
    for forms in (["dense"], ["rows"], ["rows", "dense"]):
        yield several_steps_trial(("Adam", options), forms, as_what)


@case("06.9", over=["dense", "rows", "twice"])
def betas_that_change(draw, form):
    """In a step m, v and the powers go on by the same betas, also if these change."""
    options = {"learning_rate": 0.25, "epsilon": 0.125}
    for betas in (
        [(0.5, 0.75), (0.75, 0.5)], [(0.9, 0.99), (0.5, 0.9), (0.8, 0.95), (0.25, 0.5)],
    ):  # fmt: skip
        start = draw.array((3, 2), "float32")
        gradients = [gradient_of(draw, (3, 2), "float32", form) for _ in betas]
        first = dict(zip(("beta1", "beta2"), betas[0], strict=True))
        model, expected = Model("Adam", {**options, **first}, start), []
        for pair, gradient in zip(betas, gradients, strict=True):
            model.set["beta1"], model.set["beta2"] = pair
            expected.append(model.after(gradient))
        names = after_steps("w", len(betas))
        look = are_close(expected, names, rtol=1e-5, atol=1e-5)
        title = f"eager steps of Adam with the betas {betas}, gradients {form}"
        yield call_trial(
            title, lambda got, look=look: look([one for [one] in got]), "several_calls",
            kind="Adam", options=options, starts=[start], mode="eager", betas=betas,
            calls=[[(0, gradient)] for gradient in gradients],
        )  # fmt: skip
