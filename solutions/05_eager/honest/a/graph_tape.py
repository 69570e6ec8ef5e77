        # TODO(05.10) begin
        if self._begin is None:
            return False
        self._ranges.append(range(self._begin, self._graph.num_operations))
        self._begin = None
        return True
        # TODO(05.10) end

        # TODO(05.10) begin
        since = self._graph.num_operations
        self._watched.setdefault(tensor._handle, (since, tensor))
        # TODO(05.10) end

        # TODO(05.10) begin
        ranges = list(self._ranges)
        if self._begin is not None:
            ranges.append(range(self._begin, self._graph.num_operations))
        nodes: set[int] = set()
        taken: set[GraphTensor] = set()

        def counts(node: int, tensors: list[GraphTensor]) -> bool:
            for tensor in tensors:
                if tensor.op._id in nodes:
                    return True
                watched = self._watched.get(tensor._handle)
                if watched is not None and watched[0] <= node:
                    return True
            return False

        # Once more if a node was added: the Merge of a loop takes what comes after it.
        before = -1
        while before != len(nodes):
            before = len(nodes)
            for numbers in ranges:
                for node in numbers:
                    if node in nodes:
                        continue
                    inputs = self._graph._operation(node).inputs
                    if counts(node, inputs):
                        nodes.add(node)
                        taken.update(inputs)
        return nodes, taken
        # TODO(05.10) end

        # TODO(05.10) begin
        constants = [t for t in {*inputs, *ys} if t.op._id not in nodes]
        return sweep(self._graph, ys, xs, dys, constants, "gradients")
        # TODO(05.10) end
