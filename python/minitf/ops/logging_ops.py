"""``tf.print``, ``tf.Print`` and ``tf.strings.format``: tensors as text.

Compare: tensorflow/python/ops/logging_ops.py, string_ops.py. Read next:
``contrib/debug/debugger.py``.
"""

import pprint
import sys
from collections.abc import Mapping
from typing import Any

from minitf.framework.composite_tensor import parts_of
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.sparse_tensor import SparseTensor
from minitf.framework.tensor import Tensor
from minitf.util.nest import flatten, pack_like

# Stands for a tensor in a template. A user's text that holds it gets a longer one.
_PLACEHOLDER = "{}"


def _stream_name(stream: Any) -> str:
    if stream is None or stream is sys.stderr:
        return "stderr"
    if stream is sys.stdout:
        return "stdout"
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    raise ValueError(
        "Unsupported output stream, logging level, or file. It must be sys.stdout, "
        f"sys.stderr or a string 'file://PATH', got {stream!r}"
    )


class _Place:
    """Stands for a tensor while a structure is printed."""

    def __init__(self, placeholder: str):
        self._placeholder = placeholder

    def __repr__(self) -> str:
        return self._placeholder


def _as_tensor(value: Any) -> Any:
    """A tensor, if ``value`` is one or stands for one; else ``value``."""
    if isinstance(value, Tensor) or hasattr(value, "_as_graph_element"):
        return convert_to_tensor(value)
    return value


def _sparse_place(sparse: SparseTensor, place: str, tensors: list[Any]) -> _Place:
    """The text of a SparseTensor, whose three tensors go to ``tensors``."""
    tensors += parts_of(sparse)
    return _Place(f"SparseTensor(indices={place}, values={place}, shape={place})")


def _template_part(value: Any, placeholder: str, tensors: list[Any]) -> str:
    """The text of one argument, with placeholders for the tensors in it."""
    if isinstance(value, str):
        return value
    if isinstance(value, SparseTensor):
        return repr(_sparse_place(value, placeholder, tensors))
    leaves = [_as_tensor(leaf) for leaf in flatten(value)]
    if leaves == [value] and not isinstance(value, (list, tuple, Mapping)):
        if isinstance(leaves[0], Tensor):
            tensors.append(leaves[0])
            return placeholder
        return str(value)
    places = []
    for leaf in leaves:
        if isinstance(leaf, Tensor):
            tensors.append(leaf)
            leaf = _Place(placeholder)
        elif isinstance(leaf, SparseTensor):
            leaf = _sparse_place(leaf, placeholder, tensors)
        places.append(leaf)
    return pprint.pformat(pack_like(value, places), width=10_000)


def print_v2(*inputs: Any, **kwargs: Any) -> Any:
    """Prints tensors, structures of tensors and other values, one after another.

    In a graph this makes a node, which prints when it runs: make something depend on it
    (``tf.control_dependencies``), or run it.

    Args:
        inputs: what to print.
        kwargs: ``output_stream``, sys.stderr (the default), sys.stdout or
            ``"file://PATH"``; ``summarize``, how many first and last elements of each
            axis are shown (3; all if it is -1); ``sep``, ``" "`` by default; ``end``, a
            new line by default; ``name``.

    Returns:
        The Operation; None in eager mode.

    Raises:
        ValueError: there is another keyword, or the stream cannot be printed to.

    >>> import sys
    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.print("x =", tf.range(9), output_stream="file:///dev/null"))
    """
    stream = _stream_name(kwargs.pop("output_stream", None))
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {sorted(kwargs)}")
    if len(inputs) == 1:
        only = _as_tensor(inputs[0])
        is_text = isinstance(only, Tensor) and only.dtype.name == "string"
        if is_text and only.shape.ndims == 0:
            return _print(only, stream, end, name)
    placeholder = _PLACEHOLDER
    while any(isinstance(text, str) and placeholder in text for text in (*inputs, sep)):
        placeholder = "{" + placeholder + "}"
    tensors: list[Any] = []
    parts = [_template_part(value, placeholder, tensors) for value in inputs]
    text = format_string(sep.join(parts), tensors, placeholder, summarize)
    return _print(text, stream, end, name)


def _print(text: Any, stream: str, end: str, name: str | None) -> Any:
    attrs = {"output_stream": stream, "end": end}
    return call("PrintV2", [text], attrs, name or "PrintV2")


def format_string(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> Tensor:
    """``template`` with each placeholder replaced by the text of a tensor.

    Args:
        template: the text.
        inputs: a tensor, or as many as there are placeholders.
        placeholder: what is replaced.
        summarize: how many first and last elements of each axis are shown; all if -1.
        name: of the node.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.strings.format("{} and {}", (tf.range(3), 1.5)))
    b'[0 1 2] and 1.5'
    """
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    tensors = [convert_to_tensor(value) for value in inputs]
    for text in (template, placeholder):
        if not isinstance(text, str):
            raise TypeError(f"template and placeholder are strings, not {text!r}")
    if template.count(placeholder) != len(tensors):
        raise ValueError(
            f"{template.count(placeholder)} placeholder(s) in template does not match "
            f"{len(tensors)} tensor(s) provided as input"
        )
    attrs = {"template": template, "placeholder": placeholder, "summarize": summarize}
    return call("StringFormat", [tensors], attrs, name or "StringFormat")


def print_v1(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """``input_``; when it is computed, ``data`` is printed to the error stream.

    Args:
        input_: the tensor that is returned as it is.
        data: a list of tensors to print.
        message: a prefix.
        first_n: print only so many times; always if None or negative.
        summarize: print only so many elements of each tensor; 3 if None.
        name: of the node.
    """
    attrs = {
        "message": message or "",
        "first_n": -1 if first_n is None else first_n,
        "summarize": 3 if summarize is None else summarize,
    }
    return call("Print", [input_, list(data)], attrs, name)
