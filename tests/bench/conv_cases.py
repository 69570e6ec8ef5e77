"""The cases of ``./lab bench conv``: float32 convolutions, for every framework.

``conv_forward_lenet2`` is Conv2D of the second layer of LeNet, ``conv_input_lenet2`` and
``conv_filter_lenet2`` are its gradients. All are NHWC (PyTorch: channels last), padding
SAME.

Read next: ``tests/bench/worker.py``.
"""

from collections.abc import Callable
from types import ModuleType

import numpy as np
import options

Work = Callable[[], object]

# x [N,H,W,C], w [R,S,C,K], stride, dilation.
SHAPES = {
    "lenet1": ((64, 28, 28, 1), (5, 5, 1, 32), 1, 1),
    "lenet2": ((64, 14, 14, 32), (5, 5, 32, 64), 1, 1),
    "cifar1": ((128, 24, 24, 3), (5, 5, 3, 64), 1, 1),
    "cifar2": ((128, 12, 12, 64), (5, 5, 64, 64), 1, 1),
    "vgg56": ((8, 56, 56, 64), (3, 3, 64, 64), 1, 1),
    "vgg28": ((8, 28, 28, 128), (3, 3, 128, 128), 1, 1),
    "vgg14": ((8, 14, 14, 256), (3, 3, 256, 256), 1, 1),
    "vgg7": ((8, 7, 7, 512), (3, 3, 512, 512), 1, 1),
    "dilated": ((8, 28, 28, 128), (3, 3, 128, 128), 1, 2),
    "one56": ((8, 56, 56, 256), (1, 1, 256, 64), 1, 1),
    "stem": ((4, 224, 224, 3), (7, 7, 3, 64), 2, 1),
}
PARTS = ("forward", "input", "filter")
NAMES = {
    f"conv_{part}_{shape}": (part, shape)
    for part in PARTS
    for shape in SHAPES
    if part == "forward" or SHAPES[shape][3] == 1  # TensorFlow has no other on a CPU
}
TITLES = {
    name: f"Conv2D {shape}, {part}"
    if part == "forward"
    else f"Conv2D {shape}, gradient of the {part}"
    for name, (part, shape) in NAMES.items()
}
UNITS = dict.fromkeys(NAMES, 1)
OPS = ("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter")


def _operations(shape: str) -> int:
    """Multiplications and additions by the formula, zeros around the image included."""
    (n, h, w, _), filters, stride, _ = SHAPES[shape]
    return 2 * n * -(-h // stride) * -(-w // stride) * int(np.prod(filters))


def _bytes(shape: str) -> int:
    """Those of x, w and y: each is read or written at least once."""
    x, w, stride, _ = SHAPES[shape]
    y = (x[0], -(-x[1] // stride), -(-x[2] // stride), w[3])
    return 4 * sum(int(np.prod(one)) for one in (x, w, y))


BYTES = {name: _bytes(shape) for name, (_, shape) in NAMES.items()}
OPERATIONS = {name: _operations(shape) for name, (_, shape) in NAMES.items()}


def _arrays(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, int]:
    """x, w and dy of a case, its stride and its dilation."""
    x, w, stride, dilation = SHAPES[NAMES[name][1]]
    y = (x[0], -(-x[1] // stride), -(-x[2] // stride), w[3])
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape, np.float32) for shape in (x, w, y)]
    return *arrays, stride, dilation


def tf_case(name: str, config: Callable[[ModuleType], object]) -> Callable:
    """The case for minitf and TensorFlow, which takes ``tf`` and gives the work."""

    def case(tf: ModuleType) -> Work:
        part = NAMES[name][0]
        x, w, dy, stride, dilation = _arrays(name)
        how = {
            "strides": [1, stride, stride, 1],
            "padding": "SAME",
            "dilations": [1, dilation, dilation, 1],
        }
        with tf.Graph().as_default() as graph:
            images, filters, gradient = tf.Variable(x), tf.Variable(w), tf.Variable(dy)
            nn = tf.nn
            with options.tier(graph, *OPS):
                if part == "forward":
                    result = nn.conv2d(images, filters, **how)
                elif part == "input":
                    result = nn.conv2d_backprop_input(x.shape, filters, gradient, **how)
                else:
                    result = nn.conv2d_backprop_filter(images, w.shape, gradient, **how)
            initialize = tf.global_variables_initializer()
        session = tf.Session(graph=graph, config=config(tf))
        session.run(initialize)
        return lambda: session.run(result.op)

    return case


def torch_case(name: str, torch: ModuleType) -> Callable[[], Work]:
    """The case for PyTorch."""

    def case() -> Work:
        part = NAMES[name][0]
        x, w, dy, stride, dilation = _arrays(name)
        last = torch.channels_last
        images = torch.from_numpy(x).permute(0, 3, 1, 2).contiguous(memory_format=last)
        filters = torch.from_numpy(w).permute(3, 2, 0, 1).contiguous(memory_format=last)
        gradient = torch.from_numpy(dy).permute(0, 3, 1, 2).contiguous(memory_format=last)
        taps, size = w.shape[0], x.shape[1]
        reach = (taps - 1) * dilation + 1
        zeros = max(0, (dy.shape[1] - 1) * stride + reach - size)
        before = zeros // 2
        if zeros % 2:  # PyTorch has the same zeros on both sides: one column more
            images = torch.nn.functional.pad(images, (before, before + 1) * 2)
            images = images.contiguous(memory_format=last)
            before = 0
        masks = {"input": [True, False, False], "filter": [False, True, False]}

        def forward() -> object:
            conv2d = torch.nn.functional.conv2d
            return conv2d(images, filters, None, stride, before, dilation)

        def backward() -> object:
            return torch.ops.aten.convolution_backward(
                gradient,
                images,
                filters,
                None,
                [stride] * 2,
                [before] * 2,
                [dilation] * 2,
                False,
                [0, 0],
                1,
                masks[part],
            )

        return forward if part == "forward" else backward

    return case
