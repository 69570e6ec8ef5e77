"""Random GraphDefs with reference variables, as programs of TensorFlow 1 saved them.

``random_graph`` is a pure function of a seed. Its text runs in TensorFlow, too.
"""

import random
from typing import Any

FLOAT, INT, BOOL = 1, 3, 10
START = {"v": [1.0, 2.0], "w": [-3.0, 0.5], "m": [0.0, 0.0], "n": [0.25, 0.25]}


def add_node(tf: Any, graph: Any, name: str, op: str, inputs: Any = (), **attrs: Any):
    """Adds a node. The kind of each attribute follows from the Python type."""
    node = graph.node.add(name=name, op=op)
    node.input.extend(inputs)
    for key, value in attrs.items():
        attr = node.attr[key]
        if isinstance(value, bool):
            attr.b = value
        elif key in ("N", "limit", "Index", "begin_mask"):
            attr.i = value
        elif isinstance(value, int):
            attr.type = value
        elif isinstance(value, bytes):
            attr.s = value
        elif key == "shape":
            for size in value:
                attr.shape.dim.add().size = size
            attr.shape.unknown_rank = value is None
        elif key == "_class":
            attr.list.s.extend(value)
        else:
            attr.tensor.CopyFrom(tf.make_tensor_proto(*value))
    return node


class RandomGraph:
    """A chain of statements: each waits for the one before it, so no two of them race.

    In TensorFlow the value of Identity may lie in the memory of the variable, and then
    changes with it. Therefore only copies are fetched.

    Attributes:
        graph: the GraphDef.
        init: the nodes that give the variables their first values.
        values: the tensors that may be fetched in one step with deterministic values.
        last: the last node of the chain.
    """

    def __init__(self, tf: Any, seed: int):
        self._tf = tf
        self._pick = random.Random(seed)
        self.graph = tf.GraphDef()
        self.graph.versions.producer = 27
        self.init: list[str] = []
        self.values: list[str] = []
        self.last = ""
        for name, start in START.items():
            self._add(name, self._pick.choice(("VariableV2", "VariableV2", "Variable")),
                      dtype=FLOAT, shape=[2])  # fmt: skip
            constant = self._constant(f"{name}/start", start)
            self._add(f"{name}/Assign", "Assign", [name, constant], T=FLOAT,
                      validate_shape=True, use_locking=True,
                      _class=[b"loc:@" + name.encode()])  # fmt: skip
            self._add(f"{name}/read", "Identity", [name], T=FLOAT,
                      _class=[b"loc:@" + name.encode()])  # fmt: skip
            self.init.append(f"{name}/Assign")
        self._add("p", "Placeholder", dtype=BOOL, shape=[])
        self._refs = list(START)  # references that are always there
        for i in range(self._pick.randint(3, 9)):
            self._statement(f"s{i}")
        self._add("last", "NoOp", ["^" + self.last])

    def _add(self, name: str, op: str, inputs: Any = (), **attrs: Any) -> str:
        add_node(self._tf, self.graph, name, op, inputs, **attrs)
        return name

    def _constant(self, name: str, value: Any) -> str:
        return self._add(name, "Const", dtype=FLOAT, value=(value, "float32"))

    def _indices(self, name: str) -> str:
        which = self._pick.choice(([0], [1], [1, 0]))
        self._add(name, "Const", dtype=INT, value=(which, "int32"))
        self._updates = self._constant(f"{name}/updates", [2.0, -4.0][: len(which)])
        return name

    def _statement(self, name: str) -> None:
        pick = self._pick
        wait = ["^" + self.last] if self.last else []
        ways = (self._change, self._change, self._scatter, self._train, self._read)
        pick.choice((*ways, self._read, self._branch, self._loop, self._count))(
            name, wait
        )

    def _ref(self) -> str:
        return self._pick.choice(self._refs)

    def _change(self, name: str, wait: list[str]) -> None:
        op = self._pick.choice(("Assign", "AssignAdd", "AssignSub"))
        # The value is that of a variable, or of a constant.
        value = self._pick.choice((self._ref(), self._constant(f"{name}/by", [3.0, 5.0])))
        self.last = self._add(name, op, [self._ref(), value, *wait], T=FLOAT)
        self._refs.append(name)

    def _scatter(self, name: str, wait: list[str]) -> None:
        way = self._pick.choice(("Update", "Add", "Sub", "Mul", "Div", "Min", "Max"))
        indices = self._indices(f"{name}/i")
        self.last = self._add(
            name, "Scatter" + way, [self._ref(), indices, self._updates, *wait],
            T=FLOAT, Tindices=INT,
        )  # fmt: skip
        self._refs.append(name)

    def _train(self, name: str, wait: list[str]) -> None:
        pick = self._pick
        number = [self._constant(f"{name}/{i}", i / 8) for i in range(1, 7)]
        gradient = self._constant(f"{name}/g", [0.5, -0.25])
        op, inputs = pick.choice((
            ("ApplyGradientDescent", ["v", number[0], gradient]),
            ("ApplyMomentum", ["v", "n", number[0], gradient, number[3]]),
            ("ApplyAdam", ["v", "m", "n", *number, gradient]),
            ("ApplyAdagrad", ["w", "n", number[0], gradient]),
            ("ApplyRMSProp", ["w", "n", "m", *number[:4], gradient]),
            ("ApplyProximalGradientDescent", ["w", *number[:3], gradient]),
        ))  # fmt: skip
        self.last = self._add(name, op, [*inputs, *wait], T=FLOAT)
        self._refs.append(name)

    def _read(self, name: str, wait: list[str]) -> None:
        op = self._pick.choice(("Neg", "Neg", "Add", "RefIdentity", "IsVar"))
        if op == "IsVar":
            self._add(name, "IsVariableInitialized", [self._ref(), *wait], dtype=FLOAT)
        else:
            # TensorFlow's optimizer reads a variable late in the sum of it and itself.
            refs = self._pick.sample(list(START), 2) if op == "Add" else [self._ref()]
            self._add(name, op, [*refs, *wait], T=FLOAT)
        self.last = name
        if op == "RefIdentity":
            self._refs.append(name)
        else:
            self.values.append(f"{name}:0")

    def _branch(self, name: str, wait: list[str]) -> None:
        """A change in one branch, and another one or a read in the other."""
        ref, by = self._ref(), self._constant(f"{name}/by", [1.0, 1.0])
        self._add(f"{name}/Switch", "RefSwitch", [ref, "p", *wait], T=FLOAT)
        self._add(f"{name}/by/Switch", "Switch", [by, "p", *wait], T=FLOAT)
        yes, no = f"{name}/Switch:1", f"{name}/Switch"
        self._add(f"{name}/t", "AssignAdd", [yes, f"{name}/by/Switch:1"], T=FLOAT)
        op = self._pick.choice(("AssignSub", "Identity", "Neg"))
        inputs = [no, f"{name}/by/Switch"] if op == "AssignSub" else [no]
        self._add(f"{name}/f", op, inputs, T=FLOAT)
        merge = "RefMerge" if op == "AssignSub" else "Merge"
        self.last = self._add(name, merge, [f"{name}/f", f"{name}/t"], T=FLOAT, N=2)
        if merge == "Merge":  # its value may lie in the memory of the variable
            self.last = self._add(f"{name}/neg", "Neg", [name], T=FLOAT)
            self.values.append(f"{name}/neg:0")
        else:
            self._refs.append(name)

    def _loop(self, name: str, wait: list[str]) -> None:
        """Three iterations, each of which changes a variable and reads it."""
        frame = {"frame_name": name.encode(), "T": FLOAT}
        zero = self._add(f"{name}/0", "Const", wait, dtype=FLOAT, value=(0.0, "float32"))
        self._add(f"{name}/i", "Enter", [zero], **frame)
        self._add(
            f"{name}/v", "RefEnter", [self._ref(), *wait], is_constant=True, **frame
        )
        next_ = f"{name}/next"
        self._add(f"{name}/m", "Merge", [f"{name}/i", next_], T=FLOAT, N=2)
        for key, value in (("limit", 3.0), ("one", 1.0)):
            self._constant(f"{name}/{key}/c", value)
            self._add(
                f"{name}/{key}", "Enter", [f"{name}/{key}/c"], is_constant=True, **frame
            )
        self._add(f"{name}/l", "Less", [f"{name}/m", f"{name}/limit"], T=FLOAT)
        self._add(f"{name}/p", "LoopCond", [f"{name}/l"])
        self._add(f"{name}/s", "Switch", [f"{name}/m", f"{name}/p"], T=FLOAT)
        body = f"{name}/body"
        self._add(body, "Identity", [f"{name}/s:1"], T=FLOAT)
        self._add(f"{name}/by", "Add", [f"{name}/v", f"{name}/one", f"^{body}"], T=FLOAT)
        self._add(f"{name}/a", "Assign", [f"{name}/v", f"{name}/by"], T=FLOAT)
        self._add(f"{name}/sum", "Identity", [f"{name}/v", f"^{name}/a"], T=FLOAT)
        self._add(next_ + "/add", "Add", [body, f"{name}/one", f"^{name}/sum"], T=FLOAT)
        self._add(next_, "NextIteration", [next_ + "/add"], T=FLOAT)
        self.last = self._add(name, "Exit", [f"{name}/s"], T=FLOAT)
        self.values.append(f"{name}:0")

    def _count(self, name: str, wait: list[str]) -> None:
        self._add(f"{name}/n", "VariableV2", dtype=INT, shape=[])
        self._add(f"{name}/0", "Const", wait, dtype=INT, value=(0, "int32"))
        self._add(f"{name}/start", "Assign", [f"{name}/n", f"{name}/0"], T=INT)
        self._add(name, "CountUpTo", [f"{name}/start"], T=INT, limit=5)
        self.last = self._add(f"{name}/after", "Neg", [f"{name}/n", f"^{name}"], T=INT)
        self.values += [f"{name}:0", f"{name}/after:0"]


def steps(tf: Any, drawn: RandomGraph) -> list:
    """Returns what the steps of ``drawn`` fetch; a text for a step that fails."""
    tf.import_graph_def(drawn.graph, name="")
    results: list = []
    reads = [text for name in START for text in (f"{name}:0", f"{name}/read:0")]
    with tf.Session() as session:
        for fetches, feed in (
            (drawn.init, {}),
            (drawn.values, {"p:0": True}),
            (["last"], {"p:0": False}),
            (reads, {}),
            (["v:0", "v/read:0", "w/read:0"], {"v:0": [7.0, 8.0]}),
            (["w:0", "w/read:0"], {"w/read:0": [9.0, 8.0]}),
        ):
            try:
                got = session.run(fetches, feed)
            except tf.errors.OpError as error:
                results.append(type(error).__name__)
            else:
                results.append([value for value in got if value is not None])
    return results
