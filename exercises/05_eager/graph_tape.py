"""A tape for graphs: which nodes were added while it was recording.

A graph has all its nodes already, so the tape keeps no records: it keeps when each tensor
was watched, and the ranges of nodes that were added meanwhile. What depends on a watched
tensor through these nodes is differentiated as ``tf.gradients`` does; all other values
are constants to it.

Compare: tensorflow/python/eager/backprop.py. Read next: ``jacobians.py``.
"""

from typing import Any

from minitf.framework.tensor import GraphTensor
from minitf.ops.gradients_impl import sweep


class GraphTape:
    """What one tape knows of one graph."""

    def __init__(self, graph: Any):
        self._graph = graph
        self._watched: dict[int, tuple[int, GraphTensor]] = {}  # by handle: since when
        self._ranges: list[range] = []
        self._begin: int | None = None  # of the range that is being recorded

    def start(self) -> None:
        """Records the nodes that are added from now on, unless it does already."""
        if self._begin is None:
            self._begin = self._graph.num_operations

    def stop(self) -> None:
        """Records no more, if it did."""
        # TODO(05.10) begin: the range that was begun, if any, has its end
        raise NotImplementedError("task 05.10 is not written yet")
        # TODO(05.10) end

    def watch(self, tensor: GraphTensor) -> None:
        """Nodes that use ``tensor`` count from now on, or since it was watched before."""
        # TODO(05.10) begin: note the tensor, by its handle, and how many nodes there are
        raise NotImplementedError("task 05.10 is not written yet")
        # TODO(05.10) end

    def _recorded(self) -> tuple[set[int], set[GraphTensor]]:
        """The nodes that depend on watched tensors, and the tensors they take.

        A node is an index of the graph, and ``self._graph._operation(index)`` is its
        Operation; an output of node ``n`` is made, and watched, when ``n`` is added.
        """
        # TODO(05.10) begin: through the ranges, the open one too, until no node is new
        raise NotImplementedError("task 05.10 is not written yet")
        # TODO(05.10) end

    def watched(self, xs: list[GraphTensor]) -> list[bool]:
        """Which of ``xs`` were watched, or depend on what was."""
        nodes, _ = self._recorded()
        return [x._handle in self._watched or x.op._id in nodes for x in xs]

    def gradient(
        self, ys: list[GraphTensor], xs: list[GraphTensor], dys: list[GraphTensor | None]
    ) -> list[GraphTensor | None]:
        """dL/dx for every x, where L is the sum of ``ys``, each times its dy or ones."""
        nodes, inputs = self._recorded()
        # TODO(05.10) begin: sweep; values that no recorded node makes are constants
        raise NotImplementedError("task 05.10 is not written yet")
        # TODO(05.10) end
