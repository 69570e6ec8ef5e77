"""The autograder that is uploaded to Gradescope: this checkout, and two scripts.

Gradescope runs ``setup.sh`` once, when the image of the container is made and there is a
network, and ``run_autograder`` for each hand-in. The second needs no network. The image
must be of Debian 12 or newer, whose packages minitf is built with.

The zip has a key of its own, which follows from the course's and the lab: so the numbers
that cases draw cannot be guessed, are the same at a regrade, and who gets hold of the zip
can forge no record of the course.
"""

import hashlib
import hmac
import io
import shlex
import stat
import zipfile
from pathlib import Path

from minitf_lab import project
from minitf_lab.course.release import release_files

# The oldest time that a zip can hold: so the same checkout gives the same zip.
TIME = (1980, 1, 1, 0, 0, 0)

SETUP = """\
#!/usr/bin/env bash
# Builds minitf once, while the image of the container is made.
set -euo pipefail
cd /autograder/source/minitf
python=$(command -v python3 || true)
if [ -n "$python" ] && ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'
then
  echo "minitf needs Python 3.11 or newer, this image has $("$python" -V)." >&2
  echo "Choose an image of Debian 12 in Gradescope." >&2
  exit 1
fi
apt-get -qq update
apt-get -qq install -y --no-install-recommends bubblewrap
./lab build release
"""
RUN = """\
#!/usr/bin/env bash
# Grades one hand-in; offline. Without a results.json that has a score, Gradescope says
# that the autograder failed, and gives no points: so a fault of ours never costs any.
set -uo pipefail
cd /autograder/source/minitf
record=$(mktemp -d)/record.json
results=/autograder/results/results.json
key=/autograder/source/key
chmod 600 "$key"  # a zip may have lost that
mkdir -p /autograder/results
rm -f "$results"
# The judge's status says whether there is a mark; the record says the same and why.
./lab judge @LAB@ /autograder/submission --out "$record" --key "$key" </dev/null
./lab course export gradescope "$record" --out "$results" </dev/null && exit 0
cat >"$results" <<'JSON'
{"output": "The grader failed, not you. Your instructor can grade it again.",
 "output_format": "text", "visibility": "visible", "stdout_visibility": "hidden"}
JSON
"""


def _add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    entry = zipfile.ZipInfo(name, TIME)
    entry.external_attr = (stat.S_IFREG | mode) << 16
    entry.create_system = 3  # Unix, so that the mode counts
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def key_for(lab: project.Lab, key: bytes) -> bytes:
    """The key that Gradescope judges a lab with; it says nothing of the course's."""
    return hmac.new(
        key, f"minitf gradescope\n{lab.folder}".encode(), hashlib.sha256
    ).digest()


def make(lab: project.Lab, key: bytes) -> bytes:
    """The zip for a lab: the files as they stand, with changes that are not committed.

    Raises:
        LabError: this is no Git checkout, or a file of it cannot be read.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        _add(archive, "setup.sh", SETUP.encode(), 0o755)
        script = RUN.replace("@LAB@", shlex.quote(str(Path("exercises") / lab.folder)))
        _add(archive, "run_autograder", script.encode(), 0o755)
        _add(archive, "key", f"{key_for(lab, key).hex()}\n".encode(), 0o600)
        for name in release_files.tracked_files():
            path = project.ROOT / name
            try:
                content, mode = path.read_bytes(), path.stat().st_mode & 0o777
            except OSError as error:
                raise project.LabError(f"{path}: {error.strerror}") from error
            _add(archive, f"minitf/{name}", content, 0o755 if mode & 0o100 else 0o644)
    return out.getvalue()
