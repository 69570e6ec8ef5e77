"""Submissions in unusual Git repositories: each is read, or refused in a line."""

import pytest
from test_collect import CODE, DUE, NOON, commit, git, put, run, text_of


@pytest.fixture
def repository(source):
    """Two commits before the due date, and one after it."""
    folder = source / "ada"
    folder.mkdir()
    git(folder, "init", "-q")
    for text, at in (("1", NOON - 300), ("2", NOON - 200), ("3", NOON + 5000)):
        commit(folder, text, at)
    return folder


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize(
    "name", ["fix#1", "a@b", "x+y=z", "ümläut/日本", "(wip)", "c++,%"]
)
def test_a_branch_may_have_any_name(source, course, repository, name, is_packed):
    git(repository, "checkout", "-q", "-b", name)
    commit(repository, "4", NOON + 300)
    put(repository / ".git" / "refs" / "heads" / ".DS_Store", "x" * 6000)
    if is_packed:
        git(repository, "pack-refs", "--all")
    assert run(source, course).taken == ["ada"]
    assert text_of(course, "ada") == "4"


def test_a_name_of_a_branch_may_be_in_no_encoding(source, course, repository):
    git(repository, "checkout", "-q", "-b", b"caf\xe9")
    commit(repository, "4", NOON + 300)
    assert run(source, course).taken == ["ada"]
    assert text_of(course, "ada") == "4"


def test_the_only_branch_of_a_server_counts(source, course, repository):
    git(source, "clone", "-q", "--bare", "ada", "bob")
    put(source / "bob" / "HEAD", "ref: refs/heads/none\n")
    assert run(source, course).taken == ["ada", "bob"]
    git(source / "bob", "branch", "other", "master")
    [refused] = run(source, course / "x").refused
    assert refused == (
        "bob: HEAD names the branch none, which has no commit; the repository has the "
        "branches master, other"
    )


def test_a_shallow_clone_is_read(source, course, repository):
    address = f"file://{repository}"
    git(source, "clone", "-q", "--depth", "1", address, "bob")
    git(source, "clone", "-q", "--depth", "2", "--bare", address, "cleo")
    found = run(source, course)
    assert found.taken == ["ada", "bob", "cleo"]
    assert text_of(course, "bob") == text_of(course, "cleo") == "3"
    found = run(source, course / "x", due=DUE)
    assert found.taken == ["ada", "cleo"] and text_of(course / "x", "cleo") == "2"
    assert found.refused == [
        "bob: the repository has no commit before the due date; it is a shallow clone, "
        "so clone it with all commits"
    ]
    put(source / "bob" / ".git" / "shallow", "x\n")
    assert "bob: the repository's file shallow is broken" in run(source, course).refused


def test_a_partial_clone_is_refused_in_a_sentence(source, course, repository):
    git(repository, "config", "uploadpack.allowFilter", "true")
    words = ("--filter=blob:none", "--no-checkout", f"file://{repository}")
    git(source, "clone", "-q", *words, "bob")
    assert run(source, course).refused == [
        f"bob: the repository lacks the contents of {CODE}; clone it whole, without "
        "--filter"
    ]


def test_a_repository_may_have_hashes_of_sha256(source, course, tmp_path):
    folder = source / "ada"
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "--object-format=sha256")
    commit(folder, "1", NOON - 300)
    commit(folder, "2", NOON + 5000)
    assert run(source, course, due=DUE).taken == ["ada"]
    assert text_of(course, "ada") == "1"
    found = run(put(tmp_path / "list.txt", f"bob {folder}\n"), course)
    assert found.taken == ["bob"] and text_of(course, "bob") == "2"


def test_a_push_without_the_work_is_told_why(source, course):
    folder = source / "ada"
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    put(folder / "work" / "00_hello" / CODE, "mine")
    put(folder / ".gitignore", "/work/\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "x")
    [refused] = run(source, course).refused
    assert refused.endswith(
        "has no file of lab 00; if .gitignore names work/, add them by "
        "git add --force work/00_hello"
    )
    git(folder, "add", "--force", "work/00_hello")
    git(folder, "commit", "-q", "-m", "y")
    assert run(source, course).taken == ["ada"]
