"""A repository for students: what is in it, what must not be, and where it goes."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from minitf_lab import project
from minitf_lab.course.release import (
    canary,
    hidden_cases,
    reference_objects,
    release,
    release_files,
    release_out,
    release_page,
)
from minitf_lab.judge.regions import find_regions
from minitf_lab.labs import diagnoses, grade

NO_OBJECT = b"\x7fELF, were it compiled"


def no_objects(files):
    return {f"objects/release/{file}.o": NO_OBJECT for file in files}


@pytest.fixture(scope="module")
def choice():
    """In a term: lab 00 is over, 04 and 06 are handed out, others are to come."""
    return release_files.choose("00,04,06", "", "00")


@pytest.fixture(scope="module")
def made(choice):
    return release.make(choice, no_objects)


@pytest.fixture(scope="module")
def folder(made, choice, tmp_path_factory):
    folder = tmp_path_factory.mktemp("release") / "students"
    release.write(made, choice, folder)
    return folder


def in_folder(folder, *words):
    """Runs the tool of a release with its own package, without a build."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "python")},
        capture_output=True,
        text=True,
    )


def git(folder, *words):
    done = subprocess.run(
        ["git", "-C", str(folder), "-c", "safe.directory=*", *words],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- What is in it --------------------------------------------------------------------


def test_an_ordinary_push_of_students_has_their_work(folder, tmp_path):
    clone = tmp_path / "clone"
    git(folder, "clone", "-q", str(folder), str(clone))
    for name in ("04_gradients/a.cc", "04_gradients.1/a.cc", "04_submission.zip"):
        (clone / "work" / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / "work" / name).write_text("mine")
    git(clone, "add", "-A")
    added = git(clone, "diff", "--cached", "--name-only").split()
    assert added == ["work/04_gradients/a.cc"]
    assert "eol=lf" in (clone / ".gitattributes").read_text()


def test_students_get_starters_public_cases_and_the_tool(made):
    for path in (
        *("lab", "README.md", "CMakeLists.txt", "cmake/reference_objects.cmake"),
        *("exercises/04_gradients/math_grad.cc", "exercises/04_gradients/answers.md"),
        *("tests/labs/04_gradients/driver.cc", "tests/labs/04_gradients/cases_sweep.py"),
        "python/minitf_lab/labs/handin/submit.py",
        "python/minitf_lab/judge/worker.py",
        *("minitf/gradients/add_gradients.h", "python/minitf/data/mnist_5k/LICENCE.txt"),
    ):
        assert path in made.files, path


@pytest.mark.parametrize(
    "start",
    [
        *("solutions/", ".ci/", "tests/judge", "tests/python", "tests/minitf"),
        *("tests/kernels", "python/minitf_lab/course", "python/minitf_lab/dev/quality"),
        *("exercises/01", "tests/labs/01", "exercises/tracks.json", "docs/instructor"),
        *("docs/labs.md", "tests/CMakeLists.txt"),
    ],
)
def test_students_do_not_get(made, start):
    assert not [path for path in made.files if path.startswith(start)]


def test_answers_are_objects_and_bytecode_but_those_of_past_labs(made, choice):
    for lab in project.all_labs():
        for file in lab.files:
            is_past = lab in choice.past
            compiled = f"{file}c" if file.endswith(".py") else f"objects/release/{file}.o"
            assert (file in made.files) == is_past
            is_used = lab in choice.labs or not file.endswith(".cu")
            assert (compiled in made.files) == (is_used and not is_past)


def test_what_stays_is_named_with_a_reason(made):
    tracked = set(release_files.tracked_files())
    named = {one.name for one in made.left if one.why != release.HIDDEN}
    assert named | (made.files.keys() & tracked) == tracked
    assert not named & (made.files.keys() - {"README.md"})
    assert not [one for one in made.left if "not known" in one.why]


def test_a_new_file_stays_until_somebody_has_thought_of_it(choice):
    why = release_files.why_not("plans/next_year.md", choice, set())
    assert "not known to be for students" in why
    assert release_files.why_not("tests/labs/04_gradients/keys/a", choice, set())


def test_hidden_cases_are_cut_and_nothing_else(made):
    lab = project.find_lab("04")
    hidden = [case for case in grade.cases_of(lab, with_hidden=True) if case.is_hidden]
    text = b"".join(d for p, d in made.files.items() if p.startswith("tests/labs/04"))
    assert hidden
    for case in hidden:
        name = case.name.partition("-")[0]
        assert f"def {name}(".encode() not in text
    # What only hidden cases need has gone with them; what is left stays as it was.
    assert b"special_trials" not in text and b"def op_trials" in text
    assert text.count(b'@case("04.6", over=FLOATING)\ndef reshape(') == 1
    assert len([one for one in made.left if one.name.startswith("04_gradients: ")]) > 5


def test_a_case_is_not_hidden_by_a_word_that_only_a_run_knows():
    with pytest.raises(project.LabError, match=r"a.py:2: hidden= is True or False"):
        hidden_cases.cut({"a.py": '@case("1.1", hidden=X)\ndef f(draw): pass'}, set())


def test_cutting_keeps_comments_decorators_and_names_that_others_use():
    text = "\n".join(
        [
            *("import os", "from a import (", "    one,", "    two,", ")", ""),
            *("SHARED, ONLY = 1, 2", "LIMIT = 3", "ALSO = 4", "", "# ---- 1.1 ---"),
            *("# Of the hidden.", '@case("1.1", hidden=True)', "def f(draw):"),
            *('    "A claim."', "    yield two(os, LIMIT, ALSO, SHARED, ONLY)", "", ""),
            *('@case("1.2")', "def g(draw):", "    yield one(ALSO, SHARED)", ""),
        ]
    )
    found = hidden_cases.cut({"a.py": text, "b.py": "ALSO = 0\n"}, set())
    assert found.files["a.py"].split("\n") == [
        *(
            "from a import one",
            "",
            "SHARED, ONLY = 1, 2",
            "ALSO = 4",
            "",
            "# ---- 1.1 ---",
        ),
        *("", "", '@case("1.2")', "def g(draw):", "    yield one(ALSO, SHARED)", ""),
    ]
    assert [*found.hidden] == ["f"]


def test_documents_have_no_links_to_what_is_not_there(made):
    pages = {p: data.decode() for p, data in made.files.items() if p.endswith(".md")}
    for path, text in pages.items():
        for target in release_page._LINK.findall(text):
            name = target[1].partition("#")[0]
            if name and ":" not in name:
                full = os.path.normpath(Path(path).parent / name)
                there = [p for p in made.files if p == full or p.startswith(f"{full}/")]
                assert there, f"{path}: {name}"


def test_bytecode_is_imported_as_its_source_and_is_the_same_anywhere(made, tmp_path):
    file = "python/minitf/training/learning_rate_decay.py"
    source = (project.ROOT / file).read_text()
    code = "import sys;"
    code += "from minitf_lab.course.release.reference_objects import bytecode as b;"
    code += f"sys.stdout.buffer.write(b({file!r}, open({file!r}).read()))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=project.ROOT,
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        check=True,
    )
    assert done.stdout == made.files[f"{file}c"]
    path = tmp_path / "decay.pyc"
    path.write_bytes(b"")
    path.write_bytes(reference_objects.bytecode("a.py", "def f(x):\n    return {x, 2}"))
    spec = importlib.util.spec_from_file_location("decay", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.f(2) == {2}
    assert str(project.ROOT).encode() not in made.files[f"{file}c"]
    assert source[-200:].encode() not in made.files[f"{file}c"]


# ---- The canary -----------------------------------------------------------------------


def answer(file, task):
    source = (project.ROOT / file).read_text()
    return "\n".join(next(r.lines for r in find_regions(source) if r.task == task))


SWEEP = answer("minitf/gradients/add_gradients.cc", "04.9")


def test_a_release_of_an_answer_in_another_file_fails(monkeypatch, choice):
    def read(name, read_file=release.read_file):
        return read_file(name) + (SWEEP.encode() if name == "docs/runtime.md" else b"")

    monkeypatch.setattr(release, "read_file", read)
    monkeypatch.setattr(release, "_rehearse", lambda choice: None)
    found = "docs/runtime.md gives away 04.9: [^\n]*\nnothing was written"
    with pytest.raises(project.LabError, match=found):
        release.make(choice, no_objects)


@pytest.mark.parametrize("disguise", ["{}", "// {}", "    {}", "| {}", "# {}"])
def test_an_answer_is_found_in_comments_tables_and_other_layouts(made, disguise):
    lines = [" ".join(line.split()) for line in SWEEP.split("\n")]
    secrets = canary.Canary(made.secrets, made.public)
    text = "\n".join(disguise.format(line) for line in lines)
    assert next(iter(secrets.find("docs/runtime.md", text)))[0] == "04.9"


def test_the_answer_to_a_past_lab_is_no_secret(made, choice):
    text = answer("kernels/cpu/cwise/approximate_equal.cc", "00.2")
    secrets = canary.Canary(made.secrets, made.public)
    assert not [*secrets.find("docs/runtime.md", text)]


def test_a_hidden_case_in_another_file_is_found(made):
    secrets = canary.Canary(made.secrets, made.public)
    hidden = [one for one in made.secrets if "broadcast_of_special" in one.name]
    (name, words), *_ = secrets.find("docs/runtime.md", hidden[0].text)
    assert name == "the hidden case broadcast_of_special_numbers"
    assert len(words.split()) == canary.LENGTH


def test_short_answers_are_found_as_a_whole():
    secrets = canary.Canary([canary.Secret("1.1", "return Add(x, y, Times(z, z));")])
    assert [*secrets.find("a", "# return  Add ( x, y,\n# Times(z, z))")]
    assert not [*secrets.find("a", "return Add(x, y, Times(z, y));")]


def test_a_bird_comes_out_if_a_rule_or_the_cutting_of_cases_fails(monkeypatch, choice):
    file = "solutions/04_gradients/NOTES.md"
    with monkeypatch.context() as patch:
        patch.setattr(release_files, "GIVEN", (*release_files.GIVEN, file))
        with pytest.raises(project.LabError, match=f"secrets come out in {file}$"):
            release._rehearse(choice)
    with monkeypatch.context() as patch:
        patch.setattr(release_files, "why_not", lambda path, *more: "")
        with pytest.raises(
            project.LabError, match=r"minitf/gradients/math/math_grad\.cc"
        ):
            release._rehearse(choice)
    monkeypatch.setattr(hidden_cases, "_is_hidden", lambda node, file: False)
    with pytest.raises(project.LabError, match="come out in tests/labs/04_gradients"):
        release._rehearse(choice)


def test_each_hidden_case_has_its_bird():
    paths = [p for p in release_files.tracked_files() if p.startswith("tests/labs/")]
    texts = {path: (project.ROOT / path).read_text() for path in paths}
    birds = sum(canary.in_hidden_cases(p, t).count(canary.BIRD) for p, t in texts.items())
    assert birds == sum(text.count("hidden=True") for text in texts.values()) > 50


def test_reports_say_the_same_of_wrong_answers_as_here(made, choice):
    for lab in choice.labs:
        text = made.files[f"tests/labs/{lab.folder}/{diagnoses.NAME}"].decode()
        assert text == diagnoses.dump(diagnoses.load(lab)) != diagnoses.dump({})


def test_what_labs_share_goes_along(made):
    assert "tests/labs/common/arrays.h" in made.files


def test_no_answer_and_no_hidden_case_of_any_lab_comes_out():
    """The whole of it, as ``made`` looks at labs 04 and 06 alone."""
    everything = release_files.choose("", "", "")
    made = release.put_together(everything, release.read_file, no_objects)
    assert not canary.findings(canary.Canary(made.secrets, made.public), made.files)


# ---- The folder -----------------------------------------------------------------------


def test_the_same_input_makes_the_same_commit(made, choice, folder, tmp_path):
    other = tmp_path / "b"
    commit = release.write(made, choice, other)
    assert git(folder, "rev-parse", "HEAD").strip() == commit
    assert git(other, "status", "--porcelain") == ""
    assert git(other, "log", "--format=%an %ae").strip() == "minitf minitf@localhost"
    assert release.write(made, choice, other) is None
    listed = json.loads((other / project.RELEASED).read_text())
    assert (listed["labs"], listed["past"]) == (["00", "04", "06"], ["00"])
    assert "before" not in listed
    assert release_out.past_of(other) == ["00"]
    assert release_out.past_of(tmp_path) == []
    assert os.access(other / "lab", os.X_OK)


def test_an_update_is_a_commit_on_top_and_keeps_what_is_the_student_s(
    made, choice, tmp_path
):
    release.write(made, choice, tmp_path / "a")
    git(tmp_path, "clone", "--quiet", "a", "student")
    student = tmp_path / "student"
    (student / "work").mkdir()
    (student / "work" / "mine.cc").write_text("mine")
    later = release.Made(dict(made.files), [], [], [])
    del later.files["docs/passes.md"]
    later.files["more/page.md"] = b"new\n"
    (tmp_path / "a" / "notes.txt").write_text("of the instructor")
    assert release.write(later, choice, tmp_path / "a")
    assert git(tmp_path / "a", "log", "--format=%s").count("\n") == 2
    assert (tmp_path / "a" / "notes.txt").exists()
    git(student, "pull", "--quiet")
    assert (student / "more" / "page.md").exists()
    assert not (student / "docs" / "passes.md").exists()
    assert (student / "work" / "mine.cc").read_text() == "mine"
    assert git(student, "status", "--porcelain") == "?? work/\n"
    release.write(made, choice, tmp_path / "a")
    assert not (tmp_path / "a" / "more").exists()


def test_who_is_stopped_begins_anew(made, choice, tmp_path, monkeypatch):
    out = tmp_path / "a"
    release.write(made, choice, out)
    later = release.Made({p: d + b"\n" for p, d in made.files.items()}, [], [], [])
    put, count = release_out._put, iter(range(400))

    def stop(*args, **more):
        if next(count) == 300:
            raise OSError(28, "No space left on device", str(args[0]))
        put(*args, **more)

    monkeypatch.setattr(release_out, "_put", stop)
    with pytest.raises(project.LabError, match="No space left on device"):
        release.write(later, choice, out)
    monkeypatch.undo()
    assert release.write(later, choice, out)
    assert git(out, "status", "--porcelain") == ""
    assert (out / "LICENSE").read_bytes() == later.files["LICENSE"]


def test_a_folder_that_is_something_else_is_refused(made, choice, tmp_path):
    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.txt").write_text("years")
    with pytest.raises(project.LabError, match="is not empty, and no release"):
        release.write(made, choice, other)
    assert [path.name for path in other.iterdir()] == ["thesis.txt"]
    with pytest.raises(project.LabError, match="is no folder"):
        release_out.check(other / "thesis.txt")
    for place in (project.ROOT, project.ROOT.parent):
        with pytest.raises(project.LabError, match="holds minitf itself"):
            release_out.check(place)
    (other / project.RELEASED).write_text('{"files": {"../../etc/passwd": "0"}}')
    with pytest.raises(project.LabError, match="is damaged"):
        release_out.check(other)


def test_what_somebody_has_changed_in_it_is_named_and_kept(made, choice, tmp_path):
    release.write(made, choice, tmp_path / "a")
    page = tmp_path / "a" / "exercises" / "README.md"
    page.write_text("our own text")
    with pytest.raises(
        project.LabError, match="not as it was released: exercises/README"
    ):
        release_out.check(tmp_path / "a")
    page.write_bytes(made.files["exercises/README.md"])
    (tmp_path / "a" / "more.md").write_text("theirs")
    later = release.Made({**made.files, "more.md": b"ours"}, [], [], [])
    with pytest.raises(project.LabError, match=r"more\.md"):
        release.write(later, choice, tmp_path / "a")
    assert (tmp_path / "a" / "more.md").read_text() == "theirs"


# ---- The command, and the tool in it --------------------------------------------------


def test_labs_are_chosen_by_numbers_or_by_a_course():
    labs = [lab.number for lab in release_files.choose("4,00", "", "6").labs]
    assert labs == ["00", "04", "06"]
    kernels = release_files.choose("", "kernels", "").labs
    assert [lab.number for lab in kernels][:2] == ["00", "01"]
    for given, text in (
        (("99", "", ""), "there is no lab 99"),
        (("", "cooking", ""), "there is no course cooking; there are: internals"),
        (("", "", "77"), "there is no lab 77"),
        ((",", "", ""), "names no lab"),
    ):
        with pytest.raises(project.LabError, match=text):
            release_files.choose(*given)


def test_the_tool_of_a_release_starts_labs_and_says_what_it_lacks(folder):
    done = in_folder(folder, "-m", "minitf_lab", "start", "04")
    assert done.returncode == 0, done.stderr
    assert (folder / "work" / "04_gradients" / "math_grad.cc").exists()
    assert git(folder, "status", "--porcelain") == "?? work/\n"  # Git may take it
    done = in_folder(
        folder, "-m", "minitf_lab", "submit", "04", "--hours", "2", "--untried"
    )
    assert done.returncode == 0 and "not written yet: 04.7" in done.stdout
    for command in (["faults", "04"], ["test"]):
        done = in_folder(folder, "-m", "minitf_lab", *command)
        assert done.returncode == 1
        assert done.stderr == "students' repositories lack what this command needs\n"
    done = in_folder(folder, "-m", "minitf_lab", "start", "01")
    assert done.stderr == "there is no lab 01; there are: 00, 04, 06\n"
    assert "course" not in in_folder(folder, "-m", "minitf_lab", "--help").stdout


def test_a_release_needs_the_python_that_its_bytecode_is_of(folder):
    facts = json.loads((folder / "objects" / "objects.json").read_text())
    assert facts["python"] == f"{sys.version_info[0]}.{sys.version_info[1]}"
    lines = f'root={folder}; eval "$(sed -n "/^made_for=/,/^}}/p" {folder}/lab)"'
    for other, status in (("", 0), ("made_for=3.99", 1)):
        script = f"set -uo pipefail\n{lines}\n{other}\nfind_python"
        assert subprocess.run(["bash", "-c", script]).returncode == status
