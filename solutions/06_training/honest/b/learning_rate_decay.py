    # TODO(06.10) begin
    passed = step / steps
    return call("Floor", [passed]) if staircase else passed
    # TODO(06.10) end

    # TODO(06.10) begin
    if cycle:
        periods = math_ops.maximum(call("Ceil", [step / steps]), 1)
        fraction = step / (periods * steps)
    else:
        fraction = math_ops.minimum(step, steps) / steps
    return call("Pow", [1 - fraction, power])
    # TODO(06.10) end

    # TODO(06.11) begin
    first = convert_to_tensor(values[0])
    tensors = [first, *(convert_to_tensor(value, first.dtype) for value in values[1:])]
    limits = [_limit(boundary, x.dtype) for boundary in boundaries]

    def between(begin: int, end: int) -> Tensor:
        """The one of tensors[begin:end] that x chooses."""
        if end - begin == 1:
            return tensors[begin]
        middle = (begin + end) // 2
        is_above = x > limits[middle - 1]
        return array_ops.where(is_above, between(middle, end), between(begin, middle))

    return between(0, len(tensors))
    # TODO(06.11) end

    # TODO(06.11) begin
    limit = convert_to_tensor(boundary)
    if limit.dtype is dtype:
        return limit
    if (limit.dtype, dtype) != (int32, int64):
        raise ValueError(
            f"Boundaries ({limit.dtype}) must have the same dtype as x ({dtype})."
        )
    return cast(limit, int64)
    # TODO(06.11) end
