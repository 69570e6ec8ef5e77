"""minitf with a student's files in place of its own: some objects, one library.

The build knows how a group of files is compiled and how the library is linked (``ninja
-t commands``). A variant takes these commands with other sources and targets: each file
of a lab is compiled alone, and these objects are linked in place of that of their group.
So any number of variants can be made beside each other, and the build's own files stay as
they are.
"""

import os
import re
import resource
import shlex
import subprocess
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from minitf_lab import contents, project, texts
from minitf_lab.judge import cuda_units, kept, libraries, regions
from minitf_lab.judge.compile_box import (
    check_includes,
    environment,
    headers,
    run_tool,
)
from minitf_lab.judge.sandbox import Box
from minitf_lab.messages import MAX_MESSAGES, student_messages, without_python

FLAGS = (
    "-O1",  # takes a third less time, and the cases do not ask for speed
    # What would crash later, and say nothing then.
    *("-Werror=return-type", "-Wuninitialized"),
    *("-Wno-unused", "-Wno-attributes", "-Wno-psabi"),
)
# A failed assertion counts. The precompiled header is made without assertions.
HEAD = "#undef NDEBUG\n#include <cassert>\n"
HEADERS = {".h", ".hpp", ".inc"}
LIBRARY = libraries.FRAMEWORK
# What one compiler may use; the largest of our files takes a quarter.
COMPILER_CPU_S, COMPILER_MEMORY_MB = 120, 4000


def _gcc_library(name: str) -> str:
    """Where the compiler has a library."""
    find = ["g++", f"-print-file-name={name}"]
    found = subprocess.run(find, capture_output=True, text=True, check=True).stdout
    return os.path.realpath(found.strip())


@dataclass(frozen=True)
class Sanitizer:
    """What sees mistakes that do no harm by chance.

    Attributes:
        library: What has to be loaded before Python.
        options: Variables that say what it does at the first finding: it aborts.
        flags: For compiling a student's files and for linking.
        preset: Which build of minitf the rest is taken from.
    """

    library: str
    options: dict[str, str]
    flags: tuple[str, ...] = ()
    preset: str = "release"

    def environment(self, *folders: Path) -> dict[str, str]:
        """The variables of a worker whose Python looks into ``folders`` first."""
        variables = dict(self.options)
        if self.library:
            # With the library of C++ it sees what is thrown; Python does not load that.
            names = (self.library, "libstdc++.so.6")
            variables["LD_PRELOAD"] = " ".join(map(_gcc_library, names))
        if self.preset != "release":  # there is the rest of minitf
            build = project.build_folder(self.preset)
            folders = (*folders, build / "python", build / "labs" / "drivers")
        if folders:
            variables["PYTHONPATH"] = os.pathsep.join(map(str, folders))
        return variables


ASAN_FLAGS = ("-fsanitize=address,undefined", "-g1", "-O1", "-fno-omit-frame-pointer")
# What can watch a student's files, by the name of the preset that has it too. The address
# sanitizer watches these alone; the thread sanitizer must see the rest of minitf as well,
# or it takes what is ordered there for a race.
SANITIZERS = {
    "asan": Sanitizer(
        "libasan.so",
        {
            "ASAN_OPTIONS": "detect_leaks=0:handle_abort=1:abort_on_error=1"
            ":alloc_dealloc_mismatch=0",
            "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:abort_on_error=1",
        },
        ASAN_FLAGS,
    ),
    "tsan": Sanitizer(
        "libtsan.so",
        # A fork locks more mutexes than its detector of deadlocks can follow.
        {
            "TSAN_OPTIONS": "halt_on_error=1:abort_on_error=1:die_after_fork=0"
            ":detect_deadlocks=0"
        },
        preset="tsan",
    ),
}
NO_SANITIZER = Sanitizer("", {})


@dataclass(frozen=True)
class Variant:
    """A library with other answers in it.

    Attributes:
        library: As ``libraries.library_of``, in another folder.
        whole: Files without the exercise's marks: their tasks cannot be tested apart.
        warnings: What the compiler said.
        objects: What was made of each answer.
    """

    library: Path
    whole: tuple[str, ...] = ()
    warnings: str = ""
    objects: dict[str, Path] = field(default_factory=dict)


def _limit_compiler() -> None:
    """Called in a new process: it, and each one that it starts, may use so much."""
    resource.setrlimit(resource.RLIMIT_CPU, (COMPILER_CPU_S, COMPILER_CPU_S))
    memory = COMPILER_MEMORY_MB << 20
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def commands(
    preset: str, library: str = LIBRARY
) -> tuple[dict[Path, list[str]], list[str]]:
    """How each source is compiled, alone or in a group; how the library is linked."""
    done = subprocess.run(
        ["ninja", "-C", str(project.build_folder(preset)), "-t", "commands", library],
        capture_output=True,
        text=True,
        check=True,
    )
    compiles: dict[Path, list[str]] = {}
    link: list[str] = []
    for line in done.stdout.split("\n"):
        if " -c " in line:
            words = shlex.split(line)
            source = project.build_folder(preset) / words[words.index("-c") + 1]
            compiles |= dict.fromkeys(contents.members(source), words)
        elif f"-o {library}" in line:
            link = [word for word in shlex.split(line) if word not in {":", "&&"}]
    if not link:
        raise project.LabError(f"the build knows no {library}: run ./lab build")
    return compiles | _of_objects(compiles, link), link


def _of_objects(
    compiles: dict[Path, list[str]], link: list[str]
) -> dict[Path, list[str]]:
    """How the files would be compiled that are handed out as objects.

    That is as another file of the same folder of minitf's, such as kernels/.
    """
    like = {
        path.relative_to(project.ROOT).parts[0]: c
        for path, c in compiles.items()
        if path.is_relative_to(project.ROOT)
        and (
            re.search(r"_(objects|binding)\.dir/", _object_of(c))
            or cuda_units.is_cuda(path)
        )
    }
    found = {}
    for word in link:
        if match := re.search(r"(?:^|/)objects/\w+/((\w+)/.+\.c[cu])\.o$", word):
            command = list(like[match[2]])
            command[command.index("-o") + 1] = word
            found[project.ROOT / match[1]] = command
    return found


def objects_of(units: Iterable[str], preset: str = "release") -> list[Path]:
    """What the build has made of files of minitf."""
    units = [*units]
    compiles, _ = commands(preset, libraries.library_of(units))
    build = project.build_folder(preset)
    return [build / _object_of(compiles[project.ROOT / unit]) for unit in units]


def run_compiler(
    command: list[str], folder: Path, sources: dict[str, str] | None = None
) -> str:
    """Runs a compiler or a linker without a box; what it said.

    Raises:
        BuildError: it was not content; ``sources`` are as for ``student_messages``.
    """
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        errors="replace",
        preexec_fn=_limit_compiler,
    )
    said = done.stdout + done.stderr
    if done.returncode:
        raise project.BuildError(student_messages(said, sources), said)
    return said


def run(
    command: list[str],
    target: Path,
    read: list[Path],
    folder: Path,
    box: Box | None,
    sources: dict[str, str] | None = None,
) -> str:
    """Runs a compiler or a linker, which makes ``target``; what it said.

    It runs in ``folder``; in a box it finds the files ``read`` and no others.

    Raises:
        BuildError: it was not content; ``sources`` are as for ``student_messages``.
    """
    if box is None:
        return run_compiler(command, folder, sources)
    said = run_tool(box, command, target, read)
    if said.cause:
        shown = student_messages(said.text, sources)
        raise project.BuildError(shown, said.text, said.cause)
    return said.text


def _read(answer: Path) -> tuple[str, str]:
    """How a file is called, and what is in it.

    Raises:
        LabError: it cannot be read as text.
    """
    name = project.shown(answer)
    try:
        return name, texts.read(answer, name)
    except (OSError, ValueError) as error:
        raise project.LabError(f"{name} cannot be read: {error}") from error


def with_head(text: str) -> str:
    """Returns ``text`` with assertions turned on, and with the header for labs.

    Files of the framework do not include this header. The code that chooses between the
    answers of a region needs it.
    """
    needs_lab = regions.LAB_INCLUDE not in text and regions.NEEDS_LAB.search(text)
    return HEAD + (f"{regions.LAB_INCLUDE}\n" if needs_lab else "") + text


def compose_file(answer: Path, unit: str) -> tuple[str, bool]:
    """The text to compile for ``answer``; whether it has both answers in each region.

    Raises:
        LabError: the file cannot be read as text.
    """
    name, text = _read(answer)
    reference = project.ROOT / unit
    if not reference.is_file():  # it is handed out compiled
        return compose_as_it_is(answer, unit)
    try:
        others = regions.answers_of(reference.read_text())
        return with_head(regions.compose(text, others, name)), True
    except ValueError:
        return compose_as_it_is(answer, unit)


def compose_as_it_is(answer: Path, unit: str) -> tuple[str, bool]:
    """The text to compile where minitf's own answers are not at hand.

    Raises:
        LabError: the file cannot be read as text.
    """
    name, text = _read(answer)
    return with_head(f'#line 1 "{name}"\n{text}'), False


def compose_alone(
    answer: Path, unit: str, task: str, helpers: list[str] | None = None
) -> tuple[str, bool]:
    """The text to compile for marks: no answer of minitf to a task stands beside it.

    Args:
        answer: The file.
        unit: What it takes the place of.
        task: If given, all regions but those of this task are minitf's.
        helpers: If given, these regions are; all others are not written.

    Raises:
        LabError: the file cannot be read as text.
    """
    name, text = _read(answer)
    reference = project.ROOT / unit
    if not task:
        is_marked = regions.has_marks(answer, reference)
        return with_head(f'#line 1 "{name}"\n{text}'), is_marked
    others = regions.answers_of(reference.read_text(), helpers)
    return with_head(regions.leave_one(text, others, task, name)), True


def _object_of(command: list[str]) -> str:
    """What a compiler makes."""
    return command[command.index("-o") + 1]


def _with_neighbours(
    answers: dict[str, Path], compiles: dict[Path, list[str]]
) -> dict[str, Path]:
    """``answers``, and minitf's own files that lie in one object with one of them."""
    left_out = {_object_of(compiles[project.ROOT / unit]) for unit in answers}
    own = [path for path in compiles if _object_of(compiles[path]) in left_out]
    return {str(path.relative_to(project.ROOT)): path for path in own} | answers


@dataclass
class _Compiled:
    """What came of one file.

    Attributes:
        target: The object.
        said: What the compiler said.
        error: What it has against the file, if it is not content.
    """

    target: Path
    said: str = ""
    error: project.BuildError | None = None


def _compile(
    source: Path,
    text: str,
    command: list[str],
    build: Path,
    answer: Path,
    box: Box | None,
) -> _Compiled:
    """Writes ``text`` to ``source``, and compiles it as ``command`` does its own file.

    The student's own headers are beside ``answer``.

    Raises:
        BuildError: with what the compiler said.
        LabError: a file includes what it must not.
    """
    target = source.with_suffix(".o")
    sources = _sources_of(answer)
    include = answer.parent
    depends = source.with_suffix(".d")
    project.put(source, text)
    command = [*command, f"-I{include}"]
    for option, value in (("-o", target), ("-MF", depends), ("-c", source)):
        command[command.index(option) + 1] = str(value)
    own = _own_headers(include)
    read = [*_readable(source, command), *own]
    key, said = "", None
    if box:
        source.chmod(0o644)
        key = kept.key_of(text, command[:-1], own, box.kind)
        said = kept.find(key, target)
    if said is None:
        said = run(command, target, read, build, box, sources)
        if box:
            kept.keep(key, target, said)
        else:
            check_includes(depends, build, [source.parent, *read])
    return _Compiled(target, student_messages(said, sources))


def _sources_of(answer: Path) -> dict[str, str]:
    """An answer and its headers, by what messages of a compiler call them."""
    files = [answer, *_own_headers(answer.parent)]
    return {project.shown(path): path.read_text(errors="replace") for path in files}


def _own_headers(include: Path) -> list[Path]:
    """The headers of an answer: those beside it."""
    ours = [project.ROOT / "minitf", project.ROOT / "kernels"]
    if any(include.is_relative_to(folder) for folder in ours):
        return []
    return sorted(path for path in include.iterdir() if path.suffix in HEADERS)


def _readable(source: Path, command: list[str]) -> list[Path]:
    """What the compiler of ``source`` may read, besides headers of the answer."""
    header = Path(command[command.index("-include") + 1])
    read = [source, header, header.with_name(header.name + ".gch"), *headers()]
    if "minitf_bridge.dir" in header.parts:
        read += libraries.headers_of_bindings()
    given = [Path(word) for before, word in pairwise(command) if before == "-isystem"]
    return read + [path for path in given if not path.is_relative_to("/usr")]


def _link(
    command: list[str], library: Path, build: Path, made: list[Path], box: Box | None
) -> None:
    """Links a library, of objects of the build and of those that were made.

    Raises:
        BuildError: with what the linker said.
    """
    ends = (".o", ".a", ".so")
    command[command.index("-o") + 1] = str(library)
    apart = ("-", "/usr/", str(library))
    parts = [w for w in command if w.endswith(ends) and not w.startswith(apart)]
    if box:
        command = [str(build / w) if w in parts else w for w in command]
    command = [*command, *map(str, made), "-Wl,--no-undefined"]
    command += ["-fno-lto", "-fno-use-linker-plugin"] if box else []
    is_module = libraries.is_module(library)
    command += ["-Wl,--warn-unresolved-symbols"] if is_module else []
    said = run(command, library, [*(build / one for one in parts), *made], build, box)
    said = without_python(said)
    if is_module and "undefined reference to" in said:
        raise project.BuildError(student_messages(said), said)


def build_variant(
    answers: dict[str, Path],
    folder: Path,
    *,
    preset: str = "release",
    flags: tuple[str, ...] = (),
    compose: Callable[[Path, str], tuple[str, bool]] = compose_file,
    box: Box | None = None,
    objects: dict[str, Path] | None = None,
) -> Variant:
    """Compiles files of students and links them with the rest of minitf.

    Args:
        answers: For each file of the framework, such as minitf/tensor/shape.cc, the one
            that takes its place. Our own files that lie in one object with one of them
            are compiled anew.
        folder: Where everything goes.
        preset: Which build of minitf the rest is taken from; it must be up to date.
        flags: For compiling and linking, besides the build's.
        compose: Makes the text to compile, as ``compose_file`` does.
        box: Where the compiler and the linker run; in none if None.
        objects: Of answers that are compiled already.

    Raises:
        BuildError: with the compiler's output.
        LabError: a file includes what it must not.
    """
    name = libraries.library_of(answers)
    compiles, link = commands(preset, name)
    build, library = project.build_folder(preset), folder / name
    library.parent.mkdir(parents=True, exist_ok=True)
    answers = _with_neighbours(answers, compiles)
    composed = {unit: compose(answer, unit) for unit, answer in answers.items()}

    def compile_one(unit: str) -> _Compiled:
        if objects and unit in objects:
            return _Compiled(objects[unit])
        # A warning is shown, also where minitf itself is built without any.
        silent = ("-Wno-", "-Werror")
        command = [w for w in compiles[project.ROOT / unit] if not w.startswith(silent)]
        command += [*(cuda_units.FLAGS if cuda_units.is_cuda(unit) else FLAGS), *flags]
        source, text = folder / unit.replace("/", "_"), composed[unit][0]
        try:
            if cuda_units.is_cuda(unit):
                source, text = cuda_units.translate(text, source, run_compiler)
            return _compile(source, text, command, build, answers[unit], box)
        except project.BuildError as error:
            return _Compiled(source, error=error)

    with ThreadPoolExecutor(project.num_cores()) as pool:
        compiled = list(pool.map(compile_one, answers))
    if errors := [one.error for one in compiled if one.error]:
        said = "\n".join(error.said for error in errors)
        shown = "\n".join(dict.fromkeys(str(error) for error in errors))
        raise project.BuildError(shown[:MAX_MESSAGES], said, errors[0].verdict)
    left_out = {_object_of(compiles[project.ROOT / unit]) for unit in answers}
    command = [*(word for word in link if word not in left_out), *flags]
    _link(command, library, build, [one.target for one in compiled], box)
    whole = tuple(answers[unit].name for unit, (_, both) in composed.items() if not both)
    said = "\n".join(one.said for one in compiled if one.said)
    targets = {u: one.target for u, one in zip(answers, compiled, strict=True)}
    return Variant(library, whole, said, targets)
