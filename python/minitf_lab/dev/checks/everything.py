"""``./lab test``: all parts of the suite, one after the other."""

from minitf_lab.dev.checks import book, suite
from minitf_lab.verdicts import Verdicts


def run(preset: str, known: Verdicts) -> int:
    """Runs everything; with another preset than release, only the tests in C++."""
    if preset != "release":
        return suite.run_parts({f"C++ tests ({preset})": lambda: suite.cpp_tests(preset)})
    status = suite.run_parts(
        {
            "build": suite.compiled,
            "C++ tests": lambda: suite.cpp_tests(preset),
            "core alone": suite.core_tests,
            "Python tests": lambda: suite.python_tests(known),
            "tests of the lab tool": lambda: suite.tool_tests(known),
            "labs": lambda: suite.lab_gates(known),
            "documents": lambda: book.documents(known),
            "notebooks": lambda: book.notebooks(known),
            "the site": lambda: book.site(known),
        }
    )
    known.forget_old()
    return status
