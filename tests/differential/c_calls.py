"""Random sequences of calls of a C API: what each call returns, one line a sequence.

    python c_calls.py LIBRARY SEED COUNT

LIBRARY is libminitf_c.so or TensorFlow's libtensorflow_cc.so.2. Both processes draw the
same calls as long as the calls return the same. ``test_c_api_peer.py`` compares the
lines: a line is a JSON list of ``[call, status code, result]``.

The calls are valid or have one mistake that TensorFlow reports by a status. TensorFlow
crashes for a null pointer; ``./lab fuzz capi`` has these calls.
"""

import json
import math
import random
import re
import sys
from collections.abc import Callable
from ctypes import (
    POINTER,
    byref,
    c_float,
    c_int,
    c_int64,
    c_size_t,
    c_ubyte,
    c_void_p,
    cast,
    create_string_buffer,
    sizeof,
)

from c_library import Api, Output

FLOAT, INT32, INT64, BOOL = 1, 3, 9, 10
TYPES = {FLOAT: c_float, INT32: c_int, INT64: c_int64, BOOL: c_ubyte}
DTYPES = (FLOAT, FLOAT, FLOAT, INT32, INT64, BOOL)
WORDS = re.compile(r"\S+").findall
UNARY = WORDS("Neg Square Relu Tanh Abs Identity ZerosLike Shape Rank Size Nope")
BINARY = WORDS("Add Sub Mul MatMul Maximum Less BiasAdd LogicalAnd")
LISTS = WORDS("AddN IdentityN Pack")
ATTRS = WORDS("T dtype shape transpose_a N DstT keep_dims value num_split Nope")
NAMES = WORDS("a b c d a/b a/c x y")


class Sequence:
    """A graph, its operations (a constant first), and what the calls returned."""

    def __init__(self, api: Api, seed: int) -> None:
        self.api = api
        self.draw = random.Random(seed)
        self.graph = api.TF_NewGraph()
        self.opers: list[c_void_p] = []
        self.feeds: list[tuple[Output, int, list[int]]] = []
        self.facts: list[list[object]] = []

    def add(self, call: str, result: object = None) -> bool:
        """Adds a fact. Returns whether the status is TF_OK."""
        code = self.api.TF_GetCode(self.api.status)
        self.api.TF_SetStatus(self.api.status, 0, b"")
        self.facts.append([call, code, result if code == 0 else None])
        return code == 0

    def sizes(self) -> list[int]:
        """A shape of rank 0 to 2."""
        return [self.draw.choice((1, 2, 2, 3)) for _ in range(self.draw.randint(0, 2))]

    def output(self) -> Output:
        """An output of an operation."""
        oper = self.draw.choice(self.opers)
        count = self.api.TF_OperationNumOutputs(oper)
        return Output(oper, self.draw.randrange(count))

    def tensor(self, dtype: int, sizes: list[int]) -> c_void_p:
        """A new tensor of small numbers."""
        element = TYPES[dtype]
        count = math.prod(sizes)
        dims = (c_int64 * len(sizes))(*sizes)
        length = c_size_t(count * sizeof(element))
        tensor = self.api.TF_AllocateTensor(dtype, dims, len(sizes), length)
        data = cast(self.api.TF_TensorData(tensor), POINTER(element))
        for i in range(count):
            data[i] = self.draw.randint(0, 1 if dtype == BOOL else 4)
        return tensor

    def values(self, tensor: c_void_p) -> list[object]:
        """Element type, shape and elements of a tensor, which is deleted."""
        api = self.api
        dtype = api.TF_TensorType(tensor)
        sizes = [api.TF_Dim(tensor, i) for i in range(api.TF_NumDims(tensor))]
        data = cast(api.TF_TensorData(tensor), POINTER(TYPES[dtype]))
        elements = [data[i] for i in range(api.TF_TensorElementCount(tensor))]
        api.TF_DeleteTensor(tensor)
        return [dtype, sizes, elements]

    def finish(self, op: str, fill: Callable[[c_void_p], None]) -> Output | None:
        """Adds an operation, perhaps with a mistake."""
        api, draw = self.api, self.draw
        name = draw.choice(NAMES) if draw.random() < 0.1 else f"n{len(self.facts)}"
        desc = api.TF_NewOperation(self.graph, op.encode(), name.encode())
        fill(desc)
        oper = api.TF_FinishOperation(desc, api.status)
        if not self.add(f"{op} {name}"):
            return None
        self.opers.append(oper)
        return Output(oper, 0)

    def constant(self) -> None:
        dtype, sizes = self.draw.choice(DTYPES), self.sizes()
        tensor = self.tensor(dtype, sizes)

        def fill(desc: c_void_p) -> None:
            self.api.TF_SetAttrType(desc, b"dtype", dtype)
            self.api.TF_SetAttrTensor(desc, b"value", tensor, self.api.status)

        self.finish("Const", fill)
        self.api.TF_DeleteTensor(tensor)

    def placeholder(self) -> None:
        dtype, sizes = self.draw.choice(DTYPES), self.sizes()
        shape = [self.draw.choice((-1, size, size)) for size in sizes]
        rank = self.draw.choice((len(shape), len(shape), -1))

        def fill(desc: c_void_p) -> None:
            self.api.TF_SetAttrType(desc, b"dtype", dtype)
            dims = (c_int64 * len(shape))(*shape)
            self.api.TF_SetAttrShape(desc, b"shape", dims, rank)

        output = self.finish("Placeholder", fill)
        if output is not None:
            self.feeds.append((output, dtype, sizes))

    def operation(self) -> None:
        op = self.draw.choice(UNARY + BINARY + LISTS)
        count = self.draw.randint(0, 3) if op in LISTS else 1 + (op in BINARY)
        count += self.draw.choice((0,) * 30 + (1,))
        inputs = [self.output() for _ in range(count)]

        def fill(desc: c_void_p) -> None:
            if op in LISTS:
                self.api.TF_AddInputList(desc, (Output * count)(*inputs), count)
            for value in inputs if op not in LISTS else ():
                self.api.TF_AddInput(desc, value)
            if self.draw.random() < 0.2:
                self.api.TF_AddControlInput(desc, self.opers[0])
            if self.draw.random() < 0.1 and op not in ("LogicalAnd", "Nope"):
                self.api.TF_SetAttrType(desc, b"T", self.draw.choice((*DTYPES, 77)))

        self.finish(op, fill)

    def facts_of_operation(self) -> None:
        api, oper = self.api, self.draw.choice(self.opers)
        inputs = range(api.TF_OperationNumInputs(oper))
        inputs = [api.TF_OperationInput(Output(oper, i)) for i in inputs]
        outputs = range(api.TF_OperationNumOutputs(oper))
        outputs = [Output(oper, i) for i in outputs]
        counts = [api.TF_OperationOutputNumConsumers(value) for value in outputs]
        counts += [api.TF_OperationOutputType(value) for value in outputs]
        counts.append(api.TF_OperationNumControlInputs(oper))
        counts.append(api.TF_OperationNumControlOutputs(oper))
        names = [api.TF_OperationName(c_void_p(value.oper)) for value in inputs]
        self.add("facts", [counts, [name.decode() for name in names]])
        arg = self.draw.choice((b"inputs", b"x", b"output"))
        self.add("length", api.TF_OperationInputListLength(oper, arg, api.status))

    def shape(self) -> None:
        api, output = self.api, self.output()
        fed = [feed[0].oper for feed in self.feeds]
        if self.draw.random() < 0.2 and output.oper not in fed:
            sizes = self.sizes()
            dims = (c_int64 * len(sizes))(*sizes)
            api.TF_GraphSetTensorShape(self.graph, output, dims, len(sizes), api.status)
            self.add("set shape")
        rank = api.TF_GraphGetTensorNumDims(self.graph, output, api.status)
        dims = (c_int64 * max(rank, 0))()
        if self.add("rank", rank) and rank >= 0:
            api.TF_GraphGetTensorShape(self.graph, output, dims, rank, api.status)
            self.add("shape", list(dims))

    def attribute(self) -> None:
        api, oper = self.api, self.draw.choice(self.opers)
        attr = self.draw.choice(ATTRS).encode()
        data = api.TF_OperationGetAttrMetadata(oper, attr, api.status)
        fields = [data.is_list, data.list_size, data.type, data.total_size]
        self.add(f"metadata {attr}", fields)
        kind = self.draw.choice(("Int", "Float", "Bool", "Type"))
        value = create_string_buffer(8)
        getattr(api, f"TF_OperationGetAttr{kind}")(oper, attr, value, api.status)
        self.add(f"{kind} {attr}", value.raw.hex())

    def copy(self) -> None:
        """Imports the graph into itself, under a prefix."""
        api, draw = self.api, self.draw
        buffer, options = api.TF_NewBuffer(), api.TF_NewImportGraphDefOptions()
        api.TF_GraphToGraphDef(self.graph, buffer, api.status)
        prefix = f"p{len(self.facts)}"
        api.TF_ImportGraphDefOptionsSetPrefix(options, prefix.encode())
        name = api.TF_OperationName(draw.choice(self.opers))
        index = draw.choice((0, 0, 0, 5))
        api.TF_ImportGraphDefOptionsAddInputMapping(options, name, 0, self.output())
        if draw.random() < 0.5:
            api.TF_ImportGraphDefOptionsAddReturnOutput(options, name, index)
        api.TF_GraphImportGraphDefWithResults(self.graph, buffer, options, api.status)
        self.add(f"import {prefix}")
        api.TF_DeleteImportGraphDefOptions(options)
        api.TF_DeleteBuffer(buffer)

    def run(self) -> None:
        """Runs one output, with a value for each placeholder."""
        api = self.api
        result, fetch = c_void_p(), self.output()
        options = api.TF_NewSessionOptions()
        session = api.TF_NewSession(self.graph, options, api.status)
        feeds = [feed for feed in self.feeds if feed[0].oper != fetch.oper]
        keys = (Output * len(feeds))(*[feed[0] for feed in feeds])
        values = [self.tensor(dtype, sizes) for _, dtype, sizes in feeds]
        values = (c_void_p * len(feeds))(*values)
        api.TF_SessionRun(
            *(session, None, keys, values, len(feeds), byref(fetch), byref(result), 1),
            *(None, 0, None, api.status),
        )
        name = api.TF_OperationName(c_void_p(fetch.oper)).decode()
        self.add(f"run {name}", self.values(result) if result else None)
        for value in values:
            api.TF_DeleteTensor(c_void_p(value))
        api.TF_DeleteSession(session, api.status)
        api.TF_DeleteSessionOptions(options)

    def all(self, count: int) -> list[list[object]]:
        """Makes `count` calls. Returns the facts."""
        build = [self.constant, self.placeholder] + [self.operation] * 8
        read = [self.facts_of_operation, self.shape, self.attribute, self.run, self.copy]
        self.constant()
        for _ in range(count):
            self.draw.choice(build + read if self.opers else [self.constant])()
        self.api.TF_DeleteGraph(self.graph)
        return self.facts


def main() -> None:
    """Prints the facts of COUNT sequences."""
    api = Api(sys.argv[1])
    first, count = int(sys.argv[2]), int(sys.argv[3])
    for seed in range(first, first + count):
        print(json.dumps(Sequence(api, seed).all(40)), flush=True)


if __name__ == "__main__":
    main()
