"""Lab 07, tasks 10 and 11: factors of channels go into the weights of a product."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_07_passes.layers import LAYOUTS, Layer, is_factor_of_channels, shapes_beside
from lab_07_passes.nets import Net
from lab_07_passes.trials import (
    FUSING,
    Nodes,
    Wrong,
    becomes,
    counts,
    pass_trial,
    unchanged,
    waits_for,
)

from minitf_lab.judge.case import Mismatch, Trial, case, close
from minitf_lab.judge.draw import Draw

# What a layer computes, and the constants beside each node.
STEPS = ("product", "sum", "mul")
BESIDE = {"product": ["w"], "sum": ["bias"], "mul": ["scale"]}

# ---- 07.10 ----------------------------------------------------------------------------


@case("07.10", over=LAYOUTS)
def factors_of_every_shape(draw, layout):
    """A factor goes into the weights if every channel has one of its own, or all one."""
    seen = set()
    for channels in (3, 2, 1):
        for shape in shapes_beside(Layer(draw, layout, channels=channels)):
            if (channels, shape) in seen:
                continue
            seen.add((channels, shape))
            layer = Layer(draw, layout, channels=channels)
            layer.scaled(layer.numbers(shape))
            fits = is_factor_of_channels(shape, layer)
            yield layer.trial(counts(Mul=0, Const=1) if fits else unchanged)
    for shape in [(1, 1, 1, 1, 1), (1, 1, 1, 1, 3)]:
        layer = Layer(draw, layout)
        yield layer.scaled(layer.numbers(shape)).trial(unchanged)


@case("07.10", over=LAYOUTS)
def biases_of_every_shape(draw, layout):
    """A sum is a bias if every channel has a number of its own; one for all is none."""
    for op in ("Add", "AddV2"):
        for shape in dict.fromkeys(shapes_beside(Layer(draw, layout))):
            layer = Layer(draw, layout)
            layer.biased(op, layer.numbers(shape))
            own = is_factor_of_channels(shape, layer) and np.prod(shape, dtype=int) == 3
            yield layer.trial(becomes("sum", _fused(layout)) if own else unchanged)


@case("07.10")
def biases_of_unknown_size(draw):
    """Where sizes are not known a sum may stretch, and is no bias."""
    for known in ([-1], None, [3]):
        net = Net()
        x = net.feed(draw.array((2, 3), "float32"))
        w = net.feed(draw.array((3, 3), "float32"), [3, -1])
        b = net.feed(draw.array((3,), "float32"), known)
        product = net.call("MatMul", x, w)
        net.fetch(net.call("AddV2", product, b, name="sum"))
        yield pass_trial(net, FUSING, unchanged, runs=True, tolerance=1)


@case("07.10", over=LAYOUTS)
def factors_of_sums(draw, layout):
    """The product may be the first or the second of a sum."""
    for _ in range(6):
        for op in ("BiasAdd", "AddV2"):
            layer = Layer(draw, layout)
            shape = (3,) if op == "BiasAdd" else layer.by_channel()
            layer.biased(op, layer.numbers(shape)).scaled(layer.numbers(()))
            yield layer.trial(counts(Mul=0))


def _fused(layout: str) -> str:
    return "_FusedMatMul" if layout == "MatMul" else "_FusedConv2D"


def _layers_that_stay(draw: Draw) -> Iterator[Layer]:
    for layout in LAYOUTS:
        layer = Layer(draw, layout)  # weights that are fed
        w = layer.net.node("w")
        w |= {"op": "Placeholder", "attrs": {"dtype": "float32", "shape": None}}
        shape = (3, 3) if layout == "MatMul" else (1, 1, 3, 3)
        w["attrs"]["shape"] = list(shape)
        layer.net.feeds.append("w")
        layer.net.values.append(layer.numbers(shape))
        yield layer.scaled(layer.numbers(layer.by_channel()))
        layer = Layer(draw, layout)  # a factor that is fed
        yield layer.scaled(layer.net.feed(layer.numbers(layer.by_channel()), name="s"))
        for where in ("w", "scale"):
            layer = Layer(draw, layout)
            effect = layer.net.effect(layer.net.feed(np.float32(1), name="e"), name="p")
            layer.scaled(layer.numbers(layer.by_channel()))
            layer.net.node(where)["waits"] = [effect]
            layer.net.nodes.sort(key=lambda node: node["name"] not in {"e", "p"})
            layer.net.fetch(effect)
            yield layer
        layer = Layer(draw, layout)
        layer.scaled(layer.numbers(()), device="/cpu:1")
        yield layer
        layer = Layer(draw, layout)
        layer.net.fetch("product")
        yield layer.scaled(layer.numbers(()))
        layer = Layer(draw, layout)
        layer.scaled(layer.numbers(()))
        late = layer.net.call("Neg", layer.x, waits=["product"])
        layer.net.fetch(late)
        yield layer
        layer = Layer(draw, layout, _kernel="its own")
        yield layer.scaled(layer.numbers(()))
        layer = Layer(draw, layout)
        layer.net.targets.append("product")
        yield layer.scaled(layer.numbers(()))
        layer = Layer(draw, layout)
        layer.scaled(layer.numbers(()))
        layer.net.targets.append("mul")
        yield layer


@case("07.10")
def products_that_stay(draw):
    """Nothing is scaled that others see, that waits, or that is not constant."""
    for layer in _layers_that_stay(draw):
        if layer.last not in dict(layer.net.fetches):
            layer.net.fetch(layer.last)
        yield layer.trial(unchanged, runs=False)


@case("07.10")
def sums_that_stay(draw):
    """A sum on another device, or with a kernel of its own, is not scaled."""
    for layout, op in itertools.product(LAYOUTS, ("BiasAdd", "AddV2")):
        for others in ({"_kernel": "its own"}, {"device": "/cpu:1"}):
            layer = Layer(draw, layout)
            shape = (3,) if op == "BiasAdd" else layer.by_channel()
            layer.biased(op, layer.numbers(shape), **others)
            yield layer.scaled(layer.numbers(())).trial(counts(Mul=1), runs=False)
        for elsewhere in itertools.product((False, True), repeat=3):
            layer = Layer(draw, layout)
            shape = (3,) if op == "BiasAdd" else layer.by_channel()
            layer.biased(op, layer.numbers(shape)).scaled(layer.numbers(()))
            moved = [n for n, at in zip(STEPS, elsewhere, strict=True) if at]
            for name in moved + [c for n in moved for c in BESIDE[n]]:
                layer.net.node(name)["device"] = "/cpu:1"
            count = int(len(moved) in {1, 2})
            yield layer.trial(counts(Mul=count), runs=False)


@case("07.11")
def biases_that_wait(draw):
    """A bias that waits for an effect is not scaled."""
    for layout, op in itertools.product(LAYOUTS, ("BiasAdd", "AddV2")):
        layer = Layer(draw, layout)
        effect = layer.net.effect(layer.net.feed(np.float32(1), name="e"), name="p")
        shape = (3,) if op == "BiasAdd" else layer.by_channel()
        bias = layer.net.const(layer.numbers(shape), name="bias", waits=[effect])
        layer.biased(op, bias).scaled(layer.numbers(layer.by_channel()))
        yield layer.trial(counts(Mul=1), becomes("p", "Print"), runs=False)


@case("07.10")
def weights_of_many_kinds(draw):
    """Flags, the limit of a constant, types, sums of squares, and what is no product."""
    for a, b in itertools.product((False, True), repeat=2):
        layer = Layer(draw, "MatMul", transpose_a=a, transpose_b=b)
        layer.scaled(layer.numbers((3,)))
        yield layer.trial(unchanged if b else counts(Mul=0))
    for limit, fits in [(36, True), (35, False), (0, False)]:
        layer = Layer(draw, "MatMul").scaled(np.ones(3, np.float32))
        expected = counts(Mul=0) if fits else unchanged
        yield layer.trial(expected, max_constant_bytes=limit)
    layer = Layer(draw, "MatMul", "int32")
    yield layer.scaled(np.int32([1, 2, 3])).trial(unchanged, runs=False)
    layer = Layer(draw, "MatMul")
    square = layer.net.call("Mul", layer.last, layer.last, name="square")
    layer.net.fetch(square)
    yield layer.trial(unchanged)
    net = Net()
    x, w = net.feed(draw.array((2, 3), "float32")), net.const(draw.array((3,), "float32"))
    product = net.call("Mul", x, w)
    net.fetch(net.call("Mul", product, net.const(np.float32([1, 2, 3]))))
    yield pass_trial(net, FUSING, unchanged)
    net = Net()
    x = net.feed(draw.array((2, 3, 3), "float32"))
    w = net.const(draw.array((2, 3, 3), "float32"))
    product = net.call("BatchMatMulV2", x, w, adj_x=False, adj_y=False)
    net.fetch(net.call("Mul", product, net.const(np.float32([1, 2, 3]))))
    yield pass_trial(net, FUSING, unchanged)


@case("07.10")
def factors_on_any_side(draw):
    """The factor may stand first, and factors may follow each other."""
    for layout in LAYOUTS:
        for count in (1, 2, 3):
            layer = Layer(draw, layout, "float64")
            for _ in range(count):
                layer.scaled(layer.numbers(draw.one_of([(), (1,), layer.by_channel()])))
            yield layer.trial(counts(Mul=0))


def _convolutions(draw: Draw, count: int) -> Iterator[Trial]:
    """Normalised convolutions, and layers like them, of all sizes."""
    for _ in range(count):
        layout, dtype = draw.one_of(LAYOUTS), draw.one_of(["float32", "float64"])
        layer = Layer(
            draw, layout, dtype, size=draw.whole(2, 4), channels=draw.whole(1, 4),
        )  # fmt: skip
        shapes = list(shapes_beside(layer))
        for _ in range(draw.whole(1, 3)):
            shape = layer.by_channel() if draw.coin(0.6) else draw.one_of(shapes)
            if draw.coin():
                layer.scaled(layer.numbers(shape))
            elif draw.coin():
                layer.biased("BiasAdd", layer.numbers((layer.channels,)))
            else:
                layer.biased("AddV2", layer.numbers(shape))
        if draw.coin():
            layer.last = layer.net.call("Relu", layer.last, name="relu")
        yield layer.trial()


@case("07.10", hidden=True, over=range(2))
def more_layers(draw, _part):
    """Layers of other sizes give the same in the end."""
    yield from _convolutions(draw, 50)


@case("07.10", hidden=True, over=LAYOUTS)
def more_factors_of_every_shape(draw, layout):
    """Factors of other sizes, some of them equal."""
    for size, channels in [(2, 2), (4, 4), (2, 4), (1, 1)]:
        for shape in dict.fromkeys(shapes_beside(Layer(draw, layout, size=size))):
            layer = Layer(draw, layout, size=size, channels=channels)
            shape = tuple(channels if n == 3 else n for n in shape)
            try:
                np.broadcast_shapes(shape, layer.shape)
            except ValueError:
                continue
            layer.scaled(layer.numbers(shape))
            yield layer.trial()


# ---- 07.11 ----------------------------------------------------------------------------


def _constants(**expected: np.ndarray) -> Any:
    """The constants that end with these names have these numbers, bit by bit."""

    def check(_before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
        for name, value in expected.items():
            found = [n for n in after if after[n]["op"] == "Const" and n.startswith(name)]
            if len(found) != 1:
                return Mismatch(
                    "constants of this name", expected=name, got=str(sorted(after))
                )
            got = np.asarray(after[found[0]]["attrs"]["value"])
            if wrong := close(got.ravel(), value.ravel(), what=f"the numbers of {name}"):
                return wrong
        return None

    return check


def _layer_trial(
    draw: Draw, layout: str, dtype: str, op: str, scale_shape: str, channels: int
) -> Trial:
    layer = Layer(draw, layout, dtype, channels=channels)
    bias = layer.numbers((channels,) if op == "BiasAdd" else layer.by_channel())
    scale = layer.numbers(() if scale_shape == "one" else layer.by_channel())
    layer.biased(op, bias).scaled(scale)
    weights = layer.net.node("w")["attrs"]["value"]
    factors = scale.ravel()
    expected = counts(Mul=0, Add=0, AddV2=0, BiasAdd=0, **{_fused(layout): 1})
    return layer.trial(
        expected,
        becomes("mul", _fused(layout)),
        _constants(w=weights * factors, bias=bias.ravel() * factors),
    )


@case("07.11", over=LAYOUTS)
def sums_that_are_scaled(draw, layout):
    """(product + bias) * scale: both are scaled, each channel by its own factor."""
    for dtype, op, shape in itertools.product(
        ("float32", "float64"), ("BiasAdd", "Add", "AddV2"), ("one", "each")
    ):
        for channels in (2, 3, 5):
            yield _layer_trial(draw, layout, dtype, op, shape, channels)


@case("07.11")
def numbers_by_hand(draw):
    """(2 x + 3) * 10 = 20 x + 30."""
    net = Net()
    x = net.feed(np.float32([[1], [5]]))
    w, b, s = (net.const(v, "float32", name=n) for v, n in
               (([[2]], "w"), ([3], "bias"), ([10], "scale")))  # fmt: skip
    total = net.call("BiasAdd", net.call("MatMul", x, w), b)
    net.fetch(net.call("Mul", total, s, name="y"))
    numbers = _constants(w=np.float32([20]), bias=np.float32([30]))
    yield pass_trial(net, FUSING, becomes("y", "_FusedMatMul"), numbers, runs=True)
    net = Net()
    x = net.feed(np.float32([[1, 2]]))
    w = net.const(np.float32([[1, 2, 3], [4, 5, 6]]), name="w")
    s = net.const(np.float32([10, 100, 1000]), name="scale")
    net.fetch(net.call("Mul", net.call("MatMul", x, w), s, name="y"))
    numbers = _constants(w=np.float32([[10, 200, 3000], [40, 500, 6000]]))
    yield pass_trial(net, FUSING, becomes("y", "MatMul"), numbers, runs=True)


@case("07.11", over=("float32", "float64"))
def numbers_that_become_too_large(draw, dtype):
    """Nothing is scaled if a weight or a number of the bias is not finite then."""
    large = np.sqrt(np.finfo(dtype).max).item() * 2
    for kind in ("both", "weight", "bias", "inf", "nan", "one weight", "fine", "zero"):
        layer = Layer(draw, "MatMul", dtype)
        w = np.ones((3, 3), dtype)
        bias, scale = np.ones(3, dtype), np.full(3, large, dtype)
        if kind in {"both", "weight"}:
            w[:] = large
        if kind in {"both", "bias"}:
            bias[2] = large
        if kind == "one weight":
            w[2, 1] = -large
        if kind in {"inf", "nan"}:
            scale[1] = kind
        if kind == "zero":
            scale[1] = 0
        layer.net.node("w")["attrs"]["value"] = w
        layer.net.values[0] = np.full((3, 3), 1e-30, dtype)
        layer.biased("AddV2", bias).scaled(scale)
        is_fine = kind in {"fine", "zero"}
        yield layer.trial(counts(Mul=0 if is_fine else 1))
        if kind == "bias":
            continue
        layer = Layer(draw, "MatMul", dtype)
        layer.net.node("w")["attrs"]["value"] = w
        layer.net.values[0] = np.full((3, 3), 1e-30, dtype)
        layer.scaled(scale)
        yield layer.trial(counts(Mul=0) if is_fine else unchanged)


@case("07.11", over=("float32", "float64"))
def numbers_that_become_too_small(draw, dtype):
    """Nothing is scaled if digits of a weight or of the bias are lost by it."""
    least = np.finfo(dtype).tiny
    for number, factor, is_fine in [
        (least, 0.5, False), (least, -least, False), (-1e-30, least, False),
        (least, 1, True), (-2 * least, 0.5, True), (0, least, True), (1, 0, True),
    ]:  # fmt: skip
        for kind in ("weight", "bias"):
            layer = Layer(draw, "MatMul", dtype)
            w, bias, scale = np.ones((3, 3), dtype), np.ones(3, dtype), np.ones(3, dtype)
            scale[1] = factor
            if kind == "weight":
                w[2, 1] = number
            else:
                bias[1] = number
            layer.net.node("w")["attrs"]["value"] = w
            if kind == "bias":
                layer.biased("AddV2", bias)
            layer.scaled(scale)
            yield layer.trial(counts(Mul=0 if is_fine else 1), runs=False)


@case("07.11")
def waits_and_names_of_sums(draw):
    """What product, sum and factor have waited for is waited for; the last name stays."""
    for who in itertools.product((False, True), repeat=3):
        for device in ("", "/cpu:1"):
            layer = Layer(draw, "MatMul")
            net = layer.net
            effects = [net.effect(layer.x, name=f"p{i}") for i in range(3)]
            layer.biased("BiasAdd", layer.numbers((3,)))
            layer.scaled(layer.numbers((3,)))
            for flag, name, effect in zip(
                who, ("product", "sum", "mul"), effects, strict=True
            ):
                net.node(name)["waits"] = [effect] if flag else []
            for name in ("product", "sum", "mul", "w", "scale", "bias"):
                net.node(name)["device"] = device
            net.nodes.sort(key=lambda node: node["name"] not in {"x", "p0", "p1", "p2"})
            expected = {e for flag, e in zip(who, effects, strict=True) if flag}
            checks = becomes("mul", "_FusedMatMul"), waits_for("mul", *expected)
            yield layer.trial(*checks, _on_device(device), runs=False)


def _on_device(device: str) -> Any:
    def check(before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
        for name, node in after.items():
            if node["op"] in {"Const", "MatMul", "_FusedMatMul"}:
                if node["device"] != device:
                    return f"'{name}' is on {node['device']!r}, expected {device!r}"
                if not node["origin"].startswith("net.py:"):
                    return f"'{name}' does not say which line made it"
        new, old = after.get("product_scaled"), before.get("product")
        if new and old and new["origin"] != old["origin"]:
            return Mismatch(
                "the line of 'product_scaled'", expected=old["origin"], got=new["origin"]
            )
        return None

    return check


@case("07.11")
def products_without_fused_kernels(draw):
    """Where nothing is fused the new product is seen, with its name and its line."""
    for op in ("BiasAdd", "AddV2"):
        layer = Layer(draw, "MatMul")
        layer.biased(op, layer.numbers((3,))).scaled(layer.numbers((3,)))
        for node in layer.net.nodes:
            node["device"] = "card"
        layer.net.fetch(layer.last)
        layer.net.nodes[0]["device"] = ""
        checks = becomes("product_scaled", "MatMul"), becomes("mul", op), counts(Mul=0)
        yield layer.trial(*checks, _on_device("card"), gpus=["card"], runs=False)


@case("07.11")
def weights_that_others_use(draw):
    """Weights and bias are constants of others, too, and stay as they are for these."""
    for layout in ("MatMul", "NHWC"):
        layer = Layer(draw, layout)
        bias = layer.net.const(layer.numbers((3,)), name="bias")
        layer.net.fetch(layer.net.call("Neg", layer.w), layer.net.call("Neg", bias))
        layer.biased("BiasAdd", bias).scaled(layer.numbers((3,)))
        layer.net.fetch(layer.last)
        yield layer.trial(becomes("mul", _fused(layout)))
    # Bias and factor are one constant, or bias and sum are seen by others.
    layer = Layer(draw, "MatMul")
    both = layer.net.const(layer.numbers((3,)), name="both")
    yield layer.biased("AddV2", both).scaled(both).trial(becomes("mul", "_FusedMatMul"))
    for seen in ("product", "sum"):
        layer = Layer(draw, "MatMul")
        layer.biased("AddV2", layer.numbers((3,))).scaled(layer.numbers((3,)))
        layer.net.fetch(seen, "mul")
        yield layer.trial(becomes("mul", "Mul"))
    layer = Layer(draw, "MatMul")
    fed = layer.net.feed(layer.numbers((3,)), name="fed")
    yield layer.biased("BiasAdd", fed).scaled(layer.numbers((3,))).trial(counts(Mul=1))
    layer = Layer(draw, "NCHW")
    layer.biased("BiasAdd", layer.numbers((3,)), data_format="NHWC")
    yield layer.scaled(layer.numbers((3, 1, 1))).trial(counts(Mul=1), runs=False)


@case("07.11")
def normalised_layers(draw):
    """Layers of all sizes, with factors, biases and activations, give the same."""
    yield from _convolutions(draw, 40)


@case("07.11", hidden=True, over=range(2))
def more_normalised_layers(draw, _part):
    """Other layers."""
    yield from _convolutions(draw, 60)


@case("07.11", hidden=True, over=LAYOUTS)
def more_sums_that_are_scaled(draw, layout):
    """Sums of other sizes."""
    for channels in (1, 4, 7):
        for op, dtype in itertools.product(("BiasAdd", "AddV2"), ("float32", "float64")):
            yield _layer_trial(draw, layout, dtype, op, "each", channels)
