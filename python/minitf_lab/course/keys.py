"""The key of a course: 32 random bytes that sign records and draw hidden numbers.

``COURSE/key`` holds it as hexadecimal digits, readable by its owner alone, or encrypted
by a passphrase. Whoever has it can forge records and knows all hidden numbers; without it
the records of the course cannot be checked or made again. So it is kept as an exam paper
is, with a copy elsewhere.

OpenSSL encrypts it: AES-256 under a key that PBKDF2 makes of the passphrase. The name of
the key, which stands beside it in clear, tells a wrong passphrase from a right one.
"""

import contextlib
import getpass
import json
import os
import re
import secrets
import shutil
import stat
import subprocess
import sys
from pathlib import Path

from minitf_lab.labs.handin import records
from minitf_lab.project import LabError

LENGTH = 32  # bytes
CIPHER = ("enc", "-aes-256-cbc", "-pbkdf2", "-md", "sha256", "-a")
ROUNDS = 600_000  # for a passphrase that somebody made up
MAX_FILE = 10_000
LIMIT_S = 60


def _openssl(data: bytes, passphrase: str, *options: str, rounds: int = ROUNDS) -> bytes:
    """Has OpenSSL encrypt or, with ``-d``, decrypt; nothing if it refuses.

    The passphrase goes by way of a pipe: others can read arguments and variables.
    """
    if not shutil.which("openssl"):
        raise LabError("what is encrypted needs openssl: apt-get install openssl")
    theirs, ours = os.pipe()
    with contextlib.closing(os.fdopen(ours, "wb")) as pipe:
        pipe.write(passphrase.encode() + b"\n")
    try:
        done = subprocess.run(
            ["openssl", *CIPHER, "-iter", f"{rounds}", *options, "-pass", f"fd:{theirs}"],
            input=data,
            capture_output=True,
            pass_fds=(theirs,),
            timeout=LIMIT_S,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise LabError(f"openssl cannot be run: {error}") from error
    finally:
        os.close(theirs)
    return done.stdout if done.returncode == 0 else b""


def encrypt_data(data: bytes, secret: str, rounds: int = 1) -> str:
    """``data`` as text that only who has ``secret`` can read.

    One round is enough for a secret that nobody can guess.

    Raises:
        LabError: openssl is missing or fails.
    """
    found = _openssl(data, secret, rounds=rounds)
    if not found:
        raise LabError("openssl did not encrypt anything; nothing was changed")
    return found.decode()


def decrypt_data(text: str, secret: str) -> bytes:
    """What ``encrypt_data`` was given; that it was not changed must be known already.

    Raises:
        LabError: openssl is missing or fails.
    """
    found = _openssl(text.encode(), secret, "-d", rounds=1)
    if not found:
        raise LabError("openssl did not decrypt it")
    return found


def read_passphrase(file: Path | None, *, is_new: bool = False) -> str:
    """A passphrase: the first line of ``file``, or what is typed.

    Raises:
        LabError: it is empty or odd, the file cannot be read, or nobody can be asked.
    """
    if file is not None:
        try:
            found = file.read_text().split("\n")[0]
        except (OSError, UnicodeDecodeError) as error:
            raise LabError(f"{file}: {error}") from error
    elif not sys.stdin.isatty():
        raise LabError("the key has a passphrase: give --passphrase-file FILE")
    else:
        found = getpass.getpass("Passphrase of the course: ")
        if is_new and getpass.getpass("Once more: ") != found:
            raise LabError("these are two different passphrases; nothing was changed")
    if not found or "\0" in found:
        raise LabError("a passphrase has at least one letter; nothing was changed")
    return found


def _text_of(key: bytes, passphrase: str) -> str:
    """What the file holds."""
    if not passphrase:
        return f"{key.hex()}\n"
    encrypted = encrypt_data(f"{key.hex()}\n".encode(), passphrase, ROUNDS)
    found = {"key_id": records.key_id(key), "encrypted": encrypted}
    return json.dumps(found, indent=1) + "\n"


def refuse_to_replace(path: Path) -> None:
    """Raises LabError if there is a key already."""
    if os.path.lexists(path):
        raise LabError(
            f"{path} is there already, and records are signed with it: a new key would "
            "make all of them worthless. To begin anew, move it away yourself"
        )


def make(path: Path, passphrase: str = "") -> bytes:
    """Makes a new key; a passphrase encrypts it.

    Raises:
        LabError: there is a key already, or it cannot be written.
    """
    refuse_to_replace(path)
    key = secrets.token_bytes(LENGTH)
    records.write_file(path, _text_of(key, passphrase).encode())
    return key


def encrypt(path: Path, old: str, new: str) -> None:
    """Puts the same key under another passphrase, or under none if empty."""
    key = load(path, old)
    records.write_file(path, _text_of(key, new).encode())


def _contents(path: Path) -> str:
    """The text of a key's file."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise LabError(
            f"there is no key {path}: ./lab course keys --new makes one"
        ) from None
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}") from error
    try:
        found = os.fstat(number)
        if not stat.S_ISREG(found.st_mode):
            raise LabError(f"{path} is not a plain file")
        if found.st_mode & 0o077:
            mode = stat.S_IMODE(found.st_mode)
            raise LabError(
                f"{path} can be read by others (mode {mode:04o}): if none has, "
                f"chmod 600 {path}"
            )
        return os.read(number, MAX_FILE).decode("ascii", "replace")
    finally:
        os.close(number)


def needs_passphrase(path: Path) -> bool:
    """Whether the key is encrypted."""
    return _contents(path).lstrip().startswith("{")


def _encrypted(path: Path, text: str) -> tuple[str, str]:
    """The name of an encrypted key, and what is encrypted.

    Raises:
        LabError: the file is damaged.
    """
    try:
        found = json.loads(text)
        return str(found["key_id"]), str(found["encrypted"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LabError(f"{path} is damaged: {error}") from error


def name_of(path: Path) -> str:
    """The name of an encrypted key; LabError if the file is damaged."""
    return _encrypted(path, _contents(path))[0]


def load(path: Path, passphrase: str = "") -> bytes:
    """Reads a key.

    Raises:
        LabError: there is none, it is damaged, others may read it, or the passphrase is
            another.
    """
    text = _contents(path)
    if not text.lstrip().startswith("{"):
        return parse(text, path)
    name, encrypted = _encrypted(path, text)
    if not passphrase:
        raise LabError(f"{path} is encrypted: give --passphrase-file FILE")
    plain = _openssl(encrypted.encode(), passphrase, "-d").decode("ascii", "replace")
    if re.fullmatch(r"[0-9a-f]{64}\n", plain):
        key = bytes.fromhex(plain)
        if records.key_id(key) == name:
            return key
    raise LabError(f"{path}: this is not its passphrase, or the file is damaged")


def parse(text: str, place: object) -> bytes:
    """A key from its digits.

    Raises:
        LabError: they are none.
    """
    digits = text.strip()
    if not re.fullmatch(rf"[0-9a-f]{{{2 * LENGTH}}}", digits):
        raise LabError(f"{place} holds no key: {2 * LENGTH} hexadecimal digits")
    return bytes.fromhex(digits)


def open_key(path: Path, passphrase_file: Path | None = None) -> bytes:
    """Reads a key, and asks for its passphrase if it has one; ``-`` is standard input.

    Raises:
        LabError: as ``load`` and ``read_passphrase`` say.
    """
    if str(path) == "-":
        return parse(sys.stdin.readline(), "standard input")
    if not needs_passphrase(path):
        return load(path)
    return load(path, read_passphrase(passphrase_file))
