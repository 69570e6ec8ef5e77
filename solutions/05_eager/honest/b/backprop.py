        # TODO(05.12) begin
        if self._tape is None:
            self._make_tape()
        self._tapes_of_thread = recorders.tapes
        self._tapes_of_thread.append(self)
        self._stops_around = recorders.stops
        self._recording = True
        self._tape.start()
        self._follow_stops()
        # TODO(05.12) end

        # TODO(05.12) begin
        self._recording = False
        self._tapes_of_thread.remove(self)
        self._tape.stop()
        self._follow_stops()
        # TODO(05.12) end

        # TODO(05.12) begin
        try:
            return self._graphs[graph]
        except KeyError:
            made = self._graphs[graph] = GraphTape(graph)
        self._follow_stops()
        return made
        # TODO(05.12) end

        # TODO(05.11) begin
        if wants_zeros:
            with stop_recording():  # nothing was asked to watch what is read here
                found = [
                    ops.call("ZerosLike", [x]) if gradient is None else gradient
                    for gradient, x in zip(found, flat, strict=True)
                ]
        # TODO(05.11) end

        # TODO(05.11) begin
        asked = [x for x, is_watched in zip(xs, watched, strict=True) if is_watched]
        if not asked:
            answers = []
        elif isinstance(tape, GraphTape):
            answers = tape.gradient(ys, asked, weights)
        else:
            parts = with_lookup_errors(lambda: tape.gradient(ys, asked, weights))
            answers = [of_parts(part) for part in parts]
        coming = iter(answers)
        return [
            next(coming) if is_watched else _own_weight(x, ys, weights)
            for x, is_watched in zip(xs, watched, strict=True)
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
    def identity(tensor: Tensor) -> int:
        return tensor._id if isinstance(tensor, EagerTensor) else tensor._handle

    terms = [
        ops.call("OnesLike", [x]) if weight is None else weight
        for y, weight in zip(ys, weights, strict=True)
        if type(y) is type(x) and identity(y) == identity(x)
    ]
    if len(terms) < 2:
        return terms[0] if terms else None
    return ops.call("AddN", [terms])
    # TODO(05.11) end
