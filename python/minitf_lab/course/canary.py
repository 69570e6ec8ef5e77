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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from minitf_lab.judge.regions import find_regions

LENGTH = 14
SHORTEST = 6
BIRD = "minitf_canary_"
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


def plant(path: str, text: str) -> str:
    """``text`` with the file's bird in every answer, every hidden case, and at its end.

    A file of public text alone would sing for no reason, so a file gets a bird at its end
    only if the caller holds all of it secret.
    """
    mark = "//" if path.endswith((".cc", ".h", ".cu", ".proto")) else "#"
    return f"{text}\n{mark} {bird_of(path)}\n"


def in_hidden_cases(path: str, text: str) -> str:
    """``text`` with a bird in each hidden case, behind its docstring's marks."""
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

    Args:
        secrets: Answers and hidden cases.
        public: Texts that students get in any case: what stands in them is no secret.
    """

    def __init__(self, secrets: Iterable[Secret], public: Iterable[str] = ()) -> None:
        self._owners: dict[int, dict[tuple[str, ...], str]] = {}
        for secret in secrets:
            words = _words(secret.text)
            length = min(LENGTH, len(words))
            if length >= SHORTEST:
                known = self._owners.setdefault(length, {})
                known |= dict.fromkeys(_passages(words, length), secret.name)
        for text in public:
            words = _words(text)
            for length, known in self._owners.items():
                for passage in set(_passages(words, length)) & known.keys():
                    del known[passage]

    def find(self, path: str, text: str) -> Iterator[tuple[str, str]]:
        """The secrets in a text: whose each is, and the words."""
        words = _words(text)
        for length, known in self._owners.items():
            for passage in sorted(set(_passages(words, length)) & known.keys()):
                if (path, known[passage]) not in KNOWN:
                    yield known[passage], " ".join(passage)


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
