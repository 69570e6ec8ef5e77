"""docs/source_map.md and docs/glossary.md name what the files have."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs/source_map.md"
ROW = re.compile(r"^\| `([\w/.]+)` \| (`[^|]+`) \|", re.M)


def test_each_file_has_the_names_beside_it():
    rows = ROW.findall(PAGE.read_text())
    assert len(rows) >= 30
    for path, names in rows:
        text = (PAGE.parents[1] / path).read_text()
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"\b{name}\b", text), f"{path} has no {name}"


def test_each_component_has_a_folder_a_lab_and_a_test():
    section = PAGE.read_text().split("## ")[1]
    rows = [line for line in section.splitlines() if line.count("|") == 6][2:]
    assert len(rows) == 5
    for row in rows:
        _, _, folders, _, labs, test, _ = row.split("|")
        named = re.findall(r"`([^`]+)`", folders + test) + re.findall(
            r"\.\./([^)]+)", labs
        )
        assert len(named) >= 3
        for path in named:
            assert (PAGE.parents[1] / path).exists(), f"{path} does not exist"


def test_each_term_has_a_sentence_and_a_file():
    """Terms are sorted by letters; a second one of the same row stands behind a comma."""
    text = (PAGE.parent / "glossary.md").read_text()
    rows = re.findall(r"^\| \*\*(.+?)\*\* \| (.+) \| `([\w/.]+)` \|$", text, re.M)
    assert len(rows) == text.count("\n| ") - 2 >= 60
    for term, sentence, path in rows:
        assert sentence.endswith("."), term
        assert (PAGE.parents[1] / path).exists(), term
    terms = [term.lower().replace("-", "") for term, _, _ in rows]
    assert terms == sorted(terms)
