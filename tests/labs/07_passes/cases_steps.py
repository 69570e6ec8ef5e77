"""Lab 07, tasks 12 to 14: steps of a session in memory that the plan gives out.

What is dead is overwritten by NaN there, and an offset outside of the plan is refused.
"""

from collections.abc import Iterator
from typing import Any

from lab_07_passes.cases_lives import random_net
from lab_07_passes.nets import Net

from minitf_lab.judge.case import Call, Mismatch, Trial, case, close
from minitf_lab.judge.draw import Draw

TIMES = 2  # steps, of which the second finds the memory as the first has left it


def _step_trial(net: Net) -> Trial:
    """Steps by the plan give, bit for bit, what they give without one."""
    arguments = {"net": net.spec(), "feeds": list(net.values), "times": TIMES}

    def check(values: list[Any]) -> Mismatch | None:
        plain, planned = values
        for number, (expected, got) in enumerate(zip(plain, planned, strict=True)):
            for (name, _), one, other in zip(net.fetches, got, expected, strict=True):
                what = f"'{name}' in step {number + 1} by the plan"
                if wrong := close(one, other, what=what):
                    return wrong
        return None

    calls = [
        Call("run_with_plan", {**arguments, "is_planned": is_planned})
        for is_planned in (False, True)
    ]
    return Trial(f"{TIMES} steps by a plan: {net.text()}", calls, check)


def _steps(draw: Draw, count: int) -> Iterator[Trial]:
    for i in range(count):
        dtype = draw.one_of(["float32", "float64"])
        yield _step_trial(random_net(draw, 2 + i * 20 // count, dtype))


@case("07.12")
def steps_read_nothing_dead(draw):
    """Steps in memory where what is dead becomes NaN give what they give without."""
    yield from _steps(draw, 40)


@case("07.13")
def steps_write_over_nothing_alive(draw):
    """Steps whose tensors take over memory give what they give in memory of their own."""
    for i in range(40):
        net = Net()
        x = net.feed(draw.array((2, 3), "float32"))
        values = [net.call("Exp", x)]
        for _ in range(1 + i // 4):
            op = draw.one_of(["Neg", "Relu", "AddV2", "Mul", "Sub"])
            last = values[-1]
            others = [draw.one_of(values)] if op in {"AddV2", "Mul", "Sub"} else []
            values.append(net.call(op, *draw.shuffled([last, *others])))
        yield _step_trial(net.fetch(values[-1], draw.one_of(values)))


@case("07.14")
def steps_stay_within_the_plan(draw):
    """Every tensor of a step has its place in the block of the plan."""
    yield from _steps(draw, 40)
