"""Makes the calls of ``./lab fuzz api``, one after the other, and judges how they end.

    python fuzz_api_worker.py SEED FIRST LAST
    python fuzz_api_worker.py TEXT...

A line is printed before each call and one after it, so that their reader knows
which call was under way when this process dies or hangs. The second form makes the calls
that are given, in graph mode if the text begins with ``graph:`` and else in eager mode.

Read next: ``fuzz_api.py``.
"""

import contextlib
import gc
import json
import os
import resource
import shutil
import signal
import sys
import traceback
import warnings
from typing import Any

import fuzz_api_calls
import fuzz_api_prelude as prelude

import minitf as tf

CALL_S = 8  # then a call is asked to end
MEMORY_BYTES = 6_000_000 << 10  # of addresses, as with ulimit -v 6000000

# Texts that say what went wrong in Python, or in C++, and not in the call.
BARE = (
    "'NoneType' object",
    "_M_range_check",
    "std::",
    "vector::",
    "basic_string::",
    "incompatible function arguments",
    "incompatible constructor arguments",
    "Unable to cast Python instance",
    "to convert to C",
    "too big to convert",
    "pop from empty",
    "list index out of range",
    "tuple index out of range",
    "Resource temporarily unavailable",
    "maximum recursion depth",
    "Unable to allocate",
    "too many values to unpack",
    "not enough values to unpack",
    "dictionary changed size",
    "referenced before assignment",
)

# What Python itself raises when a call does not fit a signature.
SIGNATURE = ("positional argument", "unexpected keyword", "multiple values for")


# These may wait for ever, as long as Ctrl-C ends it.
MAY_WAIT = ("Queue", "queue", "Reader", "dequeue", "while_loop")


class GivenUp(KeyboardInterrupt):
    """What Ctrl-C would have raised."""


def _give_up(*_: object) -> None:
    raise GivenUp


def judge(error: BaseException) -> str | None:
    """What is wrong with ``error`` as the end of a call; None if it is clear."""
    kind = type(error).__name__
    try:
        text = str(error)
    except Exception as failure:
        return f"{kind} whose text cannot be had: {failure!r}"
    if text == "this object refuses" or "lambda" in text:
        return None  # the caller's own object said so
    if isinstance(error, TypeError) and any(part in text for part in SIGNATURE):
        return None
    if _from_caller(error):
        return None
    bare = next((part for part in BARE if part in text), None)
    if bare is not None:
        return f"{kind} with a bare text: {bare}"
    allowed = (ValueError, TypeError, NotImplementedError, RuntimeError, tf.OpError)
    allowed += (OSError,)  # with the name of the file
    if isinstance(error, tf.errors.InternalError):
        return "a mistake in minitf"
    if isinstance(error, (RecursionError, UnicodeError)):
        return kind
    if isinstance(error, allowed):
        return None if text.strip() else f"{kind} without a text"
    if _is_written(error):
        return None
    return f"{kind}, which says nothing about the call"


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    return [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "fuzz_api" not in frame.filename and frame.filename != "<call>"
    ]


def _from_caller(error: BaseException) -> bool:
    """Whether minitf was not even called."""
    return not any("minitf" in frame.filename for frame in _frames(error))


def _is_written(error: BaseException) -> bool:
    """Whether minitf itself raises this: the last line is a ``raise`` of its own."""
    frames = _frames(error)
    return bool(frames) and (frames[-1].line or "").lstrip().startswith("raise")


def site(error: BaseException) -> str:
    """The place in minitf from which ``error`` came."""
    ours = [frame for frame in _frames(error) if "minitf" in frame.filename]
    if not ours:
        return "outside of minitf"
    name = ours[-1].filename.split("minitf" + os.sep, 1)[-1]
    return f"{name}:{ours[-1].lineno} {ours[-1].name}"


def make_call(text: str, eager: bool) -> dict[str, Any]:
    """Makes one call, and says how it ended."""
    shutil.rmtree(prelude.SCRATCH, ignore_errors=True)
    try:
        signal.alarm(CALL_S)
        code = compile(text, "<call>", "eval")
        prelude.run(lambda: eval(code, vars(prelude)), eager)
    except GivenUp as error:
        if any(word in text for word in MAY_WAIT):
            return {"end": "waits"}
        what = f"takes longer than {CALL_S} s"
        return {"end": "wrong", "what": what, "site": site(error), "error": ""}
    except BaseException as error:
        signal.alarm(0)
        wrong = judge(error)
        if isinstance(error, (MemoryError, SystemExit)):
            wrong = wrong or type(error).__name__
        if wrong is None:
            return {"end": type(error).__name__}
        error_text = traceback.format_exception_only(error)[-1][:300].strip()
        found = {"end": "wrong", "what": wrong, "site": site(error)}
        return found | {"error": error_text.encode("ascii", "replace").decode()}
    finally:
        signal.alarm(0)
    return {"end": "result"}


def _say(message: dict[str, Any]) -> None:
    os.write(_reports, (json.dumps(message) + "\n").encode())


def main() -> None:
    """Makes the calls that the command line names."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, _give_up)
    warnings.simplefilter("ignore")
    arguments = sys.argv[1:]
    if len(arguments) == 3 and all(argument.isdigit() for argument in arguments):
        seed, first, last = map(int, arguments)
        maker = fuzz_api_calls.Calls()
        texts = (
            f"{'eager' if number // 3 % 3 == 0 else 'graph'}:{maker.make(seed, number)}"
            for number in range(first, last)
        )
    else:
        texts, first = iter(arguments), 0
    for number, text in enumerate(texts, first):
        _say({"call": text, "number": number})
        mode, _, call = text.partition(":")
        with contextlib.redirect_stdout(sys.stderr):
            _say(make_call(call, mode == "eager"))
        if number % 64 == 0:
            gc.collect()


if __name__ == "__main__":
    # Calls may print, and log; their lines are not for the reader of reports.
    _reports = os.dup(1)
    _nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(_nowhere, 1)
    main()
