"""The C API from Python: the same interface files, by SWIG and by minitf_wrap."""

import gc
import importlib
import os
import shutil
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from minitf import errors

ROOT = Path(__file__).resolve().parents[3]
WRAPPED = Path(os.environ.get("MINITF_BUILD", ROOT / "build/release")) / "python/wrapped"


@pytest.fixture(scope="module", params=["swig", "minitf_wrap"])
def tf(request):
    """The module by one of the generators, as the build has made it."""
    folder = WRAPPED / request.param
    if request.param == "swig" and not shutil.which("swig"):
        pytest.skip("swig is not installed")
    names = ("minitf_swig", "_minitf_swig")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        for name in names:
            sys.modules.pop(name, None)
        yield importlib.import_module("minitf_swig")
        for name in names:
            del sys.modules[name]


@pytest.fixture
def graph(tf):
    graph = tf.TF_NewGraph()
    yield graph
    tf.TF_DeleteGraph(graph)


def constant(tf, graph, name, value):
    desc = tf.TF_NewOperation(graph, "Const", name)
    tf.SetAttrTensor(desc, "value", value)
    tf.TF_SetAttrType(desc, "dtype", type_of(tf, value))
    return tf.TF_FinishOperation(desc)


def type_of(tf, value):
    array = np.asarray(value)
    if array.dtype.kind in "SUO":
        return tf.TF_STRING
    names = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}
    name = array.dtype.newbyteorder("=").name
    return getattr(tf, f"TF_{names.get(name, name.upper())}")


def node(tf, graph, op, name, *inputs):
    desc = tf.TF_NewOperation(graph, op, name)
    for one in inputs:
        tf.AddInput(desc, one, 0)
    return tf.TF_FinishOperation(desc)


def fetched(tf, graph, *operations, feeds=()):
    session = tf.NewSession(graph)
    step = tf.Step()
    for operation, value in feeds:
        step.feed(operation, 0, value)
    numbers = [step.fetch(one, 0) for one in operations]
    try:
        step.run(session)
    finally:
        tf.TF_DeleteSession(session)
    return [step.value(number) for number in numbers]


def test_a_product_runs(tf, graph):
    a = constant(tf, graph, "a", np.float32([[3, 3]]))
    b = constant(tf, graph, "b", np.float32([[2], [2]]))
    product = node(tf, graph, "MatMul", "product", a, b)
    assert tf.TF_OperationName(product) == "product"
    assert tf.TF_OperationNumInputs(product) == 2
    (value,) = fetched(tf, graph, product)
    assert value.dtype == np.float32
    assert value.tolist() == [[12.0]]


ARRAYS = {
    "rows apart": np.arange(12, dtype=np.float32).reshape(3, 4)[:, ::2],
    "columns first": np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3)),
    "backwards": np.arange(5, dtype=np.int64)[::-1],
    "big-endian": np.arange(4, dtype=">f8"),
    "read-only": np.frombuffer(bytes(range(8)), np.uint8),
    "not aligned": np.frombuffer(bytes(17), np.uint8)[1:].view(np.float64),
    "empty": np.zeros((0, 3), np.float32),
    "a scalar": np.float64(2.5),
    "a list": [[1.0, 2.0]],
    "bool": np.array([True, False]),
    "half": np.float16([0.5, -2]),
    "complex": np.complex64([1 + 2j]),
    "text": np.array([["a", "\u00fc"], ["", "long" * 100]]),
    "bytes": np.array([b"a\0b", b""], object),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_come_back_as_they_went_in(tf, graph, name):
    value = ARRAYS[name]
    (back,) = fetched(tf, graph, constant(tf, graph, "c", value))
    expected = np.asarray(value)
    if expected.dtype.kind == "U":
        expected = np.char.encode(expected, "utf-8").astype(object)
    assert back.shape == expected.shape
    assert back.dtype == expected.dtype.newbyteorder("=")
    np.testing.assert_array_equal(back, expected)


def test_elements_are_used_where_they_are(tf, graph):
    fed = constant(tf, graph, "fed", np.zeros(1000, np.float32))
    array = np.arange(1000, dtype=np.float32)
    before = sys.getrefcount(array)
    session, step = tf.NewSession(graph), tf.Step()
    step.feed(fed, 0, array)
    assert sys.getrefcount(array) == before + 1
    array[3] = -1  # the step sees it, since nothing was copied
    number = step.fetch(fed, 0)
    step.run(session)
    back = step.value(number)
    assert back[3] == -1
    assert not back.flags.owndata and not back.flags.writeable
    del step
    tf.TF_DeleteSession(session)
    assert sys.getrefcount(array) == before
    assert back[999] == 999  # the array outlives its step


def test_a_status_becomes_an_exception(tf, graph):
    with pytest.raises(errors.InvalidArgumentError, match="matrices|rank 2|MatMul"):
        a = constant(tf, graph, "a", np.float32([1, 2]))
        node(tf, graph, "MatMul", "product", a, a)
    with pytest.raises(errors.InvalidArgumentError, match="NoSuchOp"):
        node(tf, graph, "NoSuchOp", "x")
    with pytest.raises(TypeError, match="M8"):
        constant(tf, graph, "b", np.zeros(2, "datetime64[s]"))
    with pytest.raises(TypeError):
        tf.TF_OperationName("no operation")


def test_a_name_that_is_not_there_is_none(tf, graph):
    assert tf.TF_GraphOperationByName(graph, "nowhere") is None
    assert tf.Step().value(0) is None


def test_calls_keep_no_references(tf, graph):
    array = np.arange(4, dtype=np.float32)
    fed = constant(tf, graph, "fed", array)
    session = tf.NewSession(graph)
    before = sys.getrefcount(array)
    for _ in range(10_000):
        step = tf.Step()
        step.feed(fed, 0, array)
        step.fetch(fed, 0)
        step.run(session)
        del step
    tf.TF_DeleteSession(session)
    assert sys.getrefcount(array) == before


def test_other_threads_run_during_a_step(tf, graph):
    """A step waits for an element that another thread adds."""
    desc = tf.TF_NewOperation(graph, "FIFOQueueV2", "queue")
    one_float = b"\x0a\x03\x32\x01\x01"  # AttrValue: a list of one type, DT_FLOAT
    tf.TF_SetAttrValueProto(desc, "component_types", one_float)
    queue = tf.TF_FinishOperation(desc)
    value = constant(tf, graph, "value", np.float32(7))
    desc = tf.TF_NewOperation(graph, "QueueEnqueueV2", "enqueue")
    tf.AddInput(desc, queue, 0)
    inputs = tf.InputList()
    inputs.append(value, 0)
    inputs.add_to(desc)
    enqueue = tf.TF_FinishOperation(desc)
    desc = tf.TF_NewOperation(graph, "QueueDequeueV2", "dequeue")
    tf.AddInput(desc, queue, 0)
    tf.TF_SetAttrValueProto(desc, "component_types", one_float)
    dequeue = tf.TF_FinishOperation(desc)
    session, steps = tf.NewSession(graph), [tf.Step(), tf.Step()]
    number = steps[0].fetch(dequeue, 0)
    steps[1].target(enqueue)
    waiting = threading.Thread(target=steps[0].run, args=(session,))
    waiting.start()
    steps[1].run(session)
    waiting.join(60)
    assert not waiting.is_alive()
    assert steps[0].value(number) == 7
    tf.TF_DeleteSession(session)


def test_an_op_runs_at_once(tf):
    options = tf.TFE_NewContextOptions()
    context = tf.TFE_NewContext(options)
    tf.TFE_DeleteContextOptions(options)
    x = tf.TFE_NewTensorHandle(np.float32([4, 4, 7]))
    op = tf.TFE_NewOp(context, "Unique")
    tf.TFE_OpAddInput(op, x)
    outputs = tf.TFE_Execute(op)
    values = [tf.TFE_TensorHandleResolve(output).tolist() for output in outputs]
    assert values == [[4, 7], [0, 0, 1]]
    tf.TFE_OpAddInput(op, x)
    with pytest.raises(errors.InvalidArgumentError, match="Unique"):
        tf.TFE_Execute(op)
    tf.TFE_DeleteOp(op)
    with pytest.raises(errors.NotFoundError, match="Nothing"):
        tf.TFE_NewOp(context, "Nothing")
    for handle in (x, *outputs):
        tf.TFE_DeleteTensorHandle(handle)
    tf.TFE_DeleteContext(context)


def test_calls_of_ops_leave_memory_and_references_unchanged(tf):
    options = tf.TFE_NewContextOptions()
    context = tf.TFE_NewContext(options)

    def call():
        x = tf.TFE_NewTensorHandle(np.zeros(1000, np.float32))
        op = tf.TFE_NewOp(context, "AddV2")
        tf.TFE_OpAddInput(op, x)
        with pytest.raises(errors.InvalidArgumentError):
            tf.TFE_Execute(op)
        tf.TFE_OpAddInput(op, x)
        (y,) = tf.TFE_Execute(op)
        assert tf.TFE_TensorHandleResolve(y).size == 1000
        with pytest.raises(errors.NotFoundError):
            tf.TFE_NewOp(context, "Nothing")
        tf.TFE_DeleteTensorHandle(x)
        tf.TFE_DeleteTensorHandle(y)
        tf.TFE_DeleteOp(op)

    for _ in range(100):
        call()
    gc.collect()
    statm = Path("/proc/self/statm")
    pages, nones = int(statm.read_text().split()[1]), sys.getrefcount(None)
    for _ in range(2000):
        call()
    gc.collect()
    assert abs(sys.getrefcount(None) - nones) < 100
    assert int(statm.read_text().split()[1]) - pages < 64  # 256 KiB
    tf.TFE_DeleteContext(context)
    tf.TFE_DeleteContextOptions(options)


def test_an_op_with_too_many_outputs_is_refused(tf):
    options = tf.TFE_NewContextOptions()
    context = tf.TFE_NewContext(options)
    op = tf.TFE_NewOp(context, "Unpack")
    tf.TFE_OpSetAttrInt(op, "num", 65)
    x = tf.TFE_NewTensorHandle(np.zeros(65))
    tf.TFE_OpAddInput(op, x)
    with pytest.raises(errors.InvalidArgumentError, match="65"):
        tf.TFE_Execute(op)
    tf.TFE_DeleteTensorHandle(x)
    tf.TFE_DeleteOp(op)
    tf.TFE_DeleteContext(context)
    tf.TFE_DeleteContextOptions(options)
