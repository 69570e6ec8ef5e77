"""Lab 06, tasks 5 to 9: gradients are applied."""

from typing import Any

import numpy as np
from lab_06_training.trials import (
    MODES,
    after_steps,
    error_with,
    shapes_of_rows,
    train_trial,
)
from lab_common.checks import Look, are_close, call_trial

from minitf_lab.judge.case import Call, Trial, case, describe
from minitf_lab.judge.draw import REAL, Draw

SGD = ("GradientDescent", {"learning_rate": 0.1})
MOMENTUM = ("Momentum", {"learning_rate": 0.1, "momentum": 0.9})
NESTEROV = ("Momentum", {"learning_rate": 0.1, "momentum": 0.9, "use_nesterov": True})
ADAGRAD = ("Adagrad", {"learning_rate": 0.1, "initial_accumulator_value": 0.3})
RMSPROP = ("RMSProp", {"learning_rate": 0.02, "decay": 0.7, "momentum": 0.5})
CENTERED = (
    "RMSProp",
    {"learning_rate": 0.02, "decay": 0.7, "epsilon": 1e-3, "centered": True},
)
ADAM = ("Adam", {"learning_rate": 0.05, "beta1": 0.8, "beta2": 0.95, "epsilon": 1e-4})
OF_ONE_OP = {
    "sgd": SGD, "momentum": MOMENTUM, "nesterov": NESTEROV, "adagrad": ADAGRAD,
    "rmsprop": RMSPROP, "centered": CENTERED,
}  # fmt: skip


# ---- 06.5 Applying gradients ----------------------------------------------------------


@case("06.5", over=MODES)
def several_variables(draw, mode):
    """Each variable is changed by its own gradient, whatever the others are."""
    for count in range(1, 5):
        shapes = [draw.shape(draw.whole(0, 3)) for _ in range(count)]
        for kind, options in (SGD, MOMENTUM):
            forms = ["dense"] * count
            yield train_trial(
                draw, kind, options, shapes, forms, num_steps=5, mode=mode,
                as_what=draw.one_of(["number", "function"]),
            )  # fmt: skip


@case("06.5", over=MODES)
def variables_without_a_gradient(draw, mode):
    """A variable without a gradient stays as it is."""
    for forms in (["none", "dense"], ["dense", "none"], ["none", "rows", "none"]):
        shapes = [draw.shape(2) for _ in forms]
        for kind, options in (SGD, MOMENTUM):
            yield train_trial(draw, kind, options, shapes, forms, num_steps=4, mode=mode)


@case("06.5", over=MODES)
def no_gradient_at_all(_draw, mode):
    """Without any gradient there is an error that names the variables."""
    for count in (1, 2, 3):
        call = Call("refused", {"pairs": [None] * count, "mode": mode})
        check = error_with("ValueError", f"w{count - 1}")
        yield Trial(f"{count} variables without a gradient, {mode} mode", [call], check)


def _nodes_trial(title: str, look: Look, **arguments: Any) -> Trial:
    return call_trial(title, look, "nodes_of_a_step", **arguments)


@case("06.5")
def scopes_of_updates(_draw):
    """The change of w is below update_w, in the scope of the step."""
    for scope in ("", "outer"):
        for name in (None, "step"):
            for there in ([True], [True, True], [False, True, True]):
                kind, options = MOMENTUM
                prefix = (f"{scope}/" if scope else "") + (name or kind)

                def look(
                    got: dict, prefix: str = prefix, there: list[bool] = there
                ) -> str | None:
                    made = {node for node, op in got["added"].items() if "Apply" in op}
                    wanted = [
                        f"{prefix}/update_w{i}/" for i, one in enumerate(there) if one
                    ]
                    for start in wanted:
                        if sum(node.startswith(start) for node in made) != 1:
                            return f"the changes are {sorted(made)}, expected {wanted}"
                    if len(made) != len(wanted):
                        return f"there are {sorted(made)}, expected {wanted}"
                    settings = [f"{prefix}/learning_rate", f"{prefix}/momentum"]
                    missing = [one for one in settings if one not in got["added"]]
                    return f"there is no node {missing[0]}" if missing else None

                yield _nodes_trial(
                    f"{name or kind} in scope {scope!r}, with gradients {there}", look,
                    kind=kind, options=options, gradients=there, name=name, scope=scope,
                )  # fmt: skip


@case("06.5")
def slots_wait_for_nothing(_draw):
    """Slots can be initialized, whatever the step waits for; others have none."""

    def look(got: dict) -> str | None:
        slots = [name for name, op in got["added"].items() if op == "VarHandleOp"]
        expected = ["w0/Momentum", "w2/Momentum"]
        if sorted(slots) != expected:
            return f"the variables that were made are {sorted(slots)}, not {expected}"
        return None

    kind, options = MOMENTUM
    title = "Momentum under a control dependency, w1 without a gradient"
    gradients = [True, False, True]
    yield _nodes_trial(title, look, kind=kind, options=options, gradients=gradients)


@case("06.5")
def devices_of_updates(_draw):
    """A variable is changed where it is."""
    devices = ["/cpu:0", None, "/device:CPU:0"]

    def look(got: dict) -> str | None:
        for name, op in got["added"].items():
            if "Apply" not in op:
                continue
            i = int(name.split("/update_w")[1][0])
            is_placed = "cpu:0" in got["devices"][name].lower()
            if is_placed != (devices[i] is not None):
                return f"{name} is on {got['devices'][name]!r}, w{i} on {devices[i]}"
        return None

    kind, options = MOMENTUM
    yield _nodes_trial(
        "three variables", look, kind=kind, options=options, gradients=[True] * 3,
        devices=devices,
    )  # fmt: skip


@case("06.5", over=MODES)
def constraints(draw, mode):
    """A constraint is applied to the value after the change."""
    for shape in [(), (3,), draw.shape(2)]:
        for dtype in REAL:
            start = draw.array(shape, dtype) * 0.5
            gradient = draw.array(shape, dtype)
            value, expected = start.astype("float64"), []
            for _ in range(5):
                value = np.clip(value - 0.5 * gradient, -1, 1)
                expected.append(np.asarray(value).astype(dtype))
            check = are_close(expected, after_steps("w", 5), rtol=1e-5, atol=1e-6)
            title = f"w {describe(start)} between -1 and 1, {mode} mode"
            yield call_trial(
                title, check, "constrained_steps", start=start, gradient=gradient,
                num_steps=5, mode=mode,
            )  # fmt: skip


@case("06.5", over=MODES)
def constraints_of_some_rows(draw, mode):
    """A constraint is no thing for IndexedSlices."""
    rows = (draw.array((2, 2), "float32"), np.array([0, 2], "int32"))
    arguments = {"pairs": [rows], "mode": mode, "constrained": True}
    check = error_with("RuntimeError", "constraint")
    yield Trial(f"IndexedSlices, {mode} mode", [Call("refused", arguments)], check)


def _data(draw: Draw, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    x = draw.array((60, 4), dtype)
    y = np.stack([np.sin(x[:, 0]) + 0.5 * x[:, 1], x[:, 2] * x[:, 3] * 0.3], axis=1)
    return x, y.astype(dtype)


def _learning_trial(
    draw: Draw, rule: tuple[str, dict], part: float, dtype: str, num_steps: int = 150
) -> Trial:
    kind, options = rule
    x, y = _data(draw, dtype)

    def check(got: Any) -> str | None:
        before, after = got
        if not after < part * before:
            return f"the loss goes from {before:.4g} to {after:.4g}"
        return None

    title = f"two layers of {dtype} by {num_steps} steps of {kind}"
    return call_trial(
        title, check, "learn", kind=kind, options=options, x=x, y=y, num_steps=num_steps
    )


@case("06.5")
def a_small_network_learns(draw):
    """Two layers learn two functions of four numbers."""
    for dtype in REAL:
        yield _learning_trial(draw, SGD, 0.2, dtype)
        yield _learning_trial(draw, MOMENTUM, 0.1, dtype)


# ---- 06.6 The end of a step -----------------------------------------------------------


@case("06.6", over=MODES)
def steps_are_counted(draw, mode):
    """Each step counts one, however many variables there are."""
    for count in (1, 3):
        shapes = [draw.shape(1) for _ in range(count)]
        for kind, options in (SGD, ADAM):
            forms = ["dense"] * count
            for num_steps in (1, 7):
                yield train_trial(
                    draw, kind, options, shapes, forms, num_steps=num_steps, mode=mode
                )


@case("06.6", over=[True, False])
def what_runs_last(_draw, counts):
    """The node of a step runs after all changes, and the count after them."""
    for kind, options in (SGD, MOMENTUM, ADAM):
        for name in (None, "step"):

            def look(got: dict) -> str | None:
                updates = [node for node, op in got["added"].items() if "Apply" in op]
                left = [node for node in updates if node not in got["before"]]
                if left:
                    return f"{got['step']} does not wait for {left[0]}"
                expected = "AssignAddVariableOp" if counts else "NoOp"
                if got["type"] != expected:
                    return f"the node of the step is a {got['type']}, not {expected}"
                return None

            yield _nodes_trial(
                f"{kind} of two variables, {'with' if counts else 'without'} a count",
                look, kind=kind, options=options, gradients=[True, True], counts=counts,
                name=name,
            )  # fmt: skip


@case("06.6", over=[True, False])
def name_of_the_step(_draw, counts):
    """The node has the name of the step, and is collected once."""
    for kind, options in (SGD, ADAM):
        for name in (None, "step"):
            for scope in ("", "a"):
                wanted = (f"{scope}/" if scope else "") + (name or kind)

                def look(got: dict, wanted: str = wanted) -> str | None:
                    if got["step"] != wanted:
                        return f"the node is called {got['step']}, expected {wanted}"
                    if got["collected"] != [wanted]:
                        return f"the collection has {got['collected']}, not {[wanted]}"
                    return None

                yield _nodes_trial(
                    f"{kind}, name {name}, in scope {scope!r}", look, kind=kind,
                    options=options, gradients=[True], counts=counts, name=name,
                    scope=scope,
                )  # fmt: skip


# ---- 06.7 Rows that come twice --------------------------------------------------------

SPARSE = {"sgd": SGD, "momentum": MOMENTUM, "adagrad": ADAGRAD, "adam": ADAM}


@case("06.7", over=SPARSE)
def rows_that_come_twice(draw, name):
    """Rows that come twice count as their sum, once."""
    for shape in shapes_of_rows(draw):
        for index in ("int32", "int64"):
            dtype = draw.one_of(REAL)
            yield train_trial(
                draw, *SPARSE[name], [shape], ["twice"], dtype=dtype, num_steps=6,
                mode=draw.one_of(MODES), index=index,
            )  # fmt: skip


@case("06.7", over=REAL)
def some_rows(draw, dtype):
    """Rows that come once, in any order, or no row at all."""
    for shape in shapes_of_rows(draw):
        for rule in (SGD, MOMENTUM):
            yield train_trial(draw, *rule, [shape], ["rows"], dtype=dtype, num_steps=10)


@case("06.7", hidden=True)
def many_rows_that_come_twice(draw):
    """The same over 100 steps, with dense gradients beside."""
    for rule in SPARSE.values():
        shapes = [(5, 2), (3,), (4, 1, 2)]
        forms = ["twice", "dense", "twice"]
        yield train_trial(draw, *rule, shapes, forms, dtype="float64")


# ---- 06.8 A step that is one op -------------------------------------------------------


@case("06.8", over=OF_ONE_OP)
def hundred_steps(draw, name):
    """100 steps go where the formula says."""
    kind, options = OF_ONE_OP[name]
    for dtype in REAL:
        for mode in MODES:
            shapes = [draw.shape(2), draw.shape(1)]
            forms = ["dense", "dense"]
            yield train_trial(draw, kind, options, shapes, forms, dtype=dtype, mode=mode)


@case("06.8", over=[name for name in OF_ONE_OP if name != "sgd"])
def hundred_steps_of_rows(draw, name):
    """The same, of the rows that have a gradient alone."""
    kind, options = OF_ONE_OP[name]
    for dtype in REAL:
        forms = ["rows", "dense"]
        shapes = [(4, 2), (3,)]
        yield train_trial(
            draw, kind, options, shapes, forms, dtype=dtype, use_resource=True
        )


@case("06.8", over=["tensor", "variable", "function"])
def settings(draw, as_what):
    """A setting may be a tensor, a variable, or a function that gives one."""
    for kind, options in OF_ONE_OP.values():
        for mode in ("graph",) if as_what == "tensor" else MODES:
            yield train_trial(
                draw, kind, options, [(3,)], ["dense"], dtype=draw.one_of(REAL),
                num_steps=5, mode=mode, as_what=as_what,
            )  # fmt: skip


@case("06.8", hidden=True)
def ranks_and_sizes(draw):
    """Variables of ranks 0 to 5, and without elements."""
    shapes = [(), (0,), (1,), *(draw.shape(rank) for rank in range(1, 6)), (2, 0)]
    for kind, options in OF_ONE_OP.values():
        forms = ["dense"] * len(shapes)
        yield train_trial(draw, kind, options, shapes, forms, num_steps=4)


# ---- 06.9 Adam ------------------------------------------------------------------------


@case("06.9", over=MODES)
def adam_of_tensors(draw, mode):
    """100 steps of Adam, several variables with one pair of powers."""
    for dtype in REAL:
        for options in ({}, ADAM[1], {"learning_rate": 0.1, "beta1": 0.0}):
            shapes = [draw.shape(2), (), (3,)]
            forms = ["dense"] * 3
            yield train_trial(
                draw, "Adam", options, shapes, forms, dtype=dtype, mode=mode,
                num_steps=30 if options else 100,
            )  # fmt: skip


@case("06.9", over=MODES)
def adam_of_rows(draw, mode):
    """Of a variable that is looked up, all rows go on."""
    for dtype in REAL:
        for shape in ((1,), (4,), (4, 2), (3, 2, 2)):
            yield train_trial(
                draw, *ADAM, [shape], ["rows"], dtype=dtype, mode=mode, num_steps=20
            )


@case("06.9", over=MODES)
def adam_of_both(draw, mode):
    """Tensors and rows in one step."""
    for forms in (["dense", "rows"], ["rows", "dense", "twice"], ["none", "twice"]):
        shapes = [(4, 2), (3,), (2, 2)][: len(forms)]
        yield train_trial(
            draw, *ADAM, shapes, forms, dtype="float64", mode=mode, num_steps=30
        )


@case("06.9")
def settings_of_adam(draw):
    """A beta may be a tensor or a function."""
    for as_what in ("tensor", "function"):
        for forms in (["dense"], ["rows"]):
            yield train_trial(draw, *ADAM, [(3, 2)], forms, num_steps=8, as_what=as_what)
    # Long memories: powers near 1, of which each digit counts.
    options = {"learning_rate": 0.5, "beta1": 1 - 2**-8, "beta2": 1 - 2**-10}
    for forms in (["dense"], ["rows"]):
        for mode in MODES:
            yield train_trial(
                draw, "Adam", {**options, "epsilon": 2**-4}, [(3, 2)], forms, mode=mode,
                dtype="float64", num_steps=12, as_what="double",
            )  # fmt: skip
    yield train_trial(
        draw, *ADAM, [(3, 2)], ["rows"], num_steps=8, as_what="function", mode="eager"
    )


@case("06.9")
def variables_of_adam(draw):
    """Adam keeps two powers in all, and m and v beside each variable."""
    for count in (1, 2, 3):
        for own, name in ((False, "Adam"), (True, "Adam"), (False, "B"), (True, "B")):
            more = {"use_own_namescope_for_non_slot_vars": own, "name": name}
            options = {**ADAM[1], **more}
            shapes = [(2,)] * count
            trial = train_trial(
                draw, "Adam", options, shapes, ["dense"] * count, num_steps=3
            )
            prefix = f"{name}/" if own else ""
            expected = [f"{prefix}beta{i}_power:0" for i in (1, 2)]
            for i in range(count):
                expected += [f"w{i}/{name}:0", f"w{i}/{name}_1:0"]
            wanted = {"m": f"w0/{name}:0", "v": f"w0/{name}_1:0"}

            def check(
                values: list[Any], expected: list = expected, trial: Trial = trial,
                wanted: dict[str, str] = wanted,
            ) -> Any:  # fmt: skip
                (result,) = values
                if result["slots"] != ["m", "v"]:
                    return f"the slots are {result['slots']}, expected ['m', 'v']"
                if result["slots_of_w0"] != wanted:
                    return f"the slots are {result['slots_of_w0']}, expected {wanted}"
                if result["variables"] != sorted(expected):
                    return f"there are {result['variables']}, expected {sorted(expected)}"
                return trial.check(values)

            yield Trial(trial.title, trial.calls, check)


@case("06.9")
def powers_after_all_changes(_draw):
    """Powers change when all variables have been changed by them."""

    def look(got: dict) -> str | None:
        changes = [name for name, op in got["added"].items() if "Apply" in op]
        for power in ("beta1_power", "beta2_power"):
            advances = [
                name
                for name, before in got["assigned"].items()
                if power in before and not name.startswith(("beta", "w"))
            ]
            if not advances:
                return f"no node of the step changes {power}"
            for name in advances:
                early = [one for one in changes if one not in got["assigned"][name]]
                if early:
                    return f"{name} changes {power}, and does not wait for {early[0]}"
        return None

    for count in (1, 2, 3):
        yield _nodes_trial(
            f"the nodes of Adam for {count} variables", look, kind="Adam", options={},
            gradients=[True] * count, counts=count != 2,
        )  # fmt: skip


@case("06.9", hidden=True)
def a_network_learns_by_adam(draw):
    """Two layers learn two functions of four numbers."""
    for dtype in REAL:
        rule = ("Adam", {"learning_rate": 0.02})
        yield _learning_trial(draw, rule, 0.1, dtype)
