"""What may be wrong with an answer: it errs just as a planted fault does.

The first failing case of each planted fault gives a failure signature
(``judge/symptom.py``), which ``./lab faults`` writes into the heads of ``seeded.txt``. A
course hands out labs without their solutions, but with ``diagnoses.json`` beside the
cases. That file maps each signature to the sentences of the faults that have it.
"""

import json
import re

from minitf_lab import project
from minitf_lab.results import Result

NAME = "diagnoses.json"
HEAD = re.compile(r"^\d+\.\d+ \w+ ([0-9a-f]+): (.+)$", re.MULTILINE)
# What becomes of text in C++ that Python cannot read.
NO_TEXT = re.compile(
    r"it raised UnicodeDecodeError: 'utf-8' codec can't decode bytes? "
    r"(?:0x[0-9a-f]{2} )?in position (\d+)(?:-\d+)?: [a-z ]+"
)
MAX_ALIKE = 2  # faults that err alike; more say nothing


def load(lab: project.Lab) -> dict[str, list[str]]:
    """For each symptom, the faults that have it; none if no file says so."""
    found: dict[str, list[str]] = {}
    seeded, handed_out = lab.solution / "seeded.txt", lab.tests / NAME
    if not lab.is_own and seeded.exists():
        for symptom, sentence in HEAD.findall(seeded.read_text()):
            found.setdefault(symptom, []).append(sentence)
    elif handed_out.exists():
        found = json.loads(handed_out.read_text())
    return found


def dump(found: dict[str, list[str]]) -> str:
    """The text of the file."""
    kept = {word: sorted(set(found[word])) for word in sorted(found) if word}
    return json.dumps(kept, indent=0) + "\n"


def in_plain_words(message: str) -> str:
    """``message`` without an error of Python's that says nothing of an answer in C++.

    >>> error = "'utf-8' codec can't decode byte 0xff in position 3: invalid start byte"
    >>> in_plain_words(f"it raised UnicodeDecodeError: {error}")
    'it gives text that is not UTF-8 from byte 3 on: memory that was freed or never set?'
    """
    told = r"it gives text that is not UTF-8 from byte \1 on: memory that was freed or "
    return NO_TEXT.sub(told + "never set?", message)


def explain(lab: project.Lab, results: list[Result]) -> None:
    """Adds to each failed one of ``results`` what it looks like, where that is known."""
    known = load(lab)
    for result in results:
        result.message = in_plain_words(result.message)
        sentences = known.get(result.symptom, [])
        if 0 < len(sentences) <= MAX_ALIKE:
            result.details["diagnosis"] = ", or ".join(sentences)
