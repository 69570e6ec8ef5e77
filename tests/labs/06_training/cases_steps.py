"""Lab 06, tasks 5 to 9: gradients are applied."""

from typing import Any

from lab_06_training.trials import (
    MODES,
    shapes_of_rows,
    train_trial,
)
from lab_common.checks import Look, call_trial

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import REAL

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
                    kind=kind, options=options, name=name, scope=scope,
                    forms=["dense" if one else "none" for one in there],
                )  # fmt: skip


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
        "three variables", look, kind=kind, options=options, forms=["dense"] * 3,
        devices=devices,
    )  # fmt: skip


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
                look, kind=kind, options=options, forms=["dense"] * 2, counts=counts,
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
                    options=options, forms=["dense"], counts=counts, name=name,
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


# ---- 06.9 Adam ------------------------------------------------------------------------


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
