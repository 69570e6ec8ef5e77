"""Sphinx extension: a page for each source file, with comments beside the code.

Names in the code link to their definitions. Each definition lists its callers. A file of
the tour links to the next file.
"""

import ast
import html
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import annotated
import doxygen_xml
import repository
from pygments.lexers import CppLexer, PythonLexer
from pygments.token import STANDARD_TYPES, Name, Token
from sphinx.application import Sphinx

ROOT = repository.ROOT
FOLDERS = ("minitf", "kernels", "python", "docs/examples")
SUFFIXES = (".h", ".cc", ".cu", ".py", ".c")
PREFIX = "source/"
TENSORFLOW = "https://github.com/tensorflow/tensorflow/blob/v1.15.5/"
LINES_A_MINUTE = 25  # of code, for a reader who wants to understand it
WORDS_A_MINUTE = 200
MOST_USERS = 6
CONTENTS: dict[tuple, str] = {}
NEXT = re.compile(r"Read\s+next:?\s+`*([\w/.]+\.(?:h|cc|cu|py))`*")
COMPARE = re.compile(r"tensorflow/[\w/]+(?:\.\w+)?")
LITERAL = re.compile(r"`+([^`]+)`+")
PLACE = re.compile(r"(?<![\w/.])(?:minitf|kernels|python)/[\w/]+\.(?:h|cc|cu|py)")


@cache
def sources() -> frozenset[str]:
    """Returns the paths of all files that have a page, relative to the top folder."""
    paths = repository.listed(*FOLDERS)
    return frozenset(path for path in paths if path.endswith(SUFFIXES))


def page_of(path: str, line: int = 0) -> str:
    """Returns the address of a file's page, relative to the top of the site."""
    return f"{PREFIX}{path}.html" + (f"#L{line}" if line else "")


@cache
def next_of() -> dict[str, str]:
    """Returns the next file of the tour, for each file that names one."""
    following = {}
    for path in sorted(sources()):
        text = (ROOT / path).read_text()
        if named := NEXT.search(text):
            folder = str(Path(path).parent)
            tries = [named[1], f"{folder}/{named[1]}", f"python/minitf/{named[1]}"]
            there = [candidate for candidate in tries if candidate in sources()]
            if there:
                following[path] = there[0]
    return following


@cache
def names() -> dict[str, tuple[str, int]]:
    """Returns the path and line of each name that has one definition, C++ and Python."""
    places: dict[str, set[tuple[str, int]]] = {}
    for definition in doxygen_xml.definitions():
        places.setdefault(definition.name, set()).add((definition.path, definition.line))
    for path in sources():
        if path.endswith(".py"):
            for node in ast.parse((ROOT / path).read_text()).body:
                if isinstance(node, ast.ClassDef | ast.FunctionDef):
                    places.setdefault(node.name, set()).add((path, node.lineno))
    return {
        name: next(iter(candidates))
        for name, candidates in places.items()
        if len({path for path, _ in candidates}) == 1 and len(name) > 3
    }


@cache
def users() -> dict[tuple[str, int], list[tuple[str, str, int]]]:
    """Returns the callers of the function at a path and line."""
    callers_by_place: dict[tuple[str, int], list[tuple[str, str, int]]] = {}
    for definition in doxygen_xml.definitions():
        if definition.kind == "function" and definition.callers:
            callers_by_place.setdefault((definition.path, definition.line), []).extend(
                definition.callers
            )
    return callers_by_place


class Page:
    """The page of one file; ``up`` is the relative path to the top of the site."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self.up = "../" * (path.count("/") + 1)
        self.rows = annotated.rows(path, text)

    def link(self, name: str, place: tuple[str, int]) -> str:
        """Returns a link to a line of a file, or ``name`` if the file has no page."""
        if place[0] not in sources():
            return name
        return f'<a href="{self.up}{page_of(*place)}">{name}</a>'

    def code(self) -> list[str]:
        """Returns each line as HTML."""
        lexer = PythonLexer() if self.path.endswith(".py") else CppLexer()
        lines, before = [""], ""
        for token, value in lexer.get_tokens(self.text):
            name = STANDARD_TYPES.get(token) or STANDARD_TYPES[_known(token)]
            is_ours = token in Name and not before.endswith("std::")
            before = f"{before[-5:]}{value}"
            for index, piece in enumerate(value.split("\n")):
                if index:
                    lines.append("")
                if piece:
                    lines[-1] += self._span(name, piece, is_linked=is_ours)
        return lines

    def _span(self, css: str, text: str, *, is_linked: bool) -> str:
        shown = html.escape(text)
        if is_linked and (place := names().get(text)) and place[0] != self.path:
            shown = self.link(shown, place)
        return f'<span class="{css}">{shown}</span>' if css else shown

    def prose(self, lines: list[str]) -> str:
        """Returns a comment as HTML: paragraphs, definition lists and drawings."""
        blocks, block = [], []
        for line in [*lines, ""]:
            if line.strip():
                block.append(line)
            elif block:
                blocks.append(self._block(block))
                block = []
        return "\n".join(blocks)

    def _block(self, lines: list[str]) -> str:
        terms = _terms(lines)
        if terms:
            rows = (
                f"<dt>{self._inline(term)}</dt><dd>{self._inline(text)}</dd>"
                for term, text in terms
            )
            return f"<dl>{''.join(rows)}</dl>"
        text = self._inline("\n".join(lines))
        is_drawn = any(re.search(r"\S {2,}\S|^ {2,}", line) for line in lines)
        return f'<pre tabindex="0">{text}</pre>' if is_drawn else f"<p>{text}</p>"

    def _inline(self, text: str) -> str:
        text = html.escape(text)
        text = PLACE.sub(lambda match: self.link(match[0], (match[0], 0)), text)
        text = LITERAL.sub(r"<code>\1</code>", text)
        return COMPARE.sub(rf'<a href="{TENSORFLOW}\g<0>">\g<0></a>', text)

    def used_by(self, first: int, end: int) -> str:
        """Returns links to the callers of the functions that these lines declare."""
        callers: dict[str, tuple[str, str, int]] = {}
        for line in range(first, end):
            for user in users().get((self.path, line), []):
                callers.setdefault(user[0], user)
        if not callers:
            return ""
        links = [self.link(html.escape(n), (p, at)) for n, p, at in callers.values()]
        more = f" and {len(links) - MOST_USERS} more" if len(links) > MOST_USERS else ""
        return f'<p class="used">Used by {", ".join(links[:MOST_USERS])}{more}</p>'

    def minutes(self) -> int:
        """Returns the estimated reading time."""
        words = sum(len(line.split()) for row in self.rows for line in row.prose)
        code = sum(row.code[1] - row.code[0] for row in self.rows)
        return max(1, round(words / WORDS_A_MINUTE + code / LINES_A_MINUTE))

    def head(self) -> str:
        """Returns the header: reading time, TensorFlow's counterpart, users."""
        facts = [f"about {self.minutes()} min"]
        if counterparts := _counterparts(self.rows):
            links = (f'<a href="{TENSORFLOW}{path}">{path}</a>' for path in counterparts)
            facts.append(f"TensorFlow's counterpart: {', '.join(links)}")
        files = doxygen_xml.included_by().get(self.path, [])
        files = [path for path in files if path in sources()]
        text = f"<p>{' · '.join(facts)}</p>"
        if files:
            items = "".join(f"<li>{self.link(path, (path, 0))}</li>" for path in files)
            title = f"Included by {len(files)} file{'s' * (len(files) > 1)}"
            text += f"<details><summary>{title}</summary><ul>{items}</ul></details>"
        return f'<div class="facts">{text}</div>'

    def _way(self) -> str:
        before = [path for path, after in next_of().items() if after == self.path]
        steps = [("Before", path) for path in before[:2]]
        steps += [("Next", path) for path in [next_of().get(self.path)] if path]
        links = (
            f"<span>{word}: {self.link(path, (path, 0))}</span>" for word, path in steps
        )
        return f'<nav class="way" aria-label="Tour">{" ".join(links)}</nav>' * bool(steps)

    def body(self) -> str:
        """Returns the page's content as HTML."""
        lines, way = self.code(), self._way()
        parts = [f"<h1>{self.path}</h1>", self.head(), way, '<div class="annotated">']
        # A row ends where the next one begins. The last line of ``code`` is empty.
        ends = [*(row.first for row in self.rows[1:]), len(lines)]
        for row, behind in zip(self.rows, ends, strict=True):
            first, end = row.code
            # The prose has the anchors of its lines.
            gone = [*range(row.first, first), *range(end, behind)]
            anchors = "".join(f'<span id="L{n}"></span>' for n in gone)
            code = "".join(
                f'<span id="L{n}" class="line"><a class="number" href="#L{n}" '
                f'tabindex="-1" aria-label="Line {n}">{n}</a>{lines[n - 1]}</span>'
                for n in range(first, end)
            )
            prose = self.prose(row.prose) + self.used_by(first, end)
            # The first comment explains the whole file and takes the full width.
            kind = "row opening" if row is self.rows[0] and row.prose else "row"
            parts.append(
                f'<div class="{kind}"><div class="prose">{anchors}{prose}</div>'
                f'<div class="highlight"><pre tabindex="0">{code}</pre></div></div>'
            )
        return "\n".join([*parts, "</div>", way])


def _terms(lines: list[str]) -> list[tuple[str, str]]:
    """Returns the terms and texts of a table of two columns; empty for other text.

    >>> _terms(["  names   are unique", "          in a graph"])
    [('names', 'are unique in a graph')]
    """
    terms: list[tuple[str, str]] = []
    column = 0
    for line in lines:
        term = re.match(r" *(\S+(?: \S+){0,2}) {2,}(?=\S)", line)
        if term and column in (0, term.end()):
            column = term.end()
            terms.append((term[1], line[column:]))
        elif terms and line.startswith(" " * column) and line[column] != " ":
            terms[-1] = (terms[-1][0], f"{terms[-1][1]} {line[column:]}")
        else:
            return []
    return terms


def _known(token: Any) -> Any:
    """Returns the nearest token type around ``token`` that has a style."""
    while token not in STANDARD_TYPES:
        token = token.parent or Token
    return token


def _counterparts(rows: list[annotated.Row]) -> list[str]:
    """Returns the files of TensorFlow that the first comment names."""
    text = "\n".join(rows[0].prose) if rows else ""
    return list(Counter(COMPARE.findall(text)))


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yields all pages: name, context and template."""
    del app  # Sphinx passes it to every listener
    for path in sorted(sources()):
        page = Page(path, (ROOT / path).read_text())
        context = {"title": path, "body": page.body()}
        yield PREFIX + path, context, "page.html"


def _share_contents(
    app: Sphinx, name: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Renders the navigation once for all files of the same depth."""
    del app, template, tree  # Sphinx passes them to every listener
    if name.startswith(PREFIX):
        make = context["toctree"]

        def contents(**options: Any) -> str:
            key = (name.count("/"), *sorted(options.items()))
            if key not in CONTENTS:
                CONTENTS[key] = make(**options)
            return CONTENTS[key]

        context["toctree"] = contents


def setup(app: Sphinx) -> dict[str, Any]:
    """Sphinx calls this."""
    app.connect("html-collect-pages", pages)
    app.connect("html-page-context", _share_contents, priority=400)  # before the theme
    return {"parallel_read_safe": True, "parallel_write_safe": True}
