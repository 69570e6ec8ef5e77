"""Which C++ sources may name an op, and that each op that is named exists.

What passes, placer, partition, executor and sessions know of an op comes from its
OpFacts (minitf/framework/op_facts.h). A source outside of the folders below names an op
only where it makes a node of it or where it is a rule about that op; WHERE says which,
and why.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

Findings = Iterator[tuple[int, str]]

# Here ops are defined, computed and differentiated.
HOMES = (
    "minitf/ops/",
    "minitf/gradients/",
    "minitf/contrib/",
    "kernels/",
    "tests/",
    "exercises/",
)
RULE = "rewrites particular ops"
WHERE = {
    "minitf/framework/gradient.cc": "shorthands for ops that gradients call",
    "minitf/graph/gradients/backward_flow.cc": "makes loops and branches",
    "minitf/graph/gradients/branch_gradients.cc": "gradient functions of control flow",
    "minitf/graph/constant_value.cc": "evaluates shapes when the graph is built",
    "minitf/graph/gradients/flow_map.cc": "finds the stack behind a handle",
    "minitf/graph/gradients/gradient_program.cc": "finds the stacks of a loop",
    "minitf/graph/graph.cc": "makes constants",
    "minitf/graph/graph.h": "makes constants",
    "minitf/graph/gradients/graph_emitter.cc": "makes constants",
    "minitf/graph/later_attrs.cc": "attributes that later versions of TensorFlow write",
    "minitf/graph/gradients/loop_gradient.cc": "makes loops",
    "minitf/graph/step_graph.cc": "makes the nodes of feeds and fetches",
    "minitf/passes/constant_folding.cc": "makes constants",
    "minitf/passes/elementwise_fusion.cc": RULE,
    "minitf/passes/fusion.cc": RULE,
    "minitf/passes/graph_editor.cc": "makes constants",
    "minitf/passes/layout.cc": RULE,
    "minitf/passes/product_sums.cc": RULE,
    "minitf/passes/rewrite.cc": RULE,
    "minitf/runtime/partition.cc": "makes the nodes of transfers",
    "python/bindings/script_kernel.cc": "defines ops that call Python",
}

_STRING = re.compile(r'"(\w+)"')
# Where a string is the name of an op, whatever it says.
_USE = re.compile(
    r"""(?:\btype\(\)\ (?:==|!=)\ |\.op\ =\ |\btype\ ==\ |\bKernel\(|\bFindOp\(
        |\bREGISTER_GRADIENT\(|\bAdd(?:AsItIs)?\()"([A-Z_]\w*[a-z]\w*)"(?!\ \+)""",
    re.VERBOSE,
)
# A list of strings; it is one of ops if it has one.
_LIST = re.compile(
    r'(?:\{|NotDifferentiable \w+\()\s*("\w+"(?:\s*,\s*"\w+")+)\s*,?\s*[})]'
)


@cache
def registered() -> frozenset[str]:
    """The names of all ops, as docs/ops.pbtxt has them."""
    text = Path("docs/ops.pbtxt").read_text()
    return frozenset(re.findall(r'^  name: "(\w+)"', text, re.MULTILINE))


def check_named(path: Path, lines: list[str]) -> Findings:
    """Facts about an op stand with the op; an op that is named is registered."""
    name = str(path)
    code = [re.sub(r"//.*", "", line) for line in lines]
    if not name.startswith(HOMES) and name not in WHERE:
        for number, line in enumerate(code, start=1):
            if line.startswith("#include"):
                continue
            for op in _STRING.findall(line):
                if op in registered():
                    yield number, f"names the op {op}: facts about ops stand in OpFacts"
    if not name.startswith(("tests/", "exercises/")):
        yield from _unregistered("\n".join(code))


def _unregistered(text: str) -> Findings:
    named = [(match.start(1), match[1]) for match in _USE.finditer(text)]
    for match in _LIST.finditer(text):
        names = _STRING.findall(match[1])
        if 2 * len(registered() & set(names)) > len(names):
            named += [(match.start(), name) for name in names]
    for place, name in named:
        if name not in registered():
            yield text.count("\n", 0, place) + 1, f"no op is called {name}"


def idle_places() -> Iterator[str]:
    """The lines of WHERE that stand for nothing."""
    for name in WHERE:
        text = Path(name).read_text() if Path(name).exists() else ""
        if not registered() & set(_STRING.findall(text)):
            yield f"{name}: is in WHERE of tests/op_names.py, but names no op"
