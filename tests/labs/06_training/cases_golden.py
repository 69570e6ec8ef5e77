"""Lab 06, tasks 7 to 9: as TensorFlow does it, and a network that reads digits."""

import gzip
import json
from typing import Any

import numpy as np
from lab_06_training import golden_steps
from lab_06_training.trials import MODES, TOLERANCE
from lab_common.checks import call_trial

from minitf_lab import project
from minitf_lab.judge.case import Mismatch, Trial, case, close
from minitf_lab.judge.draw import REAL

DIGITS = project.ROOT / "python" / "minitf" / "data" / "mnist_5k"


def _golden_trial(name: str, dtype: str, mode: str) -> Trial:
    kind, options = golden_steps.OPTIMIZERS[name]
    steps = [golden_steps.gradients(i, dtype) for i in range(golden_steps.NUM_STEPS)]

    def check(result: Any) -> Mismatch | None:
        wanted = json.loads(golden_steps.GOLDEN.read_text())[f"{name} {dtype}"]
        pairs = zip(golden_steps.SHOWN, wanted, result["values"], strict=True)
        for number, expected, got in pairs:
            # Of float32, for what 100 steps round; centered RMSProp divides by the
            # difference of two near numbers.
            scale = TOLERANCE[dtype] * (50 if name == "centered" else 5)
            for j in range(2):
                value = np.array(expected[j], dtype)
                what = f"w{j} after step {number}, beside TensorFlow's"
                if wrong := close(got[j], value, rtol=scale, atol=scale, what=what):
                    return wrong
        return None

    settings = ", ".join(f"{name}={value}" for name, value in options.items())
    title = f"{kind}({settings}), {dtype} in {mode} mode, one gradient of rows"
    return call_trial(
        title, check, "train", kind=kind, options=options,
        starts=golden_steps.starts(dtype), steps=steps, mode=mode,
    )  # fmt: skip


@case("06.7", over=MODES)
def sgd_as_tensorflow(_draw, mode):
    """100 steps of gradient descent end where TensorFlow's do."""
    for dtype in REAL:
        yield _golden_trial("sgd", dtype, mode)


@case("06.8", over=["momentum", "nesterov", "adagrad", "rmsprop", "centered"])
def steps_as_tensorflow(_draw, name):
    """100 steps end where TensorFlow's do."""
    for dtype in REAL:
        for mode in MODES:
            yield _golden_trial(name, dtype, mode)


@case("06.9", over=MODES)
def adam_as_tensorflow(_draw, mode):
    """100 steps of Adam end where TensorFlow's do."""
    for dtype in REAL:
        yield _golden_trial("adam", dtype, mode)


@case("06.9")
def digits_are_learned(_draw):
    """Three layers learn to read digits by Adam, at a rate that decays."""
    with gzip.open(DIGITS / "test-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8)

    def check(got: Any) -> str | None:
        right = float(np.mean(np.array(got) == labels))
        return None if right >= 0.9 else f"{right:.1%} of 500 digits are read"

    yield call_trial("digits of mnist_5k, 3 layers", check, "learn_digits")
