"""What the files of a lab may call, and what an instructor is told of.

A method is not always what a lab asks for: a gradient that is taken by differences, or
the gradient of another op. So its manifest can name, for each of its files or for all
("*"), what it must do without:

    "forbid_imports": {"math_grad.cc": ["minitf::Gradients", "minitf::Session"]},
    "flag_imports": {"*": ["minitf::RunOp"]}

A name means that function, or all that is in that class, name space or module; ``*`` in
it means anything. ``forbid_words`` are letters that must not stand in the text of a file,
comments included. What is forbidden costs the points of the file's tasks (``policy``);
what is flagged is told to the instructor alone, as is ``FLAGGED``. ``REFUSED_PYTHON``
is forbidden in all labs, since minitf's own answers are handed out as bytecode. A file
that is refused at run time (``overlay.py``) need not be found here.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from minitf_lab import project
from minitf_lab.judge import imports
from minitf_lab.judge.case import Case
from minitf_lab.judge.regions import tasks_in_order
from minitf_lab.judge.runner import result_of
from minitf_lab.judge.sandbox import Box
from minitf_lab.results import Result

# What no lab needs: other programs and libraries, other processes, system calls.
FLAGGED_CPP = (
    *("dlopen", "dlmopen", "dlsym", "dlvsym", "dl_iterate_phdr", "system", "popen"),
    *("fork", "vfork", "clone", "exec[lv]*", "execve*", "fexecve", "posix_spawn*"),
    *("mprotect", "pkey_*", "ptrace", "process_vm_*", "syscall", "socket", "kill"),
    *("_exit", "_Exit", "exit", "quick_exit", "atexit", "sigaction", "signal"),
    *("setrlimit", "prctl", "open", "open64", "fopen*", "minitf_use_answer"),
    "minitf_guard_*",
)
FLAGGED_PYTHON = (
    *("ctypes", "subprocess", "multiprocessing", "socket", "gc", "importlib", "pickle"),
    *("minitf_lab", "os.system", "os.fork", "os.exec*", "os.kill", "os._exit", "signal"),
    *("sys._getframe", "sys.modules", "sys.settrace", "sys.setprofile", "builtins"),
    *("exec", "eval", "compile", "__import__", "__loader__", "open"),
)
# Names that make functions of bytecode, or reach into Python itself.
REFUSED_PYTHON = (
    *("marshal", "types.FunctionType", "types.LambdaType", "types.CodeType", "runpy"),
    *("__import__", "__loader__", "__spec__", "__builtins__", "builtins", "_imp", "imp"),
    *("importlib", "zipimport", "pkgutil", "ctypes", "_ctypes"),
    *("*.__code__", "*.co_code", "*.ctypes", "*.ctypeslib", "*.pythonapi"),
    *("sys.modules.marshal", "sys.modules.types", "sys.modules.ctypes"),
)


@dataclass(frozen=True)
class Audit:
    """What was found in the files of an answer.

    Attributes:
        refused: For tasks that get no points: why.
        flags: What the instructor is told.
    """

    refused: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    def result(self, case: Case) -> Result:
        """What becomes of a case of a task that is refused."""
        return result_of(case, "failed", self.refused[case.task], cause="policy")


def _patterns(lists: dict[str, list[str]], file: str) -> list[str]:
    return [*lists.get("*", []), *lists.get(Path(file).name, [])]


def _words_in(text: str, words: list[str]) -> list[str]:
    r"""Those of ``words`` that stand in a text, in lines that are put together as well.

    >>> _words_in("as\\\nm", ["asm", "gnu"])
    ['asm']
    """
    whole = re.sub(r"\\[ \t\r\f\v]*\n", "", text)
    return [word for word in words if word in whole]


def _of_objects(
    objects: dict[str, Path], right: Callable[[], list[Path]], box: Box
) -> dict[str, set[str]]:
    """What each object takes from others; once more if it was the machine's fault.

    An answer can see to it that nobody can say: by a million names, or by an object that
    the reader does not understand. That minitf's own objects are read, by the same
    program and right after, shows whose doing it is.

    Raises:
        UnreadableError: an object is too odd.
        GraderError: so are those of the lab's own answer.
    """
    paths = [*objects.values()]
    try:
        found = imports.of_objects(paths, box)
    except imports.UnreadableError:
        try:
            imports.of_objects(right(), box)
        except (imports.UnreadableError, project.LabError) as error:
            text = f"nobody can say what the lab's own answer imports: {error}"
            raise project.GraderError(text) from error
        found = imports.of_objects(paths, box)
    return {file: found[path] for file, path in objects.items()}


def audit(
    lab: project.Lab,
    files: dict[str, Path],
    objects: dict[str, Path],
    right: Callable[[], list[Path]],
    box: Box,
) -> Audit:
    """Looks for names that the lab forbids, or that the instructor is told of.

    ``objects`` are made of files in C++. ``right`` gives those of the lab's own answer.

    Raises:
        GraderError: no object can be looked at here.
    """
    texts = {file: path.read_text(errors="replace") for file, path in files.items()}
    used = {
        file: imports.of_python(text)
        for file, text in texts.items()
        if file.endswith(".py")
    }
    refused: dict[str, str] = {}
    flags = []

    def refuse(file: str, why: str) -> None:
        flags.append(why)
        for task in tasks_in_order(project.marked(lab, file).read_text()):
            refused.setdefault(task, why)

    for file, text in texts.items():
        if found := _words_in(text, _patterns(lab.forbid_words, file)):
            name, words = Path(file).name, ", ".join(map(repr, found))
            refuse(file, f"{name} contains {words}, which this lab is to do without")
    try:
        used |= _of_objects(objects, right, box) if objects else {}
    except imports.UnreadableError as error:
        flags.append(f"nobody can say what its objects import: {error}")
        for file in objects:
            if _patterns(lab.forbid_imports, file):
                name = Path(file).name
                refuse(
                    file, f"nobody can say what {name} uses, and it must do without some"
                )
    for file, names in used.items():
        name = Path(file).name
        if wrong := imports.matching(names, _patterns(lab.forbid_imports, file)):
            shown = imports.shown(wrong)
            refuse(file, f"{name} uses {shown}, which this lab is to do without")
        is_python = file.endswith(".py")
        if is_python and (wrong := imports.matching(names, REFUSED_PYTHON)):
            shown = imports.shown(wrong)
            refuse(file, f"{name} uses {shown}: no lab needs bytecode or ctypes")
        always = FLAGGED_PYTHON if is_python else FLAGGED_CPP
        listed = _patterns(lab.flag_imports, file)
        if odd := imports.matching(names, [*always, *listed]):
            flags.append(f"{name} uses {imports.shown(odd)}")
    return Audit(refused, tuple(flags))
