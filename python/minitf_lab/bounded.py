"""A limit of processor time for what the judge itself does with a hostile value."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class TimeUpError(BaseException):
    """The time is over. No ``except Exception`` of a check takes it for another error."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise TimeUpError


@contextlib.contextmanager
def cpu_time(seconds: float) -> Iterator[None]:
    """Ends what is inside after so much processor time of this process.

    Only the main thread of a process can be ended; in another one there is no limit.

    Raises:
        TimeUpError: it takes longer.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
