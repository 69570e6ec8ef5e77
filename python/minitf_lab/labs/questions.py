"""Questions of a lab: a student writes below each, in ``answers.md``.

A question is a heading with a number, and what follows its ``Answer:`` is the answer:

    ## 2. How many nodes has the graph before the passes? (a number)

    Answer: 6

One whose heading ends with ``(a number)`` or ``(a name)`` is checked: ``lab.json`` has a
hash of the right answer, which says nothing to who reads it. The others are for a person;
``answers.md`` of the lab's folder in solutions/ has what to look for in them.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from minitf_lab import project, texts

NAME = "answers.md"
HEADING = re.compile(r"^## (?P<number>\d+)\. (?P<text>.+)$", re.MULTILINE)
CHECKED = ("(a number)", "(a name)")
LENGTH = 16


@dataclass(frozen=True)
class Question:
    """A question, and what was answered.

    Attributes:
        is_checked: Whether the tool knows the answer; else a person reads it.
        answer: Without the spaces around it; empty if there is none.
    """

    number: str
    text: str
    is_checked: bool
    answer: str


def read(text: str) -> list[Question]:
    r"""The questions of an ``answers.md``.

    >>> read("## 1. Why? (a name)\n\nAnswer: Relu\n")
    [Question(number='1', text='Why? (a name)', is_checked=True, answer='Relu')]
    """
    heads = [*HEADING.finditer(text)]
    found = []
    for i, head in enumerate(heads):
        end = heads[i + 1].start() if i + 1 < len(heads) else len(text)
        answer = text[head.end() : end].partition("Answer:")[2].strip()
        title = head["text"].strip()
        found.append(Question(head["number"], title, title.endswith(CHECKED), answer))
    return found


def digest(lab: str, number: str, answer: str) -> str:
    """What a manifest has in place of an answer.

    >>> digest("00", "2", " `Relu`. ") == digest("00", "2", "relu")
    True
    """
    plain = re.sub(r"[\s`'\"]+|\.$", "", answer.strip()).lower()
    if re.fullmatch(r"-?\d+\.0*", plain):
        plain = plain.partition(".")[0]
    text = f"{lab} {number} {plain}"
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def verdict(lab: project.Lab, question: Question) -> str:
    """What becomes of an answer: a few words."""
    if not question.answer:
        return "not answered yet"
    if not question.is_checked:
        return "answered, for a person to read"
    right = lab.answers.get(question.number)
    is_right = digest(lab.number, question.number, question.answer) == right
    return "right" if is_right else "not right"


def of_work(lab: project.Lab) -> list[Question]:
    """The questions with a student's answers; none if the lab has no questions.

    A student who has removed the file has answered nothing.

    Raises:
        LabError: the file is no text.
    """
    template = lab.starter / NAME
    if not template.exists():
        return []
    path: Path = lab.work / NAME
    path = path if path.is_file() else template
    try:
        return read(texts.read(path, project.shown(path)))
    except (ValueError, OSError) as error:
        raise project.LabError(f"{error}") from error
