    # TODO(06.12) begin
    with name_scope(name, "global_norm", t_list):
        halves = [call("L2Loss", [t]) for t in _values_of(t_list) if t is not None]
        if not halves:
            return constant(0.0)
        return call("Sqrt", [2.0 * math_ops.add_n(halves)], None, "global_norm")
    # TODO(06.12) end

    # TODO(06.12) begin
    with name_scope(name, "clip_by_global_norm", [*t_list, clip_norm]) as scope:
        norm = convert_to_tensor(length)
        if isinstance(clip_norm, Tensor) or hasattr(clip_norm, "handle"):
            limit = math_ops.cast(clip_norm, norm.dtype)
        else:
            limit = convert_to_tensor(clip_norm, norm.dtype)
        one = array_ops.ones_like(norm)
        scale = array_ops.where(norm > limit, limit / math_ops.maximum(norm, limit), one)
        scale += norm - norm  # 0, or NaN if the norm is not finite

        clipped: list[Any] = []
        for i, (t, values) in enumerate(zip(t_list, _values_of(t_list), strict=True)):
            if values is None:
                clipped.append(None)
                continue
            scaled = values * math_ops.cast(scale, values.dtype)
            scaled = array_ops.identity(scaled, name=f"{scope}_{i}")
            is_slices = isinstance(t, IndexedSlices)
            clipped.append(t._with_values(scaled) if is_slices else scaled)
        return clipped, norm
    # TODO(06.12) end
