"""The pass of docs/adding_a_pass.md: compiled into the list of passes, tested, and run.

Read next: ``docs/adding_a_pass.md``.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from source_copy import ROOT, SourceCopy, compile_files, named_by

sys.path.append(str(ROOT / "tests"))

import op_names

GUIDE = ROOT / "docs" / "adding_a_pass.md"
BLOCK = re.compile(r"```\w+ (?P<name>[\w/.]+)\n(?P<code>.*?)```", re.DOTALL)
NAME = "passes/idempotent"
NEXT = "passes/layout"  # in front of it, lists of files have the new one
PASS, TEST = f"minitf/{NAME}.cc", f"tests/minitf/{NAME}_test.cc"
# Where the guide says that a block goes: in front of this line.
PLACES = {
    "minitf/passes/pass.h": "\n}  // namespace minitf\n",
    "minitf/passes/pass.cc": '      {.name = "fusion",\n',
    "tests/op_names.py": '    "minitf/passes/layout.cc": RULE,\n',
}
# A session of the library, which has the pass because the program has the list.
SESSION = """
#include "gtest/gtest.h"
#include "minitf/runtime/session.h"
#include "tests/minitf/passes/step_runner.h"

namespace minitf::testing {
namespace {

TEST(Session, RunsThePass) {
  auto graph = std::make_shared<Graph>();
  const Output x = Input(graph.get(), {});
  const Output y = Call(graph.get(), "Floor", {Call(graph.get(), "Floor", {x})});
  const Output z = Call(graph.get(), "Neg", {y});
  SessionOptions options;
  options.passes = Only("idempotent");
  Session session(graph, options);
  const auto callable = session.Prepare({{x}, {z}, {}});
  const std::vector<Tensor> feeds = {Tensor::Scalar(2.5f)};
  EXPECT_EQ(Number(session.Run(*callable, feeds)[0]), -2);
  int count = 0;
  for (const Graph* part : session.PartitionGraphs(*callable)) {
    for (const Node* node : part->nodes()) count += node->type() == "Floor";
  }
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace minitf::testing
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> SourceCopy:
    """Our sources with the pass: new files, and ours with its lines put in."""
    copy = SourceCopy(tmp_path_factory.mktemp("copy"))
    blocks = {match["name"]: match["code"] for match in BLOCK.finditer(GUIDE.read_text())}
    assert set(blocks) == {PASS, TEST, *PLACES}
    for name, code in blocks.items():
        if name in PLACES:
            copy.insert(name, PLACES[name], code)
        else:
            copy.write(name, code)
    return copy


@pytest.fixture
def tree(copy: SourceCopy) -> Path:
    """The folder of the copy."""
    return copy.folder


def test_the_pass_of_the_guide_works(tree: Path):
    (tree / "session_test.cc").write_text(SESSION)
    names = [PASS, TEST, "minitf/passes/pass.cc", "session_test.cc", "tests/test_ops.cc"]
    program = compile_files(tree, names, "pass_test", "-lgtest", "-lgtest_main")
    done = subprocess.run([str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "[  PASSED  ] 4 tests." in done.stdout


def test_the_list_of_files_that_name_ops_has_to_have_it(tree: Path):
    lines = (tree / PASS).read_text().splitlines()
    findings = [sentence for _, sentence in op_names.check_named(Path(PASS), lines)]
    assert "names the op Relu: facts about ops stand in OpFacts" in findings
    with_line = {}
    exec((tree / "tests" / "op_names.py").read_text(), with_line)
    assert list(with_line["check_named"](Path(PASS), lines)) == []


def test_no_file_is_touched_but_those_that_the_guide_names(copy: SourceCopy):
    copy.insert("minitf/CMakeLists.txt", f"  {NEXT}.cc\n", f"  {NAME}.cc\n")
    place = f"  minitf/{NEXT}_test.cc\n"
    copy.insert("tests/CMakeLists.txt", place, f"  minitf/{NAME}_test.cc\n")
    copy.insert("docs/passes.md", "## The memory plan\n", "**idempotent** does once.\n\n")
    assert copy.findings() == set()
    assert copy.changed() == named_by(GUIDE, "idempotent")
