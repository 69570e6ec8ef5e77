"""``tests/check_docs.py`` finds links and paths that lead nowhere."""

import sys
from pathlib import Path

import pytest
from source_copy import ROOT

sys.path.append(str(ROOT / "tests"))

import check_docs


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("see [text](../minitf/text.cc)", []),
        ("see [text](../minitf/none.cc#part)", ["docs/../minitf/none.cc"]),
        ("see [below](#part) and [TensorFlow](https://tensorflow.org/x.html)", []),
        ("`minitf/text.cc` and tests/none.py.", ["tests/none.py"]),
        ("`exercises/NN_name/lab.json`, `kernels/gpu/NAME.cu`", []),
        ("`tensorflow/python/none.py`", []),
    ],
)
def test_files_that_do_not_exist_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, missing: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("minitf/text.cc", "docs/page.md", "docs/adding_a_page.md"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(f"# Title\n\n{text}\n")
    page = Path("docs/page.md")
    wanted = [f"{page}:3: {file} does not exist" for file in missing]
    assert [*check_docs.missing_files(page)] == wanted
    links = [line for line in wanted if ".." in line]
    guide = Path("docs/adding_a_page.md")
    assert [*check_docs.missing_files(guide)] == [
        line.replace(str(page), str(guide)) for line in links
    ]
