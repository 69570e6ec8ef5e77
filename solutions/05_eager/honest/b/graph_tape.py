from itertools import chain

        # TODO(05.10) begin
        begin, self._begin = self._begin, None
        if begin is not None:
            self._ranges.append(range(begin, self._graph.num_operations))
        # TODO(05.10) end

        # TODO(05.10) begin
        self._watched.setdefault(tensor._handle, (self._graph.num_operations, tensor))
        # TODO(05.10) end

        # TODO(05.10) begin
        # From the watched tensors on to what takes them, by a list of what is yet to do.
        spans = list(self._ranges)
        if self._begin is not None:
            spans.append(range(self._begin, self._graph.num_operations))
        users: dict[int, list[int]] = {}  # of what each node makes
        taken: dict[int, list[GraphTensor]] = {}
        todo: list[int] = []
        for node in chain.from_iterable(spans):
            taken[node] = self._graph._operation(node).inputs
            for x in taken[node]:
                users.setdefault(x.op._id, []).append(node)
                since = self._watched.get(x._handle, (node + 1, x))[0]
                if since <= node:
                    todo.append(node)
        nodes: set[int] = set()
        while todo:
            node = todo.pop()
            if node not in nodes:
                nodes.add(node)
                todo += users.get(node, [])
        return nodes, {x for node in nodes for x in taken[node]}
        # TODO(05.10) end

        # TODO(05.10) begin
        constants = [t for t in inputs.union(ys) if t.op._id not in nodes]
        return sweep(self._graph, ys, xs, dys, constants, "tape_gradients")
        # TODO(05.10) end
