"""The summary ops: ``tf.summary.scalar`` and its siblings.

Each adds a node whose value is a ``Summary`` message, puts it into a collection, and
takes its tag from the name that the node gets.

Compare: tensorflow/python/summary/summary.py, ops/summary_op_util.py. Read next:
``writer.py``.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from minitf.eager import context
from minitf.framework import messages
from minitf.framework.collections_ import GraphKeys
from minitf.framework.constant_op import convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.platform import tf_logging
from minitf.training.queue_summary import set_scalar

# What a pixel that is no number looks like: red.
_BAD_COLOR = np.array([255, 0, 0, 255], np.uint8)


def _clean_tag(name: str) -> str:
    """``name`` with everything replaced that may not be part of the name of a node."""
    clean = re.sub(r"[^-/\w.]", "_", name).lstrip("/")
    if clean != name:
        tf_logging.info("Summary name %s is illegal; using %s instead.", name, clean)
    return clean


@contextmanager
def _scope(name: str, family: str | None) -> Iterator[tuple[str, str]]:
    """The tag, and the name of the node with a slash at its end."""
    if context.executing_eagerly():
        raise RuntimeError(
            "tf.summary ops are nodes of a graph and make no sense in eager mode."
        )
    name = _clean_tag(name)
    family = None if family is None else _clean_tag(family)
    base = name if family is None else f"{family}/{name}"
    with context.get_default_graph().name_scope(base) as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{family}/{tag}"), scope


def _collected(summary: Tensor, collections: Any, default: str) -> Tensor:
    keys = [default] if collections is None else collections
    for key in keys:
        context.get_default_graph().add_to_collection(key, summary)
    return summary


def _add(
    op: str,
    name: str,
    family: str | None,
    collections: Any,
    inputs: list[Any],
    attrs: dict[str, Any] | None = None,
) -> Tensor:
    with _scope(name, family) as (tag, scope):
        summary = call(op, [tag, *inputs], attrs, scope)
    return _collected(summary, collections, GraphKeys.SUMMARIES)


def scalar(
    name: str, tensor: Any, collections: Any = None, family: str | None = None
) -> Tensor:
    """A summary with one number.

    Args:
        name: of the node, and so the tag in TensorBoard.
        tensor: the number.
        collections: the collections to add the summary to; that of all summaries if None.
        family: stands before the tag, and makes TensorBoard show it with others.

    >>> import minitf as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     summary = tf.summary.scalar("loss", 0.5)
    ...     print(tf.Summary.FromString(session.run(summary)))
    value {
      tag: "loss"
      simple_value: 0.5
    }
    <BLANKLINE>
    """
    return _add("ScalarSummary", name, family, collections, [tensor])


def histogram(
    name: str, values: Any, collections: Any = None, family: str | None = None
) -> Tensor:
    """A summary with the histogram of ``values``, which may have any shape.

    Args:
        name: of the node, and so the tag in TensorBoard.
        values: numbers, all of them finite.
        collections: the collections to add the summary to; that of all summaries if None.
        family: stands before the tag.
    """
    return _add("HistogramSummary", name, family, collections, [values])


def image(
    name: str,
    tensor: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Tensor:
    """A summary with images, as PNG files.

    Args:
        name: of the node; the tags are ``name/image/0`` and so on, or ``name/image`` if
            ``max_outputs`` is 1.
        tensor: [batch, height, width, channels]; channels are 1 (gray), 3 (RGB) or 4
            (RGBA). What is not uint8 is scaled, image by image: numbers from 0 on fill 0
            to 255; if there are negative ones, 0 becomes 128.
        max_outputs: how many images of the batch to take.
        collections: the collections to add the summary to; that of all summaries if None.
        family: stands before the tag.
    """
    attrs = {"max_images": max_outputs, "bad_color": _BAD_COLOR}
    return _add("ImageSummary", name, family, collections, [tensor], attrs)


def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Tensor:
    """A summary with sounds, as WAV files.

    Args:
        name: of the node; the tags are ``name/audio/0`` and so on.
        tensor: [batch, frames, channels] or [batch, frames], numbers from -1 to 1.
        sample_rate: frames per second.
        max_outputs: how many sounds of the batch to take.
        collections: the collections to add the summary to; that of all summaries if None.
        family: stands before the tag.
    """
    attrs = {"max_outputs": max_outputs}
    inputs = [tensor, sample_rate]
    return _add("AudioSummaryV2", name, family, collections, inputs, attrs)


def text(name: str, tensor: Any, collections: Any = None) -> Tensor:
    """A summary with text, which TensorBoard reads as Markdown.

    Raises:
        ValueError: ``tensor`` is not of strings.
    """
    tensor = convert_to_tensor(tensor)
    if tensor.dtype.name != "string":
        raise ValueError(
            f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}"
        )
    metadata = messages.get("SummaryMetadata")()
    metadata.plugin_data.plugin_name = "text"
    return tensor_summary(
        name, tensor, collections=collections, summary_metadata=metadata
    )


def tensor_summary(
    name: str,
    tensor: Any,
    summary_description: str | None = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """A summary that holds a tensor of any type and shape.

    Args:
        name: of the node, and so the tag.
        tensor: the tensor.
        summary_metadata: a message ``SummaryMetadata``, which names its plugin.
        collections: the collections to add the summary to; that of all summaries if None.
        display_name: what TensorBoard shows in place of the tag.
        summary_description: a longer text, in Markdown.
        family: stands before the tag.
    """
    metadata = messages.get("SummaryMetadata")()
    if summary_metadata is not None:
        metadata.CopyFrom(summary_metadata)
    if display_name is not None:
        metadata.display_name = display_name
    if summary_description is not None:
        metadata.summary_description = summary_description
    with _scope(name, family) as (tag, scope):
        inputs = [tag, tensor, metadata.SerializeToString()]
        summary = call("TensorSummaryV2", inputs, None, scope)
    return _collected(summary, collections, GraphKeys.SUMMARIES)


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """One summary with the values of all ``inputs``, which may not share a tag."""
    if context.executing_eagerly():
        raise RuntimeError("Merging tf.summary.* ops is not compatible with eager mode.")
    summaries = [convert_to_tensor(summary) for summary in inputs]
    if not summaries:
        raise ValueError("tf.summary.merge needs at least one summary")
    with name_scope(name, "Merge"):
        summary = call("MergeSummary", [summaries], None, name)
    return _collected(summary, collections or [], "")


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Tensor | None:
    """One summary with those of the collection ``key``; None if there are none."""
    if context.executing_eagerly():
        raise RuntimeError("Merging tf.summary.* ops is not compatible with eager mode.")
    summaries = context.get_default_graph().get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None


set_scalar(scalar)
