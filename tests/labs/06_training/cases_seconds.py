"""Lab 06: one object that serves two graphs, or two variables."""

from typing import Any

import numpy as np
from lab_06_training.trials import MODES, Model
from lab_common.checks import call_trial

from minitf_lab.judge.case import Trial, case, close


def _two_graphs_trial(kind: str, options: dict[str, Any], advances: bool) -> Trial:
    """One optimizer takes 3 steps in a graph, and then 2 steps in another graph."""
    gradient, counts = np.array([1.0, -2.0]), [3, 2]

    def check(result: Any) -> Any:
        for i, (count, got) in enumerate(zip(counts, result, strict=True), 1):
            model = Model(kind, options, np.ones([2]))
            for _ in range(count):
                model.step(gradient)
                if advances:
                    model.advance()
            what = f"w after {count} steps in graph {i}"
            if wrong := close(got, model.w, rtol=1e-4, atol=1e-4, what=what):
                return wrong
        return None

    return call_trial(
        f"{kind} in two graphs", check, "two_graphs", kind=kind, options=options,
        num_steps=counts,
    )  # fmt: skip


@case("06.5")
def slots_in_two_graphs(_draw):
    """One optimizer has slots of its own in each graph."""
    options = {"learning_rate": 0.5, "momentum": 0.5}
    yield _two_graphs_trial("Momentum", options, advances=False)
    options = {"learning_rate": 0.5, "initial_accumulator_value": 0.25}
    yield _two_graphs_trial("Adagrad", options, advances=False)


@case("06.9")
def adam_in_two_graphs(_draw):
    """One optimizer has powers and slots of its own in each graph."""
    options = {"learning_rate": 0.5, "epsilon": 0.125}
    yield _two_graphs_trial("Adam", options, advances=True)


@case("06.13", over=MODES)
def averages_of_two_variables(draw, mode):
    """Each variable has an average of its own; in a graph each is collected."""
    for at_once in (True, False):
        starts, later = draw.array((3,), "float32"), draw.array((3,), "float32")

        def check(
            got: Any, starts: np.ndarray = starts, later: np.ndarray = later
        ) -> Any:
            averages, collected = got
            expected = (starts + later) / 2
            names = ["a:0", "b:0", "c:0"] if mode == "graph" else []
            if collected != names:
                return f"the collection has {collected}, expected {names}"
            return close(np.array(averages, "f"), expected, rtol=1e-5, atol=1e-6)

        how = "one call" if at_once else "a call each"
        yield call_trial(
            f"averages of a, b and c, by {how} of apply", check, "averages_of_several",
            starts=starts, later=later, at_once=at_once, mode=mode,
        )  # fmt: skip
