"""The debugger in a terminal: a shell with a few commands, and a session that opens it.

Compare: tensorflow/python/debug/wrappers/local_cli_wrapper.py. Read next:
``picture.py``.
"""

import cmd
import sys
from typing import Any

from minitf.client.session import Session
from minitf.contrib.debug.debugger import Debugger, Stop
from minitf.contrib.debug.filters import has_inf_or_nan, summary
from minitf.contrib.debug.picture import step_dot

MAX_LISTED = 40


class DebugShell(cmd.Cmd):
    """Commands for a step that is under way.

    Args:
        debugger: whose step it is; ``start`` has been called.
        fetches: what the step is asked for, for drawings.
        stdin, stdout: where commands come from and answers go.
    """

    prompt = "(minitf) "

    def __init__(
        self,
        debugger: Debugger,
        fetches: Any,
        stdin: Any = None,
        stdout: Any = None,
    ):
        super().__init__(stdin=stdin, stdout=stdout)
        self.use_rawinput = stdin is None
        self._debugger = debugger
        self._fetches = fetches
        self.intro = f"{debugger.stop}\nhelp lists the commands"

    def _say(self, text: Any) -> None:
        self.stdout.write(f"{text}\n")

    def _after(self, stop: Stop) -> bool:
        """Says where the step stands. True, which ends the shell, when it is over."""
        self._say(stop)
        return self._debugger.is_finished

    def onecmd(self, line: str) -> bool:
        """One command; what it says wrong is printed, and the shell goes on."""
        try:
            return bool(super().onecmd(line))
        except (KeyError, ValueError, TypeError, OSError) as error:
            self._say(error.args[0] if error.args else error)
            return False

    def emptyline(self) -> bool:
        """An empty line does nothing."""
        return False

    def do_s(self, line: str) -> bool:
        """Runs one node, or n: s [n]."""
        stop = self._debugger.stop
        for _ in range(max(1, int(line or 1))):
            stop = self._debugger.step()
            if self._debugger.is_finished or stop.reason != "step":
                break
        assert stop is not None
        return self._after(stop)

    def do_c(self, line: str) -> bool:
        """Runs up to the next breakpoint or filter, or to the end: c."""
        del line
        return self._after(self._debugger.resume())

    def do_b(self, line: str) -> None:
        """Stops before a node, or lists the breakpoints: b [node]."""
        if line:
            self._debugger.break_at(line)
        self._say("breakpoints: " + (", ".join(self._debugger.breakpoints) or "none"))

    def do_d(self, line: str) -> None:
        """Deletes a breakpoint, or all: d [node]."""
        self._debugger.clear(*([line] if line else []))
        self.do_b("")

    def do_p(self, line: str) -> None:
        """Prints the whole value of a tensor, such as y:0: p tensor."""
        self._say(self._debugger.value(line))

    def do_w(self, line: str) -> None:
        """Watches a tensor, or shows what the watched ones held: w [tensor]."""
        if line:
            self._debugger.watch(line)
        for name, values in self._debugger.watched.items():
            self._say(f"{name}: {[summary(value) for value in values]}")

    def do_f(self, line: str) -> None:
        """Stops when a filter is true of a tensor: f has_inf_or_nan."""
        if line != "has_inf_or_nan":
            raise ValueError(f"there is no filter {line!r}; has_inf_or_nan is one")
        self._debugger.add_filter(line, has_inf_or_nan)

    def do_l(self, line: str) -> None:
        """Lists what has run, with what came out: l."""
        del line
        order = self._debugger.order
        if len(order) > MAX_LISTED:
            self._say(f"... {len(order) - MAX_LISTED} before")
        for name in order[-MAX_LISTED:]:
            values = self._debugger.values
            outputs = [
                summary(values[tensor])
                for tensor in (f"{name}:{i}" for i in range(8))
                if tensor in values
            ]
            self._say(f"{name}  {'; '.join(outputs)}")

    def do_dot(self, line: str) -> None:
        """Writes a picture of the step, in the language of Graphviz: dot file."""
        with open(line or "step.dot", "w", encoding="utf-8") as file:
            file.write(step_dot(self._debugger, self._fetches))
        self._say(f"wrote {line or 'step.dot'}")

    def do_q(self, line: str) -> bool:
        """Gives the step up: q."""
        del line
        self._debugger.abandon()
        return True

    do_EOF = do_q  # noqa: N815


class LocalCLIDebugWrapperSession:
    """A session whose every ``run`` opens a DebugShell.

    Filters that are added stop a step by themselves; without one, a step stops before its
    first node.

    Args:
        sess: the session to wrap.
        stdin, stdout: where commands come from and answers go.
    """

    def __init__(self, sess: Session, stdin: Any = None, stdout: Any = None):
        self._session = sess
        self._debugger = Debugger(sess)
        self._stdin = stdin
        self._stdout = stdout or sys.stdout

    def run(self, fetches: Any, feed_dict: dict | None = None, **ignored: Any) -> Any:
        """As ``Session.run``, with a shell at every stop.

        Raises:
            RuntimeError: the step was given up, or failed.
        """
        del ignored
        stop = self._debugger.start(fetches, feed_dict)
        if not self._debugger.is_finished:
            shell = DebugShell(self._debugger, fetches, self._stdin, self._stdout)
            shell.cmdloop()
            self._debugger.abandon()
            stop = self._debugger.stop or stop
        if stop.when == "failed":
            raise RuntimeError(stop.reason)
        return self._debugger.result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def __enter__(self) -> "LocalCLIDebugWrapperSession":
        self._session.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._session.__exit__(*error)
