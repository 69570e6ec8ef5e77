"""A made-up package of four modules, with a lab of two tasks in Python."""

PACKAGE = {
    "__init__.py": """
from minitf.training import optimizers, schedules

Sgd = optimizers.Sgd
""",
    "base.py": "UNIT = 1.0\n",
    "training/__init__.py": "",
    # The two import each other.
    "training/schedules.py": """
from minitf.training import optimizers


def halved(rate):
    return optimizers.checked(rate) / 2
""",
    "training/optimizers.py": '''"""Steps against a gradient."""

from minitf.training import schedules
from ..base import UNIT


def checked(rate):
    # LAB(99.1) begin: return the rate if it is positive, else raise ValueError
    if rate <= 0:
        raise ValueError(f"the rate must be positive, not {rate}")
    return rate * UNIT
    # LAB(99.1) end


class Sgd:
    """Plain steps."""

    def __init__(self, rate):
        self.rate = checked(rate)

    def step(self, x, gradient):
        # LAB(99.2) begin: return where the step from x leads
        distances = [self.rate * part for part in gradient]
        return [here - distance for here, distance in zip(x, distances, strict=True)]
        # LAB(99.2) end
''',
}
DRIVER = '''"""What the cases call."""

import minitf as tf
from minitf.training import schedules


def halved(rate):
    return schedules.halved(rate)


def stepped(rate, x, gradient):
    return tf.Sgd(rate).step(x, gradient)


def do(code):
    names = {}
    exec(code, names)
    return names["result"]
'''
DO = DRIVER[DRIVER.index("def do") :]
CASES = '''"""The cases."""

from minitf_lab.judge.case import Call, Trial, case, Raised


def trial(call, wanted):
    return Trial("one", [call], lambda got: None if got == [wanted] else f"{got[0]}")


@case("99.1")
def rate_is_halved(draw):
    """The rate is halved."""
    yield trial(Call("halved", {"rate": 3.0}), 1.5)


@case("99.1", over=[0, -1])
def rate_must_be_positive(draw, rate):
    """A rate is positive."""

    def check(values):
        [got] = values
        is_fine = isinstance(got, Raised) and got.type == "ValueError"
        return None if is_fine else "it raises no ValueError"

    yield Trial("one", [Call("halved", {"rate": rate}, may_raise=True)], check)


@case("99.2")
def step_goes_against_the_gradient(draw):
    """A step goes down."""
    arguments = {"rate": 1, "x": [1, 2], "gradient": [0, 1]}
    yield trial(Call("stepped", arguments), [1, 1])


@case("99.2")
def step_of_nothing(draw):
    """A step of nothing."""
    yield trial(Call("stepped", {"rate": 1, "x": [], "gradient": []}), [])
'''
MANIFEST = {
    "title": "Steps",
    "files": ["python/minitf/training/optimizers.py"],
    "time_limit_s": 10,
    "aics": [],
    "tasks": {
        "99.1": {
            "title": "The rate",
            "points": 6,
            "cases": 3,
            "doc": "README.md",
        },
        "99.2": {
            "title": "The step",
            "points": 4,
            "cases": 2,
            "doc": "README.md",
        },
    },
}
SEEDED = """99.2 forward: the step goes with the gradient
-        return [here - distance for here, distance in zip(x, distances, strict=True)]
+        return [here + distance for here, distance in zip(x, distances, strict=True)]
"""
FOLDER = "99_steps"
