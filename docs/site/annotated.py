"""Splits a source file into rows: a comment, and the code that follows the comment.

The first comment of a file becomes prose, and so do comments in front of declarations and
docstrings. A comment inside a function stays in the code.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

CPP_COMMENT = re.compile(r"^(?: {0,2})//[/!]?(?: |$)(.*)$|^(?: {0,2})//[/!]?$")
MARK = re.compile(r"LAB\(")


@dataclass
class Row:
    """A piece of a file.

    Attributes:
        first: The number of the first line. Lines are counted from 1.
        prose: The lines of the comment, without slashes and quotes. May be empty.
        code: The numbers of the first line of code, and of the line after the last.
    """

    first: int
    prose: list[str]
    code: tuple[int, int]


def rows(path: str, text: str) -> list[Row]:
    r"""Returns the rows of a file in order. Each line is in one row.

    >>> [(row.first, row.prose, row.code) for row in rows("a.h", "// One.\nint a;\n")]
    [(1, ['One.'], (2, 3))]
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    comments = _docstrings(text) if path.endswith(".py") else _cpp_comments(lines)
    return list(_cut(comments, len(lines)))


# The first line of a row, the first line of its comment, the line after it, the text.
Comment = tuple[int, int, int, list[str]]


def _cut(comments: Iterator[Comment], count: int) -> Iterator[Row]:
    """Yields the rows of a file with ``count`` lines."""
    begin, prose, code = 1, [], 1
    for first, start, end, text in comments:
        if first > begin or prose:
            yield Row(begin, prose, (code, first))
        # A docstring follows the line that it explains. That line is a row of its own.
        begin, prose, code = first, text, first if start > first else end
        if start > first:
            yield Row(begin, prose, (code, start))
            begin, prose, code = end, [], end
    if begin <= count or prose:
        yield Row(begin, prose, (code, count + 1))


def _cpp_comments(lines: list[str]) -> Iterator[Comment]:
    number = 0
    while number < len(lines):
        start, text = number, []
        while number < len(lines) and (match := CPP_COMMENT.match(lines[number])):
            text.append(match[1] or "")
            number += 1
        if text and not any(MARK.search(line) for line in text):
            yield start + 1, start + 1, number + 1, text
        number += not text


def _docstrings(text: str) -> Iterator[Comment]:
    tree = ast.parse(text)
    comments = []
    for node in [tree, *ast.walk(tree)]:
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        doc = ast.get_docstring(node)
        if not doc or (isinstance(node, ast.Module) and comments):
            continue
        string = node.body[0]
        first = string.lineno
        if not isinstance(node, ast.Module):
            decorators = [decorator.lineno for decorator in node.decorator_list]
            first = min([node.lineno, *decorators])
        comments.append((first, string.lineno, string.end_lineno + 1, doc.split("\n")))
    yield from sorted(comments, key=lambda comment: comment[0])
