        # TODO(06.13) begin
        decay = convert_to_tensor(
            self._decay, name="decay", preferred_dtype=dtypes.float32
        )
        if self._num_updates is None:
            return decay
        count = math_ops.cast(self._num_updates, decay.dtype, "num_updates")
        return math_ops.minimum(decay, (1 + count) / (10 + count))
        # TODO(06.13) end

        # TODO(06.13) begin
        if not isinstance(var, Variable):
            return create_slot_filled(var, 0.0, self._name)
        if var.graph is not None:
            var.graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
        return create_slot(var, var.initialized_value(), self._name)
        # TODO(06.13) end

    # TODO(06.13) begin
    goal = value.read_value() if isinstance(value, Variable) else value
    return average.assign_add((goal - average.read_value()) * change)
    # TODO(06.13) end

    # TODO(06.13) begin
    sum_so_far = convert_to_tensor(_moved(biased, value, change))
    steps = convert_to_tensor(count.assign_add(1))
    return sum_so_far / (1 - (1 - change) ** steps)
    # TODO(06.13) end
