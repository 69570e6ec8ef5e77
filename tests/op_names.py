"""Which sources may name an op, that each op that is named exists, and where it lies.

What passes, placer, partition, executor and sessions know of an op comes from its
OpFacts (minitf/framework/op_facts.h). A source outside of the folders below names an op
only where it makes a node of it or where it is a rule about that op; WHERE says which,
and why. Python calls ops by their names everywhere, and so may name one anywhere; but
what it compares with the type of a node, or puts into a table, is a fact about ops, too.

One word finds an op in three places: its kernel and its gradient lie in rooms of the same
name as its definition does, but for ELSEWHERE.
"""

import ast
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
    "minitf/c/graph/gradients.cc": "makes one tensor of slices",
    "minitf/c/graph/while_loop.cc": "makes loops",
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
    "minitf/passes/product_parts.cc": RULE,
    "minitf/passes/product_sums.cc": RULE,
    "minitf/passes/rewrite.cc": RULE,
    "minitf/runtime/partition.cc": "makes the nodes of transfers",
    "python/bindings/script_kernel.cc": "defines ops that call Python",
    "python/minitf/client/fetches.py": "'v:0' is the handle of a variable, and means it",
    "python/minitf/client/feeds.py": "a value for a variable has the variable's type",
    "python/minitf/framework/constant_op.py": "evaluates a Pack that is known in part",
    "python/minitf/framework/graph_util.py": RULE,
    "python/minitf/framework/op_functions.py": "arguments that Python calls otherwise, "
    "as TensorFlow's api_def files say",
}
# Python's functions of ops are made of what they do to ops.
PYTHON_HOMES = ("python/minitf/ops/", "python/minitf/contrib/")

# What lies in another room than the definition of the op: files, or ops, by their
# beginning.
ELSEWHERE = {
    "kernels/cpu/conv/": "kernels of convolutions, which are defined in nn, in tiers",
    "minitf/gradients/math/math_grad.cc": "what lab 04 hands out, of several rooms",
    "_Fused": "made by passes; the kernel lies with those that it joins",
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


# ---- Python ----------------------------------------------------------------------------


def _strings(node: ast.AST) -> list[ast.Constant]:
    """The strings that an expression is, or that a list, or a table as its keys, has."""
    if isinstance(node, ast.Constant):
        return [node] if isinstance(node.value, str) else []
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return [string for element in node.elts for string in _strings(element)]
    if isinstance(node, ast.Dict):
        return [string for key in node.keys if key for string in _strings(key)]
    return []


def check_named_in_python(path: Path, lines: list[str]) -> Findings:
    """What is compared with names of ops is a fact; what is called is registered."""
    if not str(path).startswith("python/minitf/"):
        return
    may_know = str(path).startswith(PYTHON_HOMES) or str(path) in WHERE
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            op = node.args[0] if name == "call" and node.args else None
            for string in _strings(op) if isinstance(op, ast.Constant) else []:
                if string.value not in registered():
                    yield string.lineno, f"no op is called {string.value}"
            continue
        sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        compared = [string for side in sides for string in _strings(side)]
        listed = [] if sides else _strings(node)
        known = {string.value for string in [*compared, *listed]} & registered()
        is_table = isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict)
        is_fact = bool(sides) or (is_table and 2 * len(known) > len(listed))
        for op in sorted(known) if is_fact and not may_know else []:
            yield node.lineno, f"names the op {op}: facts about ops stand in OpFacts"


# ---- Rooms -----------------------------------------------------------------------------

_GRADIENT = re.compile(r'\bREGISTER_GRADIENT\(\s*"(\w+)"')
_WITHOUT = re.compile(r"\bNotDifferentiable \w+\(([^)]+)\)")

Places = dict[str, dict[str, str]]  # of each op: a file in each room


def sources() -> dict[str, str]:
    """Where ops are defined, computed and differentiated; the texts without comments."""
    return {
        str(path): re.sub(r"//.*", "", path.read_text())
        for top in ("minitf/ops", "minitf/gradients", "kernels/cpu")
        for path in sorted(Path(top).glob("*/*.cc"))
    }


def _places(files: dict[str, str], top: str) -> Places:
    """Which files below ``top`` define, compute or differentiate each op.

    A gradient function calls other ops, so there what is registered counts; elsewhere a
    name that stands in a file is taken for that of an op which the file has.
    """
    places: Places = {}
    for path, text in files.items():
        if not path.startswith(top):
            continue
        if top == "minitf/gradients/":
            names = _STRING.findall(" ".join(_WITHOUT.findall(text)))
            names += _GRADIENT.findall(text)
        else:
            names = _STRING.findall(text)
        for op in registered().intersection(names):
            places.setdefault(op, {})[Path(path).parent.name] = path
    return places


def misplaced(files: dict[str, str]) -> Iterator[str]:
    """The kernels and gradients that lie in no room of the name of their op's."""
    # An op of a family, or whose name is put together, is defined nowhere here.
    homes = _places(files, "minitf/ops/")
    used = set()
    for top, what in (("kernels/", "kernel"), ("minitf/gradients/", "gradient")):
        for op, places in _places(files, top).items():
            if op not in homes or places.keys() & homes[op].keys():
                continue
            for path in places.values():
                reasons = [k for k in ELSEWHERE if path.startswith(k) or op.startswith(k)]
                used.update(reasons)
                if not reasons:
                    home = " and ".join(sorted(homes[op].values()))
                    yield f"{path}: has the {what} of {op}, which is defined in {home}"
    for key in ELSEWHERE.keys() - used:
        yield f"{key}: is in ELSEWHERE of tests/op_names.py, but stands for nothing"


def idle_places() -> Iterator[str]:
    """The lines of WHERE that stand for nothing."""
    for name in WHERE:
        text = Path(name).read_text() if Path(name).exists() else ""
        if not registered() & set(_STRING.findall(text)):
            yield f"{name}: is in WHERE of tests/op_names.py, but names no op"


def findings() -> Iterator[str]:
    """What is wrong with no single line."""
    yield from idle_places()
    yield from misplaced(sources())
