"""What a compiler says is read in linear time, and quotes the answer alone."""

import time

import pytest

from minitf_lab import messages
from minitf_lab.judge import compile_box

SIZE = 1 << 20
# Lines that a text can have printed by #pragma message, #error or names of its own.
REPEATED = (
    *(
        "   required from here",
        "   required from    required by x",
        "a: In function ",
        "g++",
    ),
    *(
        "In file included from ",
        "In functionfunction ",
        "work/a.cc:1:1: error: ",
        "1:1: ",
    ),
    *("a.cc: In instantiation of 'x':\n", "undefined reference to `", "multiple defini"),
    *(
        "                 from x\n",
        "    inlined from 'f'\n",
        "/usr/lib/gcc/x:1:1: note: ",
    ),
    *("undefined reference to `_Py", "12 | ", "\u202e\x1b[2J", ":1:1", "x.cc:1:1:   req"),
    *("g++: fatal error: Kil", "collect2", " ", "\n", "'", "FAILED: ", "ninja: "),
)


@pytest.mark.parametrize("part", REPEATED)
def test_a_text_cannot_make_the_grader_wait(part):
    """Sixty lines of "required from" took longer than anybody waits."""
    begin = time.process_time()
    for end in ("", "\n"):
        for head in ("", "work/a.cc: In instantiation of 'f':\n"):
            said = head + (part + end) * (SIZE // len(part + end))
            shown = messages.student_messages(said, {"work/a.cc": "int x;\n"})
            assert len(shown) <= messages.MAX_MESSAGES + 100
            assert not compile_box._says_killed(said)
            messages.without_python(said)
            messages.names_after("multiple definition of", messages.lines_of(said))
    assert time.process_time() - begin < 30  # a quadratic pattern takes hours


@pytest.mark.parametrize(
    "claimed",
    ["work/88_other/x", "/etc/passwd", "minitf/base/lab.h", "work/a.cc/../b", "x"],
)
def test_only_lines_of_the_answer_are_quoted(claimed):
    said = (
        f"{claimed}:2:2: error: #error stop\n    2 | #error secret\n      |  ^~~~~\n"
        "work/a.cc:1:5: error: no x\n    1 | what another file says\n"
    )
    shown = messages.student_messages(said, {"work/a.cc": "int x\nint y;\n"})
    assert shown.split("\n") == [
        "work/a.cc:1:5: error: no x",
        "    1 | int x",
        f"{claimed}:2:2: error: #error stop",
    ]
