    # TODO(06.10) begin
    passed = step / steps
    return call("Floor", [passed]) if staircase else passed
    # TODO(06.10) end

    # TODO(06.10) begin
    if cycle:
        steps = steps * math_ops.maximum(call("Ceil", [step / steps]), 1.0)
    else:
        step = math_ops.minimum(step, steps)
    return call("Pow", [1.0 - step / steps, power])
    # TODO(06.10) end

    # TODO(06.11) begin
    chosen = convert_to_tensor(values[0])
    dtype = chosen.dtype
    for boundary, value in zip(boundaries, values[1:], strict=True):
        is_above = x > _limit(boundary, x.dtype)
        chosen = array_ops.where(is_above, convert_to_tensor(value, dtype), chosen)
    return chosen
    # TODO(06.11) end

    # TODO(06.11) begin
    limit = convert_to_tensor(boundary)
    if limit.dtype is int32 and dtype is int64:
        limit = cast(limit, dtype)
    if limit.dtype is not dtype:
        raise ValueError(
            f"Boundaries ({limit.dtype}) must have the same dtype as x ({dtype})."
        )
    return limit
    # TODO(06.11) end
