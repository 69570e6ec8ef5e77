"""Names that texts mention exist: no error advises what minitf does not have."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import minitf as tf
from minitf import families

pytestmark = pytest.mark.families(*families.FAMILIES)

ROOT = Path(__file__).parents[3]
MENTION = re.compile(r"(?<![\w.])tf((?:\.[A-Za-z_]\w*)+)")
# A comment or a character of C++, which are skipped; or literals that stand together.
LITERAL = r'(?:R"(?P<{0}>\w*)\(.*?\)(?P={0})"|"(?:[^"\\\n]|\\.)*")'
CPP = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:[^'\\]|\\.)'|"
    + rf"(?P<texts>{LITERAL.format('d1')}(?:\s*{LITERAL.format('d2')})*)",
    re.S,
)


def python_texts(source: str) -> Iterator[str]:
    """The string literals of a file of Python, with those of documentation."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def cpp_texts(source: str) -> Iterator[str]:
    """The string literals of a file of C++; those that stand together are one."""
    for found in CPP.finditer(source):
        if found["texts"]:
            yield re.sub(r'"\s*"', "", found["texts"])


def unknown_names(text: str) -> list[str]:
    """The names that a text mentions and minitf does not have.

    >>> unknown_names("use tf.cast or tf.nowhere; tf.Graph.as_default, too")
    ['tf.nowhere']
    """
    unknown = []
    for mention in MENTION.finditer(text):
        value = tf
        for part in mention[1][1:].split("."):
            if not hasattr(value, part):
                unknown.append(mention[0])
                break
            value = getattr(value, part)
    return unknown


def findings() -> Iterator[str]:
    kinds = {".py": python_texts, ".cc": cpp_texts, ".h": cpp_texts, ".cu": cpp_texts}
    for folder in ("python/minitf", "python/bindings", "minitf", "kernels"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in kinds:
                for text in kinds[path.suffix](path.read_text()):
                    for name in unknown_names(text):
                        yield f"{path.relative_to(ROOT)}: {name}"


def test_every_name_that_a_text_mentions_exists():
    assert "\n".join(findings()) == ""


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ('Require(ok, "use tf.cast, tf.gone");', ["tf.gone"]),
        ('Require(ok, "use tf."\n    "go" "ne");', ["tf.gone"]),
        ('// tf.gone\nint x = 1; /* "tf.gone" */', []),
        ('auto x = R"(tf.gone)";', ["tf.gone"]),
        (r'auto x = "\"tf.gone\"";', ["tf.gone"]),
        ("""char c = '"'; auto x = "tf.gone";""", ["tf.gone"]),
    ],
)
def test_texts_of_cpp(source, names):
    found = [name for text in cpp_texts(source) for name in unknown_names(text)]
    assert found == names


def test_texts_of_python():
    source = 'def f():\n  """tf.gone"""\n  raise ValueError(f"{f}: use tf.lost" " now")'
    found = [name for text in python_texts(source) for name in unknown_names(text)]
    assert sorted(found) == ["tf.gone", "tf.lost"]


def test_a_tensor_of_a_graph_that_is_iterated_over_advises_names_that_exist():
    with tf.Graph().as_default(), pytest.raises(TypeError) as error:
        iter(tf.constant([1, 2]))
    assert unknown_names(str(error.value)) == []
