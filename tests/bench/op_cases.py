"""The cases of ``./lab bench ops``: kernels that are no products, for every framework.

All are float32. Images are NHWC (PyTorch: channels last). Inputs are variables, so that
no framework computes a result before it is asked for, and what is fetched is the op and
not its value.

Read next: ``tests/bench/worker.py``.
"""

from collections.abc import Callable
from types import ModuleType

import numpy as np

Work = Callable[[], object]

IMAGES = (8, 56, 56, 64)
POOLED = (8, 28, 28, 64)
MATRIX = (4096, 1024)
SIZES = {"1e6": 1_000_000, "1e7": 10_000_000}
SIDES = {"2x2": 2, "3x3": 3}  # of the windows of a pool, which move by 2
BINARY = ("add", "multiply")
UNARY = ("relu", "exp", "tanh", "sigmoid")
AXES = {"rows": 0, "columns": 1, "all": None}
LOGITS = {"64x10": (64, 10), "128x1000": (128, 1000)}


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, np.float32)


def _max_pooled(x: np.ndarray, side: int) -> np.ndarray:
    """The maxima of all windows, which MaxPoolGrad asks for; padding SAME."""
    after = [(0, 0), (0, side - 2), (0, side - 2), (0, 0)]
    wide = np.pad(x, after, constant_values=-np.inf)
    rows, columns = x.shape[1], x.shape[2]
    taps = [(i, j) for i in range(side) for j in range(side)]
    return np.max([wide[:, i : i + rows : 2, j : j + columns : 2] for i, j in taps], 0)


# ---- minitf and TensorFlow: a function of tf that gives the result --------------------


def _tf_pool(of: str, side: int) -> Callable:
    def make(tf: ModuleType) -> object:
        pool = tf.nn.max_pool if of == "max" else tf.nn.avg_pool
        x = tf.Variable(_random(*IMAGES))
        window = [1, side, side, 1]
        return pool(x, ksize=window, strides=[1, 2, 2, 1], padding="SAME")

    return make


def _tf_pool_grad(of: str, side: int) -> Callable:
    def make(tf: ModuleType) -> object:
        how = {"ksize": [1, side, side, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
        dy = tf.Variable(_random(*POOLED))
        if of == "avg":
            return tf.raw_ops.AvgPoolGrad(orig_input_shape=IMAGES, grad=dy, **how)
        x = _random(*IMAGES)
        y = tf.Variable(_max_pooled(x, side))
        return tf.raw_ops.MaxPoolGrad(
            orig_input=tf.Variable(x), orig_output=y, grad=dy, **how
        )

    return make


def _tf_cwise(name: str, size: int) -> Callable:
    def make(tf: ModuleType) -> object:
        x = tf.Variable(_random(size))
        if name in BINARY:
            return getattr(tf, name)(x, tf.Variable(_random(size)))
        return (tf.nn.relu if name == "relu" else getattr(tf, name))(x)

    return make


def _tf_reduction(name: str, axis: int | None) -> Callable:
    return lambda tf: getattr(tf, f"reduce_{name}")(tf.Variable(_random(*MATRIX)), axis)


def _tf_softmax_loss(rows: int, classes: int) -> Callable:
    """The losses, and what their gradient is made of: both come from one op."""

    def make(tf: ModuleType) -> object:
        labels = np.arange(rows, dtype=np.int64) % classes
        return tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(
            features=tf.Variable(_random(rows, classes)), labels=tf.Variable(labels)
        )[0]

    return make


def _tf_batch_norm(is_gradient: bool) -> Callable:
    """Of a batch; with its gradient, too."""

    def make(tf: ModuleType) -> object:
        x, scale, offset = (tf.Variable(_random(*s)) for s in (IMAGES, (64,), (64,)))
        y = tf.nn.fused_batch_norm(x, scale, offset, epsilon=1e-3)[0]
        dy = tf.Variable(_random(*IMAGES))
        if is_gradient:
            return tf.gradients(y, [x, scale, offset], dy)[0]
        return y

    return make


TF_CASES: dict[str, Callable[[ModuleType], object]] = {
    **{
        f"{of}_pool_{n}": _tf_pool(of, s)
        for of in ("max", "avg")
        for n, s in SIDES.items()
    },
    **{
        f"{of}_pool_grad_{n}": _tf_pool_grad(of, s)
        for of in ("max", "avg")
        for n, s in SIDES.items()
    },
    **{f"{f}_{n}": _tf_cwise(f, s) for n, s in SIZES.items() for f in (*BINARY, *UNARY)},
    **{f"sum_{n}": _tf_reduction("sum", axis) for n, axis in AXES.items()},
    "max_columns": _tf_reduction("max", 1),
    **{f"softmax_loss_{n}": _tf_softmax_loss(*shape) for n, shape in LOGITS.items()},
    "softmax": lambda tf: tf.nn.softmax(tf.Variable(_random(128, 1000))),
    "bias_add": lambda tf: tf.nn.bias_add(
        tf.Variable(_random(*IMAGES)), tf.Variable(_random(64))
    ),
    "bias_grad": lambda tf: tf.raw_ops.BiasAddGrad(
        out_backprop=tf.Variable(_random(*IMAGES))
    ),
    "transpose": lambda tf: tf.transpose(tf.Variable(_random(2048, 2048))),
    "batch_norm": _tf_batch_norm(False),
    "batch_norm_grad": _tf_batch_norm(True),
}
NAMES = list(TF_CASES)
TITLES = {name: name.replace("_", " ") for name in NAMES}
UNITS = dict.fromkeys(NAMES, 1)

# Bytes that are read and written at least.
_IMAGE, _POOLED, _MATRIX = (4 * int(np.prod(s)) for s in (IMAGES, POOLED, MATRIX))
BYTES = {
    **{f"{of}_pool_{n}": _IMAGE + _POOLED for of in ("max", "avg") for n in SIDES},
    **{f"max_pool_grad_{n}": 2 * (_IMAGE + _POOLED) for n in SIDES},
    **{f"avg_pool_grad_{n}": _IMAGE + _POOLED for n in SIDES},
    **{f"{f}_{n}": 12 * size for n, size in SIZES.items() for f in BINARY},
    **{f"{f}_{n}": 8 * size for n, size in SIZES.items() for f in UNARY},
    **dict.fromkeys(("sum_rows", "sum_columns", "sum_all", "max_columns"), _MATRIX),
    "bias_add": 2 * _IMAGE,
    "bias_grad": _IMAGE,
    "transpose": 8 * 2048 * 2048,
}


def tf_case(name: str, config: Callable[[ModuleType], object]) -> Callable:
    """The case for minitf and TensorFlow, which takes ``tf`` and gives the work."""

    def case(tf: ModuleType) -> Work:
        with tf.Graph().as_default() as graph:
            result = TF_CASES[name](tf)
            initialize = tf.global_variables_initializer()
        session = tf.Session(graph=graph, config=config(tf))
        session.run(initialize)
        return lambda: session.run(result.op)

    return case


# ---- PyTorch: a function of torch that gives the work ---------------------------------


def _torch_images(torch: ModuleType, *shape: int) -> object:
    images = torch.from_numpy(_random(*shape)).permute(0, 3, 1, 2)
    return images.contiguous(memory_format=torch.channels_last)


def _torch_pool(torch: ModuleType, of: str, side: int, is_gradient: bool) -> Work:
    """A 3x3 window that moves by 2 would need a zero on one side alone: here on both."""
    x, dy = _torch_images(torch, *IMAGES), _torch_images(torch, *POOLED)
    how = [[side] * 2, [2] * 2, [(side - 1) // 2] * 2]
    aten = torch.ops.aten
    if of == "max":
        pool = aten.max_pool2d_with_indices
        indices = pool(x, *how)[1]
        if is_gradient:
            backward = aten.max_pool2d_with_indices_backward
            return lambda: backward(dy, x, *how, [1, 1], False, indices)
        return lambda: pool(x, *how)
    if is_gradient:
        return lambda: aten.avg_pool2d_backward(dy, x, *how, False, False, None)
    return lambda: aten.avg_pool2d(x, *how, False, False)


def _torch_cwise(torch: ModuleType, name: str, size: int) -> Work:
    x, y = torch.from_numpy(_random(size)), torch.from_numpy(_random(size))
    function = getattr(torch, name)
    return (lambda: function(x, y)) if name in BINARY else (lambda: function(x))


def _torch_softmax_loss(torch: ModuleType, rows: int, classes: int) -> Work:
    x = torch.from_numpy(_random(rows, classes)).requires_grad_()
    labels = torch.arange(rows) % classes
    loss = torch.nn.functional.cross_entropy
    return lambda: torch.autograd.grad(loss(x, labels, reduction="sum"), x)


def _torch_other(torch: ModuleType, name: str) -> Work:
    images, matrix = _torch_images(torch, *IMAGES), torch.from_numpy(_random(*MATRIX))
    logits, square = (torch.from_numpy(_random(*s)) for s in ((128, 1000), (2048, 2048)))
    bias = torch.from_numpy(_random(64)).view(1, 64, 1, 1)
    scale, offset = (
        torch.ones(64, requires_grad=True),
        torch.zeros(64, requires_grad=True),
    )

    def batch_norm(x: object) -> object:
        norm = torch.nn.functional.batch_norm
        return norm(x, None, None, scale, offset, training=True, eps=1e-3)

    def batch_norm_grad() -> object:
        y = batch_norm(images.requires_grad_())
        return torch.autograd.grad(y, [images, scale, offset], images)

    return {
        "sum_rows": lambda: matrix.sum(0),
        "sum_columns": lambda: matrix.sum(1),
        "sum_all": lambda: matrix.sum(),
        "max_columns": lambda: torch.amax(matrix, 1),
        "softmax": lambda: torch.softmax(logits, 1),
        "bias_add": lambda: images + bias,
        "bias_grad": lambda: images.sum((0, 2, 3)),
        "transpose": lambda: square.t().contiguous(),
        "batch_norm": lambda: batch_norm(images),
        "batch_norm_grad": batch_norm_grad,
    }[name]


def torch_case(name: str, torch: ModuleType) -> Callable[[], Work]:
    """The case for PyTorch."""
    first, _, rest = name.partition("_")
    if rest.startswith("pool"):
        side = SIDES[name.rpartition("_")[2]]
        return lambda: _torch_pool(torch, first, side, "grad" in name)
    if rest in SIZES:
        return lambda: _torch_cwise(torch, first, SIZES[rest])
    if name.startswith("softmax_loss"):
        return lambda: _torch_softmax_loss(torch, *LOGITS[name.rpartition("_")[2]])
    return lambda: _torch_other(torch, name)
