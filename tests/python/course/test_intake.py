"""What hand-ins are taken: archives and folders that were made to do harm are not."""

import gzip
import io
import os
import stat
import tarfile
import tracemalloc
import warnings
import zipfile
from dataclasses import replace

import pytest

from minitf_lab import project
from minitf_lab.labs.handin import archives, intake
from minitf_lab.labs.handin.archives import Rejected

LAB = project.find_lab("00")
CODE = "approximate_equal.cc"
TEXT = "int answer = 42;\n"


def zipped(*members, method=zipfile.ZIP_DEFLATED):
    """A zip of pairs of a name, or a ZipInfo, and a text."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as file:
        for name, text in members:
            with warnings.catch_warnings(action="ignore"):  # of a name that is twice
                file.writestr(name, text)
    return made.getvalue()


def member(name, mode, text=""):
    """A member of a zip with a mode."""
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info, text


def tarred(*infos, compress=False):
    """A tar of pairs of a TarInfo, or a name, and a text."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz" if compress else "w") as file:
        for info, text in infos:
            data = text.encode()
            if isinstance(info, str):
                info = tarfile.TarInfo(info)
            if info.isreg():
                info.size = len(data)
            file.addfile(info, io.BytesIO(data))
    return made.getvalue()


def tar_member(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, ""


def take(tmp_path, data, lab=LAB):
    """Takes an archive; what was not taken has left nothing."""
    path = tmp_path / "hand_in"
    path.write_bytes(data)
    try:
        return intake.take(lab, path, tmp_path / "into")
    finally:
        assert {one.name for one in tmp_path.iterdir()} <= {"hand_in", "into"}


def refused(tmp_path, data, lab=LAB):
    with pytest.raises(Rejected) as error:
        take(tmp_path, data, lab)
    assert not (tmp_path / "into").exists()
    text = str(error.value)
    assert text.isascii() and "\n" not in text and "Traceback" not in text
    return text


# ---- What is taken -------------------------------------------------------------------


@pytest.mark.parametrize(
    "folder",
    ["", "./", "hand in/", "00_hello/", "work/00_hello/", "x-main/work/00_hello/"],
)
@pytest.mark.parametrize("pack", [zipped, tarred, lambda *m: tarred(*m, compress=True)])
def test_a_hand_in_is_found_at_the_usual_places(tmp_path, pack, folder):
    data = pack((f"{folder}{CODE}", TEXT), (f"{folder}time.txt", "5"))
    found = take(tmp_path, data)
    assert found.contents == {CODE: TEXT.encode(), "time.txt": b"5"}
    assert (found.folder / CODE).read_text() == TEXT
    assert sorted(os.listdir(found.folder)) == [CODE, "time.txt"]


def test_a_hash_is_of_the_files_however_they_are_packed(tmp_path):
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / CODE).write_text(TEXT)
    (folder / "more.txt").write_text("not looked at")
    hashes = {intake.read(LAB, folder).sha256}
    for number, data in enumerate(
        [
            zipped((CODE, TEXT)),
            zipped(("a/" + CODE, TEXT), method=zipfile.ZIP_STORED),
            tarred((CODE, TEXT), ("other", "x")),
        ]
    ):
        (tmp_path / f"{number}").write_bytes(data)
        hashes.add(intake.read(LAB, tmp_path / f"{number}").sha256)
    assert len(hashes) == 1
    (folder / CODE).write_text(TEXT + " ")
    assert intake.read(LAB, folder).sha256 not in hashes
    (folder / CODE).write_text(TEXT)
    (folder / "time.txt").write_text("")
    assert intake.read(LAB, folder).sha256 not in hashes


def test_a_hash_tells_where_one_file_ends():
    def hashed(**contents):
        files = {name: text.encode() for name, text in contents.items()}
        return intake.HandIn("00_hello", None, files).sha256

    assert hashed(a="x", b="y") != hashed(a="xb 1\ny") != hashed(a="xy", b="")
    other = intake.HandIn("01_tensor", None, {"a": b"x"})
    assert other.sha256 != hashed(a="x")


def test_nothing_else_of_a_hand_in_is_seen(tmp_path):
    junk = [
        ("__MACOSX/._" + CODE, "\0\1"),
        (".DS_Store", "x"),
        ("build/huge.o", "x" * 300_000),
        ("venv/python", "x"),
        ("deep/" * 50 + CODE, "another"),
        ("lab.json", "{}"),
        ("driver.py", "print('mine')"),
    ]
    found = take(tmp_path, zipped(*junk, (CODE, TEXT)))
    assert sorted(os.listdir(found.folder)) == [CODE]


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path):
    into = tmp_path / "into"
    into.mkdir()
    (into / "mine").write_text("x")
    with pytest.raises(project.LabError, match="is not empty"):
        take(tmp_path, zipped((CODE, TEXT)))
    assert os.listdir(into) == ["mine"]


# ---- Archives ------------------------------------------------------------------------


def encrypted():
    """A zip whose member says that it is encrypted."""
    data = bytearray(zipped((CODE, TEXT)))
    for magic, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(magic) + offset] |= 1
    return bytes(data)


def lying(size):
    """A zip whose directory says that its member is of another size."""
    data = bytearray(zipped((CODE, "x" * 1000)))
    at = data.index(b"PK\1\2") + 24
    data[at : at + 4] = size.to_bytes(4, "little")
    return bytes(data)


def renamed(name):
    """A zip whose local header calls its member otherwise than its directory."""
    return zipped((CODE, TEXT)).replace(CODE.encode(), name.encode(), 1)


def with_zero():
    name = "approximate_equal.ccX.png"
    return zipped((name, TEXT)).replace(name.encode(), name.replace("X", "\0").encode())


def pax(**headers):
    info = tarfile.TarInfo(CODE)
    info.pax_headers = headers
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as file:
        info.size = 3
        file.addfile(info, io.BytesIO(b"abc"))
    return made.getvalue()


def with_size(field):
    """A tar whose header has these bytes as the size."""
    data = bytearray(tarred((CODE, TEXT)))
    data[124:136] = field
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    return bytes(data)


def quine():
    """A zip that holds itself, as far as its name tells."""
    inner = zipped((CODE, TEXT))
    return zipped(("submission.zip", inner))


BIG = "x" * 200_001
LINK, PIPE, DEVICE = stat.S_IFLNK | 0o777, stat.S_IFIFO | 0o600, stat.S_IFBLK | 0o600
SOCKET = stat.S_IFSOCK | 0o600
HARMFUL = {
    "an empty file": (b"", "empty"),
    "an empty zip": (zipped(), "it is empty"),
    "an empty tar": (tarred(), "neither a folder nor"),
    "no archive": (b"\x7fELF" + bytes(600), "neither a folder nor a zip"),
    "a text": (TEXT.encode(), "neither a folder nor a zip"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + bytes(99), "7z archive; hand in a zip"),
    "rar": (b"Rar!\x1a\x07\x01\x00", "rar archive"),
    "xz": (b"\xfd7zXZ\x00" + bytes(99), "xz archive"),
    "zip: absolute": (zipped(("/etc/cron.d/x", "x"), (CODE, TEXT)), "the disk's top"),
    "zip: above": (zipped(("../../" + CODE, TEXT)), "outside of its own folder"),
    "zip: above, inside": (zipped((f"a/../../{CODE}", TEXT)), "outside of its own"),
    "zip: backslashes": (zipped((f"..\\..\\{CODE}", TEXT)), "outside of its own"),
    "zip: drive": (zipped((f"C:\\{CODE}", TEXT)), "the disk's top"),
    "zip: link": (zipped(member(CODE, LINK, "/etc/passwd")), f"{CODE}: it is a link"),
    "zip: pipe": (zipped(member(CODE, PIPE)), "it is a pipe"),
    "zip: device": (zipped(member(CODE, DEVICE)), "it is a device"),
    "zip: socket": (zipped(member(CODE, SOCKET)), "it is a socket"),
    "zip: twice": (zipped((CODE, TEXT), (CODE, "other")), "twice"),
    "zip: twice, dots": (zipped((CODE, TEXT), (f"./{CODE}", "other")), "twice"),
    "zip: capitals": (zipped((CODE, TEXT), (CODE.upper(), "x")), "in these letters"),
    "zip: only capitals": (zipped((CODE.upper(), TEXT)), "in these letters"),
    "zip: encrypted": (encrypted(), "make a zip without a password"),
    "zip: cut off": (zipped((CODE, TEXT))[:-30], "broken"),
    "zip: cut off early": (zipped((CODE, TEXT * 99))[:60], "broken"),
    "zip: stored, damaged": (
        zipped((CODE, TEXT), method=zipfile.ZIP_STORED).replace(b"42", b"43"),
        "it is broken in the zip",
    ),
    "zip: lies, less": (lying(10), "broken"),
    "zip: lies, more": (lying(5000), "cut off|broken"),
    "zip: lies, far more": (lying(2**31), "unpacks to"),
    "zip: two names": (renamed("approximate_equal.py"), "broken"),
    "zip: zero in a name": (with_zero(), "no such characters"),
    "zip: newline in a name": (zipped((f"a\n{CODE}", TEXT)), "no such characters"),
    "zip: escape in a name": (zipped(("\x1b[2J", TEXT), (CODE, TEXT)), "no such"),
    "zip: bomb": (zipped((CODE, TEXT), ("x", "\0" * (9 << 20))), "unpacks to"),
    "zip: bomb in place": (zipped((CODE, "\0" * (9 << 20))), "unpacks to"),
    "zip: long file": (zipped((CODE, BIG)), "longer than the 200000 bytes"),
    "zip: long answers": (
        zipped((CODE, TEXT), ("answers.md", BIG)),
        "answers.md: .*longer",
    ),
    "zip: many members": (
        zipped(*[(f"{i}", "") for i in range(5001)], method=zipfile.ZIP_STORED),
        "5001 members",
    ),
    "zip: lzma": (zipped((CODE, TEXT), method=zipfile.ZIP_LZMA), "by a method"),
    "zip: in a zip": (quine(), "another archive"),
    "zip: folder as file": (zipped((f"{CODE}/", "")), "it is empty"),
    "zip: below a file": (zipped((f"{CODE}/x", "")), f"has no {CODE}"),
    "zip: too deep": (zipped((f"a/b/c/{CODE}", TEXT)), f"lies at a/b/c/{CODE}"),
    "zip: another lab": (zipped(("math_grad.cc", TEXT)), "these are files of lab 04"),
    "zip: zero byte": (zipped((CODE, "int a;\0")), "zero byte"),
    "zip: no UTF-8": (zipped((CODE, b"// \xc4\xe3")), "byte 3 is not UTF-8"),
    "tar: absolute": (tarred((f"/tmp/{CODE}", TEXT)), "the disk's top"),
    "tar: above": (tarred((f"../{CODE}", TEXT)), "outside of its own"),
    "tar: link": (tarred(tar_member(CODE, tarfile.SYMTYPE, "/etc/passwd")), "is a link"),
    "tar: hard link": (tarred(tar_member(CODE, tarfile.LNKTYPE, "x")), "it is a link"),
    "tar: pipe": (tarred(tar_member(CODE, tarfile.FIFOTYPE)), "device or a pipe"),
    "tar: device": (tarred(tar_member(CODE, tarfile.CHRTYPE)), "device or a pipe"),
    "tar: below a link": (
        tarred(tar_member("work", tarfile.SYMTYPE, "/etc"), (f"work/a/b/{CODE}", TEXT)),
        "lies at",
    ),
    "tar: twice": (tarred((CODE, TEXT), (CODE, "other")), "twice"),
    "tar: cut off": (tarred((CODE, TEXT * 99))[:700], "cut off"),
    "tar: negative size": (with_size(b"-0000001000\0"), "cut off|broken"),
    "tar: size in binary": (with_size(b"\xff" * 12), "a member's size is none"),
    "tar: size back": (pax(size="-512"), "an extra header of it is odd"),
    "tar: long header": (pax(comment="1" * 100_000), "an extra header of it is odd"),
    "tar.gz: bomb": (gzip.compress(bytes(80 << 20)), "unpacks to"),
    "tar.gz: cut off": (gzip.compress(tarred((CODE, TEXT)))[:-20], "broken or cut off"),
    "tar.gz: garbage": (b"\x1f\x8b" + b"garbage" * 9, "broken or cut off"),
    "tar.gz: in a gz": (gzip.compress(gzip.compress(tarred((CODE, "")))), "neither"),
}


@pytest.mark.parametrize("name", HARMFUL)
def test_harmful_archives_are_refused(tmp_path, name):
    data, said = HARMFUL[name]
    with pytest.raises(Rejected, match=said):
        take(tmp_path, data)
    refused(tmp_path, data)


def test_a_bomb_takes_no_memory(tmp_path):
    bombs = [gzip.compress(bytes(300 << 20)), zipped((CODE, "\0" * (50 << 20)))]
    for data in bombs:
        tracemalloc.start()
        refused(tmp_path, data)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 3 * archives.MAX_UNPACKED


def test_every_broken_byte_is_a_refusal_or_harmless(tmp_path):
    """An archive with one byte changed is taken as it is, or refused; nothing else."""
    archive = zipped((CODE, TEXT)), tarred((CODE, TEXT))[:1536]
    for data in archive:
        for at in range(0, len(data), 3):
            changed = bytearray(data)
            changed[at] ^= 0x5B
            (tmp_path / "x").write_bytes(changed)
            try:
                found = intake.read(LAB, tmp_path / "x")
            except Rejected:
                continue
            assert set(found.contents) == {CODE}


# ---- Folders -------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "work"
    path.mkdir()
    (path / CODE).write_text(TEXT)
    return path


def link(folder):
    (folder / CODE).rename(folder.parent / "elsewhere")
    (folder / CODE).symlink_to(folder.parent / "elsewhere")


def hard_link(folder):
    os.link(folder / CODE, folder.parent / "elsewhere")


def pipe(folder):
    (folder / CODE).unlink()
    os.mkfifo(folder / CODE)


def device(folder):
    (folder / CODE).unlink()
    (folder / CODE).symlink_to("/dev/zero")


def directory(folder):
    (folder / CODE).unlink()
    (folder / CODE).mkdir()


def linked_answers(folder):
    (folder / "answers.md").symlink_to("/etc/passwd")


def piped_receipt(folder):
    os.mkfifo(folder / "receipt.json")


def long_file(folder):
    with (folder / CODE).open("wb") as file:
        file.truncate(3 << 30)


def linked_folder(folder):
    inner = folder.parent / "x" / "work"
    inner.mkdir(parents=True)
    (inner / "00_hello").symlink_to(folder.parent / "away")
    folder.rename(folder.parent / "away")
    (folder.parent / "x").rename(folder)


def other_letters(folder):
    (folder / CODE.upper()).write_text("other")


def missing(folder):
    (folder / CODE).unlink()
    (folder / "answers.md").write_text("")


def nothing(folder):
    (folder / CODE).unlink()


def other_lab(folder):
    (folder / "receipt.json").write_text('{"lab": "04_gradients"}')


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (link, "is a link; hand in the file itself"),
        (hard_link, "hard link"),
        (pipe, "not a plain file"),
        (device, "is a link"),
        (directory, "not a plain file|Is a directory"),
        (linked_answers, "answers.md: is a link"),
        (piped_receipt, "receipt.json: it is not a plain file"),
        (long_file, "longer than the 200000 bytes"),
        (linked_folder, "work/00_hello/approximate_equal.cc: a folder on the way to it"),
        (other_letters, "in these letters"),
        (missing, f"has no {CODE}"),
        (nothing, "it is empty"),
        (other_lab, "made for lab 04_gradients, not for 00_hello"),
    ],
)
def test_harmful_folders_are_refused(tmp_path, folder, change, said):
    change(folder)
    with pytest.raises(Rejected, match=said):
        intake.take(LAB, folder, tmp_path / "into")
    assert not (tmp_path / "into").exists()


def test_a_missing_file_is_named(tmp_path):
    lab = replace(LAB, files=["minitf/base/text.cc", *LAB.files])
    assert refused(tmp_path, zipped((CODE, TEXT)), lab) == "text.cc is missing"


def test_a_source_that_is_a_link_or_missing_is_refused(tmp_path, folder):
    (tmp_path / "link").symlink_to(folder)
    with pytest.raises(Rejected, match="link: it is a link"):
        intake.read(LAB, tmp_path / "link")
    with pytest.raises(Rejected, match="there is no such file"):
        intake.read(LAB, tmp_path / "none")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Rejected, match="not a plain file"):
        intake.read(LAB, tmp_path / "pipe")


@pytest.mark.parametrize("text", ["", "[", "[" * 50_000, "3", '{"lab": 7}', "\udc80"])
def test_an_odd_receipt_is_none(tmp_path, folder, text):
    (folder / "receipt.json").write_bytes(text.encode(errors="surrogateescape"))
    assert intake.read(LAB, folder).contents == {CODE: TEXT.encode()}


def test_the_manifest_says_how_long_a_file_may_be(tmp_path):
    lab = replace(LAB, limits={"max_bytes": 10})
    assert "longer than the 10 bytes" in refused(tmp_path, zipped((CODE, TEXT)), lab)
