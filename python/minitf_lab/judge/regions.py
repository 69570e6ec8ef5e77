"""A student's file, with the reference's answer beside each of the student's.

What is handed out marks each place to write:

    // TODO(04.2) begin: return one
    MINITF_TODO("04.2");
    // TODO(04.2) end

and the framework marks its own answer by ``LAB`` in place of ``TODO``. Both are put
into one file that chooses when it runs; in C++

    if (::minitf::UsesReference("04.2")) {
      ...the framework's answer...
    } else {
      ...the student's...
    }

and the like in Python, so that one compilation serves for testing every task alone.
This works for regions that are whole statements and declare nothing that is used after
them; ``./lab test`` of the labs themselves sees to it.
"""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MARK = re.compile(
    r"(?P<indent>[ \t]*)(?P<comment>//|#) (?P<kind>LAB|TODO)\((?P<task>\d+\.\d+)\) "
    r"(?P<side>begin|end)(?:: (?P<hint>.*))?"
)
LIKE_A_MARK = re.compile(r"(LAB|TODO)\(\d+(\.\d+)?\) ?(begin|end)\b")
STUBS = ("MINITF_TODO(", "raise NotImplementedError(")


@dataclass
class Region:
    """What stands between two marks.

    Attributes:
        first: Number of its first line, from 1, the mark not counted.
    """

    task: str
    first: int
    lines: list[str]
    indent: str
    comment: str
    hint: str

    @property
    def is_written(self) -> bool:
        """Whether the line of the exercise is gone."""
        return not any(line.strip().startswith(STUBS) for line in self.lines)

    @property
    def words(self) -> list[str]:
        """The code alone, for comparing: no comments, no spaces."""
        bare = (re.sub(rf"{self.comment}.*|\s", "", line) for line in self.lines)
        return [line for line in bare if line]


def find_regions(source: str) -> list[Region]:
    r"""The regions of a file, in order.

    Raises:
        ValueError: a region is nested, or is not closed by its own task number.

    >>> find_regions("// TODO(01.1) begin: one\nreturn 1;\n// TODO(01.1) end")[0].lines
    ['return 1;']
    """
    found: list[Region] = []
    region = None
    for number, line in enumerate(source.split("\n"), start=1):
        mark = MARK.fullmatch(line.rstrip())
        if not mark:
            if LIKE_A_MARK.search(line):
                raise ValueError(f"line {number}: not a mark: {line.strip()}")
            if region:
                region.lines.append(line)
        elif mark["side"] == "begin":
            if region:
                raise ValueError(f"line {number}: task {region.task} is still open")
            comment, hint = mark["comment"], mark["hint"] or ""
            region = Region(mark["task"], number + 1, [], mark["indent"], comment, hint)
        else:
            if not region or region.task != mark["task"]:
                still = region.task if region else "nothing"
                raise ValueError(f"line {number}: ends {mark['task']}, open is {still}")
            found.append(region)
            region = None
    if region:
        raise ValueError(f"task {region.task} has no end")
    return found


def replace_regions(source: str, make: Callable[[Region], list[str]]) -> str:
    """``source`` with other lines in place of each region and its marks."""
    lines = source.split("\n")
    for region in reversed(find_regions(source)):
        begin = region.first - 2
        lines[begin : begin + len(region.lines) + 2] = make(region)
    return "\n".join(lines)


def make_exercise(source: str) -> str:
    r"""What is handed out: ``source`` with a TODO in place of every answer.

    Raises:
        ValueError: the marks do not match.

    >>> solution = "// LAB(01.1) begin: return one\nreturn 1;\n// LAB(01.1) end"
    >>> print(make_exercise(solution))
    // TODO(01.1) begin: return one
    MINITF_TODO("01.1");
    // TODO(01.1) end
    """

    def todo(region: Region) -> list[str]:
        stub = {
            "//": f'MINITF_TODO("{region.task}");',
            "#": f'raise NotImplementedError("task {region.task} is not written yet")',
        }[region.comment]
        mark = f"{region.indent}{region.comment} TODO({region.task})"
        return [
            f"{mark} begin: {region.hint}",
            region.indent + stub,
            f"{mark} end",
        ]

    return replace_regions(source, todo)


def tasks_in_order(source: str) -> list[str]:
    """The task of each region."""
    return [region.task for region in find_regions(source)]


def has_marks(answer: Path, reference: Path) -> bool:
    """Whether a student's file has the marks of the exercise, in their order."""
    try:
        return tasks_in_order(answer.read_text()) == tasks_in_order(reference.read_text())
    except (ValueError, OSError):
        return False


def compose(answer: str, reference: str, name: str) -> str:
    """A C++ file with both answers in each region.

    Args:
        answer: The student's file.
        reference: The framework's.
        name: What compilers call the student's file in their messages.

    Raises:
        ValueError: the marks of the two files differ.
    """
    theirs = find_regions(reference)
    if tasks_in_order(answer) != [region.task for region in theirs]:
        raise ValueError("the marks of its regions are not those of the exercise")
    others = iter(reversed(theirs))  # replace_regions goes backwards

    def both(region: Region) -> list[str]:
        other = next(others)
        return [
            f'if (::minitf::UsesReference("{region.task}")) {{',
            f'#line {other.first} "the answer of minitf"',
            *other.lines,
            "} else {",
            f'#line {region.first} "{name}"',
            *region.lines,
            "}",
            f'#line {region.first + len(region.lines) + 1} "{name}"',
        ]

    return f'#line 1 "{name}"\n' + replace_regions(answer, both)


def answers_of(source: str) -> list[list[str]]:
    """The task and the text of each region."""
    return [[region.task, "\n".join(region.lines)] for region in find_regions(source)]


def _yields(statements: list[ast.stmt]) -> bool:
    """Whether ``yield`` is among them."""
    nodes = (node for one in statements for node in ast.walk(one))
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes)


class _BothAnswers(ast.NodeVisitor):
    """Puts the other answer before each region of a tree."""

    def __init__(self, regions: list[Region], answers: list[list[str]]) -> None:
        texts = [text for _, text in answers]
        self.pairs = list(zip(regions, texts, strict=True))  # those not found so far

    def _choice(self, region: Region, text: str, theirs: list[ast.stmt]) -> ast.If:
        other = ast.parse(f"if _uses_reference({region.task!r}):\n{text}").body[0]
        for node in ast.walk(other):
            ast.copy_location(node, theirs[0])
        other.orelse = theirs
        return other

    def _put(self, statements: list[ast.stmt]) -> None:
        for region, text in self.pairs[:]:
            last = region.first + len(region.lines)  # the mark at its end is a statement
            inside = [s for s in statements if region.first <= s.lineno <= last]
            if not inside:
                continue
            choice = self._choice(region, text, inside)
            # A function is a generator or not: both answers, or none, must yield.
            if region.is_written and _yields(choice.body) != _yields(inside):
                continue
            self.pairs.remove((region, text))
            at = statements.index(inside[0])
            statements[at : at + len(inside)] = [choice]

    def generic_visit(self, node: ast.AST) -> None:
        """Looks through every list of statements, the outer ones first."""
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                self._put(statements)
        super().generic_visit(node)


def compose_python(answer: str, answers: list[list[str]], name: str) -> ast.Module:
    """A module with both answers in each region, which asks ``_uses_reference``.

    A file whose marks are not those of the exercise is compiled as it is.

    Args:
        answer: The student's file.
        answers: The package's own, as ``answers_of`` gives them.
        name: The student's file, for errors.

    Raises:
        SyntaxError: the file is no Python.
    """
    tree = ast.parse(answer, name)
    try:
        regions = find_regions(answer)
    except ValueError:
        return tree
    if [region.task for region in regions] != [task for task, _ in answers]:
        return tree
    # So that a region of comments alone has a statement too.
    lines = answer.split("\n")
    for region in regions:
        lines[region.first + len(region.lines) - 1] = f"{region.indent}pass"
    both = _BothAnswers(regions, answers)
    composed = ast.parse("\n".join(lines), name)
    both.visit(composed)
    return tree if both.pairs else ast.fix_missing_locations(composed)
