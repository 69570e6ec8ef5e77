"""A model of the lives of tensors, in plain Python, for tasks 12 and 13.

It is given which tensors share a buffer, as minitf says, and works out whether they may,
whether more could, and from when to when every buffer is needed.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from lab_07_passes.nets import Net, sizes_text

from minitf_lab.judge.case import Call, Mismatch, Trial

Node = dict[str, Any]
Place = tuple[str, int]
Wrong = Mismatch | str | None

# What the ops of these cases say of themselves.
LENDS = {"Const", "_Arg", "ReadVariableOp", "VarHandleOp"}
HANDS_ON = {"Identity", "Reshape", "Squeeze", "ExpandDims", "StopGradient"}
FRESH = {"MatMul", "BatchMatMulV2", "Conv2D", "Fill", "Shape", "Size", "RandomUniform"}
FRESH |= {"ZerosLike", "OnesLike"}
FORWARDS = {"BiasAdd": 1, "_FusedElementwise": 3}
ELEMENTWISE = {"Neg", "Exp", "Tanh", "AddV2", "Add", "Mul", "Sub", "Square", "Relu"}
ELEMENTWISE |= {"Maximum", "Sigmoid", "Sqrt"}
FLOAT_ONLY = {"Exp", "Tanh", "Sigmoid", "Sqrt"}
KEEPS = {"AssignVariableOp", "CheckNumerics"}


def _has_loop(node: Node) -> bool:
    return node["op"] in ELEMENTWISE and len(node["types"]) == 1


@dataclass
class _Graph:
    nodes: list[Node]
    by_name: dict[str, Node] = field(default_factory=dict)
    time: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_name = {node["name"]: node for node in self.nodes}
        self.time = {node["name"]: i for i, node in enumerate(self.nodes)}

    def shape(self, at: Place) -> list[int] | None:
        """If all of it is known."""
        shape = self.by_name[at[0]]["shapes"][at[1]]
        return None if shape is None or None in shape else shape

    def dtype(self, at: Place) -> str:
        return self.by_name[at[0]]["types"][at[1]]

    def bytes_of(self, at: Place) -> int:
        count = int(np.prod(self.shape(at), dtype=object)) if self.shape(at) else 1
        return count * np.dtype(self.dtype(at)).itemsize

    def is_foreign(self, name: str) -> bool:
        node = self.by_name[name]
        while node["op"] in HANDS_ON:
            node = self.by_name[node["inputs"][0][0]]
        return node["op"] in LENDS

    def is_planned(self, at: Place) -> bool:
        plain = self.dtype(at) not in {"string", "resource"}
        return self.shape(at) is not None and plain and not self.is_foreign(at[0])

    def last_use(self, at: Place) -> int:
        last = self.time[at[0]]
        for node in self.nodes:
            if list(at) in [list(one) for one in node["inputs"]]:
                is_kept = node["op"] == "_Retval" or node["op"] in KEEPS
                last = max(last, len(self.nodes) if is_kept else self.time[node["name"]])
        return last

    def may_hand_on(self, node: Node) -> bool:
        """Whether the output may lie in an input's memory, and shapes do not tell."""
        if node["op"] not in FORWARDS and not _has_loop(node):
            return node["op"] not in FRESH
        output = self.shape((node["name"], 0))
        count = len(node["inputs"]) if _has_loop(node) else FORWARDS[node["op"]]
        inputs = [self.shape(tuple(one)) for one in node["inputs"][:count]]
        return output is None or any(
            shape is None or (shape != output and np.prod(shape) == np.prod(output))
            for shape in inputs
        )

    def may_work_in_place(self, node: Node, i: int) -> bool:
        """Whether op and shapes let the output take the memory of an input."""
        inputs = [tuple(one) for one in node["inputs"]]
        if len(node["types"]) != 1 or inputs.count(inputs[i]) > 1:
            return False
        output = (node["name"], 0)
        if self.dtype(inputs[i]) != node["types"][0]:
            return False
        if self.shape(inputs[i]) is None or self.shape(inputs[i]) != self.shape(output):
            return False
        return i < FORWARDS.get(node["op"], 0) or _has_loop(node)


class Model:
    """Checks an answer of the driver's function ``lives``."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.graph = _Graph(answer["nodes"])
        self.answer = answer
        self.buffer_of = {(name, i): b for name, i, b in answer["tensors"]}
        self.places: dict[Place, list[int]] = {}
        self.users: dict[int, list[Place]] = {}

    def in_place(self) -> Wrong:
        """What is wrong with the inputs into which nodes may write."""
        got = self.answer["in_place"]
        for node, inputs in zip(self.graph.nodes, got, strict=True):
            for i, may in enumerate(inputs):
                expected = self.graph.may_work_in_place(node, i)
                if bool(may) != expected:
                    return Mismatch(
                        f"whether '{node['name']}' ({node['op']}) may write into its "
                        f"input {i}",
                        expected=str(expected),
                        got=str(bool(may)),
                    )
        return None

    def lives(self) -> Wrong:
        """What is wrong with tensors and buffers."""
        outputs = [
            (node["name"], i)
            for node in self.graph.nodes
            for i in range(len(node["types"]))
        ]
        planned = [at for at in outputs if self.graph.is_planned(at)]
        foreign = [at for at in outputs if self.graph.is_foreign(at[0])]
        if sorted(planned) != sorted(self.buffer_of):
            return Mismatch(
                "the tensors with memory of the step",
                expected=str(sorted(planned)),
                got=str(sorted(self.buffer_of)),
            )
        numbers = {
            "num_unknown": len(outputs) - len(set(planned) | set(foreign)),
            "total_bytes": sum(self.graph.bytes_of(at) for at in planned),
        }
        for key, expected in numbers.items():
            if self.answer[key] != expected:
                return Mismatch(key, expected=str(expected), got=str(self.answer[key]))
        for at in outputs:
            if wrong := self._add(at):
                return wrong
        return self._buffers()

    def _add(self, at: Place) -> Wrong:
        name, _ = at
        node = self.graph.by_name[name]
        places: list[int] = []
        if self.graph.is_planned(at):
            buffer = self.buffer_of[at]
            found = self._inherited(at, node)
            allowed = [one[0] for one in found]
            if buffer in self.users and buffer not in allowed:
                return self._taken(at, buffer)
            if buffer not in self.users and found:
                return f"'{name}' could take the memory of {self._shown(allowed[0])}"
            places = next((list(one) for one in found if one[0] == buffer), [buffer])
        if self.graph.may_hand_on(node):
            for one in node["inputs"]:
                places += self.places[tuple(one)]
        self.places[at] = places
        for buffer in places:
            self.users.setdefault(buffer, []).append(at)
        return None

    def _inherited(self, at: Place, node: Node) -> list[list[int]]:
        """The places of the inputs whose memory the tensor may take; must, if any."""
        found = []
        for i, one in enumerate(node["inputs"]):
            places = self.places[tuple(one)]
            if not places:
                continue
            if i == 0 and node["op"] in HANDS_ON:
                return [places]
            now = self.graph.time[node["name"]]
            others = [tuple(other) for other in node["inputs"] if other != one]
            if (
                self.graph.may_work_in_place(node, i)
                and not any(places[0] in self.places[other] for other in others)
                and all(
                    self.graph.last_use(user) <= now
                    for place in places
                    for user in self.users[place]
                )
            ):
                found.append(places)
        return found

    def _shown(self, buffer: int) -> str:
        return " and ".join(f"'{name}:{i}'" for name, i in self.users[buffer])

    def _taken(self, at: Place, buffer: int) -> str:
        now = self.graph.time[at[0]]
        for user in self.users[buffer]:
            if self.graph.last_use(user) > now:
                over = f"'{user[0]}:{user[1]}', which is read later"
                return f"'{at[0]}' is written over {over}"
        return f"'{at[0]}' is written into the memory of {self._shown(buffer)}"

    def _buffers(self) -> Wrong:
        expected = {}
        for buffer, users in self.users.items():
            first = min(self.graph.time[name] for name, _ in users)
            last = max(self.graph.last_use(user) for user in users)
            expected[buffer] = (self.graph.bytes_of(users[0]), first, last)
        if len(expected) != len(self.answer["buffers"]):
            return Mismatch(
                "buffers that hold a tensor",
                expected=str(len(self.answer["buffers"])),
                got=str(len(expected)),
            )
        for buffer, life in expected.items():
            got = tuple(self.answer["buffers"][buffer])
            if got != life:
                return Mismatch(
                    f"size, first and last use of the memory of {self._shown(buffer)}",
                    expected=str(life),
                    got=str(got),
                )
        return None


def lives_trial(net: Net, *, num_buffers: int | None = None) -> Trial:
    """The lives of all tensors of a graph, and what may be written where."""

    def check(values: list[Any]) -> Wrong:
        (answer,) = values
        model = Model(answer)
        if wrong := model.in_place() or model.lives():
            return wrong
        if num_buffers is not None and len(answer["buffers"]) != num_buffers:
            got = str(len(answer["buffers"]))
            return Mismatch("buffers", expected=str(num_buffers), got=got)
        return None

    shapes = ", ".join(sizes_text(value.shape) for value in net.values)
    title = f"the lives of: {net.text()} (feeds of {shapes})"
    return Trial(title, [Call("lives", {"net": net.spec()})], check)
