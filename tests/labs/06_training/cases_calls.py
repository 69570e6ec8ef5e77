"""Lab 06, tasks 5 and 7 to 9: what a step calls and waits for, and further rules."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_06_training.cases_steps import ADAM, MOMENTUM, OF_ONE_OP, RMSPROP, SGD, SPARSE
from lab_06_training.trials import MODES, Model, gradient_of, train_trial

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close
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


@case("06.5")
def steps_wait_for_what_is_around_them(_draw):
    """All changes, and the end, wait for the control dependencies of the caller."""
    for kind, options in (SGD, MOMENTUM, ADAM):
        for counts in (False, True):

            def check(values: list[Any]) -> str | None:
                (got,) = values
                changes = [name for name, op in got["added"].items() if "Apply" in op]
                left = {*changes, got["step"]} - {*got["waiting"]}
                return f"{min(left)} does not wait for the node gate" if left else None

            arguments = {
                "kind": kind, "options": options, "gradients": [True, True],
                "counts": counts,
            }  # fmt: skip
            title = f"a step of {kind} under a control dependency, counts={counts}"
            yield Trial(title, [Call("nodes_of_a_step", arguments)], check)


def _not_ordered(found: list[str]) -> str:
    variable, one, other = found
    return f"{one} and {other} use {variable}, and nothing says which of them runs first"


def _several_steps_trial(
    rule: tuple[str, dict], forms: list[str], as_what: str, constrained: bool = False
) -> Trial:
    def check(values: list[Any]) -> str | None:
        (got,) = values
        return _not_ordered(got[0]) if got else None

    kind, options = rule
    arguments = {
        "kind": kind, "options": options, "forms": forms, "as_what": as_what,
        "constrained": constrained,
    }  # fmt: skip
    title = (
        f"steps of {kind}, each after all variables were set, gradients {forms}, "
        f"settings by {as_what}{', a constraint' if constrained else ''}"
    )
    return Trial(title, [Call("order_of_several_steps", arguments)], check)


@case("06.5", over=["number", "variable", "asked"])
def steps_read_what_was_set(_draw, as_what):
    """A step that waits for others reads variables, also its settings, after these."""
    for rule in (SGD, MOMENTUM, RMSPROP):
        for constrained in (False, True):
            for count in (1, 2):
                forms = ["dense"] * count
                yield _several_steps_trial(rule, forms, as_what, constrained)


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

            def check(
                values: list[Any], pairs: list = pairs, rates: list[float] = rates
            ) -> Mismatch | None:
                for i, (gradient, start) in enumerate(pairs):
                    model = Model(kind, options, start)
                    for rate in rates:
                        model.set["learning_rate"] = rate
                        model.step(gradient)
                        model.advance()
                    got, expected = values[0][i], model.w.astype("f")
                    wrong = close(got, expected, rtol=1e-4, atol=1e-4, what=f"w{i}")
                    if wrong:
                        return wrong
                return None

            arguments = {
                "kind": kind, "options": options, "rates": rates, "pairs": pairs,
            }  # fmt: skip
            title = f"steps of {kind} in one run, rates {rates}, gradients {forms}"
            yield Trial(title, [Call("steps_in_one_run", arguments)], check)


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

        def check(values: list[Any], kept: list[float] = kept) -> Mismatch | str | None:
            (got,) = values
            if got.get("late"):
                return f"the step does not wait for {got['late'][0]}"
            if got.get("unordered"):
                return _not_ordered(got["unordered"][0])
            expected = np.array([*kept, 4.0])
            return close(np.array(got["values"]), expected, what="variables and count")

        arguments = {
            "kind": kind, "form": form, "gradients": gradients,
            "constrained": constrained, "mode": mode,
        }  # fmt: skip
        limit = ", at least 0," if constrained else ""
        returned = "what an assignment returns" if form == "assigned" else f"a {form}"
        title = f"variables{limit} and changes that return {returned}, end of {kind}"
        yield Trial(title, [Call("own_changes", arguments)], check)


@case("06.5", over=MODES)
def changes_before_constraints(_draw, mode):
    """A change may return a node, a tensor, or what an assignment returns."""
    yield from _own_changes_trials("GradientDescent", True, mode)


# ---- 06.6 The end of a step -----------------------------------------------------------


@case("06.6", over=MODES)
def ends_of_other_changes(_draw, mode):
    """The end waits for all changes, also for tensors and what an assignment returns."""
    yield from _own_changes_trials("GradientDescent", False, mode)


# ---- 06.7 Rows that come twice --------------------------------------------------------


@case("06.7", over=["sgd", "momentum"])
def rows_change_what_was_set(_draw, name):
    """Rows are changed after what the step waits for, not from an earlier copy."""
    for forms in (["rows"], ["rows", "dense"]):
        yield _several_steps_trial(SPARSE[name], forms, "number")


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
            yield _several_steps_trial(rule, [form], "variable")
    yield from _one_run_trials(draw, SPARSE["momentum"])


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


# ---- 06.9 Adam ------------------------------------------------------------------------


@case("06.9", over=["number", "variable"])
def adam_reads_what_was_set(_draw, as_what):
    """Adam that waits for others reads all variables after these, w from no copy."""
    options = {"learning_rate": 0.5, "epsilon": 0.25}
    for forms in (["dense"], ["rows"], ["rows", "dense"]):
        yield _several_steps_trial(("Adam", options), forms, as_what)


@case("06.9")
def steps_of_adam_in_one_run(draw):
    """Steps that wait for one another can be taken in one run, each with its own rate."""
    yield from _one_run_trials(draw, ADAM)


@case("06.9", over=MODES)
def powers_after_other_changes(_draw, mode):
    """Powers wait for all changes, also for tensors and what an assignment returns."""
    for constrained in (False, True):
        yield from _own_changes_trials("Adam", constrained, mode)


@case("06.9", over=["dense", "rows", "twice"])
def betas_that_change(draw, form):
    """In a step m, v and the powers go on by the same betas, also if these change."""
    options = {"learning_rate": 0.25, "epsilon": 0.125}
    for betas in (
        [(0.5, 0.75), (0.75, 0.5)], [(0.9, 0.99), (0.5, 0.9), (0.8, 0.95), (0.25, 0.5)],
    ):  # fmt: skip
        start = draw.array((3, 2), "float32")
        gradients = [gradient_of(draw, (3, 2), "float32", form) for _ in betas]

        def check(
            values: list[Any], betas: list = betas, start: np.ndarray = start,
            gradients: list = gradients,
        ) -> Any:  # fmt: skip
            first = dict(zip(("beta1", "beta2"), betas[0], strict=True))
            model = Model("Adam", {**options, **first}, start)
            for i, (gradient, got) in enumerate(zip(gradients, values[0], strict=True)):
                model.set["beta1"], model.set["beta2"] = betas[i]
                model.step(gradient)
                model.advance()
                what, expected = f"w after step {i + 1}", model.w.astype("f")
                if wrong := close(got, expected, rtol=1e-5, atol=1e-5, what=what):
                    return wrong
            return None

        arguments = {
            "options": options, "betas": betas, "start": start, "gradients": gradients,
        }  # fmt: skip
        title = f"eager steps of Adam with the betas {betas}, gradients {form}"
        yield Trial(title, [Call("betas_that_change", arguments)], check)
