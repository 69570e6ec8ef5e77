"""Scripts for sessions: runs, changes of the graph between them, and what must come."""

import copy
from typing import Any

import numpy as np
from lab_03_session.graphs import Edge, Node
from lab_03_session.trials import (
    INVALID_ARGUMENT,
    check_error,
    check_values,
    differs,
    graph_text,
    run_set,
    values_of,
)

from minitf_lab.judge.case import Call, Mismatch, Trial

Action = dict[str, Any]


class Session:
    """A script for a session, and what must come of it.

    It keeps the graph as the script leaves it, and for each request the nodes that its
    executor stands on, with how often each had been changed when that was made.
    """

    def __init__(self, nodes: list[Node]) -> None:
        self._first = copy.deepcopy(nodes)
        self.nodes = copy.deepcopy(nodes)
        self._edits = [0] * len(nodes)
        self._made: dict[Any, dict[int, int]] = {}
        self._num_made = 0
        self._actions: list[Action] = []
        self._expected: list[tuple[Any, int, str]] = []

    def _text(self, edges: list[Edge]) -> str:
        return ", ".join(f"{self.nodes[n]['name']}:{i}" for n, i in edges) or "nothing"

    def run(
        self,
        request: dict,
        values: list[Any] = (),
        *,
        fails: str = "",
        refused: str = "",
        keep: int = 0,
    ) -> None:
        """A run, whose values follow from the graph as it is now.

        Args:
            request: What is asked for.
            values: What is fed.
            fails: What its error says, if it is to fail.
            refused: The same, if no executor can be made as the graph is now.
            keep: A number of a callable that is made once and used again.
        """
        action = {**request, "do": "run", "values": [np.float64(v) for v in values]}
        self._actions.append(action | {"keep": keep})
        if refused:
            what = f"run {len(self._expected) + 1}, which is refused"
            self._expected.append((refused, self._num_made, what))
            return
        names = ("feeds", "fetches", "targets", "as_built")
        key = repr([request.get(name) or [] for name in names])
        sources = {
            *run_set(self.nodes, request),
            *(n for n, _ in request.get("feeds", [])),
        }
        state = {n: self._edits[n] for n in sources}
        old = self._made.get(key)
        if old is None or old != {n: self._edits[n] for n in old}:
            self._num_made += 1
            self._made[key] = state
        feeds, fetches = request.get("feeds", []), request.get("fetches", [])
        what = f"run {len(self._expected) + 1}, which feeds {self._text(feeds)}"
        what += f" and fetches {self._text(fetches)}"
        if request.get("targets"):
            what += f", with the target {self.nodes[request['targets'][0]]['name']}"
        wanted = fails or values_of(self.nodes, request, list(values))
        self._expected.append((wanted, self._num_made, what))

    def set(self, number: int, value: float) -> None:
        """Gives a constant another value."""
        action = {"do": "set", "node": number, "value": np.float64(value)}
        self._actions.append(action)
        self.nodes[number]["value"] = value
        self._edits[number] += 1

    def connect(self, number: int, position: int, source: Edge) -> None:
        """Takes an input from elsewhere."""
        action = {"do": "input", "node": number, "input": position, "from": source}
        self._actions.append(action)
        late = self.nodes[number].setdefault("late_inputs", [])
        late.append((position, *source))
        self._edits[number] += 1

    def wait(self, number: int, source: int) -> None:
        """Lets a node wait for another one."""
        self._actions.append({"do": "control", "node": number, "from": source})
        self.nodes[number].setdefault("late_control", []).append(source)
        self._edits[number] += 1

    def know(self, number: int, shape: list[int]) -> None:
        """Adds what is known of the shape of a placeholder."""
        self._actions.append({"do": "shape", "node": number, "shape": shape})
        self._edits[number] += 1

    def add(self, one: Node) -> int:
        """Adds a node."""
        self._actions.append({"do": "add", "new": copy.deepcopy(one)})
        self.nodes.append(one)
        self._edits.append(0)
        return len(self.nodes) - 1

    def trial(self, title: str = "") -> Trial:
        """All of it."""
        expected = self._expected

        def check(values: list[Any]) -> Mismatch | None:
            for (result, num_made, num_locked), (wanted, num_wanted, what) in zip(
                values[0], expected, strict=True
            ):
                if isinstance(wanted, str):
                    wrong = check_error(what, result, INVALID_ARGUMENT, None, wanted)
                else:
                    wrong = check_values(what, result, wanted)
                wrong = wrong or differs(
                    f"{what}: the number of executors made so far", num_made, num_wanted
                )
                locked = f"{what}: tensors freed so far while the graph is locked"
                wrong = wrong or differs(locked, num_locked, 0)
                if wrong:
                    return wrong
            return None

        arguments = {"nodes": self._first, "actions": self._actions}
        title = title or f"{graph_text(self._first)}; {len(expected)} runs of a session"
        return Trial(title, [Call("session", arguments)], check)
