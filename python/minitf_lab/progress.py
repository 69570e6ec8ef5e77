"""What shows in a terminal how it goes on: with training, and with the cases of a lab."""

import contextlib
import time
from collections.abc import Callable, Iterator
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

SMOOTH = 0.95  # how much of the average the next step leaves as it is


@contextlib.contextmanager
def of_cases(out: Console) -> Iterator[Callable[[int, int], None]]:
    """In a terminal, a line that goes when all is done: ``37 of 120 cases`` and a bar.

    It is drawn anew when something happens, and by no thread: processes are forked.

    Yields:
        A function to be called with how many cases are done, and of how many.
    """
    columns = TextColumn("{task.completed} of {task.total} cases"), BarColumn()
    shown = Progress(*columns, console=out, auto_refresh=False, transient=True)

    def tell(done: int, total: int) -> None:
        if not shown.tasks:
            shown.add_task("", total=total)
        shown.update(shown.task_ids[0], completed=done, total=total, refresh=True)

    if not out.is_terminal:
        yield lambda done, total: None
        return
    with shown:
        yield tell


class TrainingBar:
    """A live bar in a terminal; elsewhere, one line an epoch.

    It shows loss, accuracy, images a second and the time that is left.

    Attributes:
        seconds: Time spent in steps; evaluation is not counted.
    """

    def __init__(self, title: str, steps: int, batch: int, epoch: int) -> None:
        self._batch, self._epoch = batch, epoch
        self._loss = self._accuracy = 0.0
        self._steps_done = 0
        self._paused = 0.0
        self._start = time.monotonic()
        self._progress = Progress(
            TextColumn("{task.description:6}"),
            BarColumn(bar_width=None),
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            TextColumn("loss {task.fields[loss]:.3f}"),
            TextColumn("accuracy {task.fields[accuracy]:6.1%}"),
            TextColumn("{task.fields[speed]:.0f} images/s"),
            TimeRemainingColumn(),
        )
        self._title = title
        self._live = self._progress.console.is_terminal
        self._task = self._progress.add_task(
            title, total=steps, loss=0.0, accuracy=0.0, speed=0.0
        )

    def __enter__(self) -> "TrainingBar":
        if self._live:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.seconds = time.monotonic() - self._start - self._paused
        if self._live:
            self._progress.stop()

    @property
    def images_per_s(self) -> float:
        """The mean over all steps so far."""
        spent = time.monotonic() - self._start - self._paused
        return self._steps_done * self._batch / max(spent, 1e-9)

    @contextlib.contextmanager
    def paused_clock(self) -> Iterator[None]:
        """What happens inside counts for no step."""
        start = time.monotonic()
        yield
        self._paused += time.monotonic() - start

    def advance(self, loss: float, accuracy: float) -> None:
        """One step is done. What is shown is an average over the last 20 or so."""
        self._steps_done += 1
        keep = min(SMOOTH, 1 - 1 / self._steps_done)
        self._loss = keep * self._loss + (1 - keep) * loss
        self._accuracy = keep * self._accuracy + (1 - keep) * accuracy
        if self._live:
            self._progress.update(
                self._task,
                advance=1,
                loss=self._loss,
                accuracy=self._accuracy,
                speed=self.images_per_s,
            )
        elif self._steps_done % self._epoch == 0:
            print(
                f"{self._title}: step {self._steps_done}, loss {self._loss:.3f}, "
                f"accuracy {self._accuracy:.1%}, {self.images_per_s:.0f} images/s",
                flush=True,
            )
