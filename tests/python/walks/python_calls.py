"""[[3, 3]] x [[2], [2]] by a binding of Python, for kernel_walk.py.

    python_calls.py pybind11 eager              by tf.matmul, at once
    python_calls.py pybind11 graph              by tf.matmul, in a session
    python_calls.py FOLDER graph                by the module minitf_swig in a folder

Prints which Python functions are active when a function of the binding is called.
"""

import importlib
import json
import sys
from types import FrameType, ModuleType

import numpy as np

A, B = np.float32([[3, 3]]), np.float32([[2], [2]])
CALLS = {"execute", "add_node", "run", "TF_FinishOperation", "Step_run"}


def watch(frame: FrameType | None, event: str, function: object) -> None:
    """Prints the active functions, without this module's own code."""
    name = getattr(function, "__name__", "")
    if event != "c_call" or name not in CALLS:
        return
    rows: list[tuple[str, str]] = []
    while frame is not None and frame.f_code.co_name != "main":
        rows.insert(0, (frame.f_code.co_filename, frame.f_code.co_qualname))
        frame = frame.f_back
    print("PYTHON", name, json.dumps(rows), flush=True)


def matmul_eagerly() -> np.ndarray:
    """``tf.matmul`` of eager tensors."""
    import minitf as tf

    tf.enable_eager_execution()
    a, b = tf.constant(A), tf.constant(B)
    sys.setprofile(watch)
    return tf.matmul(a, b).numpy()


def matmul_in_session() -> np.ndarray:
    """``tf.matmul`` of placeholders."""
    import minitf as tf

    a, b = tf.placeholder(tf.float32, [1, 2]), tf.placeholder(tf.float32, [2, 1])
    with tf.Session() as session:
        sys.setprofile(watch)
        return session.run(tf.matmul(a, b), {a: A, b: B})


def matmul_by_c_api(tf: ModuleType) -> np.ndarray:
    """A MatMul node by the functions of the C API that ``tf`` wraps."""
    graph, step = tf.TF_NewGraph(), tf.Step()
    feeds = []
    for name, value in (("a", A), ("b", B)):
        desc = tf.TF_NewOperation(graph, "Placeholder", name)
        tf.TF_SetAttrType(desc, "dtype", tf.TF_FLOAT)
        feeds.append(tf.TF_FinishOperation(desc))
        step.feed(feeds[-1], 0, value)
    desc = tf.TF_NewOperation(graph, "MatMul", "MatMul")
    for feed in feeds:
        tf.AddInput(desc, feed, 0)
    sys.setprofile(watch)
    index = step.fetch(tf.TF_FinishOperation(desc), 0)
    session = tf.NewSession(graph)
    step.run(session)
    sys.setprofile(None)
    tf.TF_DeleteSession(session)
    tf.TF_DeleteGraph(graph)
    return step.value(index)


def main(binding: str, mode: str) -> None:
    """Runs one program and prints the product."""
    if binding != "pybind11":
        sys.path.insert(0, binding)
        product = matmul_by_c_api(importlib.import_module("minitf_swig"))
    else:
        product = matmul_eagerly() if mode == "eager" else matmul_in_session()
    sys.setprofile(None)
    print("PRODUCT", f"{product.item():g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
