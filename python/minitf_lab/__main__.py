"""The commands of ``./lab`` that are written in Python.

What a repository for students lacks (``course/release/``) is imported by the commands
that need it, and not here.
"""

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from minitf_lab import progress, project
from minitf_lab.dev.demo import milestone
from minitf_lab.judge.sandbox import find_box
from minitf_lab.judge.variant import SANITIZERS
from minitf_lab.labs import (
    builds,
    crashes,
    grade,
    python_units,
    report,
    speed_points,
    watch,
)
from minitf_lab.labs import start as start_lab
from minitf_lab.labs.handin import submit as submit_lab
from minitf_lab.labs.handin import zip_check
from minitf_lab.labs.marks import TaskGrade

# What ./lab grade can be asked for besides the student's own files.
VERSIONS = ("starter", "reference", *builds.HONEST)
MOST_OF_ONE_TASK = 4  # failures that ./lab test 02.7 shows as a whole


def _known(args: argparse.Namespace) -> Any:
    from minitf_lab import verdicts

    return verdicts.Verdicts(verdicts.default_folder(), fresh=args.fresh)


def _of_tests(folder: str, name: str) -> ModuleType:
    """A program that lies beside the tests of minitf."""
    from minitf_lab.dev.checks import programs  # students have neither

    return programs.load(folder, name)


def _start(args: argparse.Namespace) -> int:
    start_lab.start(project.lab_at(args.lab), force=args.force)
    return 0


def _chosen(text: str) -> tuple[project.Lab, str]:
    """The lab, and the task of it, that ``04`` or ``04.2`` means; no task if empty.

    The same for a folder: ``labs/50_my_lab`` or ``labs/50_my_lab.2``.
    """
    place, part = re.fullmatch(r"(.*?)(?:\.(\d+))?", text, re.DOTALL).groups("")
    lab = project.lab_at(place)
    task = f"{lab.number}.{part}" if part else ""
    if task and task not in {one.number for one in lab.tasks}:
        known = ", ".join(one.number for one in lab.tasks)
        raise project.LabError(f"there is no task {task}; there are: {known}")
    return lab, task


def _sanitizer(lab: project.Lab, preset: str) -> str:
    """What watches the answer to a lab; nothing for the preset release."""
    if preset == "release":
        return ""
    if preset not in SANITIZERS:
        known = ", ".join(SANITIZERS)
        raise project.LabError(f"--preset {preset}: a lab has {known} and release")
    if not lab.cpp_files:
        raise project.LabError(f"--preset {preset}: lab {lab.number} has no C++ to watch")
    return preset


def _test_lab(lab: project.Lab, task: str, args: argparse.Namespace) -> int:
    """Runs the tests of a lab, or of one task of it, on the student's files."""
    out = report.console()
    sanitizer = _sanitizer(lab, args.preset)
    answer = builds.build_version(lab, "work", sanitizer)
    report.print_build(out, answer)
    report.print_copied(out, grade.copied_tasks(lab))
    with progress.of_cases(out) as tell:
        found = [*grade.run_tasks(lab, answer, args.k, task, tell=tell)]
    grades = [TaskGrade(*one) for one in found if one[1]]
    if not sanitizer:  # which makes everything slow
        speed_points.add(lab, answer, grades, 0)
    failures, counts = [], {"passed": 0, "failed": 0, "not written": 0}
    for one, results in found:
        for result in results:
            counts[result.status if result.status in counts else "failed"] += 1
            if not result.passed:
                failures.append((one, result))
    crashed = [result for _, result in failures if result.status == "crashed"]
    again = [] if sanitizer else crashed[:1]  # what a sanitizer finds says where
    for name, place in crashes.find_places(lab, again).items():
        next(r for r in crashed if r.name == name).details["place"] = place
    if not any(counts.values()):
        raise project.LabError(f"no case of lab {lab.number} has '{args.k}' in its name")
    report.print_failures(out, failures, most=MOST_OF_ONE_TASK if task else 1)
    report.print_speed(out, grades)
    if not task and not args.k:
        report.print_questions(out, lab)
    report.print_counts(out, counts)
    return 1 if failures else 0


def _test(args: argparse.Namespace) -> int:
    if args.lab == "differential":
        return _of_tests("differential", "differential").main(args)
    if not args.lab:
        if args.watch or args.k:
            raise project.LabError("-k and --watch are for the tests of a lab")
        from minitf_lab.dev.checks import everything

        return everything.run(args.preset, _known(args))
    lab, task = _chosen(args.lab)

    def run() -> int:
        with builds.alone(lab, "work"):
            return _test_lab(lab, task, args)

    return watch.repeat(lab, run) if args.watch else run()


def _lint(args: argparse.Namespace) -> int:
    from minitf_lab.dev.checks import lint

    return lint.run(_known(args), args.more)


def _grade(args: argparse.Namespace) -> int:
    lab = project.lab_at(args.lab)
    with builds.alone(lab, args.version):
        return _grade_lab(lab, args)


def _grade_lab(lab: project.Lab, args: argparse.Namespace) -> int:
    """Gives points to one version of a lab."""
    out = report.console()
    sanitizer = _sanitizer(lab, args.preset)
    box = None if sanitizer else find_box(for_practice=True)
    answer = builds.build_version(lab, args.version, sanitizer, box)
    report.print_build(out, answer)
    seed = args.seed if args.hidden else None
    with progress.of_cases(out) as tell:
        result = grade.grade_answer(lab, answer, seed, tell)
    report.print_failures(out, result.failures)
    if args.version == "work":
        report.print_questions(out, lab)
    report.print_grade(out, result, f"Lab {lab.number}, {lab.title}: {args.version}")
    out.print(f"sandbox: {box.kind if box else 'none'}")
    return 0 if result.points == result.max_points else 1


def _qa(args: argparse.Namespace) -> int:
    from minitf_lab.dev.quality import qa

    return qa.run(project.lab_at(args.lab), _known(args), find_box(for_practice=True))


def _faults(args: argparse.Namespace) -> int:
    from minitf_lab.dev.quality import controls, faults

    lab = project.lab_at(args.lab)
    if args.right:
        return controls.run(lab, _known(args), args.k)
    kind = faults.STRANGERS if args.strangers else faults.PLANTED
    return faults.run(lab, args.k, _known(args), kind)


def _mutate(args: argparse.Namespace) -> int:
    # Needs tree-sitter, which students do not have.
    from minitf_lab.dev.quality import mutate

    return mutate.run(project.find_lab(args.lab), args.k)


def _measure(args: argparse.Namespace) -> int:
    from minitf_lab.dev.quality import measure  # as for mutants

    for lab in [project.find_lab(args.lab)] if args.lab else project.all_labs():
        measure.run(lab, args.only)
    return 0


def _submit(args: argparse.Namespace) -> int:
    lab = project.lab_at(args.lab)
    path = submit_lab.submit(lab, args.out, args.hours)
    if args.untried:
        return 0
    try:
        return 0 if zip_check.check(lab, path, report.console()) else 1
    except project.LabError as error:
        print(f"the zip is made, and could not be tried here: {error}", file=sys.stderr)
        return 0


def _milestone(args: argparse.Namespace) -> int:
    return milestone.run(args.name)


def _gen(args: argparse.Namespace) -> int:
    from minitf_lab.dev.checks import registry_files
    from minitf_lab.labs import labgen

    labs = [project.lab_at(args.lab)] if args.lab else None
    if args.check:
        return labgen.check(labs)
    if labs:
        return labgen.write(labs)
    registry_files.write()
    return labgen.write()


def _overlay(args: argparse.Namespace) -> int:
    """Prints the folder that puts answers in Python in front, for ``./lab``."""
    folder = python_units.overlay_of_answers(args.labs)
    print(folder or "")
    return 0


def _demo(args: argparse.Namespace) -> int:
    from minitf_lab.dev.demo import demo  # needs the library, which others do not

    return demo.main(args)


def _bench(args: argparse.Namespace) -> int:
    if args.instructions:
        return _of_tests("bench", "instructions").main(args.k, write=args.write)
    if args.write:
        raise project.LabError("--write: of --instructions alone")
    program = "bindings" if "bindings" in args.what else "bench"
    return _of_tests("bench", program).main(args)


def _fuzz(args: argparse.Namespace) -> int:
    special = {("api",): "fuzz_api", ("ops",): "fuzz_ops"}
    return _of_tests("fuzz", special.get(tuple(args.targets), "fuzz_files")).main(args)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Reads the command line.

    >>> parse(["test", "04", "-k", "sin"]).k
    'sin'
    """
    parser = argparse.ArgumentParser(prog="./lab", description="minitf's lab tool")
    keeping = argparse.ArgumentParser(add_help=False)
    keeping.add_argument(
        "--fresh",
        action="store_true",
        help="ask again what an earlier run, in any folder, has found good",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, run: object, text: str, *parents: argparse.ArgumentParser
    ) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text, parents=parents)
        sub.set_defaults(run=run)
        return sub

    _add_general_commands(command, keeping)
    _add_commands_of_labs(command, keeping)
    if not project.is_handed_out():
        from minitf_lab.course import commands as course_commands

        course_commands.add_commands(command)
    return parser.parse_args(arguments)


def _add_general_commands(command: Callable, keeping: argparse.ArgumentParser) -> None:
    sub = command("demo", _demo, "train a CNN on handwritten digits and grade lab 04")
    sub.add_argument("--out", default="demo", help="folder to write (default: demo)")
    sub.add_argument("--epochs", type=int, default=6, help="passes over the digits")
    sub.add_argument("--seed", type=int, default=1)

    sub = command("bench", _bench, "measure; see docs/benchmarks.md")
    sub.add_argument(
        "what",
        nargs="*",
        default=["runtime", "step"],
        help="runtime, step, gemm, conv, ops, io (default: the first two), or bindings",
    )
    sub.add_argument("-k", default="", metavar="PART", help="only cases with this in it")
    sub.add_argument("--threads", type=int, default=1, help="for kernels (default: 1)")
    sub.add_argument("--rounds", type=int, default=5, help="turns of each (default: 5)")
    sub.add_argument("--json", default="", metavar="FILE", help="write all times there")
    sub.add_argument("--picture", default="", metavar="FILE", help="draw it, as SVG")
    sub.add_argument(
        "--tiers",
        action="store_true",
        help="compare minitf's ways to do gemm or conv with each other",
    )
    sub.add_argument("--peers", action="store_true", help="install the peers first")
    sub.add_argument(
        "--instructions",
        action="store_true",
        help="count instructions instead, and compare with those that are known",
    )
    sub.add_argument(
        "--write", action="store_true", help="write these down as those that are known"
    )
    sub.add_argument(
        "--before", default="", metavar="FOLDER", help="another checkout that is built"
    )

    sub = command(
        "fuzz", _fuzz, "feed readers with broken files, functions with nonsense"
    )
    sub.add_argument(
        "targets",
        nargs="*",
        help="readers, such as record, all if none is named; or api: every function; "
        "or ops: every op",
    )
    sub.add_argument("--seconds", type=int, default=300, help="for each reader")
    sub.add_argument("--minutes", type=float, default=5, help="for api")
    sub.add_argument(
        "--cases", type=int, help="so many calls: for api, in all; for ops, of each op"
    )
    sub.add_argument("--seed", type=int, default=1, help="for api: which calls")

    sub = command("test", _test, "test your answer of a lab, or all of minitf", keeping)
    sub.add_argument("lab", metavar="NN|NN.N|LAB_FOLDER|differential", nargs="?")
    sub.add_argument("-k", metavar="WORD", default="", help="only cases named like that")
    sub.add_argument(
        "--watch", action="store_true", help="again whenever one of your files is saved"
    )
    sub.add_argument(
        "--preset",
        default="release",
        help="asan, tsan: watched by a sanitizer, the C++ of your lab or minitf's tests",
    )
    sub.add_argument("--seed", type=int, default=1, help="differential: which cases")
    sub.add_argument("--cases", type=int, default=20_000, help="differential: how many")
    sub.add_argument(
        "--only", metavar="NAME", default="", help="differential: a function, or nn.*"
    )
    sub.add_argument(
        "--hidden",
        action="store_true",
        help="differential: only the step knows the shapes, of each function in turn",
    )

    sub = command(
        "lint", _lint, "check the source: layout, names, style, likely bugs", keeping
    )
    sub.add_argument(
        "--more",
        action="store_true",
        help="try all answers to labs, the core alone, and labs under the sanitizers",
    )

    sub = command(
        "gen", _gen, "make exercises/ from the marked regions, and the lists of ops"
    )
    sub.add_argument("lab", metavar="LAB_FOLDER", nargs="?", help="only of this lab")
    sub.add_argument("--check", action="store_true", help="compare, write nothing")


def _add_commands_of_labs(command: Callable, keeping: argparse.ArgumentParser) -> None:
    sub = command("start", _start, "copy a lab into work/")
    sub.add_argument("lab", metavar="NN|LAB_FOLDER")
    sub.add_argument("--force", action="store_true", help="begin anew; keeps a backup")

    sub = command("grade", _grade, "points for your answer of a lab")
    sub.add_argument("lab", metavar="NN|LAB_FOLDER")
    for version in VERSIONS:
        option = f"--{version.replace('/', '-')}"
        sub.add_argument(option, dest="version", action="store_const", const=version)
    sub.set_defaults(version="work")
    sub.add_argument(
        "--hidden", action="store_true", help="by all cases, also those for marks only"
    )
    sub.add_argument("--seed", type=int, default=1, help="hidden: which numbers")
    sub.add_argument(
        "--preset", default="release", help="asan, tsan: a sanitizer watches"
    )

    sub = command("submit", _submit, "make the zip that you hand in")
    sub.add_argument("lab", metavar="NN|LAB_FOLDER")
    sub.add_argument("--out", type=Path, metavar="FILE", help="default: in work/")
    sub.add_argument("--hours", type=float, help="how long it took you")
    sub.add_argument(
        "--untried", action="store_true", help="do not run the cases on what is in it"
    )

    text = "train a network on minitf with your files in it, as far as they are right"
    sub = command("milestone", _milestone, text)
    sub.add_argument("name", choices=sorted(milestone.PROGRAMS))

    sub = command("overlay", _overlay, "called by ./lab if MINITF_LAB is set")
    sub.add_argument("labs", metavar="NN;NN|all")

    text = "check that a lab is fit to give marks"
    sub = command("qa", _qa, text, keeping)
    sub.add_argument("lab", metavar="NN|LAB_FOLDER")

    text = "check that a lab's tests find every planted fault"
    sub = command("faults", _faults, text, keeping)
    sub.add_argument("lab", metavar="NN|LAB_FOLDER")
    sub.add_argument("-k", metavar="WORD", default="", help="only those named like that")
    sub.add_argument(
        "--strangers", action="store_true", help="wrong answers by others, in wrong.txt"
    )
    sub.add_argument(
        "--right", action="store_true", help="right answers, in honest/ and unusual.txt"
    )

    text = "check that a lab's tests find small changes of the right answer"
    sub = command("mutate", _mutate, text)
    sub.add_argument("lab", metavar="NN")
    sub.add_argument("-k", metavar="NN.N|FILE", default="", help="of one task or file")

    text = "try faults and mutants of a lab, or of all, and time it, for docs/labs.md"
    sub = command("measure", _measure, text)
    sub.add_argument("lab", metavar="NN", nargs="?")
    parts = ("faults", "strangers", "mutants", "seconds", "sanitizers")
    sub.add_argument("--only", choices=parts, default="", help="one of these figures")


def main() -> int:
    """Runs one command; returns the exit status."""
    args = parse(sys.argv[1:])
    try:
        return args.run(args)
    except project.LabError as error:
        print(error, file=sys.stderr)
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if not project.is_handed_out() or package != "minitf_lab":
            raise
        print("students' repositories lack what this command needs", file=sys.stderr)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
