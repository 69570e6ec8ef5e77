"""One framework that runs programs and tells what they show.

    python worker.py minitf|tensorflow

Programs come on standard input and answers go to what was standard output, both as
pickled objects with their length in front. A program is Python text with ``tf``, ``np``
and the functions of ``prelude.py``; the answer is the list of facts that it has shown,
each a label and plain data that both frameworks can have: numbers, text, arrays, None.
"""

import os
import pickle
import re
import struct
import sys
import warnings
from pathlib import Path

import numpy as np
import prelude

# Programs import random graphs from there.
sys.path.append(str(Path(__file__).parents[1] / "contrib" / "legacy"))


def _said(error: BaseException) -> str:
    """The message of an error, without the places that TensorFlow lists before it."""
    start = r"Graph execution error:.*?\nNode: [^\n]*\n"
    return re.sub(f"^{start}", "", str(error), flags=re.DOTALL)


def _answer(program: str, facts: list, space: dict) -> None:
    """Runs one program; an exception that it does not catch is a fact too."""
    code = compile(program, "<program>", "exec")
    facts.clear()
    try:
        exec(code, dict(space))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        kind = type(error)
        facts.append(("raises", kind.__name__))
        facts.append(("message", f"{kind.__name__}: {_said(error)[:500]}"))


def _read(stream: object) -> bytes | None:
    head = stream.read(8)
    return stream.read(struct.unpack("q", head)[0]) if len(head) == 8 else None


def main() -> None:
    """Answers until the input ends."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    answers = os.fdopen(os.dup(1), "wb")
    # What a program or a framework prints is no answer.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    if "--loud" not in sys.argv:
        os.dup2(nowhere, 2)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    tf = prelude.framework(sys.argv[1])
    facts: list = []
    space = prelude.names(tf, lambda label, fact: facts.append((label, fact)))
    while (request := _read(sys.stdin.buffer)) is not None:
        _answer(pickle.loads(request), facts, space)
        answer = pickle.dumps(facts)
        answers.write(struct.pack("q", len(answer)) + answer)
        answers.flush()


if __name__ == "__main__":
    main()
