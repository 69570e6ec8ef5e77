"""``tf.layers.Layer``: variables that are made once, and ops that are made at every call.

The variables of the layer "Layer" are "Layer/kernel" and so on, whatever name scope is
open. Its ops are in the name scope that was opened with the variable scope: "Layer" for
the first layer that uses these variables, "Layer_1" for the second.

Compare: tensorflow/python/layers/base.py. Read next: ``core.py``.
"""

import copy
import re
from collections.abc import Callable
from inspect import Parameter
from typing import Any

import numpy as np

from minitf.control_flow.control_flow_ops import smart_value
from minitf.eager import context
from minitf.framework import dtypes
from minitf.framework.collections_ import GraphKeys
from minitf.framework.constant_op import contains_tensor, convert_to_tensor
from minitf.framework.dtypes import as_dtype
from minitf.framework.op_def_library import call
from minitf.framework.scopes import name_scope
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape
from minitf.ops import array_ops, math_ops
from minitf.ops.nn import nn_ops
from minitf.util.nest import flatten
from minitf.util.signatures import make_function, optional, parameters_of
from minitf.variables import init_ops
from minitf.variables.partitioned_variables import PartitionedVariable
from minitf.variables.shared_variables import get_variable
from minitf.variables.variable_creation import VariableSynchronization
from minitf.variables.variable_scope import variable_scope
from minitf.variables.variables import Variable


def _snake_case(name: str) -> str:
    """``Conv2D`` as ``conv2d``, ``MaxPooling2D`` as ``max_pooling2d``."""
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


class Layer:
    """A function with variables.

    Derived classes make their variables in ``build``, with ``add_weight``, and use them
    in ``call``.

    Args:
        trainable: whether optimizers change the variables.
        name: of the layer; made from the class if None.
        dtype: of the variables; that of the first input if None.
        options: ``_scope`` and ``_reuse``, from the functions of ``tf.layers``.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ):
        self._reuse = options.pop("_reuse", None)
        scope = options.pop("_scope", None)
        if options:
            raise TypeError(f"Layer() got unexpected arguments {sorted(options)}")
        self.trainable = trainable
        self.built = False
        self.dtype = None if dtype is None else as_dtype(dtype)
        self._base_name = name or _snake_case(type(self).__name__)
        self._scope: Any = None
        self._trainable_weights: list[Variable] = []
        self._non_trainable_weights: list[Variable] = []
        self._losses: list[Any] = []
        self._updates: list[Any] = []
        self._graph = None if context.executing_eagerly() else context.get_default_graph()
        if scope is not None:
            with variable_scope(scope) as opened:
                self._scope = opened

    def __deepcopy__(self, memo: dict) -> "Layer":
        """A layer with copies of all that this one has, in the same graph."""
        memo[id(self._graph)] = self._graph
        result = memo[id(self)] = type(self).__new__(type(self))
        vars(result).update(copy.deepcopy(vars(self), memo))
        return result

    # ---- For derived classes -----------------------------------------------------------

    def require_rank(self, shape: TensorShape, least: int) -> None:
        """Raises ValueError if inputs of this shape have less than so many axes."""
        if shape.ndims is not None and shape.ndims < least:
            raise ValueError(
                f"Input 0 of layer {self.name} is incompatible with the layer: expected "
                f"min_ndim={least}, found ndim={shape.ndims}: its shape is {shape}"
            )

    def build(self, input_shape: TensorShape) -> None:
        """Makes the variables, from the shape of the first input."""

    def call(self, inputs: Any, **options: Any) -> Any:
        """The output, from the inputs and the variables."""
        raise NotImplementedError

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        partitioner: Any = None,
    ) -> Any:
        """The variable ``name`` of this layer, made or found again as the scope says.

        The arguments are those of ``tf.get_variable``; the initializer may be the name of
        one, such as 'ones'.
        """
        on_read = synchronization is VariableSynchronization.ON_READ
        trainable = not on_read if trainable is None else trainable
        trainable = trainable and self.trainable
        regularize = None
        if regularizer is not None:

            def regularize(variable: Variable) -> Any:
                loss = regularizer(variable)
                if loss is not None:
                    self._losses.append(loss)
                return loss

        variable = get_variable(
            name,
            shape,
            as_dtype(dtype or self.dtype or dtypes.float32),
            _initializer_called(initializer),
            regularize,
            trainable,
            constraint=constraint,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
            partitioner=partitioner,
        )
        weights = self._trainable_weights if trainable else self._non_trainable_weights
        is_whole = isinstance(variable, PartitionedVariable)
        for part in variable if is_whole else [variable]:
            if all(part is not weight for weight in weights):
                weights.append(part)
        return variable

    add_variable = add_weight

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Keeps nodes that must run with each step of a layer that is trained."""
        del inputs
        if context.executing_eagerly() or not self.trainable:
            return
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            self._updates.append(update)
            context.get_default_graph().add_to_collection(GraphKeys.UPDATE_OPS, update)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Keeps losses, which are added up with those of regularizers."""
        del inputs
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            self._losses.append(loss)
            if not context.executing_eagerly():
                graph = context.get_default_graph()
                graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)

    # ---- Calling -----------------------------------------------------------------------

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Applies the layer; its first call makes the variables."""
        scope = kwargs.pop("scope", None)
        if isinstance(inputs, (list, tuple)) and not contains_tensor(inputs):
            inputs = convert_to_tensor(inputs)
        tensors = [convert_to_tensor(item) for item in flatten(inputs)]
        if not isinstance(inputs, (list, tuple, dict)):
            inputs = tensors[0]
        if self.dtype is None and tensors:
            self.dtype = tensors[0].dtype
        self._set_scope(scope)
        if self.built:
            # The scope is entered again: its variables are there, its ops are new.
            opened = variable_scope(self._scope, reuse=True, auxiliary_name_scope=False)
        else:
            opened = variable_scope(
                self._scope, reuse=self._reuse, auxiliary_name_scope=False
            )
        with opened, name_scope(self._scope.original_name_scope):
            if not self.built:
                shape = getattr(inputs, "shape", None)
                self.build(shape)
                self.built = True
            return self.call(inputs, *args, **kwargs)

    apply = __call__

    def _set_scope(self, scope: Any = None) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            with variable_scope(self._base_name if scope is None else scope) as opened:
                self._scope = opened
            return
        with variable_scope(scope, default_name=self._base_name) as opened:
            self._scope = opened

    # ---- What it is --------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the layer's scope."""
        if self._scope is None:
            return self._base_name
        return self._scope.name.split("/")[-1]

    @property
    def scope_name(self) -> str:
        """The scope of the layer's variables."""
        if self._scope is None:
            raise ValueError(
                f"No name available for layer scope because the layer "
                f'"{self._base_name}" has not been used yet.'
            )
        return self._scope.name

    @property
    def graph(self) -> Any:
        """The graph in which the layer was made; None in eager mode."""
        return self._graph

    @property
    def trainable_weights(self) -> list[Variable]:
        """The variables that optimizers change."""
        return self._trainable_weights if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """The other variables."""
        if self.trainable:
            return self._non_trainable_weights
        return self._trainable_weights + self._non_trainable_weights

    @property
    def weights(self) -> list[Variable]:
        """All variables, the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights
    variables = weights

    @property
    def losses(self) -> list[Any]:
        """What the regularizers have returned, and what ``add_loss`` was given."""
        return self._losses

    @property
    def updates(self) -> list[Any]:
        """The nodes that must run with each training step."""
        return self._updates

    def count_params(self) -> int:
        """How many numbers the variables hold."""
        return sum(variable.shape.num_elements() for variable in self.weights)


_ACTIVATIONS = {  # the ops of those that have one
    "elu": "Elu",
    "exponential": "Exp",
    "relu": "Relu",
    "selu": "Selu",
    "sigmoid": "Sigmoid",
    "softplus": "Softplus",
    "softsign": "Softsign",
    "tanh": "Tanh",
}


def activation_called(activation: Any) -> Callable | None:
    """An activation that is given as a function, by its name, or not at all.

    Raises:
        ValueError: there is none of this name.
    """
    if not isinstance(activation, str):
        return activation
    if activation == "linear":
        return None
    if activation == "softmax":
        return nn_ops.softmax
    if activation not in _ACTIVATIONS:
        names = ", ".join(sorted([*_ACTIVATIONS, "linear", "softmax"]))
        raise ValueError(f"there is no activation {activation!r}, but {names}")
    return lambda x: call(_ACTIVATIONS[activation], [x])


def _initializer_called(initializer: Any) -> Any:
    """An initializer that is given as such, or by its name in ``tf.initializers``.

    Raises:
        ValueError: there is none of this name.
    """
    if not isinstance(initializer, str):
        return initializer
    name = _snake_case(initializer)
    if name not in init_ops.__all__:
        names = ", ".join(init_ops.__all__)
        raise ValueError(f"there is no initializer {initializer!r}, but {names}")
    return getattr(init_ops, name)()


def training_mode(training: Any) -> tuple[Any, bool | None]:
    """What ``training`` of a layer means: a bool, or a tensor whose value is not known.

    Returns:
        It, with a variable's value in its place, and whether it is known to be true.

    Raises:
        TypeError: it is neither a bool, nor a scalar, nor None, which means False.
    """
    if hasattr(training, "handle"):
        training = convert_to_tensor(training)
    if training is None:
        training = False
    is_number = isinstance(training, (bool, int, np.bool_)) and training in (0, 1)
    if not is_number and not isinstance(training, Tensor):
        raise TypeError(f"training must be a bool or a scalar tensor, got {training!r}")
    return training, smart_value(training)


def with_activity(layer: Layer, outputs: Any, regularizer: Any) -> Any:
    """``outputs``, whose size is a loss if there is a regularizer for it.

    The loss is that of an example: it is divided by the size of the batch.
    """
    if regularizer is not None:
        loss = regularizer(outputs)
        if loss is not None:
            with name_scope("ActivityRegularizer"):
                loss = loss / math_ops.cast(array_ops.shape(outputs)[0], loss.dtype)
            layer._losses.append(loss)
            if not context.executing_eagerly():
                graph = context.get_default_graph()
                graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return outputs


def layer_function(layer: type[Layer], last: str = "") -> Callable[..., Tensor]:
    """The function that makes a layer and calls it once.

    Args:
        layer: its class. The function has its arguments.
        last: the names of those that come last in the function, in this order. Two need
            not be the class's: ``training``, which goes to the call, and ``reuse``, which
            says whether the variables of the scope ``name`` are used again.
    """
    inputs = Parameter("inputs", Parameter.POSITIONAL_OR_KEYWORD)
    own = {"training": optional("training", False), "reuse": optional("reuse")}
    known = own | parameters_of(layer)
    first = [name for name in parameters_of(layer) if name not in last.split()]
    parameters = [inputs, *(known[name] for name in [*first, *last.split()])]

    def call(inputs: Any, **given: Any) -> Tensor:
        to_call = {key: given.pop(key) for key in ("training",) if key in given}
        if "reuse" in given:
            given |= {"_scope": given["name"], "_reuse": given.pop("reuse")}
        return layer(**given)(inputs, **to_call)

    call.__module__ = layer.__module__
    doc = f"Calls a {layer.__name__} layer once; see there."
    return make_function(_snake_case(layer.__name__), doc, parameters, call)
