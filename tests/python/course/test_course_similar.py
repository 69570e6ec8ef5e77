"""Answers that have much in common: found however they were changed, and no others."""

import json
import random
import re
import time
from pathlib import Path

import pytest
from test_course_report import read

from minitf_lab import project
from minitf_lab.course import commands, similar, winnowing

STARTER = """\
// What is handed out.
#include <vector>

float Total(const std::vector<float>& values, int begin, int end) {
  // TODO(04.1) begin: add up
%s
  // TODO(04.1) end
}
"""
ADA = """\
  float sum = 0;
  for (int i = begin; i < end; ++i) {
    if (values[i] > 10) {
      sum += values[i] * 2;
    } else {
      sum -= values[i] / (1 + values[i]);
    }
  }
  for (int j = end - 1; j >= begin; --j) {
    sum = sum * values[j] + values[j] * values[j];
  }
  return sum;"""
INDEPENDENT = """\
  std::vector<float> kept(values.begin() + begin, values.begin() + end);
  auto term = [](float v) { return v > 10 ? 2 * v : -v / (v + 1); };
  float result = std::accumulate(kept.begin(), kept.end(), 0.0f,
                                 [&](float a, float b) { return a + term(b); });
  std::reverse(kept.begin(), kept.end());
  while (!kept.empty()) {
    result = result * kept.front() + std::pow(kept.front(), 2);
    kept.erase(kept.begin());
  }
  return result;"""
RENAMED = (
    ADA.replace("sum", "acc").replace("values", "v").replace("i", "k").replace("10", "99")
)
RESTYLED = re.sub(r"\n\s*", " // again\n", ADA).replace("{", "\n{ /* begin */")


def handed_out(answer="  MINITF_TODO();"):
    return STARTER % answer


def answers_of(*sources, name="math_grad.cc"):
    made = []
    for number, source in enumerate(sources):
        answer = similar.Answer(f"s{number}")
        similar.add_file(answer, name, source)
        made.append(answer)
    return made


def pairs_of(*sources, name="math_grad.cc", starter=""):
    answers = answers_of(*sources, name=name)
    similar.drop_common(answers, similar.handed_out({name: starter}))
    found = similar.find_pairs(answers)
    return [(pair.left.name, pair.right.name) for pair in found]


@pytest.mark.parametrize("copy", [ADA, RENAMED.replace("kf", "if"), RESTYLED])
def test_a_copy_is_found_however_it_is_changed(copy):
    sources = [handed_out(text) for text in (ADA, INDEPENDENT, copy)]
    assert pairs_of(*sources) == [("s0", "s2")]


def test_parts_in_another_order_are_found():
    loops = ADA.split("  for (int j")
    moved = f"  float sum = 0;\n  for (int j{loops[1]}".replace("return sum;", "")
    moved += loops[0].replace("  float sum = 0;\n", "") + "  return sum;"
    assert pairs_of(handed_out(ADA), handed_out(moved)) == [("s0", "s1")]


def test_only_what_students_write_is_compared():
    other = handed_out("  return values[begin];")
    assert pairs_of(other, other) == []
    # Without its marks a file is compared whole, but not with what was handed out.
    long = re.sub(r".*TODO.*\n", "", handed_out(ADA))
    assert pairs_of(long, handed_out(ADA), starter=handed_out()) == [("s0", "s1")]
    bare = re.sub(r".*TODO.*\n", "", handed_out("  return 1;")) * 3
    assert pairs_of(bare, bare) == [("s0", "s1")]
    assert pairs_of(bare, bare, starter=bare) == []


@pytest.mark.parametrize("number", ["02", "10", "13"])
def test_handed_out_text_does_not_count_without_its_marks(number):
    """Two answers of their own, in whole files that both have from the starter."""
    lab = project.find_lab(number)
    files = {Path(f).name: (lab.starter / Path(f).name).read_text() for f in lab.files}
    answers = []
    for seed in (0, 1):
        draw = random.Random(seed)
        answers.append(similar.Answer(f"s{seed}"))
        for name, source in files.items():
            lines = [
                " ".join(draw.choices("()+-*/;x1{}<>=", k=40))
                if re.search("MINITF_TODO|NotImplementedError", line)
                else line
                for line in source.split("\n")
                if not re.search(r"TODO\(\d", line)
            ]
            similar.add_file(answers[-1], name, "\n".join(lines))
    assert similar.find_pairs(answers), "they are alike with what was handed out"
    similar.drop_common(answers, similar.handed_out(files))
    assert similar.find_pairs(answers) == []


def test_a_group_is_one_answer(tmp_path):
    group = ["ada", "bob"]
    for name in ("ada", "bob", "cleo"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "math_grad.cc").write_text(handed_out(ADA))
        note = {"student": name, "sha256": "ab" * 32}
        note |= {"group": group} if name in group else {}
        (tmp_path / name / "handin.json").write_text(json.dumps(note))
    (tmp_path / ".earlier").mkdir()
    answers, notes = similar.read_answers(tmp_path, ["math_grad.cc"])
    assert [one.name for one in answers] == ["ada and bob", "cleo"] and not notes
    [pair] = similar.find_pairs(answers)
    assert (pair.left.name, pair.right.name) == ("ada and bob", "cleo")


def test_what_many_have_is_nobodys():
    copies = [handed_out(ADA)] * 5
    others = [
        handed_out(f"  return values[{n}] * {'values[0] * ' * n}1;") for n in range(7)
    ]
    # 5 of 12 are more than 40 %, 5 of 13 are not; 3 of 3 are too few to be the class.
    assert pairs_of(*copies, *others) == []
    assert len(pairs_of(*copies, *others, handed_out())) == 10
    assert len(pairs_of(*copies[:3])) == 3


def test_python_is_compared_too():
    ada = "def total(values):\n    result = 0\n    for value in values:\n"
    ada += "        result = result + value * 2 if value > 10 else result - value\n"
    ada += "    while result > 100:\n        result = result / 2 + len(values)\n"
    ada += "    return [result, values[0], values[-1], {'a': result}]\n"
    copy = re.sub(r"\bresult\b", "x", ada).replace("'a'", '"""a\nb"""  # why')
    assert pairs_of(ada, copy, name="tape.py") == [("s0", "s1")]


def test_any_row_of_21_equal_tokens_is_found():
    common = "a(b[1]+c*2, d-3)<e{f;g:h?i!j}"  # 21 tokens and more
    words = ["if", "for", "while", "return", "+", "-", "(", "[", "{", ";", "*", "/", "<"]
    for seed in range(40):
        front = " ".join(words[(seed * k + k * k) % 13] for k in range(1, 60))
        back = " ".join(words[(seed + k * k * 7) % 13] for k in range(1, 60))
        one = winnowing.prints(f"{front}\n{common}\n{back}", is_python=False)
        other = winnowing.prints(
            f"{back[::-1]}\n{common}\n{front[::-1]}", is_python=False
        )
        assert {p.digest for p in one} & {p.digest for p in other}


def test_lines_of_a_passage_are_those_of_the_file():
    left, right = answers_of(handed_out(ADA), "\n\n" + handed_out(RESTYLED))
    pair = similar.find_pairs([left, right])[0]
    (passage,) = similar.find_passages(pair)
    # The answer is lines 6 to 17; at its ends, less than WINDOW tokens may be left out.
    name, first, last = passage.left
    assert name == "math_grad.cc" and 6 <= first <= 8 and 14 <= last <= 17
    name, first, last = passage.right
    assert name == "math_grad.cc" and 8 <= first <= 12 and last <= len(right.lines[name])


def test_clusters_hang_together():
    sources = [
        handed_out(text) for text in (ADA, RESTYLED, ADA, INDEPENDENT, INDEPENDENT)
    ]
    pairs = similar.find_pairs(answers_of(*sources))
    assert similar.find_clusters(pairs) == [["s0", "s1", "s2"]]


def write_class(folder, answers):
    for name, source in answers.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "math_grad.cc").write_bytes(source.encode(errors="replace"))
    return folder


def run(*arguments):
    return commands.main(["similar", *map(str, arguments)])


def test_the_report_shows_pairs_and_no_score(tmp_path, capsys):
    evil = ADA.replace("float sum", "/*</pre><script>alert(1)</script>*/ float sum")
    answers = {"ada": ADA, "<b>bob": evil, "cleo": INDEPENDENT}
    folder = write_class(tmp_path / "now", {k: handed_out(v) for k, v in answers.items()})
    write_class(tmp_path / "2025", {"dora": handed_out(INDEPENDENT)})
    (folder / "empty").mkdir()
    (folder / "linked").mkdir()
    (folder / "linked" / "math_grad.cc").symlink_to("/etc/passwd")
    out = tmp_path / "similar.html"
    assert run("04", folder, "--earlier", tmp_path / "2025", "--out", out) == 0
    page = read(out.read_text())
    assert "<b>bob and ada" in page.said
    assert (
        "2025/dora" in page.said and "linked:" in page.said and "empty: none" in page.said
    )
    assert "sum -= values[i] / (1 + values[i]);" in page.said
    assert not re.search(r"\d\s*%|score of|plagia|cheat", page.said)
    assert "wrote" in capsys.readouterr().out


def test_pairs_of_earlier_years_alone_are_not_shown(tmp_path):
    write_class(tmp_path / "now", {"eve": handed_out(INDEPENDENT)})
    write_class(tmp_path / "old", {"a": handed_out(ADA), "b": handed_out(ADA)})
    out = tmp_path / "out.html"
    assert run("04", tmp_path / "now", "--earlier", tmp_path / "old", "--out", out) == 0
    assert "None." in read(out.read_text()).said


def test_the_compared_parts_can_be_written_for_other_tools(tmp_path):
    folder = write_class(tmp_path / "now", {"a": handed_out(ADA)})
    parts = tmp_path / "parts"
    assert run("04", folder, "--files", parts, "--out", tmp_path / "out.html") == 0
    (path,) = parts.glob("*/*")
    assert path.read_text() == ADA + "\n"


def test_folders_that_hold_no_answers_are_said(tmp_path, capsys):
    assert run("04", tmp_path / "none") == 1
    assert "is not a folder with one for each student" in capsys.readouterr().err
    (tmp_path / "ada").mkdir()
    assert run("04", tmp_path) == 1
    assert "holds math_grad.cc or add_gradients.cc" in capsys.readouterr().err


def test_the_right_answers_of_a_lab_are_compared_in_their_regions():
    lab = project.find_lab("04")
    source = (project.ROOT / "minitf/gradients/math/math_grad.cc").read_text()
    (answer,) = answers_of(source)
    assert answer.parts["math_grad.cc"][0][0] > 1
    assert len(answer.prints) > 20
    starter = (lab.starter / "math_grad.cc").read_text()
    (empty,) = answers_of(starter)
    assert not empty.prints


def test_a_class_of_500_takes_seconds():
    sources = []
    for number in range(500):
        words = [f"x{number}[{k}] {'+-*/<>'[(number * k) % 6]} y;" for k in range(150)]
        sources.append(handed_out("\n".join(words)))
    start = time.process_time()
    pairs = pairs_of(*sources)
    # Two of the six groups have rows that do not repeat themselves soon.
    assert ("s1", "s7") in pairs and len(pairs) >= 2 * 83 * 82 // 2
    assert time.process_time() - start < 60


@pytest.mark.parametrize(
    "source",
    [
        "",
        "\0" * 100,
        "/*" * 5000,
        '"' * 5001,
        "'" * 5001,
        "x" * 1_000_000,
        "// TODO(04.1) begin",
        *["{" * 20_000, "\\" * 5000, "\ufffd\u202e" * 100, "'''" * 3001, "\r\n" * 5000],
    ],
)
def test_odd_files_take_no_time(source):
    start = time.process_time()
    for name in ("a.cc", "a.py"):
        assert pairs_of(source, handed_out(ADA), name=name) == []
    assert time.process_time() - start < 5
