"""``Graph.create_op``: a node from what its NodeDef would say.

Compare: tensorflow/python/framework/ops.py, Graph.create_op. Read next: ``graph.py``.
"""

from typing import Any

from minitf.framework import op_def_registry
from minitf.framework.dtypes import as_dtype
from minitf.framework.tensor import Tensor


class CreateOp:
    """The part of a Graph that makes nodes for programs that know the op's definition."""

    def create_op(
        self,
        op_type: str,
        inputs: list[Tensor],
        dtypes: Any = None,
        input_types: Any = None,
        name: str | None = None,
        attrs: dict[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Any:
        """Adds a node from what its NodeDef would say.

        Args:
            op_type: the op, such as ``"MatMul"``.
            inputs: the tensors, those of lists one after another.
            dtypes: the types of the outputs, which must be those of the op.
            input_types: the types of the inputs, compared with those of ``inputs``.
            name: made unique below the present name scope; ``op_type`` if None.
            attrs: values, each an ``AttrValue``, by name.
            op_def: the definition of the op; its name must be ``op_type``.
            compute_shapes: has no effect, as in TensorFlow.
            compute_device: whether the scopes of ``tf.device`` choose the device.

        Raises:
            TypeError: an input is no tensor, or types differ from those expected.
            ValueError: inputs or attributes do not fit the op.
            tf.errors.NotFoundError: there is no such op.
        """
        del compute_shapes
        for i, tensor in enumerate(inputs):
            if not isinstance(tensor, Tensor):
                raise TypeError(f"Input #{i} is not a tensor: {tensor}")
        if op_def is not None and op_def.name != op_type:
            raise ValueError(f"op_def defines {op_def.name}; expected {op_type}")
        own_types = [tensor.dtype for tensor in inputs]
        if input_types is not None and [*map(as_dtype, input_types)] != own_types:
            raise TypeError(
                f"In op {name or op_type!r}, input types ({own_types}) are not "
                f"compatible with expected types ({input_types})"
            )
        attrs = attrs or {}
        lengths = op_def_registry.get(op_type).input_lengths(attrs)
        with self._restoring_devices():
            if not compute_device:
                self._devices, self._device = [], ""
            op = self.add_node(op_type, name or op_type, list(inputs), attrs, lengths)
        types = [tensor.dtype for tensor in op.outputs]
        if dtypes is not None and [*map(as_dtype, dtypes)] != types:
            raise TypeError(f"{op.name!r} has outputs of types {types}, not {dtypes}")
        return op
