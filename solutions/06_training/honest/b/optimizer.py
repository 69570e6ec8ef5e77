from minitf.framework.graph import colocate_with, control_dependencies

        # TODO(06.5) begin
        changes = [(grad, var) for grad, var in pairs if grad is not None]
        if not changes:
            names = ", ".join(str(getattr(var, "name", var)) for _, var in pairs)
            raise ValueError(f"No gradients provided for any variable: {names}.")
        with context.init_scope():
            self._create_slots([var for _, var in changes])

        def change(grad: Any, var: Any) -> Any:
            name_of_var = "" if context.executing_eagerly() else var.op.name
            with name_scope(f"update_{name_of_var}"), colocate_with(var):
                return self._updated(grad, var)

        with name_scope(name, self._name) as scope:
            self._prepare()
            updates = [change(*pair) for pair in changes]
            return self._finished(updates, global_step, scope)
        # TODO(06.5) end

        # TODO(06.5) begin
        if var.constraint is None:
            return update
        with control_dependencies([update]):
            allowed = var.constraint(var.read_value())
            return var.assign(allowed, read_value=False)
        # TODO(06.5) end

        # TODO(06.6) begin
        counts = global_step is not None
        last = self._finish(updates, "update" if counts else scope)
        if counts:
            with control_dependencies([last]), colocate_with(global_step):
                last = global_step.assign_add(1, name=scope, read_value=False)
        if context.executing_eagerly():
            return None
        node = getattr(last, "op", last)
        if node not in get_collection(GraphKeys.TRAIN_OP):
            context.get_default_graph().add_to_collection(GraphKeys.TRAIN_OP, node)
        return node
        # TODO(06.6) end

    # TODO(06.7) begin
    unique, places = call("Unique", [indices])
    count = array_ops.size(unique)
    return call("UnsortedSegmentSum", [values, places, count]), unique
    # TODO(06.7) end
