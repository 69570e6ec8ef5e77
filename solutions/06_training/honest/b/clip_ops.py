    # TODO(06.12) begin
    with name_scope(name, "global_norm", t_list):
        halves = [call("L2Loss", [t]) for t in _values_of(t_list) if t is not None]
        total = math_ops.add_n(halves) if halves else constant(0.0)
        return call("Sqrt", [total * 2], None, "global_norm")
    # TODO(06.12) end

    # TODO(06.12) begin
    with name_scope(name, "clip_by_global_norm", [*t_list, clip_norm]):
        values = _values_of(t_list)
        dtype = next((value.dtype for value in values if value is not None), None)
        length = convert_to_tensor(length, name="use_norm", preferred_dtype=dtype)
        limit = convert_to_tensor(clip_norm, length.dtype, "clip_norm")
        scale = array_ops.where(
            length > limit, limit / length, array_ops.ones_like(length)
        )
        scale += length - length  # 0, or NaN if the norm is not finite

        def scaled(t: Any, value: Tensor | None) -> Any:
            if value is None:
                return None
            clipped = value * math_ops.cast(scale, value.dtype)
            return t._with_values(clipped) if isinstance(t, IndexedSlices) else clipped

        return list(map(scaled, t_list, values)), length
    # TODO(06.12) end
