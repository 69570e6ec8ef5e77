"""What a report says of a sanitizer's finding: a sentence with the student's line."""

from minitf_lab.labs import sanitizer_text
from minitf_lab.results import MAX_PRINTED, Result

BINDING = "\n".join(
    f"    #{i} pybind11::cpp_function::dispatch() /usr/include/pybind11.h:{i} (_m.so)"
    for i in range(3, 40)
)
RACE = f"""noise of the answer
==================
WARNING: ThreadSanitizer: data race (pid=32098)
  Read of size 4 at 0x7ffcba48bf8c by thread T1:
    #0 std::atomic<int>::load() /usr/include/c++/12/atomic:4 (libminitf.so+0x12a2)
    #1 minitf::Propagator::IsLast(int) work/03_session/propagator.cc:77 (libminitf.so+0x1)
    #2 operator() /src/minitf/base/thread_pool.cc:12 (libminitf.so+0x12a2)
{BINDING}

  Previous write of size 4 at 0x7ffcba48bf8c by thread T2:
    #0 minitf::Propagator::Begin() work/03_session/propagator.cc:31 (libminitf.so+0x1259)
{BINDING}

  Location is heap block of size 512 at 0x7ffcba48bf00 allocated by main thread:
{BINDING}

SUMMARY: ThreadSanitizer: data race work/03_session/propagator.cc:77 in IsLast
==================
"""


def test_a_race_begins_with_the_students_line_and_names_both():
    result = Result("steps", "crashed", "SIGABRT: it called std::abort")
    sanitizer_text.explain(result, RACE)
    assert result.message == (
        "work/03_session/propagator.cc:77 (minitf::Propagator::IsLast(int)): a data "
        "race: two threads use the same memory at the same time, and nothing orders the "
        "two: a read in work/03_session/propagator.cc:77 "
        "(minitf::Propagator::IsLast(int)) and a write in "
        "work/03_session/propagator.cc:31 (minitf::Propagator::Begin())"
    )


def test_what_is_shown_of_a_race_has_its_heading_and_no_frame_of_the_binding():
    lines = sanitizer_text.lines_of(RACE).split("\n")
    assert lines[0] == "WARNING: ThreadSanitizer: data race (pid=32098)"
    assert [line.split()[0] for line in lines[1:]] == ["Read", "#1", "Previous", "#0"]
    assert len(lines) <= MAX_PRINTED


def test_the_second_thread_may_be_in_code_that_is_not_the_students():
    other = RACE.replace("work/03_session/propagator.cc:31", "/minitf/base/stop.cc:9")
    assert sanitizer_text.sentence_of(other).endswith("a write in minitf's own code")


def test_without_a_report_a_result_stays_as_it_is():
    result = Result("steps", "crashed", "SIGABRT: it called std::abort", printed="x")
    sanitizer_text.explain(
        result, "work/03_session/a.cc:3 is printed\n#0 f() work/a.cc:1"
    )
    assert (result.message, result.printed) == ("SIGABRT: it called std::abort", "x")
