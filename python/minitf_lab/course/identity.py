"""The identity of a student, from the download to the marks.

The identity is the name that the source gives: composed (Unicode's NFC), and without
spaces around it. Notes, records, reports and exports contain the identity. The folder of
a student has the same name if every file system and shell takes it. Otherwise its name is
a readable part and a hash of the identity, so two students never share a folder.

A download says more about a student, such as an address or a number. ``Directory`` finds
a student by any of these, in every command in the same way.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping

from minitf_lab.project import LabError

MAX_BYTES = 120  # of a folder's name, without its hash
# Names that a download may contain besides the identity.
CANVAS_ID, MOODLE_ID, NAME = "canvas_id", "moodle_id", "name"

KnownAs = Mapping[str, str]


def tidy(text: str) -> str:
    r"""The identity that a text names.

    >>> tidy(" Zoe\u0308 ") == "Zoë"
    True
    """
    return unicodedata.normalize("NFC", text).strip()


def shown(text: str) -> str:
    r"""A name for a message: letters of all scripts stay, controls are escaped.

    >>> shown("Zoë\x1b")
    'Zoë\\x1b'
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:200])


def _is_word(letter: str) -> bool:
    return letter.isalnum() or unicodedata.category(letter)[0] == "M"


def folder_name(identity: str) -> str:
    """The name of a student's folder; different for each identity.

    >>> folder_name("ada@x.edu"), folder_name("O'B"), folder_name("O B")
    ('ada@x.edu', 'O_B~67f216d2d3', 'O_B~17826003b2')
    """
    readable = "".join(c if _is_word(c) or c in "_@.+-" else "_" for c in identity)
    is_short = len(readable.encode()) <= MAX_BYTES
    is_safe = readable == identity and not identity.startswith((".", "+", "-", "@"))
    if identity and is_safe and is_short and not identity.endswith("."):
        return identity
    cut = readable.encode()[:MAX_BYTES].decode(errors="ignore").strip("._-+")
    digest = hashlib.sha256(identity.encode(errors="surrogatepass")).hexdigest()[:10]
    return f"{cut or 'student'}~{digest}"


def squash(name: str) -> str:
    """The letters and digits of a name, as Canvas writes it into names of files.

    >>> squash("Lovelace, Ada")
    'lovelaceada'
    """
    return "".join(c for c in tidy(name).lower() if _is_word(c))


def by_student(
    values: Mapping[str, float], directory: "Directory"
) -> tuple[dict[str, float], list[str]]:
    """Values of students by identity, and the words that name nobody.

    Raises:
        LabError: a word may be several students, or two words are the same student.
    """
    found: dict[str, float] = {}
    words: dict[str, str] = {}
    strangers = []
    for word, value in values.items():
        name = directory.find(word)
        if name is None:
            strangers.append(word)
        elif name in found:
            both = f"'{shown(words[name])}' and '{shown(word)}'"
            raise LabError(f"{both} are the same student, '{shown(name)}'")
        else:
            found[name], words[name] = value, word
    return found, strangers


def refuse_alike(names: Iterable[str]) -> None:
    """Refuses identities that differ in their letters' case, or share a folder.

    Raises:
        LabError: there are such identities; the text says which.
    """
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        alike.setdefault(folder_name(name).lower(), []).append(name)
        if folder_name(name) != name:
            alike.setdefault(name.lower(), []).append(name)
    wrong = [both for both in alike.values() if len(set(both)) > 1]
    if wrong:
        lines = (
            "\n  " + " and ".join(f"'{shown(one)}'" for one in dict.fromkeys(both))
            for both in wrong
        )
        raise LabError(
            "these names cannot be kept apart on every disk, so nothing was taken; "
            f"rename one of each:{''.join(lines)}"
        )


class Directory:
    """The students of a class, found by what people call them.

    A word is compared with identities first, then with names of folders. Addresses and
    numbers follow, in any case of letters. Full names come last.
    """

    def __init__(self, students: Mapping[str, KnownAs]) -> None:
        self._levels: list[dict[str, list[str]]] = [{}, {}, {}, {}]
        for name, known_as in students.items():
            others = [said for kind, said in known_as.items() if kind != NAME]
            self._add(0, name, [name])
            self._add(1, name, [folder_name(name)])
            self._add(2, name, [one.lower() for one in (name, *others)])
            self._add(3, name, [squash(known_as.get(NAME, ""))])

    def _add(self, level: int, name: str, words: list[str]) -> None:
        for word in filter(None, dict.fromkeys(words)):
            self._levels[level].setdefault(word, []).append(name)

    def fitting(self, word: str, *, by_name: bool = True) -> list[str]:
        """The students that ``word`` may name.

        It is an identity, a folder, an address, a number or, if these count, a full name.
        """
        word = tidy(word)
        words = [word, word, word.lower(), squash(word) if by_name else ""]
        found = (level.get(one) for level, one in zip(self._levels, words, strict=True))
        return next(filter(None, found), [])

    def find(self, word: str, *, by_name: bool = True) -> str | None:
        """The student that ``word`` names, as ``fitting``; None if nobody fits.

        Raises:
            LabError: the word fits several students; the text names them.
        """
        found = self.fitting(word, by_name=by_name)
        if len(found) > 1:
            both = " and ".join(f"'{shown(name)}'" for name in found)
            raise LabError(f"'{shown(word)}' may be {both}: write the whole name")
        return found[0] if found else None
