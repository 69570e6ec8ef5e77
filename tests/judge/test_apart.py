"""Nothing that one case writes can be read by another case."""

import os
from dataclasses import replace

import made_up
import pytest

from minitf_lab import project
from minitf_lab.judge.case import Call, Case, Trial
from minitf_lab.judge.runner import Worker
from minitf_lab.judge.sandbox import Box
from minitf_lab.labs import grade
from minitf_lab.labs.answers import Answer
from minitf_lab.leftovers import remove_tree

PLACES = "[tempfile.gettempdir(), '/tmp', '/dev/shm', '.', '/', TOP, TOP + '/python']"
# Each writes a secret somewhere, and looks for one that another case has written there.
WRITE = f"""
import os, tempfile, sys
TOP = {str(project.ROOT)!r}
for place in {PLACES}:
    for act in (
        lambda: open(place + "/left", "w").write("secret"),
        lambda: os.makedirs(place + "/a/b/left"),
        lambda: os.chmod(place + "/a/b", 0),
        lambda: os.symlink("secret", place + "/link"),
        lambda: os.setxattr(place, "user.left", b"secret"),
        lambda: os.utime(place, ns=(7, 7)),
        lambda: os.chmod(place, 0o1770),
    ):
        try: act()
        except OSError: pass
os.environ["LEFT"] = "secret"
sys.secret = 1
"""
READ = f"""
import os, stat, tempfile, sys
TOP = {str(project.ROOT)!r}
for place in {PLACES}:
    status = os.stat(place)
    if status.st_mtime_ns == 7 or stat.S_IMODE(status.st_mode) == 0o1770:
        reached.append(place)
    for name in ("left", "a", "a/b", "a/b/left", "link"):
        if os.path.lexists(place + "/" + name): reached.append(place + "/" + name)
    try:
        if "user.left" in os.listxattr(place): reached.append(place + " xattr")
    except OSError: pass
if "LEFT" in os.environ or hasattr(sys, "secret"): reached.append("the process")
"""


def test_a_file_of_one_case_is_gone_in_the_next(tmp_path, box):
    driver = made_up.put_driver(tmp_path)
    with Worker(driver, box=box) as worker:
        for _ in range(2):
            assert worker.run(made_up.doing(WRITE), made_up.PATIENT).passed
            result = worker.run(made_up.doing(READ), made_up.PATIENT)
            assert result.passed, result


def test_a_folder_of_any_depth_is_removed(tmp_path, box):
    """Paths to its end are too long for the kernel, and it is too deep to recurse."""
    deep = (
        "import os\nos.chdir(__import__('tempfile').gettempdir())\n"
        "for _ in range(3000):\n    os.mkdir('x' * 200); os.chdir('x' * 200)\n"
        "open('left', 'w').write('secret')"
    )
    find = (
        "import os, tempfile\n"
        "reached += [n for n in os.listdir(tempfile.gettempdir()) if n[:1] == 'x']"
    )
    driver = made_up.put_driver(tmp_path)
    with Worker(driver, box=box) as worker:
        for code in (deep, find, deep):  # the last one is for the judge to remove
            result = worker.run(made_up.doing(code), made_up.PATIENT)
            assert result.passed and not result.printed, result


def test_a_tree_with_odd_names_and_rights_is_removed(tmp_path):
    top = tmp_path / "top"
    for name in ("0", "1/2/3", "a/1/b", "a/0"):
        (top / name).mkdir(parents=True)
    (top / "2").write_text("a file with the name that a folder gets")
    (top / "a" / "away").symlink_to(tmp_path)
    os.mkdir(os.fsencode(top / "a" / "1") + b"/\xff\n")
    for name in ("1/2/3", "1/2", "a/1", "a"):
        (top / name).chmod(0)
    remove_tree(str(top))
    assert list(tmp_path.iterdir()) == []


LOADED = """
import mmap, os
shared = mmap.mmap(-1, 64)  # what is shared when the answer is loaded stays shared
ends = os.pipe()

def say(secret):
    shared[: len(secret)] = secret.encode()
    os.write(ends[1], secret.encode())

def look():
    os.set_blocking(ends[0], False)
    try: found = os.read(ends[0], 64)
    except OSError: found = b""
    return [bytes(shared).strip(b"\\0").decode(), found.decode()]
"""


def _case(name, function, arguments, *, is_hidden):
    trial = Trial(name, [Call(function, arguments)], lambda values: f"{values[0]}")
    return Case(name, "97.1", name, lambda draw: [trial], is_hidden=is_hidden)


@pytest.mark.parametrize("order", [1, -1])
def test_what_a_hidden_case_sees_is_not_seen_by_a_visible_one(tmp_path, box, order):
    """Also by memory and pipes that the answer makes when it is loaded."""
    driver = made_up.put_driver(tmp_path)
    driver.write_text(LOADED)
    lab = replace(
        project.find_lab("00"), folder="97_made_up", home=driver.parent, files=["a.py"]
    )
    cases = [
        _case("hidden", "say", {"secret": "inputs"}, is_hidden=True),
        *(_case(f"seen {i}", "look", {}, is_hidden=False) for i in range(3)),
    ][::order]
    results = [*grade.run_cases(lab, Answer(None, {}, box=box), cases, "all")]
    seen = [one.message for one in results if one.name != "hidden"]
    assert seen == ["['', '']"] * 3
    assert [one.name for one in results] == [case.name for case in cases]


def test_the_same_in_landlock(tmp_path):
    box = Box("landlock")
    if os.environ.get("MINITF_BOX") == "landlock":
        pytest.skip("the other tests are of this sandbox")
    test_a_file_of_one_case_is_gone_in_the_next(tmp_path, box)
    test_a_folder_of_any_depth_is_removed(tmp_path, box)
