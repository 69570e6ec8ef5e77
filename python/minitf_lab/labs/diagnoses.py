"""What may be wrong with an answer: it errs just as a planted fault does.

``diagnoses.json`` beside the cases of a lab says, for what the first failing case of each
planted fault gives (``judge/symptom.py``), what that fault is. It is made from the
faults, but does not need them: a course hands it out without its solutions.
"""

import json

from minitf_lab import project
from minitf_lab.results import Result

NAME = "diagnoses.json"
MAX_ALIKE = 2  # faults that err alike; more say nothing


def load(lab: project.Lab) -> dict[str, list[str]]:
    """For each symptom, the faults that have it; none if the lab has no such file."""
    try:
        return json.loads((lab.tests / NAME).read_text())
    except FileNotFoundError:
        return {}


def dump(found: dict[str, list[str]]) -> str:
    """The text of the file."""
    kept = {word: sorted(set(found[word])) for word in sorted(found) if word}
    return json.dumps(kept, indent=0) + "\n"


def explain(lab: project.Lab, results: list[Result]) -> None:
    """Adds to each failed one of ``results`` what it looks like, where that is known."""
    known = load(lab)
    for result in results:
        sentences = known.get(result.symptom, [])
        if 0 < len(sentences) <= MAX_ALIKE:
            result.details["diagnosis"] = ", or ".join(sentences)
