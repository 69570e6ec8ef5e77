"""What the judge costs: cases in a box beside the same cases in this process.

    ./lab python tests/judge/cost.py            # on a machine that does nothing else

Every case of lab 04 is run on minitf's own answer, compiled as a hand-in is: in turn by a
worker in the box, and here. Of each the better of some rounds counts. Then all of the lab
is graded, as a hand-in after it is compiled. It ends with status 1 if a limit of the
issue is missed. Processor time, of judge and worker together, says something on a busy
machine too.
"""

import argparse
import importlib
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from minitf_lab import project
from minitf_lab.course import judging
from minitf_lab.judge import runner, sandbox
from minitf_lab.judge.case import load_module
from minitf_lab.labs import builds, grade

MOST_MS, MOST_S = 15, 10  # of a case, over in-process; of the lab
SEED = 5


def seconds(function: Callable[[], object]) -> float:
    """How long a call takes."""
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


def processor_s(worker: runner.Worker) -> float:
    """What this process, a worker, and the cases that it has waited for have used."""
    stat = Path(f"/proc/{worker._process.inner()}/stat").read_text()
    ticks = sum(map(int, stat.rpartition(")")[2].split()[11:15]))
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Measures, and prints what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lab", default="04")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    lab, box = project.find_lab(args.lab), sandbox.find_box()
    builds.build_framework(lab)
    sys.path.insert(0, str(project.build_folder() / "labs" / "drivers"))
    importlib.invalidate_caches()
    driver, limits = load_module(lab.driver), grade.limits(lab)
    cases = grade.cases_of(lab, with_hidden=True)
    with judging.scratch() as folder:
        files = builds.files_of(lab, "reference")
        compiling = time.perf_counter()
        answer = builds.build_for_marks(lab, files, folder / "made", box)
        compiling = time.perf_counter() - compiling
        boxed, here, used = {}, {}, [0.0, 0.0]
        with grade.worker_of(lab, answer) as worker:
            for _ in range(args.rounds):
                for case in cases:
                    runner._prepare.cache_clear()  # drawn anew, as here
                    begin = processor_s(worker)
                    in_box = seconds(
                        lambda c=case: check(worker.run(c, limits, seed=SEED))
                    )
                    middle = processor_s(worker)
                    in_process = seconds(lambda c=case: check(run_here(driver, c)))
                    used[0] += middle - begin
                    used[1] += processor_s(worker) - middle
                    boxed[case] = min(in_box, boxed.get(case, in_box))
                    here[case] = min(in_process, here.get(case, in_process))
        runner._prepare.cache_clear()
        total = seconds(lambda: grade.grade_answer(lab, answer, hidden_seed=SEED))
    more = [1000 * (boxed[case] - here[case]) for case in cases]
    median = statistics.median(more)
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    print(
        f"lab {lab.number}, {len(cases)} cases, box {box.kind}, {load}; "
        f"compiled in {compiling:.1f} s"
    )
    print(
        f"a case in the box over in-process: median {median:.1f} ms, 90 % under "
        f"{statistics.quantiles(more, n=10)[-1]:.1f} ms (limit {MOST_MS}); "
        f"all of them {sum(boxed.values()):.1f} s, in-process {sum(here.values()):.1f} s"
    )
    each = [1000 * one / len(cases) / args.rounds for one in used]
    print(
        f"processor time of a case: {each[0]:.1f} ms in the box, {each[1]:.1f} ms "
        f"in-process: {each[0] - each[1]:.1f} ms more on average"
    )
    print(f"all of the lab after compiling: {total:.1f} s (limit {MOST_S})")
    return 1 if median > MOST_MS or total > MOST_S else 0


def run_here(driver: object, case: runner.Case) -> runner.Result:
    """A case in this process."""
    return runner.run_here(driver, case, SEED)


def check(result: runner.Result) -> None:
    """A right answer must pass, or nothing was measured."""
    if not result.passed:
        raise RuntimeError(f"{result.name}: {result.message}")


if __name__ == "__main__":
    sys.exit(main())
