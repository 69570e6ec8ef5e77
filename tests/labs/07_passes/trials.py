"""What trials of lab 07 are made of: a graph, a pass, and what must hold afterwards.

Whatever a pass does, it keeps what ``unharmed`` lists: the fetched values, by numpy
before and after; names, devices and lines of origin; what has effects, and who waits for
it. And it finds nothing more when it is run again. What it has to find a trial says
besides.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from lab_07_passes import oracle
from lab_07_passes.nets import Net

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial, close

Node = dict[str, Any]
Nodes = dict[str, Node]
Wrong = Mismatch | str | None
Expectation = Callable[[Nodes, Nodes, dict[str, Any]], Wrong]

FOLDING, MERGING = "constant_folding", "common_subexpression"
REWRITING, FUSING = "rewrite", "fusion"
ELEMENTWISE = "elementwise_fusion"

PRECISION = {"float16": 1e-2, "float32": 1e-4, "complex64": 1e-4}


# ---- What every pass keeps ------------------------------------------------------------


def _effects_before(nodes: list[Node]) -> dict[str, set[str]]:
    """For every node, those with effects that have to run before it."""
    found: dict[str, set[str]] = {}
    for node in nodes:
        before = set()
        for other in [*(name for name, _ in node["inputs"]), *node["waits"]]:
            before |= found[other]
        if node["op"] in oracle.EFFECTS:
            before.add(node["name"])
        found[node["name"]] = before
    return found


def _same_values(
    got: list[Any], expected: list[Any], tolerance: float, what: str
) -> Wrong:
    for i, (one, other) in enumerate(zip(got, expected, strict=True)):
        if one is oracle.DEAD or other is oracle.DEAD:
            if one is other:
                continue
            states = ["dead" if v is oracle.DEAD else "alive" for v in (other, one)]
            return Mismatch(
                f"fetch {i}, {what}: a value is dead where the other branch was taken",
                expected=states[0],
                got=states[1],
            )
        bits = tolerance == 0 and other.dtype.kind == "f"
        rtol = PRECISION.get(other.dtype.name, 1e-9) * tolerance
        with np.errstate(all="ignore"):
            wrong = close(one, other, rtol=rtol, atol=rtol, what=f"fetch {i}, {what}")
        if wrong:
            return wrong
        if bits and np.any((np.signbit(one) != np.signbit(other)) & ~np.isnan(other)):
            return Mismatch(
                f"fetch {i}, {what}: the sign of a zero is another",
                expected=str(other),
                got=str(one),
            )
    return None


def _kept_nodes(before: Nodes, after: Nodes, result: dict[str, Any]) -> str | None:
    for name, node in after.items():
        old = before.get(name)
        if old is None:
            continue
        for aspect in ("device", "origin"):
            if node[aspect] != old[aspect]:
                return f"'{name}' has the {aspect} {node[aspect]!r}, not {old[aspect]!r}"
        if node["types"] != old["types"]:
            return f"'{name}' gives {node['types']}, not {old['types']}"
    for name in [*result["args"], *result["retvals"], *result["targets"]]:
        if name not in after:
            return f"'{name}', which the session asks for, is gone"
    for name, node in before.items():
        if node["op"] in oracle.EFFECTS and name not in after:
            return f"'{name}' ({node['op']}) has an effect, and is gone"
    for name, node in after.items():
        is_stateful = node["op"] in oracle.EFFECTS | oracle.RANDOM
        if is_stateful and before.get(name, {}).get("op") != node["op"]:
            return f"'{name}' ({node['op']}) is new: its effect happens twice"
    return None


def _kept_order(before: list[Node], after: list[Node]) -> str | None:
    old, new = _effects_before(before), _effects_before(after)
    for name, effects in new.items():
        missing = old.get(name, set()) - effects
        if missing:
            return f"'{name}' no longer waits for '{min(missing)}'"
    return None


def unharmed(
    result: dict[str, Any], tolerance: float, feeds: list[list[np.ndarray]]
) -> Wrong:
    """What a pass has broken of what every pass keeps.

    Args:
        result: Of the driver; if it has values, they are those for the first feeds.
        tolerance: As ``pass_trial`` has it.
        feeds: For which the graph must give what it gave before.
    """
    before, after = result["before"], result["after"]
    by_name = [{node["name"]: node for node in nodes} for nodes in (before, after)]
    if wrong := _kept_nodes(*by_name, result) or _kept_order(before, after):
        return wrong
    for values in feeds:
        expected = oracle.run(before, values)
        try:
            got = oracle.run(after, values)
        except (ValueError, KeyError, IndexError, TypeError) as error:
            return f"the graph makes no sense after the pass: {error}"
        if wrong := _same_values(got, expected, tolerance, "after the pass"):
            return wrong
    if result["values"] is not None:
        expected = oracle.run(before, feeds[0])
        what = "as the kernels compute it"
        if wrong := _same_values(result["values"], expected, max(tolerance, 1), what):
            return wrong
    if result["again"] != 0:
        return f"run again, the pass changes {result['again']} things more"
    return None


# ---- Trials ---------------------------------------------------------------------------


def pass_trial(
    net: Net,
    name: str,
    *expectations: Expectation,
    tolerance: float = 0,
    runs: bool = False,
    fails: bool = False,
    more_feeds: Iterable[list[np.ndarray]] = (),
    **settings: Any,
) -> Trial:
    """A pass over a graph, which keeps what it must, and what is expected besides.

    Args:
        net: The graph.
        name: Of the pass.
        expectations: Functions of the nodes before and after by name, and of the whole
            result, that return what is wrong.
        tolerance: 0 if every bit counts; else a number, 1 for the rounding of an op.
        runs: Whether the graph is also run by minitf's kernels.
        fails: Whether the step fails, so that there are no values to compare.
        more_feeds: Feeds besides those of the net.
        settings: Of the driver.
    """
    fed = list(net.values)
    feeds = [] if fails else [fed, *more_feeds]

    def check(values: list[Any]) -> Wrong:
        (result,) = values
        if wrong := unharmed(result, tolerance, feeds):
            return wrong
        before, after = (
            {node["name"]: node for node in result[key]} for key in ("before", "after")
        )
        for expectation in expectations:
            if wrong := expectation(before, after, result):
                return wrong
        return None

    arguments = {
        "net": net.spec(),
        "name": name,
        "settings": settings,
        "feeds": fed if runs else None,
    }
    said = f" with {settings}" if settings else ""
    title = f"{name}{said} of: {net.text()}"
    return Trial(title, [Call("run_pass", arguments)], check)


# ---- Expectations ---------------------------------------------------------------------


def unchanged(before: Nodes, after: Nodes, result: dict[str, Any]) -> Wrong:
    """There is nothing for the pass to find."""
    if result["changes"] == 0:
        return None
    gone = sorted(set(before) - set(after))
    other = [n for n in after if n in before and after[n]["op"] != before[n]["op"]]
    return Mismatch(
        "the pass has to leave this graph as it is",
        expected="no changes",
        got=f"{result['changes']} changes; gone: {', '.join(gone) or 'none'}; of "
        f"another op: {', '.join(other) or 'none'}",
    )


def becomes(name: str, op: str) -> Expectation:
    """A node is there, and is of this op."""

    def check(_before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
        if name not in after:
            return f"there is no node '{name}' after the pass"
        if after[name]["op"] == op:
            return None
        return Mismatch(f"the op of '{name}'", expected=op, got=after[name]["op"])

    return check


def gone(*names: str) -> Expectation:
    """These nodes are not there any more."""

    def check(_before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
        left = [name for name in names if name in after]
        return f"'{left[0]}' is still there" if left else None

    return check


def counts(**ops: int) -> Expectation:
    """How many nodes of each op there are."""

    def check(_before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
        found = Counter(node["op"] for node in after.values())
        for op, count in ops.items():
            if found[op] != count:
                return Mismatch(
                    f"nodes of the op {op}", expected=str(count), got=str(found[op])
                )
        return None

    return check


def takes(name: str, *places: tuple[str, int] | str) -> Expectation:
    """The inputs of a node, with the numbers of their outputs."""
    expected = [(one, 0) if isinstance(one, str) else one for one in places]

    def check(_before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
        if name not in after:
            return f"there is no node '{name}' after the pass"
        got = [tuple(one) for one in after[name]["inputs"]]
        if got == expected:
            return None
        return Mismatch(f"the inputs of '{name}'", expected=f"{expected}", got=f"{got}")

    return check


def waits_for(name: str, *others: str) -> Expectation:
    """What a node waits for, in any order."""

    def check(_before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
        if name not in after:
            return f"there is no node '{name}' after the pass"
        got = sorted(after[name]["waits"])
        if got == sorted(others):
            return None
        return Mismatch(
            f"what '{name}' waits for", expected=f"{sorted(others)}", got=f"{got}"
        )

    return check


def has_attrs(name: str, **attrs: Any) -> Expectation:
    """Attributes of a node."""

    def check(_before: Nodes, after: Nodes, _result: dict[str, Any]) -> Wrong:
        if name not in after:
            return f"there is no node '{name}' after the pass"
        for key, value in attrs.items():
            got = after[name]["attrs"].get(key)
            if got != value:
                return Mismatch(
                    f"the attribute {key} of '{name}'", expected=f"{value}", got=f"{got}"
                )
        return None

    return check


def fetches_from(*names: str) -> Expectation:
    """Which nodes the fetches come from."""

    def check(_before: Nodes, after: Nodes, result: dict[str, Any]) -> Wrong:
        got = [after[one]["inputs"][0][0] for one in result["retvals"]]
        if got == list(names):
            return None
        return Mismatch("what is fetched", expected=f"{list(names)}", got=f"{got}")

    return check


def refused(title: str, function: str, arguments: dict[str, Any], text: str) -> Trial:
    """A call that must raise InvalidArgument with this text in it."""

    def check(values: list[Any]) -> Wrong:
        (got,) = values
        if not isinstance(got, Raised):
            return f"it gives {got}, expected InvalidArgumentError"
        if got.type != "InvalidArgumentError":
            return f"it raised {got.type}: {got.message}, expected InvalidArgumentError"
        if text in got.message:
            return None
        return Mismatch("the error", expected=text, got=got.message)

    return Trial(title, [Call(function, arguments, may_raise=True)], check)
