        # TODO(06.13) begin
        decay = convert_to_tensor(self._decay, dtypes.float32, name="decay")
        if self._num_updates is None:
            return decay
        n = math_ops.cast(self._num_updates, dtypes.float32, name="num_updates")
        return math_ops.minimum(decay, (1.0 + n) / (10.0 + n))
        # TODO(06.13) end

        # TODO(06.13) begin
        if not isinstance(var, Variable):
            return create_slot_filled(var, 0.0, self._name)
        average = create_slot(var, var.initialized_value(), self._name)
        if var.graph is not None:
            var.graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
        return average
        # TODO(06.13) end

    # TODO(06.13) begin
    return average.assign_sub((average.read_value() - value) * change)
    # TODO(06.13) end

    # TODO(06.13) begin
    total = _moved(biased, value, change)
    steps = count.assign_add(1.0)
    return total / (1.0 - math_ops.pow(1.0 - change, steps))
    # TODO(06.13) end
