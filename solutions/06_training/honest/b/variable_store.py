        # TODO(06.2) begin
        if name in self.variables:
            return _reused(self.variables[name], name, shape, dtype, reuse)
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with "
                "tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
            )
        # TODO(06.2) end

    # TODO(06.2) begin
    if not reuse:
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True "
            f"or reuse=tf.AUTO_REUSE in VarScope?{defined}"
        )
    _require_same("variable", found, name, shape, dtype)
    return found
    # TODO(06.2) end

    # TODO(06.2) begin
    asked, there = as_shape(shape), found.shape
    dtype = as_dtype(dtype)
    for what, given, actual, fits in (
        ("shape", asked, there, asked.is_compatible_with(there)),
        ("dtype", dtype.name, found.dtype.name, dtype is found.dtype),
    ):
        if not fits:
            raise ValueError(
                f"Trying to share {kind} {name}, but specified {what} {given} and found "
                f"{what} {actual}."
            )
    # TODO(06.2) end

    # TODO(06.3) begin
    choices = (
        (dtype.is_floating, init_ops.glorot_uniform_initializer),
        (dtype.is_integer or dtype.is_bool, init_ops.zeros_initializer),
        (dtype is dtypes.string, init_ops.zeros_initializer),
    )
    for fits, make in choices:
        if fits:
            return make()
    raise ValueError(f"An initializer for variable {name} of {dtype} is required")
    # TODO(06.3) end

    # TODO(06.3) begin
    sizes = as_shape(shape)
    if sizes.is_fully_defined():
        told = {"dtype": dtype}
        if part is not None and _takes(initializer, "partition_info"):
            told["partition_info"] = part
        return partial(initializer, sizes.as_list(), **told), dtype
    if not _needs_no_arguments(initializer):
        raise ValueError(
            f"Shape of a new variable ({name}) must be fully defined, but instead was "
            f"{sizes}; or its initializer must be a function without arguments"
        )
    return initializer, None
    # TODO(06.3) end
