"""Properties that no comparison shows: memory, threads, names in the stub.

``./lab lint types`` checks the types of the stubs.
"""

import gc
import importlib
import inspect
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from constructs import interface
from oracle import GENERATOR, compile_, generate


def load(folder: Path, name: str):
    """Imports the module and its extension from a folder."""
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kit")
    source = generate(interface("kit"), folder, swig=False)
    compile_(source, "kit", "-Wall", "-Wextra", "-Werror")
    return load(folder, "kit")


def raises(function, *arguments, **named):
    """Calls a function that must raise."""
    with pytest.raises((TypeError, OverflowError, ValueError)):
        function(*arguments, **named)


def exercise(kit, node, texts, k):
    """Makes one call of each kind, right and wrong."""
    kit.add(k, 1)
    kit.add(a=k, b=1)
    kit.echo(texts[0])
    kit.number_of = kit.cvar.number
    kit.cvar.number = 2.5
    node.plus(k)
    node.twice().value = k
    kit.Pair().first.value = 3
    raises(kit.add, texts[0], 1)
    raises(kit.add, 1)
    raises(kit.add, 1, zz=1)
    raises(node.plus, texts[0])
    raises(kit.Node.plus, None, 1)
    with pytest.raises(RuntimeError, match="broken"):
        kit.fail()


def test_10_000_calls_leave_references_memory_and_objects_unchanged(kit):
    node, texts = kit.Node(7), ["some text"]
    numbers = [k for k in range(10_000)]
    for k in range(200):
        exercise(kit, node, texts, k)
    gc.collect()
    watched = (node, texts[0], kit.Node, kit.add, None, kit.cvar)
    before = [sys.getrefcount(item) for item in watched]
    alive, pages = kit.Node.alive(), _resident_pages()
    for k in numbers:
        exercise(kit, node, texts, k)
    gc.collect()
    after = [sys.getrefcount(item) for item in watched]
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) <= 2, (
        before,
        after,
    )
    assert kit.Node.alive() == alive
    assert _resident_pages() - pages < 64  # 256 KiB


def _resident_pages():
    return int(Path("/proc/self/statm").read_text().split()[1])


def test_a_thread_that_sleeps_in_c_lets_others_run(kit):
    def both(function):
        threads = [threading.Thread(target=function, args=(300,)) for _ in range(2)]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter() - start

    assert both(kit.nap) < 0.55
    assert both(kit.hold) > 0.59, "without %thread the GIL is held"


def test_exceptions_of_cpp_become_exceptions_of_python(kit):
    with pytest.raises(RuntimeError, match="^broken$"):
        kit.fail()
    with pytest.raises(RuntimeError, match="unknown C\\+\\+ exception"):
        kit.fail_oddly()


def test_a_field_keeps_its_object_alive(kit):
    first = kit.Pair().first  # the Pair is garbage now
    first.value = 12
    gc.collect()
    [kit.Node(5) for _ in range(100)]
    assert first.value == 12


def test_a_variable_keeps_a_copy_of_a_text(kit):
    label = kit.Label()
    for k in range(3):
        text = f"a text that is garbage at once {k}"
        kit.cvar.note = label.text = "".join(reversed(text))
        assert sys.getrefcount(text) == 2
        assert kit.cvar.note == label.text == text[::-1]
    gc.collect()
    ["".join(reversed(f"another text of the same size {n}")) for n in range(1000)]
    assert kit.cvar.note == label.text == text[::-1]


def test_a_field_in_an_attribute_of_its_object_is_collected(kit):
    gc.collect()
    alive = kit.Node.alive()
    pair = kit.Pair()
    pair.own = pair.first
    assert kit.Node.alive() == alive + 1
    del pair
    gc.collect()
    assert kit.Node.alive() == alive


def test_objects_die_with_their_owner_only(kit):
    gc.collect()
    alive = kit.Node.alive()
    node = kit.Node(1)
    assert kit.Node.alive() == alive + 1
    node.__init__(2)  # replaces the object
    assert (kit.Node.alive(), node.value) == (alive + 1, 2)
    del node
    assert kit.Node.alive() == alive
    empty = kit.Node.__new__(kit.Node)
    for use in (lambda: empty.value, lambda: empty.plus(1)):
        with pytest.raises(TypeError):
            use()
    lost = kit.Node(3)
    lost.thisown = False
    del lost
    assert kit.Node.alive() == alive + 1


def test_null_and_foreign_objects_are_refused_as_self(kit):
    for wrong in (None, 3, kit.Pair(), kit.Node.__new__(kit.Node)):
        with pytest.raises(
            (TypeError, ValueError), match="argument 1 of type 'Node const \\*'"
        ):
            kit.Node.plus(wrong, 1)
    with pytest.raises(TypeError, match="self"):
        kit._kit.new_Node(object(), 1)


def test_wrong_arguments_are_named(kit):
    with pytest.raises(
        TypeError, match=r"add\(\) expected the arguments \(a, b\), got 3"
    ):
        kit.add(1, 2, 3)
    for named in ({"zz": 1}, {"a": 1}, {"b": 1, "zz": 1}):
        with pytest.raises(TypeError, match=r"got 1 by position and \('.*\) by name"):
            kit.add(1, **named)


def test_help_shows_signatures_and_docstrings(kit):
    assert str(inspect.signature(kit.add)) == "(a, b)"
    assert str(inspect.signature(kit.Node.plus)) == "(self, n)"
    assert str(inspect.signature(kit.Pair.__init__)) == "(self)"
    assert inspect.getdoc(kit.nap) == "Sleeps for some milliseconds."


def test_the_stub_names_what_the_module_has(kit):
    stub = Path(kit.__file__).with_suffix(".pyi").read_text()
    names = set(re.findall(r"^(?:class |def )?(\w+)(?=[(:])", stub, re.M)) - {
        "SwigPyObject"
    }
    assert {"Node", "add", "cvar"} <= names
    assert all(hasattr(kit, name) for name in names)
    assert "def plus(self: Node, n: int) -> int: ..." in stub
    assert "def twice(self: Node) -> Node: ..." in stub


def test_the_classic_example_of_the_manual(tmp_path):
    path = tmp_path / "classic_example.i"
    path.write_text('%module classic_example\n%include "classic.i"\n')
    compile_(generate(path, tmp_path, swig=False), "classic_example", "-Wall")
    example = load(tmp_path, "classic_example")
    assert example.fact(5) == 120
    assert example.my_mod(7, 3) == 1
    assert example.cvar.My_variable == 3.0


def test_errors_of_the_command_line(tmp_path):
    (tmp_path / "m.i").write_text("%module m\nint f(Nothing x);\n")
    for name, text in (("m.i", "m.i:2:7: expected a type"), ("no.i", "No such file")):
        command = [sys.executable, "-m", "minitf_wrap", name, "--outdir", str(tmp_path)]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={"PYTHONPATH": str(GENERATOR)},
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout) == (1, "")
        assert text in done.stderr
