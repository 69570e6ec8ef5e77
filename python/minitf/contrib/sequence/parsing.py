"""``tf.parse_single_sequence_example`` and ``tf.io.parse_sequence_example``.

A SequenceExample has a context, which is like an Example, and lists of features with one
entry for each step. A batch of them has lists of different lengths, which are filled up.

Compare: tensorflow/python/ops/parsing_ops.py. Read next: ``contrib/image/files.py``.
"""

from typing import Any

from minitf.data_flow.parsing_config import (
    Columns,
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
)
from minitf.framework import dtypes
from minitf.framework.constant_op import constant, convert_to_tensor
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor


class _SequenceColumns:
    """What is asked for of SequenceExamples.

    Attributes:
        context: the columns of the context.
        lists: those of the lists.
    """

    def __init__(
        self,
        context_features: dict[str, Any] | None,
        sequence_features: dict[str, Any] | None,
    ):
        if not (context_features or sequence_features):
            raise ValueError(
                "context_features or sequence_features must have a feature, got "
                f"{context_features!r} and {sequence_features!r}"
            )
        of_context = (VarLenFeature, FixedLenFeature)
        of_lists = (VarLenFeature, FixedLenSequenceFeature)
        self.context = Columns(context_features or {}, of_context)
        self.lists = Columns(sequence_features or {}, of_lists)
        for key, _, _, default in self.lists.dense:
            if default is not None:
                raise ValueError(
                    f"Value feature_list.dense_defaults[{key}] must be None, got "
                    f"{default!r}"
                )

    def attrs(self) -> dict[str, Any]:
        """The attributes of both ops."""
        return {
            "Ncontext_sparse": len(self.context.sparse),
            "Ncontext_dense": len(self.context.dense),
            "Nfeature_list_sparse": len(self.lists.sparse),
            "Nfeature_list_dense": len(self.lists.dense),
            "context_sparse_types": self.context.sparse_types,
            "Tcontext_dense": self.context.dense_types,
            "context_dense_shapes": self.context.shapes,
            "feature_list_sparse_types": self.lists.sparse_types,
            "feature_list_dense_types": self.lists.dense_types,
            "feature_list_dense_shapes": self.lists.shapes,
        }

    def names(self) -> list[list[str]]:
        """The names of all columns, in four lists."""
        return [
            self.context.sparse_keys,
            self.context.dense_keys,
            self.lists.sparse_keys,
            self.lists.dense_keys,
        ]

    def results(self, outputs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Two dicts, of the first eight outputs of an op."""
        return (
            self.context.result(outputs[:3], outputs[3]),
            self.lists.result(outputs[4:7], outputs[7]),
        )


def parse_single_sequence_example(
    serialized: Any,
    context_features: dict[str, Any] | None = None,
    sequence_features: dict[str, Any] | None = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one SequenceExample, a scalar.

    Args:
        serialized: a string, a serialized SequenceExample.
        context_features: what is asked for of its context: fixed or of variable length.
        sequence_features: what is asked for of its lists: FixedLenSequenceFeature for a
            tensor ``[steps] + shape``, VarLenFeature for a SparseTensor ``[steps, n]``.
        example_name: a string that names the Example in messages.
        name: of the nodes.

    Returns:
        Two dicts, of the context and of the lists.

    Raises:
        TypeError: a feature is of a type that Examples do not have.
        ValueError: nothing is asked for, or a feature cannot be asked for in this way.
        errors.InvalidArgumentError: in the step; a feature is missing, or is of another
            type or size. The message names it and the step.
    """
    columns = _SequenceColumns(context_features, sequence_features)
    with name_scope(name, "ParseSingleSequenceExample", [serialized]):
        inputs = [
            serialized,
            constant(columns.lists.may_be_missing, dtypes.string),
            *[[convert_to_tensor(key) for key in keys] for keys in columns.names()],
            columns.context.defaults(),
            "" if example_name is None else example_name,
        ]
        op_type = "ParseSingleSequenceExample"
        return columns.results(call(op_type, inputs, columns.attrs(), op_type))


def parse_sequence_example(
    serialized: Any,
    context_features: dict[str, Any] | None = None,
    sequence_features: dict[str, Any] | None = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Tensor]]:
    """The features of a batch of SequenceExamples.

    Args:
        serialized: strings ``[N]``, each a serialized SequenceExample.
        context_features: what is asked for of the contexts, by name: FixedLenFeature for
            a tensor ``[N] + shape``, VarLenFeature for a SparseTensor ``[N, n]``.
        sequence_features: what is asked for of the lists: FixedLenSequenceFeature for a
            tensor ``[N, most steps] + shape``, in which shorter lists are filled up with
            zeros or empty strings; VarLenFeature for a SparseTensor
            ``[N, most steps, n]``.
        example_names: strings ``[N]`` that name the Examples in messages.
        name: of the nodes.

    Returns:
        Three dicts: of the contexts, of the lists, and for each FixedLenSequenceFeature
        the number of steps of each record, int64 ``[N]``.

    Raises:
        TypeError: a feature is of a type that Examples do not have.
        ValueError: nothing is asked for, or a feature cannot be asked for in this way.
        errors.InvalidArgumentError: in the step; a feature is missing, or is of another
            type or size. The message names it, the record and the step.
    """
    columns = _SequenceColumns(context_features, sequence_features)
    with name_scope(name, "ParseSequenceExample", [serialized]):
        names = constant([], dtypes.string) if example_names is None else example_names
        context_sparse, context_dense, list_sparse, list_dense = columns.names()
        attrs = {
            "feature_list_dense_missing_assumed_empty": columns.lists.may_be_missing,
            "context_sparse_keys": context_sparse,
            "context_dense_keys": context_dense,
            "feature_list_sparse_keys": list_sparse,
            "feature_list_dense_keys": list_dense,
            **columns.attrs(),
        }
        inputs = [serialized, names, columns.context.defaults()]
        outputs = call("ParseSequenceExample", inputs, attrs, "ParseSequenceExample")
        lengths = dict(zip(list_dense, outputs[8], strict=True))
        return *columns.results(outputs), lengths
