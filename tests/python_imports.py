"""What modules of Python import: from below only, at their top, in no circle.

A module is imported where its file begins, so that the first lines of a file say what it
needs. What a lower module needs of a higher one it is given: a function or a class that
the higher one registers when it is imported (``context.process.make_graph``,
``constant_op.set_packing``).
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

HOME = Path("python")

# A room imports from its own layer and from those before it. The longest name counts:
# a module may lie lower than its room.
LAYERS = {
    "minitf": (
        ("util",),
        (
            *("framework", "platform", "op_docs"),
            *("eager.context", "eager.tape", "public_names"),
        ),
        ("ops", "eager", "control_flow", "variables", "data_flow", "lib"),
        ("client", "layers", "training", "data"),
        ("contrib",),
        ("",),  # what users import: minitf itself, train.py, core, python
    ),
    "minitf_lab": (
        ("",),  # what all of the tool shares: project.py, results.py and the like
        ("judge",),
        ("labs",),
        ("course",),
        ("dev",),
        ("__main__",),
    ),
}
# Imported in a function, and why.
LATE = {
    "google.protobuf": "takes longer to import than minitf; few programs need it",
    "minitf.op_docs": "only help() needs it",
}
# Modules for type checkers alone: stubs that the build writes.
STUBS = ("minitf._tensor_members",)
# May be missing, so it is imported where it is used.
OPTIONAL = ("matplotlib",)
# The tool may import where it needs something: it runs before minitf is built, and the
# repository of a student has no more of it than its commands need.
LATE_PACKAGES = ("minitf_lab",)

Findings = Iterator[tuple[int, str]]
Imports = list[tuple[int, str, bool]]


def name_of(path: Path) -> str:
    """The module of a file, with its package.

    >>> name_of(HOME / "minitf" / "ops" / "nn" / "__init__.py")
    'minitf.ops.nn'
    """
    parts = path.relative_to(HOME).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def _modules() -> dict[str, Path]:
    """The files of all modules of the packages, by name."""
    return {name_of(p): p for package in LAYERS for p in (HOME / package).rglob("*.py")}


def imports_of(tree: ast.AST) -> Imports:
    """Line, module, and whether the import is in a function, of each import in a file.

    An import under ``if TYPE_CHECKING`` is one, too: who reads the types needs it.
    """
    found: Imports = []

    def visit(node: ast.AST, is_late: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                found.extend((child.lineno, a.name, is_late) for a in child.names)
            elif isinstance(child, ast.ImportFrom):
                home = child.module or ""
                found.extend(
                    (child.lineno, f"{home}.{a.name}", is_late) for a in child.names
                )
            is_function = isinstance(child, (ast.FunctionDef, ast.Lambda))
            visit(child, is_late or is_function)

    visit(tree, False)
    return found


def _own(name: str) -> str | None:
    """The module of ours that an import of ``name`` needs; None if it is not ours."""
    if name.partition(".")[0] not in LAYERS:
        return None
    while name not in _modules():
        name = name.rpartition(".")[0]
    return name


def layer_of(module: str) -> int:
    """The number of the layer of a module in its package.

    >>> layer_of("minitf.eager.context") < layer_of("minitf.eager.backprop")
    True
    """
    package, _, name = module.partition(".")
    while True:
        for number, rooms in enumerate(LAYERS[package]):
            if name in rooms:
                return number
        name = name.rpartition(".")[0]


def family_of(module: str | None) -> str | None:
    """The family that a module belongs to, or None.

    >>> family_of("minitf.contrib.image.files"), family_of("minitf.ops.array_ops")
    ('image', None)
    """
    parts = (module or "").split(".")
    return parts[2] if parts[1:2] == ["contrib"] and len(parts) > 2 else None


def check_imports(path: Path, lines: list[str]) -> Findings:
    """A module imports at its top, from its own layer and from those below."""
    if not any(path.is_relative_to(HOME / package) for package in LAYERS):
        return
    own = name_of(path)
    package = own.partition(".")[0]
    for number, name, is_late in imports_of(ast.parse("\n".join(lines))):
        may_be_late = package in LATE_PACKAGES or name.startswith((*LATE, *OPTIONAL))
        if is_late and not may_be_late:
            yield number, f"{name} is imported in a function: import it at the top"
        other = _own(name)
        if other is None:
            continue
        if other.partition(".")[0] != package:
            if package == "minitf":
                yield (
                    number,
                    f"minitf needs nothing of its tool, but {own} imports {name}",
                )
            continue
        if other == package:
            is_alias = name == "minitf" and own == "minitf.compat"  # tf.compat.v1
            if not name.startswith(("minitf._minitf", *STUBS)) and not is_alias:
                yield number, f"{name} is no module; import it from where it lies"
            continue
        if layer_of(other) > layer_of(own):
            yield number, f"{own} lies below {other} and must not import it"
        if family_of(other) not in (None, family_of(own)) and family_of(own):
            yield number, f"a family imports no other one, but {own} imports {other}"


def circles(imports: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that import each other, around some corners or at once.

    Tarjan's algorithm: a depth-first walk, in which each module knows the earliest one
    on the present path that it leads back to.

    >>> circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}})
    [['b', 'c']]
    """
    number: dict[str, int] = {}
    earliest: dict[str, int] = {}
    path: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = earliest[module] = len(number)
        path.append(module)
        for other in sorted(imports.get(module, ())):
            if other not in number:
                visit(other)
                earliest[module] = min(earliest[module], earliest[other])
            elif other in path:
                earliest[module] = min(earliest[module], number[other])
        if earliest[module] == number[module]:
            group = path[path.index(module) :]
            del path[path.index(module) :]
            if len(group) > 1 or module in imports.get(module, ()):
                found.append(sorted(group))

    for module in sorted(imports):
        if module not in number:
            visit(module)
    return found


def findings() -> Iterator[str]:
    """Circles of imports in the packages."""
    imports: dict[str, set[str]] = {}
    for module, path in _modules().items():
        needed = (_own(name) for _, name, _ in imports_of(ast.parse(path.read_text())))
        imports[module] = {name for name in needed if name and name not in LAYERS}
    for group in circles(imports):
        yield f"{HOME}: these modules import each other: {', '.join(group)}"
