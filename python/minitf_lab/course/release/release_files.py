"""Which files of minitf students get, and why they do not get the others.

The rules name what students get; what no rule names stays here. So a file that is new
reaches nobody before somebody has thought of it.
"""

import ast
import re
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from minitf_lab import project
from minitf_lab.judge import cuda_units

TOOL = "python/minitf_lab/"
# What ./lab runs for students, besides what these modules import when they are.
ROOTS = (
    *("__init__", "__main__", "labs/bare", "dev/stubs/__main__"),
    *("dev/demo/demo", "dev/demo/train", "dev/demo/milestone_mlp"),
)
DOCUMENTS = (
    *("api", "architecture", "dependencies", "devices", "differences", "files"),
    *("adding_a_family", "adding_a_pass", "adding_a_reader", "adding_an_op"),
    *("input_pipeline", "passes", "reading_order", "records_and_images", "runtime"),
    *("simt", "walks"),
)
OF_COURSES = (
    *("instructor_guide", "writing_a_lab", "labs", "the_box", "speed_points"),
    "student_repository",
)
# What goes along, by the whole path. The first group is the number of a lab, if any.
GIVEN = (
    r"lab|LICENSE|CMakeLists\.txt|CMakePresets\.json|pyproject\.toml",
    r"\.gitignore|\.gitattributes|\.clang-format|cmake/\w+\.cmake",
    r"(?:minitf|kernels(?!/gpu)|python/minitf|python/minitf_wrap|python/bindings)/.*",
    r"kernels/gpu/\w+\.h",
    r"python/(?:CMakeLists|requirements)\.txt",
    r"exercises/README\.md|exercises/(\d\d)_\w+/.*",
    r"tests/labs/\w+\.h|tests/labs/guard/\w+\.\w+|tests/labs/common/\w+\.\w+",
    r"tests/labs/(\d\d)_\w+/\w+\.(?:py|h|cc|json)",
    rf"docs/(?:{'|'.join(DOCUMENTS)})\.md|docs/ops\.pbtxt",
    rf"{TOOL}judge/\w+\.py|{TOOL}dev/demo/page\.html\.jinja",
)
ANSWER = "answers of minitf to labs that are not over: compiled instead"
LATER = "labs that are not handed out"
# Why the others stay here: the first pattern that fits.
WHY = (
    (r"solutions/.*", "solutions, notes, faults, answers by others, figures"),
    (r"tests/.*", "tests of minitf itself, which say much about answers"),
    (
        rf"{TOOL}course/.*|docs/(?:{'|'.join(OF_COURSES)})\.md|"
        r"exercises/tracks\.json",
        "what instructors need",
    ),
    (
        rf"{TOOL}.*|docs/.*|\.ci/.*|\.clang-tidy|python/\w+-requirements\.txt",
        "what developers of minitf need",
    ),
    (r"notebooks/.*", "notebooks, which run on the whole of minitf"),
    (
        r"kernels/gpu/.*",
        "kernels for cards, which are much like answers to 08 to 11",
    ),
    (r"python/swig/.*", "another way to Python, which no lab needs"),
    (r"README\.md", "the project's page: students get their own"),
    (r".*", "not known to be for students (course/release/release_files.py)"),
)


@dataclass(frozen=True)
class Choice:
    """What is handed out.

    Attributes:
        labs: With exercises and public cases, in the order of their numbers.
        past: Those of them that are over: minitf's own answers go along as source.
    """

    labs: list[project.Lab]
    past: list[project.Lab]

    @cached_property
    def answers(self) -> dict[str, project.Lab]:
        """The files of minitf that are compiled: those of every lab that is not over."""
        over = {lab.number for lab in self.past}
        labs = [lab for lab in project.all_labs() if lab.number not in over]
        return {file: lab for lab in labs for file in lab.files}


def _labs(text: str) -> list[project.Lab]:
    """The labs of a list such as ``00,01``.

    Raises:
        LabError: there is no such lab.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    return [project.find_lab(word) for word in words]


def choose(labs: str, track: str, past: str) -> Choice:
    """Reads the options: all labs if neither ``labs`` nor ``track`` is given.

    Raises:
        LabError: there is no such lab or course.
    """
    chosen = _labs(labs)
    if labs and not chosen:
        raise project.LabError(f"--labs {labs!r} names no lab")
    if track:
        known = {one.name: one for one in project.tracks()}
        if track not in known:
            names = ", ".join(known)
            raise project.LabError(f"there is no course {track}; there are: {names}")
        numbers = known[track].labs
        chosen = [lab for lab in project.all_labs() if lab.number in numbers]
    elif not labs:
        chosen = project.all_labs()
    over = _labs(past)
    found = {lab.number: lab for lab in [*chosen, *over]}
    return Choice(
        [found[number] for number in sorted(found)],
        [found[number] for number in sorted({lab.number for lab in over})],
    )


def _ls_files(*options: str) -> list[str]:
    done = subprocess.run(
        ["git", "-C", str(project.ROOT), "ls-files", "-z", *options], capture_output=True
    )
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise project.LabError(f"this is to be done in a Git checkout of minitf: {said}")
    return sorted(name.decode() for name in done.stdout.split(b"\0") if name)


def tracked_files() -> list[str]:
    """The paths that belong to the project, from its top folder.

    Raises:
        LabError: this is no Git checkout.
    """
    paths = {name: project.ROOT / name for name in _ls_files()}
    # One that was removed, or a link that would lead out, is none.
    return [n for n, path in paths.items() if path.is_file() and not path.is_symlink()]


def unknown_files() -> list[str]:
    """Files that Git neither knows nor ignores."""
    return _ls_files("--others", "--exclude-standard")


def _imports(path: Path) -> list[str]:
    """The modules of the tool that one imports when it is imported itself."""
    found = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [node.module, *inside]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return [name for name in found if name.startswith("minitf_lab.")]


def tool_modules() -> set[str]:
    """The files of the tool that students' commands are made of."""
    package = project.ROOT / TOOL
    waiting = [package / f"{name}.py" for name in ROOTS]
    waiting += sorted((package / "judge").glob("*.py"))
    found = set(waiting)
    while waiting:
        path = waiting.pop()
        needed = [path.with_name("__init__.py")]
        needed += [package.parent / f"{n.replace('.', '/')}.py" for n in _imports(path)]
        for other in needed:
            if other.is_file() and other not in found:
                found.add(other)
                waiting.append(other)
    return {path.relative_to(project.ROOT).as_posix() for path in found}


def is_object(file: str, choice: Choice) -> bool:
    """Whether students get an object in place of an answer of minitf.

    They need those of CUDA only if they write some of them: the rest of minitf does
    without.
    """
    if cuda_units.is_cuda(file):
        return choice.answers[file] in choice.labs
    return not file.endswith(".py")


def why_not(path: str, choice: Choice, tool: set[str]) -> str:
    """Why a file stays here; empty if students get it."""
    if path in choice.answers:
        return ANSWER
    if any(path in lab.files for lab in choice.past):
        return ""
    numbers = {lab.number for lab in choice.labs}
    for pattern in GIVEN:
        if match := re.fullmatch(pattern, path):
            number = next((group for group in match.groups() if group), None)
            return "" if number is None or number in numbers else LATER
    if path in tool:
        return ""
    return next(why for pattern, why in WHY if re.fullmatch(pattern, path))
