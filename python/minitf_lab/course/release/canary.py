"""Whether what students get gives something away.

By birds: every secret text gets a word of its own before the repository is put together
a first time, and none of these words may come out. And by contents: no passage of an
answer, or of a hidden case, may stand in a file that students can read, whatever way it
came there. A passage is ``LENGTH`` words in a row, names and numbers; what is between
them does not count, and neither do the marks of a comment. Shorter answers count as a
whole, down to ``SHORTEST`` words.
"""

import hashlib
import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from minitf_lab.judge.regions import find_regions

LENGTH = 14
SHORTEST = 6
BIRD = "minitf_canary_"
# What is secret whatever the rules of a release say; besides answers and hidden cases.
SECRET = ("solutions/", "tests/judge/", "tests/python/", "python/minitf_lab/course/")
# What minitf does in other places too, in a way that is like an answer: the file, and the
# task. Each was read by a person.
KNOWN = {
    ("minitf/graph/import_graph_def.cc", "03.1"),  # sorts what it imports
    ("minitf/graph/gradients/graph_gradients.cc", "05.8"),  # a graph, not a tape
    ("python/minitf/ops/gradients_impl.py", "05.11"),  # the same for tf.gradients
    ("minitf/graph/consumers.cc", "07.9"),  # two loops over all inputs
    ("minitf/passes/graph_editor.cc", "07.9"),
    ("exercises/13_placement/partition.cc", "07.9"),
    ("exercises/06_training/variable_store.py", "06.2"),  # an error's text
    ("kernels/cpu/conv/patches.h", "09.1"),  # how many channels a group has
    ("kernels/cpu/conv/patches.h", "10.3"),  # the taps inside of the image
    ("kernels/cpu/cwise/fused_elementwise.cc", "09.4"),  # a loop over blocks
}
_WORD = re.compile(r"\w+")
_BEFORE_LINES = re.compile(r"^[ \t]*(?://+|#+|\*|>|\|)", re.MULTILINE)
_COMMENT = {"//": re.compile(r"//.*"), "#": re.compile(r"#.*")}


@dataclass(frozen=True)
class Secret:
    """A text that must not come out.

    Attributes:
        name: Whose it is: a task's number, or the name of a hidden case.
        text: Without comments.
    """

    name: str
    text: str


def bird_of(path: str) -> str:
    """The word that is put into a secret file."""
    return BIRD + hashlib.sha256(path.encode()).hexdigest()[:16]


def plant(path: str, text: str, answers: Container[str]) -> str:
    """A file with a bird in all that is secret in it; ``answers`` are secret paths."""
    if path in answers or path.startswith(SECRET):
        mark = "//" if path.endswith((".cc", ".h", ".cu")) else "#"
        return f"{text}\n{mark} {bird_of(path)}\n"
    return in_hidden_cases(path, text)


def in_hidden_cases(path: str, text: str) -> str:
    """``text`` with a bird in the docstring of each hidden case."""
    return re.sub(
        r'(hidden=True[^\n]*\)\n(?:@[^\n]*\n)*def [^"]*""")', rf"\1{bird_of(path)} ", text
    )


def secrets_of(source: str) -> list[Secret]:
    """The answers of a file."""
    return [
        Secret(region.task, _COMMENT[region.comment].sub("", "\n".join(region.lines)))
        for region in find_regions(source)
    ]


def _words(text: str) -> list[str]:
    return _WORD.findall(_BEFORE_LINES.sub("", text))


def _passages(words: list[str], length: int) -> Iterable[tuple[str, ...]]:
    return zip(*(words[i:] for i in range(length)), strict=False)


class Canary:
    """Knows all secrets, and finds them in a text.

    What stands in ``public``, texts that students get in any case, is no secret.
    """

    def __init__(self, secrets: Iterable[Secret], public: Iterable[str] = ()) -> None:
        self._owners: dict[tuple[str, ...], str] = {}
        for secret in secrets:
            words = _words(secret.text)
            length = min(LENGTH, len(words))
            if length >= SHORTEST:
                self._owners |= dict.fromkeys(_passages(words, length), secret.name)
        self._index()
        for text in public:
            for passage in self._found(_words(text)):
                self._owners.pop(passage, None)
        self._index()

    def _index(self) -> None:
        self._begins = {passage[:SHORTEST] for passage in self._owners}
        self._lengths = {len(passage) for passage in self._owners}

    def _found(self, words: list[str]) -> Iterator[tuple[str, ...]]:
        """The secret passages among words."""
        for at, begin in enumerate(_passages(words, SHORTEST)):
            if begin in self._begins:
                for length in self._lengths:
                    passage = tuple(words[at : at + length])
                    if passage in self._owners:
                        yield passage

    def find(self, path: str, text: str) -> Iterator[tuple[str, str]]:
        """The secrets in a text: whose each is, and the words."""
        for passage in self._found(_words(text)):
            if (path, self._owners[passage]) not in KNOWN:
                yield self._owners[passage], " ".join(passage)


def as_text(data: bytes) -> str | None:
    """A file as text; None if it is none."""
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def findings(canary: Canary, files: dict[str, bytes]) -> list[str]:
    """A sentence for each file and secret that stands in it."""
    found = {}
    for path, data in sorted(files.items()):
        text = as_text(data)
        if text is None:
            continue
        for name, words in canary.find(path, text):
            found.setdefault((path, name), f"{path} gives away {name}: {words}")
    return list(found.values())


def singing(files: dict[str, bytes]) -> list[str]:
    """The files that a bird has come into."""
    bird = BIRD.encode()
    return [path for path, data in sorted(files.items()) if bird in data]
