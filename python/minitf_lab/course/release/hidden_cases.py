"""Cases of a lab without the hidden ones, and without what only those need.

A hidden case is a function of a file ``cases*.py`` that is decorated by
``@case("04.2", hidden=True)``. It is cut out of the text, with the comment above it. Then
go functions, constants and imports of the lab's files that nothing else mentions. The
driver's files stay whole: cases call their functions by names in strings.
"""

import ast
import re
from dataclasses import dataclass

from minitf_lab import project

_Statement = ast.stmt
_DEFINITIONS = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True)
class Cut:
    """What came of the files of a lab.

    Attributes:
        files: Their texts, by name.
        hidden: The text of each hidden case, by its function's name.
        public: The texts of all else.
    """

    files: dict[str, str]
    hidden: dict[str, str]
    public: list[str]


def _is_hidden(node: _Statement, file: str) -> bool:
    """Whether a statement is a hidden case.

    Raises:
        LabError: that is not said by True or False.
    """
    for decorator in getattr(node, "decorator_list", []):
        for keyword in getattr(decorator, "keywords", []):
            if keyword.arg != "hidden":
                continue
            if not isinstance(keyword.value, ast.Constant):
                raise project.LabError(
                    f"{file}:{node.lineno}: hidden= is True or False, so that the case "
                    "can be left out of what students get"
                )
            return bool(keyword.value.value)
    return False


def _mentioned(node: ast.AST) -> set[str]:
    """Every name that a part of a program speaks of, in strings too."""
    found = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            found.add(one.id)
        elif isinstance(one, ast.Attribute):
            found.add(one.attr)
        elif isinstance(one, ast.alias):
            found.add(one.name)
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            found.update(re.findall(r"\w+", one.value))
    return found


def _defined(node: _Statement) -> set[str]:
    """The names that a statement at the top of a file defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return {
        one.id for target in targets for one in ast.walk(target) if type(one) is ast.Name
    }


def _imported(alias: ast.alias) -> str:
    """The name that an import makes."""
    return alias.asname or alias.name.partition(".")[0]


class _File:
    """One file, whose statements go one by one."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.lines = text.split("\n")
        self.body = ast.parse(text, name).body
        self.hidden = [node for node in self.body if _is_hidden(node, name)]
        self.gone: list[_Statement] = list(self.hidden)
        self.cut_imports: dict[_Statement, set[str]] = {}
        self.mentions = {node: _mentioned(node) for node in self.body}

    def kept(self) -> list[_Statement]:
        return [node for node in self.body if node not in self.gone]

    def speaks_of(self, name: str, but: _Statement | None = None) -> bool:
        """Whether what is kept mentions a name, imports that were cut left out."""
        return any(
            name in self.mentions[node] and name not in self.cut_imports.get(node, ())
            for node in self.kept()
            if node is not but
        )

    def lines_of(self, node: _Statement) -> range:
        """Its lines from 0, with decorators and the comment above it."""
        first = min(
            [node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]
        )
        begin = first - 1
        while begin and re.match(r"#(?! ----)", self.lines[begin - 1]):
            begin -= 1
        return range(begin, node.end_lineno)

    def text_of(self, nodes: list[_Statement]) -> str:
        return "\n".join(self.lines[i] for node in nodes for i in self.lines_of(node))

    def text(self) -> str:
        """What is left."""
        lines: list[str | None] = list(self.lines)
        for node in self.gone:
            for i in self.lines_of(node):
                lines[i] = None
        for node, names in self.cut_imports.items():
            if node in self.gone:
                continue
            kept = [alias for alias in node.names if _imported(alias) not in names]
            node.names = kept
            for i in self.lines_of(node):
                lines[i] = None
            lines[node.lineno - 1] = _import_text(node) if kept else None
        text = "\n".join(line for line in lines if line is not None)
        return re.sub(r"\n{4,}", "\n\n\n", text).rstrip("\n") + "\n"


def _import_text(node: _Statement) -> str:
    """An import as the formatter lays it out."""
    line = ast.unparse(node)
    if len(line) <= 90:
        return line
    head, _, names = line.partition(" import ")
    return "\n".join([f"{head} import (", *(f"    {n}," for n in names.split(", ")), ")"])


def _cut_imports(file: _File, names: set[str]) -> set[str]:
    """Cuts the imports of some names that nothing in the file mentions any more."""
    found = set()
    for node in file.kept():
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for alias in node.names:
            name = _imported(alias)
            cut = file.cut_imports.setdefault(node, set())
            if name in names - cut and not file.speaks_of(name, but=node):
                cut.add(name)
                found.add(alias.name)
    return found


def _cut_definitions(file: _File, names: set[str], files: list[_File]) -> set[str]:
    """Cuts what some names define, where no file speaks of them any more."""
    found = set()
    for node in file.kept():
        defined = _defined(node) if isinstance(node, _DEFINITIONS) else set()
        # What is decorated, such as a case, is used by the decorator.
        if not defined or not defined <= names or getattr(node, "decorator_list", []):
            continue
        if any(other.speaks_of(name, but=node) for other in files for name in defined):
            continue
        file.gone.append(node)
        found |= file.mentions[node]
    return found


def cut(texts: dict[str, str], whole: set[str]) -> Cut:
    """Cuts the hidden cases out of a lab's files in Python, given by name.

    The files in ``whole`` stay as they are, such as the driver's.

    Raises:
        LabError: a file does not say plainly which cases are hidden.
    """
    if not any("hidden" in text for text in texts.values()):
        return Cut(dict(texts), {}, [])
    files = [_File(name, text) for name, text in texts.items()]
    hidden = {node.name: file.text_of([node]) for file in files for node in file.hidden}
    public = [file.text_of(file.kept()) for file in files]
    names = {name for f in files for node in f.hidden for name in f.mentions[node]}
    open_files = [file for file in files if file.name not in whole]
    while True:
        more: set[str] = set()
        for file in open_files:
            more |= _cut_imports(file, names)
            more |= _cut_definitions(file, names, files)
        if not more:
            break
        names |= more
    made = {file.name: file.text() if file.gone else texts[file.name] for file in files}
    return Cut(made, hidden, public)
