        # TODO(05.12) begin
        if self._tape is None:
            self._make_tape()
        self._tape.start()
        for graph_tape in self._graphs.values():
            graph_tape.start()
        self._stops_around = recorders.stops
        self._tapes_of_thread = recorders.tapes
        self._tapes_of_thread.append(self)
        self._recording = True
        # TODO(05.12) end

        # TODO(05.12) begin
        self._recording = False
        self._tapes_of_thread.remove(self)
        for graph_tape in self._graphs.values():
            graph_tape.stop()
        self._tape.stop()
        # TODO(05.12) end

        # TODO(05.12) begin
        found = self._graphs.get(graph)
        if found is None:
            found = self._graphs[graph] = GraphTape(graph)
            if self._records():
                found.start()
        return found
        # TODO(05.12) end

        # TODO(05.11) begin
        if wants_zeros:
            for i, item in enumerate(flat):
                if found[i] is None:
                    # Of a variable the value, which is read for this only.
                    with stop_recording():
                        like = item if hasattr(item, "handle") else xs[i]
                        found[i] = ops.call("ZerosLike", [like])
        # TODO(05.11) end

        # TODO(05.11) begin
        known = [x for x, is_known in zip(xs, watched, strict=True) if is_known]
        if not known:
            of_known = []
        elif isinstance(tape, GraphTape):
            of_known = tape.gradient(ys, known, weights)
        else:
            parts = with_lookup_errors(lambda: tape.gradient(ys, known, weights))
            of_known = [of_parts(item) for item in parts]
        in_order = iter(of_known)
        return [
            next(in_order) if is_known else _own_weight(x, ys, weights)
            for x, is_known in zip(xs, watched, strict=True)
        ]
        # TODO(05.11) end

            # TODO(05.12) begin
            if not self._persistent:
                self._tape = None
                self._graphs = {}
            # TODO(05.12) end

        # TODO(05.12) begin
        self._tape.reset()
        self._graphs = {}
        self._variables = {}
        # TODO(05.12) end

    # TODO(05.11) begin
    def is_x(y: Tensor) -> bool:
        if isinstance(x, EagerTensor) and isinstance(y, EagerTensor):
            return x._id == y._id
        return x is y

    own = [
        ops.call("OnesLike", [x]) if weight is None else weight
        for y, weight in zip(ys, weights, strict=True)
        if is_x(y)
    ]
    if len(own) < 2:
        return own[0] if own else None
    return ops.call("AddN", [own])
    # TODO(05.11) end
