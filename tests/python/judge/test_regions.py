"""Files with both answers in each region, as text and as trees."""

import re
import traceback

import pytest

from minitf_lab.judge import regions
from minitf_lab.labs import labgen

SOLUTION = """int f() {
  // LAB(99.1) begin: return seven
  return three_and_four_make_what_is_wanted();
  // LAB(99.1) end
}
int g(int x) {
  // LAB(99.2) begin: double x
  x *= 2;
  // LAB(99.2) end
  return x;
}
"""
EXERCISE = """int f() {
  // TODO(99.1) begin: return seven
  MINITF_TODO("99.1");
  // TODO(99.1) end
}
int g(int x) {
  // TODO(99.2) begin: double x
  MINITF_TODO("99.2");
  // TODO(99.2) end
  return x;
}
"""


def test_an_exercise_holds_the_hint_and_not_the_solution():
    assert regions.make_exercise(SOLUTION) == EXERCISE
    assert labgen.leaks(SOLUTION, EXERCISE) == []
    assert labgen.leaks(SOLUTION, SOLUTION) == [
        ("99.1", "return three_and_four_make_what_is_wanted();")
    ]


def test_an_exercise_in_python_raises():
    solution = "def f():\n    # LAB(99.1) begin: one\n    return 1\n    # LAB(99.1) end\n"
    assert regions.make_exercise(solution) == (
        "def f():\n    # TODO(99.1) begin: one\n"
        '    raise NotImplementedError("task 99.1 is not written yet")\n'
        "    # TODO(99.1) end\n"
    )


def test_what_is_written_is_told_from_what_is_not():
    answer = EXERCISE.replace('MINITF_TODO("99.2");', "x += x;  // MINITF_TODO(")
    assert [one.is_written for one in regions.find_regions(answer)] == [False, True]
    assert [one.is_written for one in regions.find_regions(SOLUTION)] == [True, True]


@pytest.mark.parametrize("end", ["", "\n\n"])
def test_regions_alone_are_filled_into_the_exercise(end):
    answers = """#include <vector>
#include "minitf/tensor/half.h"
  // TODO(99.1) begin
  return 7;
  // TODO(99.1) end
int of_no_region;
  // TODO(99.2) begin: in other words
  // TODO(99.2) end"""
    head = "#pragma once\n\n#include <vector>\n"
    assert regions.fill_in(head + EXERCISE, answers + end) == (
        '#pragma once\n\n#include "minitf/tensor/half.h"\n#include <vector>\n'
        + EXERCISE.replace('MINITF_TODO("99.1")', "return 7").replace(
            '  MINITF_TODO("99.2");\n', ""
        )
    )


def test_regions_of_another_exercise_are_not_filled_in():
    for old, new in (("99.2", "99.3"), ("TODO(99.1) end", ""), (EXERCISE, "")):
        with pytest.raises(ValueError, match="mark|open"):
            regions.fill_in(EXERCISE, EXERCISE.replace(old, new))


def test_words_are_the_code_alone():
    text = "// LAB(99.1) begin: x\n  // why\n  return  1;  // how\n\n// LAB(99.1) end"
    [region] = regions.find_regions(text)
    assert (region.words, region.hint, region.first) == (["return1;"], "x", 2)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("LAB(99.1) end", "LAB(99.2) end", "line 4: ends 99.2, open is 99.1"),
        ("  // LAB(99.1) end\n", "", "line 6: task 99.1 is still open"),
        ("  // LAB(99.2) end\n", "", "task 99.2 has no end"),
        (
            "  // LAB(99.1) begin: return seven\n",
            "",
            "line 3: ends 99.1, open is nothing",
        ),
        ("  return t", "  // LAB(99.2) begin: x\n  t", "line 3: task 99.1 is still open"),
        ("LAB(99.1) begin: ", "LAB(99.1) begin ", "line 2: "),
        ("LAB(99.1) begin", "LAB(99) begin", "line 2: "),
        ("// LAB(99.1) begin", "//LAB(99.1) begin", "line 2: "),
    ],
)
def test_a_mark_that_does_not_fit_is_named(old, new, sentence):
    assert old in SOLUTION
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        regions.make_exercise(SOLUTION.replace(old, new))


# ---- C++ -----------------------------------------------------------------------------

ANSWER = EXERCISE.replace('  MINITF_TODO("99.1");', "  // easy\n  return 7;").replace(
    '  MINITF_TODO("99.2");', "  x += x;"
)
NAME = "work/99/f.cc"


def lines_seen(composed):
    """File and number of each line, as a compiler counts them."""
    seen, file, number = {}, "", 0
    for line in composed.split("\n"):
        if found := re.fullmatch(r'#line (\d+) "(.*)"', line):
            number, file = int(found[1]), found[2]
            continue
        seen.setdefault(line, []).append((file, number))
        number += 1
    return seen


def compose(answer):
    return regions.compose(answer, regions.answers_of(SOLUTION), NAME)


def test_both_answers_are_in_the_file():
    composed = compose(ANSWER)
    text = re.sub(r"#line .*\n", "", composed)
    assert (
        text
        == """int f() {
if (::minitf::UsesReference("99.1")) {
  return three_and_four_make_what_is_wanted();
} else
{
  // easy
  return 7;
}
}
int g(int x) {
if (::minitf::UsesReference("99.2")) {
  x *= 2;
} else
{
  x += x;
}
  return x;
}
"""
    )


@pytest.mark.parametrize("before", ["", "// mine\n\n#include <map>\n"])
def test_each_line_of_the_student_has_its_own_number(before):
    answer = before + ANSWER
    seen = lines_seen(compose(answer))
    for number, line in enumerate(answer.split("\n"), start=1):
        if "TODO(" not in line:
            assert (NAME, number) in seen[line], line
    assert seen["  x *= 2;"] == [("the answer of minitf", 8)]


def test_an_untouched_exercise_is_composed():
    composed = compose(EXERCISE)
    assert composed.count("MINITF_TODO(") == 2
    assert composed.count("UsesReference(") == 2


def test_the_framework_itself_is_composed_with_itself():
    composed = compose(SOLUTION)
    assert composed.count("  x *= 2;") == 2


def test_trailing_spaces_and_another_indent_are_no_other_mark():
    answer = ANSWER.replace("begin: return seven", "begin: return seven  ")
    answer = answer.replace("  // TODO", "\t// TODO")
    assert compose(answer).count("UsesReference(") == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  // TODO(99.1) end\n", ""),
        ("// TODO(99.1)", "// TODO(99.3)"),
        ("  // TODO(99.1) begin: return seven\n  // easy\n", ""),
        ("int g", "// TODO(99.2) begin: x\n// TODO(99.2) end\nint g"),
        ("  // easy", "  // TODO(99.2) begin: nested\n"),
    ],
)
def test_a_file_with_other_marks_is_not_composed(old, new):
    assert old in ANSWER
    with pytest.raises(ValueError, match="mark|line|open|end"):
        compose(ANSWER.replace(old, new))
    with pytest.raises(ValueError, match="marks of its regions are not those of the ex"):
        compose("int f();\n")


@pytest.mark.parametrize("text", ["\r\n", "\\\n", '"', "é"])
def test_odd_characters_stay(text):
    answer = ANSWER.replace("// easy", f"// easy {text}")
    assert text in compose(answer)


# ---- Python --------------------------------------------------------------------------

MODULE = '''
import contextlib
import functools


def plain(x):
    # LAB(99.1) begin: x and one
    return x + 1
    # LAB(99.1) end


def in_two_parts(x):
    total = 0
    # LAB(99.2) begin: add x twice
    for _ in range(2):
        total += x
    # LAB(99.2) end
    return total


def numbers(count):
    # LAB(99.3) begin: yield so many
    for i in range(count):
        yield i
    # LAB(99.3) end


class Holder:
    def __init__(self, x):
        # LAB(99.4) begin: keep it
        self.x = x
        self._y = x
        # LAB(99.4) end

    @property
    def twice(self):
        # LAB(99.4) begin: x twice
        return 2 * self.x
        # LAB(99.4) end

    @contextlib.contextmanager
    def raised(self):
        # LAB(99.5) begin: x is one more inside
        self.x += 1
        try:
            yield self.x
        finally:
            self.x -= 1
        # LAB(99.5) end


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args):
        """Runs it."""
        # LAB(99.6) begin: the negative
        return -function(*args)
        # LAB(99.6) end

    return wrapper


def counter():
    count = 0

    def more():
        nonlocal count
        # LAB(99.7) begin: count
        count += 1
        # LAB(99.7) end
        return count

    return more


def chosen(x):
    if x > 0:
        # LAB(99.8) begin: positive
        return "positive"
        # LAB(99.8) end
    return "negative"


def in_a_loop(xs):
    found = []
    for x in xs:
        with contextlib.suppress(ValueError):
            # LAB(99.9) begin: keep what is a number, leave out others
            if x == "":
                continue
            found.append(int(x))
            # LAB(99.9) end
    return found


def texts():
    # LAB(99.10) begin: two lines
    return """one
  two"""
    # LAB(99.10) end


async def later():
    # LAB(99.11) begin: nothing
    return 11
    # LAB(99.11) end
'''
TASKS = [f"99.{number}" for number in range(1, 12)]


def composed(answer, task, reference=MODULE):
    """The module with the answer to ``task`` alone, or to all."""
    tree = regions.compose_python(answer, regions.answers_of(reference), "work/99/m.py")
    names = {"_uses_reference": lambda one: task not in {"all", one}}
    exec(compile(tree, "work/99/m.py", "exec"), names)
    return names


def coroutine_value(coroutine):
    with pytest.raises(StopIteration) as stopped:
        coroutine.send(None)
    return stopped.value.value


USES = {
    "99.1": lambda m: m["plain"](1),
    "99.2": lambda m: m["in_two_parts"](3),
    "99.3": lambda m: list(m["numbers"](3)),
    "99.4": lambda m: m["Holder"](3).twice,
    "99.5": lambda m: use_manager(m["Holder"](3)),
    "99.6": lambda m: m["decorated"](abs)(-3),
    "99.7": lambda m: [more() for more in [m["counter"]()] * 2],
    "99.8": lambda m: (m["chosen"](1), m["chosen"](-1)),
    "99.9": lambda m: m["in_a_loop"](["1", "", "x", "2"]),
    "99.10": lambda m: m["texts"](),
    "99.11": lambda m: coroutine_value(m["later"]()),
}
EXPECTED = {
    **{"99.1": 2, "99.2": 6, "99.3": [0, 1, 2], "99.4": 6, "99.5": (4, 3), "99.6": -3},
    **{"99.7": [1, 2], "99.8": ("positive", "negative"), "99.9": [1, 2]},
    **{"99.10": "one\n  two", "99.11": 11},
}


def use_manager(holder):
    with holder.raised() as inside:
        pass
    return inside, holder.x


@pytest.mark.parametrize("task", [*TASKS, "all", ""])
def test_an_answer_like_the_packages_own_works(task):
    module = composed(MODULE.replace("LAB(", "TODO("), task)
    assert {number: use(module) for number, use in USES.items()} == EXPECTED


@pytest.mark.parametrize("task", TASKS)
def test_tasks_stand_alone(task):
    """Only the task that is tested misses its answer."""
    module = composed(regions.make_exercise(MODULE), task)
    for number, use in USES.items():
        if number == task:
            with pytest.raises(NotImplementedError, match=f"task {task} is not written"):
                use(module)
        # Python knows a generator by its yield, and keeps one whose answer lacks it.
        elif number != "99.5" or task != "99.4":
            assert use(module) == EXPECTED[number], number


def test_an_answer_need_not_be_a_generator_for_the_reference_to_be_one():
    """And the other way round: the function is what its own answer makes it."""
    answer = MODULE.replace("LAB(", "TODO(").replace(
        "    for i in range(count):\n        yield i\n", "    return iter(range(count))\n"
    )
    assert list(composed(answer, "99.1")["numbers"](3)) == [0, 1, 2]
    assert list(composed(answer, "99.3")["numbers"](3)) == [0, 1, 2]
    assert composed(answer, "99.1")["plain"](1) == 2


def test_no_part_of_an_answer_is_replaced_by_the_packages_own():
    """It is the statements of a region that are replaced, not some inside of these."""
    answer = MODULE.replace("LAB(", "TODO(").replace(
        "    for i in range(count):\n        yield i\n",
        "    if count > 0:\n        return list(range(count))[::-1]\n    return []\n",
    )
    for task in ("99.3", "99.1", "all"):
        assert composed(answer, task)["numbers"](3) == [2, 1, 0]


def test_the_lines_of_an_answer_keep_their_numbers():
    answer = MODULE.replace("LAB(", "TODO(").replace("2 * self.x", "2 * self.none")
    number = answer.split("\n").index("        return 2 * self.none") + 1
    for task in ("99.4", "all"):
        with pytest.raises(AttributeError) as raised:
            composed(answer, task)["Holder"](3).twice  # noqa: B018
        last = traceback.extract_tb(raised.value.__traceback__)[-1]
        assert (last.filename, last.lineno, last.name) == (
            "work/99/m.py",
            number,
            "twice",
        )


def test_lines_after_a_region_keep_their_numbers():
    answer = MODULE.replace("LAB(", "TODO(").replace(
        "    return total\n", "    return total / 0\n"
    )
    number = answer.split("\n").index("    return total / 0") + 1
    with pytest.raises(ZeroDivisionError) as raised:
        composed(answer, "99.1")["in_two_parts"](1)
    assert traceback.extract_tb(raised.value.__traceback__)[-1].lineno == number


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    # TODO(99.1) end\n", ""),
        ("# TODO(99.1)", "# TODO(99.12)"),
        (
            "    # TODO(99.1) begin: x and one\n    return x + 1\n    # TODO(99.1) end",
            "    return x + 1",
        ),
        ("    return x + 1\n", "    # TODO(99.2) begin: nested\n    return x + 1\n"),
    ],
)
def test_a_file_whose_marks_are_gone_is_tested_whole(old, new):
    answer = regions.make_exercise(MODULE).replace(
        '    raise NotImplementedError("task 99.1 is not written yet")\n',
        "    return x + 1\n",
    )
    assert old in answer
    module = composed(answer.replace(old, new), "99.1")
    assert module["plain"](1) == 2
    with pytest.raises(NotImplementedError, match=r"task 99.2 is not written yet"):
        USES["99.2"](module)


@pytest.mark.parametrize("written", ["pass", "...", "'nothing'"])
def test_an_answer_of_nothing_is_no_answer(written):
    answer = MODULE.replace("LAB(", "TODO(").replace("return x + 1", written)
    assert composed(answer, "99.1")["plain"](1) is None
    assert composed(answer, "99.2")["plain"](1) == 2


def test_an_answer_of_comments_alone_loses_only_its_task():
    """The region is empty: the function ends there, and other tasks are still alone."""
    answer = MODULE.replace("LAB(", "TODO(").replace(
        "        total += x\n", "        pass\n"
    )
    answer = answer.replace(
        "        count += 1\n        # TODO", "        # later\n        # TODO"
    )
    assert USES["99.7"](composed(answer, "99.7")) == [0, 0]
    assert USES["99.7"](composed(answer, "99.1")) == [1, 2]
    assert USES["99.2"](composed(answer, "99.7")) == 6


def test_helpers_and_imports_of_ones_own_are_kept():
    answer = "import math\n\n\ndef helper(x):\n    return math.floor(x) + 1\n" + MODULE
    answer = answer.replace("LAB(", "TODO(").replace("return x + 1", "return helper(x)")
    assert composed(answer, "99.1")["plain"](1.5) == 2
    assert composed(answer, "99.2")["plain"](1.5) == 2.5


def test_a_file_that_is_no_python_is_named():
    with pytest.raises(SyntaxError) as raised:
        composed(MODULE.replace("return x + 1", "return (x +"), "99.1")
    assert raised.value.filename == "work/99/m.py"


def test_a_docstring_stays_one():
    module = composed(MODULE.replace("LAB(", "TODO("), "99.6")
    inner = module["decorated"].__code__.co_consts
    assert any("Runs it." in code.co_consts for code in inner if hasattr(code, "co_code"))
