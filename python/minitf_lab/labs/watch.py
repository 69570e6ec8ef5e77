"""``./lab test NN --watch``: tests a lab again whenever one of its files is saved."""

import time
from collections.abc import Callable

from minitf_lab import project

PAUSE_S = 0.3  # between two looks at the files
SETTLED_S = 0.1  # an editor may write a file in several steps


def state_of(lab: project.Lab) -> dict[str, tuple[int, int]]:
    """When each file of the student's was written last, and how long it is."""
    found = {}
    for path in sorted(lab.work.iterdir()) if lab.work.exists() else []:
        try:
            status = path.stat()
        except FileNotFoundError:  # an editor is about to put another in its place
            continue
        found[path.name] = (status.st_mtime_ns, status.st_size)
    return found


def _wait_for_change(lab: project.Lab, before: dict[str, tuple[int, int]]) -> None:
    while state_of(lab) == before:
        time.sleep(PAUSE_S)
    while True:
        now = state_of(lab)
        time.sleep(SETTLED_S)
        if state_of(lab) == now:
            return


def repeat(lab: project.Lab, run: Callable[[], int]) -> int:
    """Runs ``run`` now and after each change, until it is interrupted from the keyboard.

    What is saved while it runs counts as a change too. A file that does not compile is
    told, and the next one is waited for.

    Returns:
        The last exit status.

    Raises:
        LabError: there is no work yet.
    """
    if not lab.work.exists():
        raise project.LabError(f"nothing to watch yet: run ./lab start {lab.number}")
    status = 1
    try:
        while True:
            before = state_of(lab)
            try:
                status = run()
            except project.LabError as error:
                print(error)
                status = 1
            place = project.shown(lab.work)
            print(f"waiting until a file in {place} is saved (Ctrl-C ends)", flush=True)
            _wait_for_change(lab, before)
            print(time.strftime("\n== %H:%M:%S"), flush=True)
    except KeyboardInterrupt:
        print()
        return status
