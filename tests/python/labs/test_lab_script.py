"""The script ``lab`` on machines with odd settings: it works, or says why in a line."""

import os
import shutil
import subprocess

import pytest

from minitf_lab import project

# In place of Python: says which variables it has.
FAKE = """#!/bin/sh
case "$*" in *find_spec*|*"import pip"*) exit {status} ;; esac
echo "HOME=$HOME PYTHONPATH=$PYTHONPATH PYTHONHOME=$PYTHONHOME" >&2
[ -w "$HOME" ] && touch "$HOME/a"
"""
STAMPS = (
    'source "$0/lab" help; mkdir -p "$state"; touch "$(system_stamp)" "$(venv_stamp)"'
)


def make_executable(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def top(tmp_path):
    """A project that is set up, with the real script and a false Python."""
    top = tmp_path / "top"
    (top / "python").mkdir(parents=True)
    (top / "python" / "requirements.txt").write_text("")
    shutil.copy(project.ROOT / "lab", top / "lab")
    make_executable(top / ".venv" / "bin" / "python", FAKE.format(status=0))
    subprocess.run(["bash", "-c", STAMPS, top], check=True, capture_output=True)
    return top


def run(top, *words, prefix=(), **variables):
    """Runs ./lab; variables that are None are not set."""
    environment = {**os.environ, **variables}
    environment = {name: text for name, text in environment.items() if text is not None}
    return subprocess.run(
        [*prefix, top / "lab", *words], env=environment, capture_output=True, text=True
    )


# ---- The home folder -----------------------------------------------------------------


@pytest.mark.parametrize("home", [None, "", "/nonexistent", "/proc", "/dev/null"])
def test_a_home_that_cannot_be_used_is_replaced(top, home):
    done = run(top, "test", "04", HOME=home)
    assert done.returncode == 0, done.stderr
    assert f"HOME={top}/.lab/home " in done.stderr
    assert (top / ".lab" / "home" / "a").exists()


def test_a_home_that_can_be_used_stays(top, tmp_path):
    done = run(top, "test", "04", HOME=str(tmp_path))
    assert f"HOME={tmp_path} " in done.stderr
    assert not (top / ".lab" / "home").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_a_user_without_a_name_or_a_right_to_write(top, tmp_path):
    for folder in (tmp_path, *tmp_path.parents[:-2]):  # all but /tmp and /
        folder.chmod(0o755)
    as_nobody = ("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups")
    done = run(top, "test", "04", prefix=as_nobody, HOME="/")
    assert done.returncode == 1
    said = f"lab: {top} cannot be written to, and set-up and build need that: copy the"
    assert done.stderr == f"{said} folder\n"
    subprocess.run(["chown", "-R", "54321:54321", top], check=True)
    done = run(top, "test", "04", prefix=as_nobody, HOME="/")
    assert (done.returncode, f"HOME={top}/.lab/home " in done.stderr) == (0, True)


# ---- Variables and versions of Python ------------------------------------------------


def test_the_variables_of_another_python_are_not_used(top):
    odd = {"PYTHONHOME": "/nonexistent", "PYTHONPATH": "/nonexistent"}
    done = run(top, "test", "04", **odd)
    path = f"PYTHONPATH={top}/python:{top}/build/release/python PYTHONHOME=\n"
    assert done.returncode == 0 and done.stderr.endswith(path)
    assert "is not used" not in done.stderr


def test_a_program_is_told_that_its_path_is_not_used(top):
    make_executable(top / "bin" / "cmake", "#!/bin/sh\n")
    make_executable(top / "bin" / "ninja", "#!/bin/sh\n")
    path = f"{top}/bin:{os.environ['PATH']}"
    done = run(top, "python", "a.py", PATH=path, PYTHONPATH="/x")
    assert done.stderr.startswith("lab: PYTHONPATH is not used; ./lab python -m pip")
    assert "/x" not in done.stderr


def test_the_real_python_starts_beside_another(tmp_path):
    """Modules that would shadow those of .venv, and a home of no Python."""
    (tmp_path / "numpy.py").write_text("raise SystemExit('the wrong numpy')")
    odd = {"PYTHONHOME": "/nonexistent", "PYTHONPATH": str(tmp_path), "HOME": None}
    done = run(project.ROOT, "start", "99", **odd)
    assert (done.returncode, done.stderr.split(";")[0]) == (1, "there is no lab 99")
    assert (
        "ok       Python packages in .venv" in run(project.ROOT, "doctor", **odd).stdout
    )


def upgraded(top):
    """Has the interpreter of .venv be newer than its packages."""
    venv = top / ".venv"
    make_executable(venv / "bin" / "python", FAKE.format(status=1))
    (venv / "lib" / "python3.10" / "site-packages").mkdir(parents=True)
    (top / "build" / "release").mkdir(parents=True)
    (top / "build" / "release" / "CMakeCache.txt").write_text("")


def test_the_doctor_sees_that_python_was_upgraded(top):
    assert "ok       Python packages in .venv" in run(top, "doctor").stdout
    upgraded(top)
    done = run(top, "doctor")
    assert done.returncode == 1
    assert "missing  Python packages in .venv for " in done.stdout


def test_an_upgraded_python_gets_its_packages_and_builds_anew(top):
    upgraded(top)
    made = f'mkdir -p "$3/bin" "$3/lib/python3.99"; cp {top}/good "$3/bin/python"'
    script = f'#!/bin/sh\ncase "$*" in *" venv "*) {made} ;; esac\n'
    make_executable(top / "bin" / "python3", script)
    make_executable(top / "good", FAKE.format(status=0))
    path = f"{top}/bin:{os.environ['PATH']}"
    done = run(top, "test", "04", PATH=path)
    assert done.returncode == 0, done.stderr
    assert "Python was python3.10 and is another version now" in done.stderr
    assert not (top / "build" / "release" / "CMakeCache.txt").exists()
    assert os.listdir(top / ".venv" / "lib") == ["python3.99"]
    assert "installing" not in run(top, "test", "04", PATH=path).stderr


def test_no_python_that_fits_is_one_sentence(top):
    upgraded(top)
    for name in ("python3", "python3.11", "python3.12", "python3.13"):
        make_executable(top / "bin" / name, "#!/bin/sh\nexit 1\n")
    tools = [shutil.which(name) for name in ("bash", "env", "sed", "sha256sum", "mkdir")]
    tools += [
        shutil.which(name) for name in ("cut", "dirname", "readlink", "flock", "cat")
    ]
    tools += [shutil.which("mktemp"), shutil.which("rm")]
    for tool in tools:
        (top / "bin" / os.path.basename(tool)).symlink_to(tool)
    done = run(top, "test", "04", PATH=f"{top}/bin")
    assert done.returncode == 1
    assert done.stderr == "lab: no Python 3.11 or newer with venv (./lab doctor)\n"


# ---- Line ends -----------------------------------------------------------------------


def git(folder, *words):
    plain = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "core.autocrlf=true")
    done = ["git", "-C", folder, *plain, *words]
    subprocess.run(done, check=True, capture_output=True)


def test_scripts_keep_their_line_ends_in_a_clone_for_windows(top, tmp_path):
    shutil.copy(project.ROOT / ".gitattributes", top)
    shutil.rmtree(top / ".lab")
    git(top, "init")
    git(top, "add", "lab", ".gitattributes", "python")
    git(top, "commit", "-m", "All")
    git(tmp_path, "clone", str(top), str(tmp_path / "clone"))
    assert b"\r" not in (tmp_path / "clone" / "lab").read_bytes()
    done = subprocess.run([tmp_path / "clone" / "lab"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("./lab COMMAND")
