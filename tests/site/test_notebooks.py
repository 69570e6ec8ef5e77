"""The check of notebooks: changed outputs and faulty notebooks are found."""

import sys
from pathlib import Path

import nbformat
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs/site"))
import notebooks


def _notebook(source: str, text: str, tags: list[str]) -> nbformat.NotebookNode:
    """A notebook with one cell that has printed ``text``."""
    output = nbformat.v4.new_output("stream", text=text)
    cell = nbformat.v4.new_code_cell(source, outputs=[output], execution_count=1)
    cell.metadata["tags"] = tags
    return nbformat.v4.new_notebook(cells=[cell])


def test_changed_output_of_a_stable_cell_is_a_diff() -> None:
    old = _notebook("print(1)", "1\n", ["stable"])
    new = _notebook("print(1)", "2\n", ["stable"])
    (diff,) = notebooks.differences("00.ipynb", old, new)
    assert diff.split("\n")[0] == "00.ipynb, cell 1 (print(1)):"
    assert diff.split("\n")[-2:] == ["-1", "+2"]


@pytest.mark.parametrize(
    ("old", "new", "tags"),
    [
        ("1\n", "2\n", []),
        ("1\n", "1\n", ["stable"]),
        ("<A at 0x7f12ab34>\n", "<A at 0x7fffab34>\n", ["stable"]),
    ],
)
def test_other_outputs_may_change(old: str, new: str, tags: list[str]) -> None:
    before, after = _notebook("f()", old, tags), _notebook("f()", new, tags)
    assert not list(notebooks.differences("00.ipynb", before, after))


def test_output_of_a_result_and_of_a_picture() -> None:
    result = nbformat.v4.new_output("execute_result", data={"text/plain": "3"})
    picture = nbformat.v4.new_output("display_data", data={"image/png": "iVBO"})
    cell = nbformat.v4.new_code_cell("f()", outputs=[result, picture])
    assert notebooks.printed(cell) == "3\n['image/png']\n"


def test_faulty_notebooks_are_found(tmp_path: Path) -> None:
    path = tmp_path / "00.ipynb"
    notebook = _notebook("f()", "x" * notebooks.MOST_BYTES, [])
    notebook.cells[0].execution_count = None
    nbformat.write(notebook, path)
    size, stable, never_run = notebooks.faults(path, notebook)
    assert "more than 300000" in size
    assert "no cell has the tag 'stable'" in stable
    assert "cell 1: was not run" in never_run


def test_a_cell_that_raises_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "00.ipynb"
    nbformat.write(_notebook("raise KeyError('k')", "", ["stable"]), path)
    (problem,) = notebooks.run(path, is_kept=False)
    assert problem.startswith("00.ipynb: ")
    assert "KeyError: 'k'" in problem


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected --check or --update"),
        (["--check", "99"], "no notebook begins with 99"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        notebooks.main(arguments)
