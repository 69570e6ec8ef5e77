"""A file with several answers in each region: a student's with the framework's beside.

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

and the like in Python, so that one compilation serves for testing every task alone. In
the same way many wrong answers stand in one file beside the right one (``together.py``).
This works for regions that are whole statements and declare nothing that is used after
them; the right answers that ``./lab lint`` tries see to it.
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
IMPORT = re.compile(r"#include |import \w|from \S+ import ")
STUBS = ("MINITF_TODO(", "raise NotImplementedError(")
LAB_INCLUDE = '#include "minitf/base/lab.h"'
NEEDS_LAB = re.compile(r"\bMINITF_TODO\(|\bUsesReference\(")


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


def _stub(region: Region) -> str:
    """The line of the exercise in a region."""
    stub = {
        "//": f'MINITF_TODO("{region.task}");',
        "#": f'raise NotImplementedError("task {region.task} is not written yet")',
    }[region.comment]
    return region.indent + stub


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
        return _between_marks(region, [_stub(region)])

    exercise = replace_regions(source, todo)
    if exercise == source or not NEEDS_LAB.search(exercise):
        return exercise
    return with_lab_include(exercise)


def with_lab_include(source: str) -> str:
    r"""Returns ``source``, C++ code, with an include of the header for labs.

    The include stands in sorted order. A file without includes is returned as it is.

    >>> print(with_lab_include('#include <a>\n\n#include "minitf/base/text.h"'))
    #include <a>
    <BLANKLINE>
    #include "minitf/base/lab.h"
    #include "minitf/base/text.h"
    """
    lines = source.split("\n")
    includes = [i for i, line in enumerate(lines) if line.startswith("#include")]
    if LAB_INCLUDE in lines or not includes:
        return source
    # The file's own header stands first, in a paragraph of its own before the others.
    is_own = len(includes) > 1 and lines[includes[0] + 1] == ""
    quoted = [i for i in includes[is_own:] if lines[i].startswith('#include "')]
    if not quoted:
        at = includes[-1] + 1
        at += lines[at : at + 1] == ["#endif"]
        return "\n".join([*lines[:at], "", LAB_INCLUDE, *lines[at:]])
    later = (i for i in quoted if lines[i] > LAB_INCLUDE)
    at = next(later, quoted[-1] + 1)
    return "\n".join([*lines[:at], LAB_INCLUDE, *lines[at:]])


def _between_marks(region: Region, lines: list[str]) -> list[str]:
    """``lines`` as an answer to the exercise's ``region``."""
    mark = f"{region.indent}{region.comment} TODO({region.task})"
    return [f"{mark} begin: {region.hint}", *lines, f"{mark} end"]


def fill_in(exercise: str, answers: str) -> str:
    r"""An exercise with the regions of ``answers`` in place of its own.

    Of the rest of ``answers`` only includes and imports count: those that the exercise
    has not are put before its first one.

    Raises:
        ValueError: the marks do not match, or are not those of the exercise.

    >>> exercise = "import a\n# TODO(01.1) begin: one\npass\n# TODO(01.1) end"
    >>> print(fill_in(exercise, "import b\n# TODO(01.1) begin\nx = 1\n# TODO(01.1) end"))
    import b
    import a
    # TODO(01.1) begin: one
    x = 1
    # TODO(01.1) end
    """
    found = find_regions(answers)
    if [region.task for region in found] != tasks_in_order(exercise):
        raise ValueError("the marks of its regions are not those of the exercise")
    waiting = reversed(found)  # replace_regions goes backwards
    lines = replace_regions(
        exercise, lambda region: _between_marks(region, next(waiting).lines)
    ).split("\n")
    imports = [line for line in answers.split("\n") if IMPORT.match(line)]
    more = [line for line in imports if line not in lines]
    at = next((i for i, line in enumerate(lines) if IMPORT.match(line)), 0)
    return "\n".join([*lines[:at], *more, *lines[at:]])


def tasks_in_order(source: str) -> list[str]:
    """The task of each region."""
    return [region.task for region in find_regions(source)]


def has_marks(answer: Path, reference: Path) -> bool:
    """Whether a student's file has the marks of the exercise, in their order."""
    try:
        return tasks_in_order(answer.read_text()) == tasks_in_order(reference.read_text())
    except (ValueError, OSError):
        return False


@dataclass(frozen=True)
class Other:
    """An answer that may be used in place of what stands in a region.

    Attributes:
        key: What is asked when the file runs, such as "04.2". The region's own lines are
            the answer to its task, and this one is the framework's; or, with a key such
            as "04.2/swapped", this one is a wrong answer, and the lines the framework's.
        text: Its code.
        first: Number of its first line, in its own file.
        name: What compilers call that file.
    """

    key: str
    text: str
    first: int = 1
    name: str = "the answer of minitf"

    @property
    def task(self) -> str:
        """Of which task it is an answer."""
        return self.key.partition("/")[0]

    @property
    def is_wrong(self) -> bool:
        """Whether it is used only if it is asked for."""
        return "/" in self.key


def answers_of(source: str, tasks: list[str] | None = None) -> list[list[Other]]:
    """The framework's answer to each region, for ``source`` that has them.

    If ``tasks`` are given, regions of other tasks have the exercise's line.
    """
    return [
        [
            Other(
                region.task,
                "\n".join(region.lines)
                if tasks is None or region.task in tasks
                else _stub(region),
                region.first,
            )
        ]
        for region in find_regions(source)
    ]


def _check_tasks(regions: list[Region], others: list[list[Other]]) -> None:
    """Raises ValueError unless there is a list for each region, of its task.

    A wrong answer may change regions of other tasks than that in its key.
    """
    fits = len(regions) == len(others) and all(
        other.is_wrong or other.task == region.task
        for region, found in zip(regions, others, strict=True)
        for other in found
    )
    if not fits:
        raise ValueError("the marks of its regions are not those of the exercise")


def compose(source: str, others: list[list[Other]], name: str) -> str:
    """A C++ file with other answers beside those in its regions.

    There are ``others`` for each region. Compilers call the file ``name``.

    Raises:
        ValueError: the marks of the file are not those of the exercise.
    """
    regions = find_regions(source)
    _check_tasks(regions, others)
    waiting = iter(reversed(others))  # replace_regions goes backwards

    def choose(region: Region) -> list[str]:
        lines = []
        for other in next(waiting):
            negation = "!" if other.is_wrong else ""
            lines += [
                f'if ({negation}::minitf::UsesReference("{other.key}")) {{',
                f'#line {other.first} "{other.name}"',
                other.text,
                "} else",
            ]
        return [
            *lines,
            "{",
            f'#line {region.first} "{name}"',
            *region.lines,
            "}",
            f'#line {region.first + len(region.lines) + 1} "{name}"',
        ]

    return f'#line 1 "{name}"\n' + replace_regions(source, choose)


def leave_one(source: str, others: list[list[Other]], task: str, name: str = "") -> str:
    r"""A file with the framework's answers in place of its own, but for one task.

    So nothing is left in it that answers that task but what the file itself says.

    ``others`` are those of ``answers_of``. Compilers of C++ call the file ``name``.

    Raises:
        ValueError: the marks of the file are not those of the exercise.

    >>> ours = "# LAB(01.1) begin: x\nx = 1\n# LAB(01.1) end"
    >>> mine = "# TODO(01.1) begin: x\nx = 2\n# TODO(01.1) end"
    >>> print(leave_one(mine, answers_of(ours), "01.2"))
    x = 1
    """
    regions = find_regions(source)
    _check_tasks(regions, others)
    waiting = iter(reversed(others))  # replace_regions goes backwards

    def choose(region: Region) -> list[str]:
        (other,) = next(waiting)
        lines = region.lines if region.task == task else other.text.split("\n")
        if not name:
            return lines
        first = region.first if region.task == task else other.first
        called = name if region.task == task else other.name
        last = region.first + len(region.lines) + 1
        begin, end = f'#line {first} "{called}"', f'#line {last} "{name}"'
        return ["{", begin, *lines, "}", end]

    begin = f'#line 1 "{name}"\n' if name else ""
    return begin + replace_regions(source, choose)


def _yields(statements: list[ast.stmt]) -> bool:
    """Whether ``yield`` is among them."""
    nodes = (node for one in statements for node in ast.walk(one))
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes)


def _choice(other: Other, own: list[ast.stmt]) -> ast.If:
    """The statement that takes ``other`` or else ``own``."""
    negation = "not " if other.is_wrong else ""
    condition = f"{negation}_uses_reference({other.key!r})"
    choice = ast.parse(f"if {condition}:\n{other.text}").body[0]
    for node in ast.walk(choice):
        ast.copy_location(node, own[0])
    choice.orelse = own
    return choice


class _AllAnswers(ast.NodeVisitor):
    """Puts the other answers before each region of a tree."""

    def __init__(self, regions: list[Region], others: list[list[Other]]) -> None:
        self._waiting = list(zip(regions, others, strict=True))  # not found so far
        self._refused = False

    @property
    def is_complete(self) -> bool:
        """Whether every region has its other answers."""
        return not self._waiting and not self._refused

    def _put(self, statements: list[ast.stmt]) -> None:
        for region, others in self._waiting[:]:
            last = region.first + len(region.lines)  # the mark at its end is a statement
            inside = [s for s in statements if region.first <= s.lineno <= last]
            if not inside:
                continue
            self._waiting.remove((region, others))
            chosen = inside
            for other in reversed(others):
                choice = _choice(other, chosen)
                # A function is a generator or not: all answers, or none, must yield.
                if region.is_written and _yields(choice.body) != _yields(inside):
                    self._refused = True
                chosen = [choice]
            at = statements.index(inside[0])
            statements[at : at + len(inside)] = chosen

    def generic_visit(self, node: ast.AST) -> None:
        """Looks through every list of statements, the outer ones first."""
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                self._put(statements)
        super().generic_visit(node)


def compose_python(source: str, others: list[list[Other]], name: str) -> ast.Module:
    """A module with other answers beside those in its regions.

    It asks ``_uses_reference``. A file whose marks are not those of the exercise is
    compiled as it is.

    Raises:
        SyntaxError: the file is no Python.
    """
    tree = ast.parse(source, name)
    try:
        regions = find_regions(source)
        _check_tasks(regions, others)
    except ValueError:
        return tree
    # So that a region of comments alone has a statement too.
    lines = source.split("\n")
    for region in regions:
        lines[region.first + len(region.lines) - 1] = f"{region.indent}pass"
    all_answers = _AllAnswers(regions, others)
    composed = ast.parse("\n".join(lines), name)
    all_answers.visit(composed)
    return ast.fix_missing_locations(composed) if all_answers.is_complete else tree
