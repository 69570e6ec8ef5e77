"""What a step is asked for: structures of tensors, and of what is fed.

``Session.run`` takes tensors, nodes and names in lists, tuples, dicts and namedtuples,
nested at will, and returns the same structure. A Fetches is the flat list of tensors in
such a structure, with the way back.

Compare: tensorflow/python/client/session.py, _FetchHandler. Read next: ``timeline.py``.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from minitf.framework.operation import Operation
from minitf.framework.tensor import GraphTensor

_ATOMS = frozenset((GraphTensor, Operation, str))


def fetch_key(fetches: Any, feed_dict: dict) -> Any:
    """What two calls of ``run`` have in common that can share a prepared run; or None.

    Lists are compared by what they hold, since they may have changed.
    """
    kind = type(fetches)
    if kind in _ATOMS:
        if not feed_dict:
            return fetches  # no tuple, since most small steps are of this kind
        structure: Any = fetches
    elif isinstance(fetches, (list, tuple)):
        for item in fetches:
            if type(item) not in _ATOMS:
                return None
        structure = (kind, *fetches)
    else:
        return None
    if not isinstance(feed_dict, dict):
        return None
    for tensor in feed_dict:
        if type(tensor) is not GraphTensor:
            return None
    return (structure, *feed_dict)


class Fetches:
    """A structure of fetches and the tensors that are fed, as flat lists.

    Attributes:
        feeds: the tensors that are fed, in the order of ``flat_values``.
        tensors: the tensors whose values are needed and not fed, each once.
        targets: the nodes that must run.
        feeds_are_flat: whether the values of the feed_dict are those of ``feeds``.
    """

    def __init__(self, graph: Any, fetches: Any, feed_dict: Mapping):
        self._graph = graph
        self.feeds: list[GraphTensor] = []
        self._slots: list[int] = []  # for each value of the feed_dict, its place in feeds
        self.feeds_are_flat = True
        self._add_feeds(feed_dict)
        self.tensors: list[GraphTensor] = []
        self.targets: list[Operation] = []
        self._positions: dict[GraphTensor, int] = {}
        self.build: Callable[[list[Any]], Any] = self._builder(fetches)

    def flat_values(self, feed_dict: Mapping) -> list[Any]:
        """The values for ``feeds``, one for each: the last, if several came."""
        values: list[Any] = [None] * len(self.feeds)
        slots = iter(self._slots)
        for key, value in feed_dict.items():
            for part in _flat_feed(key, value)[1]:
                values[next(slots)] = part
        return values

    def _add_feeds(self, feed_dict: Mapping) -> None:
        if not isinstance(feed_dict, Mapping):
            raise TypeError(f"feed_dict must be a dict, not {feed_dict!r}")
        places: dict[GraphTensor, int] = {}
        for key, value in feed_dict.items():
            tensors, _ = _flat_feed(key, value)
            self.feeds_are_flat &= tensors == [key]
            for tensor in tensors:
                try:
                    element = self._graph.as_graph_element(tensor, allow_operation=False)
                except (TypeError, ValueError, KeyError) as error:
                    text = error.args[0] if error.args else ""
                    raise TypeError(
                        f"Cannot interpret feed_dict key as Tensor: {text}"
                    ) from None
                element = _handle_if_value(element)
                if not self._graph.is_feedable(element):
                    raise ValueError(f"Tensor {element} may not be fed.")
                places.setdefault(element, len(places))
                self._slots.append(places[element])
        self.feeds = list(places)
        self.feeds_are_flat &= len(self._slots) == len(places)

    def _value_if_variable(self, element: Any) -> Any:
        """The value of the variable whose handle ``element`` is; else ``element``.

        The tensor ``"v:0"`` of a variable v is its handle. Programs that fetch it mean
        the value, which it is in TensorFlow's reference variables.
        """
        if not isinstance(element, GraphTensor) or element.op.type != "VarHandleOp":
            return element
        try:
            name = f"{element.op.name}/Read/ReadVariableOp:0"
            return self._graph.as_graph_element(name, allow_operation=False)
        except KeyError:
            return element

    def _builder(self, fetches: Any) -> Callable[[list[Any]], Any]:
        """The function that puts the results of a step in the place of ``fetches``."""
        if fetches is None:
            raise TypeError(
                f"Argument `fetches` = {fetches} has invalid type "
                f"{type(fetches)}. Cannot be None"
            )
        if isinstance(fetches, (list, tuple)):
            parts = [self._builder(item) for item in fetches]
            kind = type(fetches)
            if hasattr(fetches, "_fields"):
                return lambda results: kind(*[part(results) for part in parts])
            if isinstance(fetches, list):
                return lambda results: [part(results) for part in parts]
            return lambda results: kind([part(results) for part in parts])
        if isinstance(fetches, Mapping):
            keyed = {key: self._builder(value) for key, value in fetches.items()}
            kind = type(fetches)
            if isinstance(fetches, defaultdict):
                kind = partial(kind, fetches.default_factory)
            return lambda results: kind(
                [(key, part(results)) for key, part in keyed.items()]
            )
        return self._leaf(fetches)

    def _leaf(self, fetch: Any) -> Callable[[list[Any]], Any]:
        if hasattr(fetch, "_fetch_parts"):
            make, parts = fetch._fetch_parts()
            build = self._builder(parts)
            return lambda results: make(*build(results))
        try:
            element = self._value_if_variable(self._graph.as_graph_element(fetch))
        except TypeError:
            raise TypeError(
                f"Fetch argument {fetch!r} has invalid type {type(fetch)}, must be "
                f"a string or Tensor. (Can not convert a {type(fetch).__name__} into a "
                "Tensor or Operation.)"
            ) from None
        except ValueError as error:
            raise ValueError(
                f"Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({error})"
            ) from None
        except KeyError as error:
            raise ValueError(
                f"Fetch argument {fetch!r} cannot be interpreted as a Tensor. "
                f"({error.args[0]})"
            ) from None
        if not self._graph.is_fetchable(element):
            raise ValueError(
                f"Operation {element.name!r} has been marked as not fetchable."
            )
        if isinstance(element, Operation):
            self.targets.append(element)
            return lambda results: None
        if element not in self._positions:
            self._positions[element] = len(self.tensors)
            self.tensors.append(element)
        position = self._positions[element]
        return lambda results: results[position]


def _handle_if_value(element: GraphTensor) -> GraphTensor:
    """The handle of the variable whose ``value()`` is ``element``; else ``element``.

    A feed of the handle gives the value to every op that reads the variable. In
    TensorFlow all reads share the tensor ``value()`` of a reference variable. A read that
    waits for other nodes, such as an assignment, is fed alone.
    """
    op = element.op
    if op.type == "ReadVariableOp" and not op.control_inputs:
        handle = op.inputs[0]
        return handle if handle.op.type == "VarHandleOp" else element
    return element


def has_parts(key: Any) -> bool:
    """Whether ``key`` of a feed_dict stands for several tensors."""
    return hasattr(key, "_feed_parts") or isinstance(key, tuple)


def _flat_feed(key: Any, value: Any) -> tuple[list[Any], list[Any]]:
    """The tensors and values of one entry of a feed_dict."""
    if hasattr(key, "_feed_parts"):
        return key._feed_parts(value)
    if not isinstance(key, tuple):
        return [key], [value]
    if not isinstance(value, (list, tuple, np.ndarray)) or len(value) != len(key):
        raise ValueError(
            f"the key {key} of the feed_dict needs {len(key)} values, not {value!r}"
        )
    tensors: list[Any] = []
    values: list[Any] = []
    for part, part_value in zip(key, value, strict=True):
        more_tensors, more_values = _flat_feed(part, part_value)
        tensors += more_tensors
        values += more_values
    return tensors, values
