        # TODO(06.2) begin
        found = self.variables.get(name)
        if found is not None:
            return _reused(found, name, shape, dtype, reuse)
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with "
                "tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        # TODO(06.2) end

    # TODO(06.2) begin
    if not reuse:
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set "
            f"reuse=True or reuse=tf.AUTO_REUSE in VarScope?{defined}"
        )
    _require_same("variable", found, name, shape, dtype)
    return found
    # TODO(06.2) end

    # TODO(06.2) begin
    wanted = as_shape(shape)
    if not wanted.is_compatible_with(found.shape):
        raise ValueError(
            f"Trying to share {kind} {name}, but specified shape {wanted} and found "
            f"shape {found.shape}."
        )
    dtype = as_dtype(dtype)
    if dtype is not found.dtype:
        raise ValueError(
            f"Trying to share {kind} {name}, but specified dtype {dtype.name} and "
            f"found dtype {found.dtype.name}."
        )
    # TODO(06.2) end

    # TODO(06.3) begin
    if dtype.is_floating:
        return init_ops.glorot_uniform_initializer()
    if dtype.is_integer or dtype.is_bool or dtype is dtypes.string:
        return init_ops.zeros_initializer()
    raise ValueError(f"An initializer for variable {name} of {dtype} is required")
    # TODO(06.3) end

    # TODO(06.3) begin
    shape = as_shape(shape)
    if shape.is_fully_defined():
        more = {"dtype": dtype}
        names_it = "partition_info" in inspect.signature(initializer).parameters
        if names_it or (part is not None and _takes(initializer, "partition_info")):
            more["partition_info"] = part
        return partial(initializer, shape.as_list(), **more), dtype
    if _needs_no_arguments(initializer):
        return initializer, None
    raise ValueError(
        f"The initializer passed for variable {name} is not valid: with the shape {shape}, "
        "which is not fully known, it must be a function without arguments."
    )
    # TODO(06.3) end
