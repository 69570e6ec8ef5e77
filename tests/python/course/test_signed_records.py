"""Records and keys: what was changed is found, and nothing is lost when a write fails."""

import copy
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from minitf_lab import project
from minitf_lab.course import keys
from minitf_lab.labs.handin import records
from minitf_lab.labs.handin.records import RecordError

KEY, OTHER = b"k" * 32, b"o" * 32
RECORD = {
    "schema": 1,
    "lab": {"id": "00_hello", "sha256": "a" * 64, "version": "1"},
    "grader": {"version": "0.1.0", "sandbox": "none"},
    "submission": {
        "id": "ada",
        "sha256": "b" * 64,
        "submitted_at": "",
        "files": ["a.cc"],
    },
    "seed_id": records.key_id(KEY),
    "status": "graded",
    "score": 3,
    "max_score": 4,
    "tests": [{"id": "00.1", "title": "Größe", "points": 4, "score": 3, "cases": []}],
    "board": [],
    "flags": [],
    "build": {"ok": True, "messages": "", "seconds": 1.5},
    "execution_time": 2.5,
}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / f"{'b' * 64}.json"
    records.write(path, records.sign(RECORD, KEY))
    return path


def test_a_record_is_read_as_it_was_written(path):
    assert records.read(path, KEY) == records.sign(RECORD, KEY)
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(path.parent) == [path.name]


def test_the_signature_is_hmac_of_the_canonical_text():
    import hashlib
    import hmac

    text = json.dumps(RECORD, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    assert records.canonical(records.sign(RECORD, KEY)) == text.encode()
    expected = hmac.new(KEY, text.encode(), hashlib.sha256).hexdigest()
    assert records.sign(RECORD, KEY)["sig"] == expected


def places(value, place=()):
    """Where each number and text of a record stands."""
    if isinstance(value, dict | list):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for key, member in members:
            yield from places(member, (*place, key))
    else:
        yield place


def test_every_change_of_a_record_is_found():
    signed = records.sign(RECORD, KEY)
    for place in places(RECORD):
        changed = copy.deepcopy(signed)
        inner = changed
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = "x" if place != ("seed_id",) else inner[place[-1]].upper()
        with pytest.raises(RecordError):
            records.check(changed, KEY)
    for more in ({"extra": 1}, {"score": 3.0001}):
        with pytest.raises(RecordError, match="was changed after it was signed"):
            records.check(signed | more, KEY)


def test_the_reason_is_told(path):
    signed = records.sign(RECORD, KEY)
    with pytest.raises(RecordError, match="signed with another key: with"):
        records.check(signed, OTHER)
    with pytest.raises(RecordError, match="it is not signed"):
        records.check(RECORD, KEY)
    with pytest.raises(RecordError, match="was changed"):
        records.check(signed | {"score": 4}, KEY)
    path.write_text(path.read_text().replace('"score": 3', '"score": 4'))
    with pytest.raises(RecordError, match=f"{path.name}: it was changed"):
        records.read(path, KEY)
    assert records.read(path)["score"] == 4, "without a key it is not looked at"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "no record"),
        ("{}", "schema is None, expected 1"),
        ('{"schema": 2}', "schema is 2"),
        ('{"schema": 1}', "lacks lab, grader"),
        (json.dumps(RECORD | {"status": "fine"}), "status is 'fine'"),
        (json.dumps(RECORD | {"lab": 3}), "lab is no table"),
        (json.dumps(RECORD | {"submission": {"sha256": "../x"}}), "which hand-in"),
        (json.dumps(RECORD | {"sig": 3}), "not signed"),
        (json.dumps(RECORD | {"sig": "\udc80é"}), "changed"),
        (json.dumps(RECORD | {"score": float("nan"), "sig": "x"}), "cannot be checked"),
        ("\xff", "JSON"),
    ],
)
def test_what_is_no_record_is_refused(path, text, said):
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(RecordError, match=said):
        records.read(path, KEY)


def test_only_plain_files_are_read(path):
    link = path.with_name("link.json")
    link.symlink_to(path)
    pipe = path.with_name("pipe.json")
    os.mkfifo(pipe)
    for odd in (link, pipe, path.with_name("none.json"), path.parent):
        with pytest.raises(RecordError, match=odd.name):
            records.read(odd, KEY)


def test_times_alone_make_no_difference():
    later = copy.deepcopy(RECORD)
    later["execution_time"] = later["build"]["seconds"] = 99
    later["submission"]["submitted_at"] = "2026-10-01T00:00:00Z"
    later["grader"]["host"] = "another machine"
    later["tests"][0] |= {"time_ms": 12, "mem_mb": 40}
    assert records.same(records.sign(RECORD, KEY), later)
    later["tests"][0]["score"] = 4
    assert not records.same(RECORD, later)


def test_a_copy_for_a_student_is_signed_anew():
    own = records.signed_copy(records.sign(RECORD, KEY), KEY, id="bob")
    records.check(own, KEY)
    assert own["submission"] == RECORD["submission"] | {"id": "bob"}
    assert RECORD["submission"]["id"] == "ada"


# ---- Writing -------------------------------------------------------------------------


def write_elsewhere(path, more=""):
    """Has another process write a long record, which may not write long files."""
    program = (
        "import json, sys; from pathlib import Path\n"
        "from minitf_lab.labs.handin import records\n"
        "record = json.loads(sys.stdin.read())\n"
        "try: records.write(Path(sys.argv[1]), record | {'flags': ['x' * 100_000]})\n"
        "except records.LabError as error: sys.exit(str(error))\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(path)],
        input=json.dumps(RECORD),
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )


def test_a_write_that_fails_on_its_way_leaves_what_was_there(path):
    """As on a full disk: part of it is written, then there is an error."""
    before = path.read_bytes()
    done = write_elsewhere(path)
    assert done.returncode == 1
    assert f"{path} cannot be written: File too large" in done.stderr
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_a_full_disk_is_named(path, monkeypatch):
    before = path.read_bytes()

    def full(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(project.LabError, match="cannot be written: No space left"):
        records.write(path, RECORD | {"score": 0})
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


@pytest.fixture
def as_ordinary_user():
    """Runs the test as somebody whom permissions bind, also if root runs it."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


def test_a_read_only_folder_is_named(as_ordinary_user):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        try:
            with pytest.raises(project.LabError, match="Permission denied"):
                records.write(folder / "a.json", RECORD)
            with pytest.raises(project.LabError, match="Permission denied"):
                keys.make(folder / "course" / "key")
            assert os.listdir(folder) == []
        finally:
            folder.chmod(0o755)


# ---- Keys ----------------------------------------------------------------------------


def test_a_key_is_made_once(tmp_path):
    path = tmp_path / "course" / "key"
    key = keys.make(path)
    assert len(key) == 32 and keys.load(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(project.LabError, match="is there already"):
        keys.make(path)
    assert keys.load(path) == key
    assert keys.make(tmp_path / "key") != key


def test_a_passphrase_hides_the_key(tmp_path):
    path = tmp_path / "key"
    key = keys.make(path, "correct horse")
    text = path.read_text()
    assert key.hex() not in text and path.stat().st_mode & 0o777 == 0o600
    assert keys.needs_passphrase(path) and keys.name_of(path) == records.key_id(key)
    assert keys.load(path, "correct horse") == key
    for wrong in ("correct hors", "Correct horse", "x"):
        with pytest.raises(project.LabError, match="not its passphrase"):
            keys.load(path, wrong)
    with pytest.raises(project.LabError, match="is encrypted: give --passphrase-file"):
        keys.load(path)
    keys.encrypt(path, "correct horse", "")
    assert keys.load(path) == key


def test_a_damaged_key_is_named(tmp_path):
    path = tmp_path / "key"
    keys.make(path, "x")
    found = json.loads(path.read_text())
    for change in ({"key_id": "0" * 16}, {"encrypted": "U2Fs"}, {"encrypted": 3}):
        path.write_text(json.dumps(found | change))
        with pytest.raises(project.LabError, match="not its passphrase, or the file is"):
            keys.load(path, "x")
    for text in ("", "0" * 63, "G" * 64, "é" * 64):
        path.write_text(text)
        with pytest.raises(project.LabError, match="holds no key"):
            keys.load(path)
    for text in ("{", "{}", "[]" + "{" * 9):
        path.write_text(text)
        with pytest.raises(project.LabError, match="damaged|holds no key"):
            keys.load(path, "x")


def test_a_key_that_others_can_read_is_refused(tmp_path):
    path = tmp_path / "key"
    keys.make(path)
    path.chmod(0o640)
    with pytest.raises(project.LabError, match=f"mode 0640.*chmod 600 {path}"):
        keys.load(path)
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(project.LabError, match="not a plain file"):
        keys.load(tmp_path)
    with pytest.raises(project.LabError, match="link"):
        keys.load(tmp_path / "link")
    with pytest.raises(project.LabError, match="keys --new makes one"):
        keys.load(tmp_path / "none")


@pytest.mark.parametrize("text", ["", "\n", "a\0b"])
def test_an_empty_passphrase_is_refused(tmp_path, text):
    (tmp_path / "passphrase").write_text(text)
    with pytest.raises(project.LabError, match="at least one letter"):
        keys.read_passphrase(tmp_path / "passphrase")
    (tmp_path / "passphrase").write_text("secret\nmore")
    assert keys.read_passphrase(tmp_path / "passphrase") == "secret"
