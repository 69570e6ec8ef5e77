"""Lab 06, tasks 5 to 9 and 13: order and places of nodes, and steps of other kinds."""

from typing import Any

import numpy as np
from lab_06_training.cases_calls import several_steps_trial
from lab_06_training.cases_steps import (
    ADAM,
    CENTERED,
    MOMENTUM,
    OF_ONE_OP,
    SGD,
)
from lab_06_training.trials import (
    MODES,
    Model,
    gradient_of,
    train_trial,
)
from lab_common.checks import are_close, call_trial, equals

from minitf_lab.judge.case import Mismatch, Trial, case, close
from minitf_lab.judge.draw import REAL, Draw

Steps = list[list[tuple[int, Any]]]


def _calls_trial(
    draw: Draw,
    rule: tuple[str, dict],
    numbers: list[list[int]],
    forms: list[str],
    *,
    mode: str = "graph",
    caching_device: str | None = None,
) -> Trial:
    """Several calls of apply_gradients, compared with the model's.

    Each call has the numbers of the variables that it has gradients of.
    """
    kind, options = rule
    starts = [draw.array((3, 2), "float32") for _ in forms]
    calls: Steps = [
        [(i, gradient_of(draw, (3, 2), "float32", forms[i])) for i in call]
        for call in numbers
    ]

    def check(got: Any) -> Mismatch | None:
        of = "Momentum" if kind == "OwnAccumulator" else kind
        models = [Model(of, options, start) for start in starts]
        for number, (call, shown) in enumerate(zip(calls, got, strict=True)):
            for i, gradient in call:
                models[i].step(gradient)
            for i, model in enumerate(models):
                model.advance()
                expected, what = model.w.astype("f"), f"w{i} after call {number + 1}"
                wrong = close(shown[i], expected, rtol=1e-4, atol=1e-4, what=what)
                if wrong:
                    return wrong
        return None

    cached = f", cached on {caching_device}" if caching_device else ""
    title = f"{kind} in {mode} mode, calls for the variables {numbers} ({forms}){cached}"
    return call_trial(
        title, check, "several_calls", kind=kind, options=options, starts=starts,
        calls=calls, mode=mode, caching_device=caching_device,
    )  # fmt: skip


def _two_graphs_trial(kind: str, options: dict[str, Any]) -> Trial:
    """One optimizer takes 3 steps in a graph, and then 2 steps in another graph."""
    expected = []
    for count in (3, 2):
        model = Model(kind, options, np.ones([2]))
        values = [model.after(np.array([1.0, -2.0])) for _ in range(count)]
        expected.append(values[-1].astype("float64"))
    look = are_close(expected, ["w in graph 1", "w in graph 2"], rtol=1e-4, atol=1e-4)
    return call_trial(
        f"{kind} in two graphs", look, "two_graphs", kind=kind, options=options,
        num_steps=[3, 2],
    )  # fmt: skip


# ---- 06.5 Applying gradients ----------------------------------------------------------


@case("06.5")
def constraints_have_an_order(draw):
    """A constraint reads the variable after its change, and is assigned after that."""
    for rule in (SGD, MOMENTUM, ADAM):
        for count in (1, 2):
            yield several_steps_trial(rule, ["dense"] * count, "number", True)
    kind, options = SGD[0], {"learning_rate": 0.5}
    for start, gradient in ((0.5, -3.0), (0.9, -0.4), (-0.5, 0.5)):
        shape = draw.shape(1)
        expected = np.full(shape, np.clip(start - 0.5 * gradient, -1, 1), "f")
        look = are_close([expected], ["w"], rtol=1e-6)
        title = f"w from {start} by {-0.5 * gradient}, between -1 and 1, read from a copy"
        yield call_trial(
            title, lambda got, look=look: look(got[0]), "several_calls", kind=kind,
            options=options, starts=[np.full(shape, start, "f")],
            calls=[[(0, np.full(shape, gradient, "f"))]], mode="graph",
            caching_device="/cpu:0", limit=1.0,
        )  # fmt: skip


@case("06.5", over=["number", "function"])
def slots_behind_a_gate(_draw, as_what):
    """Slots and other variables can be initialized, whatever the step waits for."""
    for (kind, options), wanted in (
        (MOMENTUM, [[[0, 0]]]),
        (CENTERED, [[[1, 1]], [[0, 0]], [[0, 0]]]),
        (ADAM, [[[0, 0]], [[0, 0]], 0.8, 0.95]),
    ):

        def check(got: Any, wanted: list = wanted) -> Any:
            if len(got) != len(wanted):
                return f"there are {len(got)} variables, expected {len(wanted)}"
            for one, other in zip(got, wanted, strict=True):
                if wrong := close(one, np.array(other, "f"), rtol=1e-6):
                    return wrong
            return None

        title = f"{kind} of a variable whose shape is not known, settings by {as_what}"
        yield call_trial(
            title, check, "slots_behind_a_gate", kind=kind, options=options,
            as_what=as_what,
        )  # fmt: skip


@case("06.5")
def slots_in_two_graphs(_draw):
    """One optimizer has slots of its own in each graph."""
    options = {"learning_rate": 0.5, "momentum": 0.5}
    yield _two_graphs_trial("Momentum", options)
    options = {"learning_rate": 0.5, "initial_accumulator_value": 0.25}
    yield _two_graphs_trial("Adagrad", options)


# ---- 06.6 The end of a step -----------------------------------------------------------


@case("06.6")
def what_own_ends_return(_draw):
    """The node is collected once, if a _finish returns a tensor or always the same."""
    for what, counts in (
        ("tensor", False), ("tensor", True), ("assigned", False), ("assigned", True),
        ("same", False),
    ):  # fmt: skip
        is_same = what == "same"
        expected: dict[str, Any] = {
            "collected": 1 if is_same else 2, "nodes": True, "returned": [True, True],
            "values": [1.0, 0.0, 0.0] if is_same else [0.5, 1.0, 1.0],
        }  # fmt: skip
        returned = {
            "tensor": "a tensor", "assigned": "what an assignment returns",
            "same": "the same node twice",
        }[what]  # fmt: skip
        title = f"a _finish that returns {returned}, {'with' if counts else 'no'} count"
        yield call_trial(title, equals(expected), "own_ends", what=what, counts=counts)


@case("06.6")
def ends_in_eager_mode(_draw):
    """In eager mode _finish comes before the count, and a step returns None."""
    for count, gives in ((1, False), (2, False), (1, True), (2, True)):
        expected = {"seen": [[3] + [0.5] * count], "count": 4, "returned": [True, True]}
        title = f"a step of {count} variables in eager mode"
        title += ", whose _finish returns a tensor" if gives else ""
        yield call_trial(
            title, equals(expected), "end_in_eager_mode", num_variables=count, gives=gives
        )


@case("06.6")
def the_count_is_where_it_is(_draw):
    """The step is counted where the count is."""
    kind, options = SGD

    def check(result: Any) -> str | None:
        if result["device"].lower().endswith("cpu:7"):
            return None
        return f"the node of the step is on {result['device']!r}, the count on '/cpu:7'"

    yield call_trial(
        "a count on /cpu:7", check, "nodes_of_a_step", kind=kind, options=options,
        forms=["dense"] * 2, devices=["/cpu:1", "/cpu:2"],
    )  # fmt: skip


# ---- 06.7 Rows that come twice --------------------------------------------------------


# ---- 06.8 A step that is one op -------------------------------------------------------


@case("06.8", over=["double", "numpy", "whole"])
def settings_of_other_types(draw, as_what):
    """A setting may be a number or tensor of another type than the variable."""
    for kind, options in OF_ONE_OP.values():
        # Of a tensor of float64 all digits count: these numbers are others with 32 bits.
        other = {"learning_rate": 0.7, "momentum": 0.9, "decay": 0.6, "epsilon": 0.2}
        if as_what == "whole":
            other = {"learning_rate": 1, "momentum": 0, "decay": 1, "epsilon": 1}
        given = {name: other.get(name, value) for name, value in options.items()}
        for dtype in REAL:
            yield train_trial(
                draw, kind, given, [(3,)], ["dense"], dtype=dtype, num_steps=5,
                mode=draw.one_of(MODES), as_what=as_what,
            )  # fmt: skip


@case("06.8")
def names_of_settings(_draw):
    """Settings are nodes of their names, one each, whatever they are."""
    for kind, options in [*OF_ONE_OP.values(), ADAM]:
        wanted = {"learning_rate", *options} & {
            "learning_rate", "momentum", "decay", "beta1", "beta2", "epsilon",
        }  # fmt: skip

        def check(got: Any, wanted: set[str] = wanted) -> str | None:
            nodes = set(got["added"])
            missing = sorted(name for name in wanted if f"step/{name}" not in nodes)
            if missing:
                return f"there is no node step/{missing[0]}; there are {sorted(nodes)}"
            twice = sorted(name for name in wanted if f"step/{name}_1" in nodes)
            return f"there is a node step/{twice[0]}_1, too" if twice else None

        for as_what in ("number", "function"):
            title = f"the nodes of {kind}, settings by {as_what}"
            yield call_trial(
                title, check, "nodes_of_a_step", kind=kind, options=options,
                forms=["dense", "rows"], as_what=as_what, counts=False, name="step",
            )  # fmt: skip


@case("06.7")
def rates_of_rows_that_change(_draw):
    """Rows are changed by the rate of the step, for which a function is asked once."""
    for count in (1, 3):
        for rates in ([0.5], [0.5, 0.25, 1.0]):
            values = [[-float(length)] * count for length in np.cumsum(rates)]
            yield call_trial(
                f"{count} variables of 0, rows that sum to 1, with the rates {rates}",
                equals({"values": values, "asked": len(rates)}), "rates_that_change",
                rates=rates, num_variables=count,
            )  # fmt: skip


@case("06.8")
def attributes_of_changes(_draw):
    """The op is told use_locking, and what else the optimizer has for it."""
    for kind, options in OF_ONE_OP.values():
        for form in ("dense", "rows"):
            for locks in (False, True):
                op = f"{'Centered' if options.get('centered') else ''}{kind}"
                change = f"Resource{'Sparse' if form == 'rows' else ''}Apply{op}"
                attrs = {"use_locking": locks}
                if kind == "Momentum":
                    attrs["use_nesterov"] = options.get("use_nesterov", False)
                wanted = [] if change.endswith("SparseApplyGradientDescent") else [attrs]

                def check(
                    got: Any, change: str = change, wanted: list = wanted
                ) -> Mismatch | None:
                    nodes = [name for name, op in got["added"].items() if op == change]
                    return equals(wanted, change)([got["attrs"][n] for n in nodes])

                yield call_trial(
                    f"use_locking={locks} of {kind} {options}, a gradient of {form}",
                    check, "nodes_of_a_step", kind=kind, forms=[form],
                    options={**options, "use_locking": locks},
                )  # fmt: skip


@case("06.8", over=MODES)
def a_slot_that_was_not_made(draw, mode):
    """What is no slot of the variable is asked for from _input."""
    for form in ("dense", "rows"):
        rule = ("OwnAccumulator", MOMENTUM[1])
        yield _calls_trial(draw, rule, [[0]] * 4, [form], mode=mode)


# ---- 06.9 Adam ------------------------------------------------------------------------


@case("06.9")
def powers_are_where_the_first_is(draw):
    """The powers are where the variable is whose name is the first."""
    kind, options = ADAM
    for count in (1, 2, 4):
        devices = [f"/cpu:{i + 1}" for i in range(count)]
        for turn in (list(range(count)), list(range(count))[::-1]):

            def check(got: Any) -> str | None:
                for power in ("beta1_power", "beta2_power"):
                    device = got["places"].get(power)
                    if not (device or "").lower().endswith("cpu:1"):
                        return f"{power} is on {device}, w0 on /cpu:1"
                return None

            title = f"Adam of the variables {turn} in this order, on {devices}"
            yield call_trial(
                title, check, "nodes_of_a_step", kind=kind, options=options,
                forms=["dense"] * count, devices=devices, turn=turn,
            )  # fmt: skip


@case("06.9", over=MODES)
def adam_in_several_calls(draw, mode):
    """Variables may come later; the powers go on with each call."""
    for numbers in ([[0], [0, 1]], [[1], [0], [0, 1]], [[0, 1], [2], [1, 2]]):
        for forms in (["dense"] * 3, ["rows", "dense", "rows"]):
            yield _calls_trial(draw, ADAM, numbers, forms, mode=mode)


@case("06.9")
def adam_with_a_caching_device(draw):
    """Slots that are read from a copy change all the same."""
    for forms in (["rows"], ["dense"], ["rows", "dense"]):
        numbers = [list(range(len(forms)))] * 3
        yield _calls_trial(draw, ADAM, numbers, forms, caching_device="/cpu:0")


@case("06.9")
def adam_in_two_graphs(_draw):
    """One optimizer has powers and slots of its own in each graph."""
    options = {"learning_rate": 0.5, "epsilon": 0.125}
    yield _two_graphs_trial("Adam", options)
