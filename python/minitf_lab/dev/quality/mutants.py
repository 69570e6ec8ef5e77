"""Small changes of a piece of code, by rule: a ``+`` that becomes a ``-``, and the like.

The piece is the answer in a region. tree-sitter reads it, C++ and Python alike, and each
rule looks at one kind of node, so a word in a string or a comment is never changed.
``mutate.py`` tries what is made here.
"""

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import tree_sitter_cpp
import tree_sitter_python
from tree_sitter import Language, Node, Parser

OPERATORS = {
    **{"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "**": "*"},
    **{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    **{"&&": "||", "||": "&&", "and": "or", "or": "and", "|": "&", "&": "|"},
    **{"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|="},
    **{"++": "--", "--": "++", "is": "is not", "is not": "is", "in": "not in"},
    **{"not in": "in", "<<=": ">>=", ">>=": "<<=", "^": "|"},
}
# Nodes whose operator is one of those, in C++ and in Python.
WITH_OPERATOR = {
    *("binary_expression", "assignment_expression", "update_expression"),
    *("binary_operator", "boolean_operator", "comparison_operator"),
    "augmented_assignment",
}
CONSTANTS = {"true": "false", "false": "true", "True": "False", "False": "True"}
NUMBERS = {"number_literal", "integer", "float"}
CONDITIONS = {"if_statement", "while_statement", "do_statement", "elif_clause"}
CHOICES = {"conditional_expression"}
ARGUMENTS = {"argument_list", "initializer_list"}
STATEMENTS = {"expression_statement", "continue_statement", "break_statement"}
LOCK = re.compile(r"\b(lock_guard|scoped_lock|unique_lock|shared_lock|MutexLock)\b")
WAIT = re.compile(r"\b(wait|notify_one|notify_all|lock|unlock|join|Wait|Notify)\s*\(")


@dataclass(frozen=True)
class Mutant:
    """A changed piece of code.

    Attributes:
        rule: What was done, such as ``operator``.
        line: Number of the line that is changed, from 1.
        before: What stood there.
        after: What stands there now.
        text: The whole piece.
    """

    rule: str
    line: int
    before: str
    after: str
    text: str


@cache
def _parser(language: str) -> Parser:
    module = {"cpp": tree_sitter_cpp, "python": tree_sitter_python}[language]
    return Parser(Language(module.language()))


Change = tuple[str, Node, str]  # the rule, what is replaced, and by what


def _operators(node: Node) -> Iterator[Change]:
    """Another operator, the nearest one."""
    if node.type in WITH_OPERATOR:
        for child in node.children:
            other = OPERATORS.get(child.type)
            if other and (not child.is_named or child.type in {"is not", "not in"}):
                yield "operator", child, other


def _constants(node: Node) -> Iterator[Change]:
    """A number that is one more, or the other truth."""
    text = node.text.decode()
    if node.type in {"true", "false"}:
        yield "constant", node, CONSTANTS[text]
    elif node.type in NUMBERS and re.fullmatch(r"\d+", text):
        yield "constant", node, str(int(text) + 1)
        if int(text) > 0:
            yield "constant", node, str(int(text) - 1)
    elif node.type in NUMBERS and re.fullmatch(r"\d*\.\d*f?", text):
        yield "constant", node, f"({text} + 1)"


def _arguments(node: Node) -> Iterator[Change]:
    """Two arguments beside each other, swapped."""
    if node.type not in ARGUMENTS:
        return
    given = [child for child in node.named_children if child.type != "comment"]
    source = node.text.decode(errors="replace")
    for one, other in itertools.pairwise(given):
        named = {one.type, other.type} & {"keyword_argument", "dictionary_splat"}
        if one.text == other.text or named:
            continue
        words = [part.text.decode() for part in given]
        at = given.index(one)
        words[at], words[at + 1] = words[at + 1], words[at]
        yield "arguments", node, f"{source[0]}{', '.join(words)}{source[-1]}"


def _conditions(node: Node) -> Iterator[Change]:
    """A condition that is the other way round."""
    if node.type in CONDITIONS:
        condition = node.child_by_field_name("condition")
    elif node.type in CHOICES:
        condition = node.child_by_field_name("condition")
        if condition is None:  # Python's a if b else c has no names for its parts
            condition = node.named_children[1]
    else:
        return
    if condition is None:
        return
    value = condition.child_by_field_name("value") or condition
    if value.type == "declaration" or condition.child_by_field_name("initializer"):
        return
    text = value.text.decode()
    if value.type == "parenthesized_expression":
        text = text[1:-1]
    if _is_python(node):
        yield "condition", value, f"(not ({text}))"
    elif value.type == "parenthesized_expression" or value is condition:
        yield "condition", value, f"(!({text}))"
    else:
        yield "condition", value, f"!({text})"


def _signs(node: Node) -> Iterator[Change]:
    """No ``!``, ``not`` or sign where there was one."""
    if node.type in {"unary_expression", "not_operator", "unary_operator"}:
        sign, operand = node.children[0], node.named_children[-1]
        if sign.type in {"!", "not", "-"}:
            yield "sign", node, operand.text.decode()


def _statements(node: Node) -> Iterator[Change]:
    """A statement that is gone: a call, an assignment, a jump, a lock."""
    text = node.text.decode(errors="replace")
    nothing = "pass" if _is_python(node) else ";"
    if node.type in STATEMENTS and text.strip() not in {";", "..."}:
        if node.named_children and node.named_children[0].type == "string":
            return  # a docstring
        yield "lock" if WAIT.search(text) else "statement", node, nothing
    elif node.type == "declaration" and LOCK.search(text):
        yield "lock", node, nothing


RULES: tuple[Callable[[Node], Iterator[Change]], ...] = (
    _operators,
    _constants,
    _arguments,
    _conditions,
    _signs,
    _statements,
)


def _is_python(node: Node) -> bool:
    while node.parent is not None:
        node = node.parent
    return node.type == "module"


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _nodes(child)


def _wrapped(text: str, language: str) -> tuple[str, str, str]:
    """Statements as something that can stand alone: a function around them in C++."""
    if language == "cpp":
        return "void f() {\n", text, "\n}\n"
    return "if True:\n", text, "\n"


def mutants_of(text: str, language: str) -> Iterator[Mutant]:
    r"""All mutants of a piece of code, by place.

    Args:
        text: Whole statements, as they stand in a region.
        language: ``cpp`` or ``python``.

    >>> [m.after for m in mutants_of("  return a + 1;", "cpp")]
    ['return a - 1;', 'return a + 2;', 'return a + 0;']
    >>> [m.after for m in mutants_of("    if a is not None:\n        f(a, b)", "python")]
    ['if (not (a is not None)):', 'if a is None:', 'pass', 'f(b, a)']
    """
    head, body, tail = _wrapped(text, language)
    data = (head + body + tail).encode()
    tree = _parser(language).parse(data)
    start, end = len(head.encode()), len((head + body).encode())
    seen = {text}
    for node in _nodes(tree.root_node):
        if node.start_byte < start or node.end_byte > end:
            continue
        for rule in RULES:
            for name, place, other in rule(node):
                new = data[: place.start_byte] + other.encode() + data[place.end_byte :]
                changed = new[start : len(new) - len(tail.encode())].decode()
                if changed in seen:
                    continue
                seen.add(changed)
                line = data[start : place.start_byte].count(b"\n")
                before, after = text.split("\n")[line], changed.split("\n")[line]
                yield Mutant(name, line + 1, before.strip(), after.strip(), changed)
