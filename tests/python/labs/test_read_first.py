"""What a student reads for a lab: names that exist, and no more than some words."""

import ast
import re
from pathlib import Path

import pytest

from minitf_lab import project
from minitf_lab.judge.regions import find_regions

MOST_WORDS = 6700
LABS = [lab for lab in project.all_labs() if lab.number != "00"]
PATH = re.compile(r"[\w/.]+/[\w.]+\.(?:h|cc|py|md)")
NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)\w+)?")


def items(lab):
    """The items of "Read first": the text of each, its paths, and its other names."""
    text = (lab.starter / "README.md").read_text()
    head = re.search(r"\*\*Read first\*\*.*?\n(?=\| task)", text, re.S)[0]
    for item in re.split(r"\n(?=\d\. )", head)[1:]:
        for part in item.split(";"):
            words = re.findall(r"`([^`]+)`", part)
            paths = [word for word in words if PATH.fullmatch(word)]
            yield part, paths, [word for word in words if NAME.fullmatch(word)]


def blocks(path):
    """The definitions of a file in C++: paragraphs, and all that stands in braces."""
    found, depth = [""], 0
    for line in path.read_text().split("\n"):
        if not line.strip() and depth <= 0:
            found.append("")
        found[-1] += line + "\n"
        code = line.partition("//")[0]
        is_space = code.startswith("namespace") or "namespace" in line.partition("//")[2]
        depth += 0 if is_space else code.count("{") - code.count("}")
    return found


def functions(path):
    """The functions of a file in Python, with their texts and names."""
    text = path.read_text()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            yield node.name, ast.get_source_segment(text, node)


def section_of(path, title):
    """A section of a document, from its title to the next one."""
    return path.read_text().partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def text_of(path, name):
    """The text of a definition; of a function in a class in C++, its paragraph."""
    last = re.split(r"\.|::", name)[-1]
    if path.suffix == ".py":
        return next((text for one, text in functions(path) if one == last), "")
    found = blocks(path)
    kind = rf"(?:class|struct) {last}\b[^;(]*{{|using {last}\b"
    for text in found:
        if re.search(kind, text):
            return text
    paragraphs = [part for text in found for part in text.split("\n\n")]
    return next((t for t in paragraphs if re.search(rf"\b{last}\(", t)), "")


def words_of_own_files(lab):
    """How many words the functions with a place have, as they are handed out."""
    total = 0
    for file in lab.files:
        path = lab.starter / Path(file).name
        if path.suffix == ".py":
            texts = [text for _, text in functions(path) if "TODO(" in text]
            texts = [t for t in texts if not any(t != o and o in t for o in texts)]
        else:
            texts = [text for text in blocks(path) if "TODO(" in text]
        assert texts or not find_regions(path.read_text()), path
        total += sum(len(text.split()) for text in texts)
    return total


def words_to_read(lab):
    """README.md, what its "Read first" names, and the functions to be written."""
    total = len((lab.starter / "README.md").read_text().split())
    for item, paths, names in items(lab):
        files = [project.ROOT / path for path in paths]
        if titles := re.findall(r'"([^"]+)"', item):
            texts = {section_of(file, title) for file in files for title in titles}
        elif "head of" in item and not names:
            texts = {file.read_text().partition("#pragma once")[0] for file in files}
        elif names:
            texts = {text_of(file, name) for file in files for name in names}
        else:
            texts = {file.read_text() for file in files}
        total += sum(len(text.split()) for text in texts)
    return total + words_of_own_files(lab)


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_what_is_to_be_read_exists(lab):
    for item, paths, names in items(lab):
        files = [project.ROOT / path for path in paths]
        for title in re.findall(r'"([^"]+)"', item):
            assert any(section_of(file, title) for file in files), title
        assert all(file.is_file() for file in files), paths
        for name in names if files else []:
            last = re.split(r"\.|::", name)[-1]
            assert any(re.search(rf"\b{last}\b", f.read_text()) for f in files), name


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.number)
def test_a_lab_has_no_more_than_some_words(lab):
    assert words_to_read(lab) <= MOST_WORDS


if __name__ == "__main__":
    for one in LABS:
        print(one.number, words_to_read(one), words_of_own_files(one))
