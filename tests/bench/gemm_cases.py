"""The cases of ``./lab bench gemm``: products of matrices, for every framework.

A case makes several products of the same sizes in one go, so that what starting them
costs is shared out; its name says the sizes m, k and n, and the type if not float32.

Read next: ``tests/bench/worker.py``.
"""

from collections.abc import Callable
from types import ModuleType

import numpy as np
import options

Work = Callable[[], object]

SIZES = (
    (64, 64, 64),
    (128, 128, 128),
    (256, 256, 256),
    (512, 512, 512),
    (1024, 1024, 1024),
    (2048, 2048, 2048),
    (32, 784, 256),
    (64, 3136, 1024),
)
HALF_SIZES = ((256, 256, 256), (1024, 1024, 1024), (32, 784, 256))
NAMES = {
    **{f"gemm_{m}_{k}_{n}": (m, k, n) for m, k, n in SIZES},
    **{f"gemm_bfloat16_{m}_{k}_{n}": (m, k, n) for m, k, n in HALF_SIZES},
}
AT_A_TIME = 100_000_000  # multiplications


def count_of(name: str) -> int:
    """How many products a case makes."""
    m, k, n = NAMES[name]
    return max(1, min(50, AT_A_TIME // (m * k * n)))


def type_of(name: str) -> str:
    """The element type of a case."""
    return "bfloat16" if "bfloat16" in name else "float32"


TITLES = {
    name: f"product of {m} x {k} and {k} x {n}"
    + ("" if type_of(name) == "float32" else f", {type_of(name)}")
    for name, (m, k, n) in NAMES.items()
}
UNITS = {name: count_of(name) for name in NAMES}
BYTES = {
    name: {"float32": 4, "bfloat16": 2}[type_of(name)] * (m * k + k * n + m * n)
    for name, (m, k, n) in NAMES.items()
}
OPERATIONS = {name: 2 * m * k * n for name, (m, k, n) in NAMES.items()}


def _matrices(name: str) -> tuple[list[np.ndarray], np.ndarray]:
    m, k, n = NAMES[name]
    rng = np.random.default_rng(0)
    left = [rng.standard_normal((m, k), np.float32) for _ in range(count_of(name))]
    return left, rng.standard_normal((k, n), np.float32)


def tf_case(name: str, config: Callable[[ModuleType], object]) -> Callable:
    """The case for minitf and TensorFlow, which takes ``tf`` and gives the work."""

    def case(tf: ModuleType) -> Work:
        left, right = _matrices(name)
        with tf.Graph().as_default() as graph:
            dtype = type_of(name)
            b = tf.Variable(tf.cast(right, dtype))
            with options.tier(graph, "MatMul"):
                products = [tf.matmul(tf.Variable(tf.cast(a, dtype)), b).op for a in left]
            initialize = tf.global_variables_initializer()
        session = tf.Session(graph=graph, config=config(tf))
        session.run(initialize)
        return lambda: session.run(products)

    return case


def torch_case(name: str, torch: ModuleType) -> Callable[[], Work]:
    """The case for PyTorch."""

    def case() -> Work:
        left, right = _matrices(name)
        dtype = getattr(torch, type_of(name))
        b = torch.from_numpy(right).to(dtype)
        pairs = [torch.from_numpy(a).to(dtype) for a in left]

        def work() -> object:
            for a in pairs:
                product = torch.mm(a, b)
            return product

        return work

    return case
