"""Lab 07, task 1: how large a constant may be."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lab_07_passes.nets import Net
from lab_07_passes.trials import FOLDING, Nodes, Wrong, pass_trial, unchanged

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import Draw

SMALL_BYTES = 100 << 10


def _limits() -> Iterator[tuple[Net, bool, dict[str, Any]]]:
    for count, is_folded in [(SMALL_BYTES // 4, True), (SMALL_BYTES // 4 + 1, False)]:
        net = Net()
        fill = net.call("Fill", net.const([count]), net.const(np.float32(1)), name="y")
        yield net.fetch(fill), is_folded, {}
    large = np.zeros(SMALL_BYTES // 4 + 10, np.float32)
    for dtype, is_folded in [("float64", True), ("complex128", False), ("int8", True)]:
        net = Net()
        cast = net.call("Cast", net.const(large), DstT=dtype, SrcT="float32", name="y")
        yield net.fetch(cast), is_folded, {}
    net = Net()
    yield net.fetch(net.call("Neg", net.const(large), name="y")), True, {}
    for columns, is_folded in [(2, True), (3, False)]:
        net = Net()
        row = net.const(np.ones((1, columns), np.float32))
        product = net.call("Mul", net.const(large.reshape(-1, 1)), row, name="y")
        yield net.fetch(product), is_folded, {}
    for count, is_folded in [(SMALL_BYTES, True), (SMALL_BYTES + 1, False)]:
        net = Net()
        where = net.call("Where", net.const(np.zeros(count, bool)), name="y")
        yield net.fetch(where), is_folded, {}
    net = Net()
    where = net.call("Where", net.const(np.ones(20_000, bool)), name="y")
    yield net.fetch(where), False, {}
    for limit, is_folded in [(8, True), (7, False), (0, False), (1 << 40, True)]:
        net = Net()
        negative = net.call("Neg", net.const(np.float32([1, 2])), name="y")
        yield net.fetch(negative), is_folded, {"max_constant_bytes": limit}
        net = Net()
        parts = net.call("Unpack", net.const(np.float32([1, 2])), num=2, name="y")
        yield net.fetch((parts, 0), (parts, 1)), is_folded, {"max_constant_bytes": limit}


@case("07.1")
def constants_do_not_make_a_graph_large(draw):
    """Results above 100 KB are kept up to twice what goes in, none above the limit."""
    for net, is_folded, settings in _limits():
        expectation = _is_folded if is_folded else unchanged
        yield pass_trial(net, FOLDING, expectation, **settings)


def _packed(draw: Draw, sizes: list[int], limit: int) -> Trial:
    """One result of constants of so many bytes, and what the rule says of that."""
    net = Net()
    parts = [net.const(np.zeros(size, np.int8), name="part") for size in sizes]
    # A product of a row and a column, or a Pack of parts of one size.
    if len(set(sizes)) == 1:
        result = sum(sizes)
        net.fetch(net.call("Pack", *parts, name="y"))
    else:
        result = sizes[0] * sizes[1]
        row, column = (net.node(one)["attrs"] for one in parts)
        row["value"], column["value"] = (
            row["value"].reshape(1, -1), column["value"].reshape(-1, 1)
        )  # fmt: skip
        net.fetch(net.call("Mul", *draw.shuffled(parts), name="y"))
    fits = result <= limit and result <= max(SMALL_BYTES, 2 * sum(sizes))
    expectation = _is_folded if fits else unchanged
    return pass_trial(net, FOLDING, expectation, max_constant_bytes=limit)


@case("07.1")
def constants_of_several(draw):
    """All that goes in counts, and the limit holds for what is small, too."""
    large = 10 << 20
    for count in (1, 2, 3, 5):
        for size in (10, SMALL_BYTES // 2, SMALL_BYTES + 1):
            yield _packed(draw, [size] * count, large)
            for over in (-1, 0, 1):
                yield _packed(draw, [size] * count, size * count + over)
    for sizes in [
        (2, SMALL_BYTES),
        (3, SMALL_BYTES),
        (320, 320),
        (320, 321),
        (2, 60_000),
    ]:
        yield _packed(draw, list(sizes), large)
    for _ in range(20):
        sizes = [draw.one_of([1, 2, 3, 300]), draw.one_of([4, 350, 60_000])]
        yield _packed(draw, sizes, draw.one_of([large, sizes[0] * sizes[1] - 1]))


def _is_folded(_before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
    if after.get("y", {"op": "Const"})["op"] == "Const":
        return None
    return "'y' is not computed, though its constant is not too large"
