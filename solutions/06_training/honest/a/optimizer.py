from minitf.framework.op_def_library import call, control_dependencies

        # TODO(06.5) begin
        with_gradient = [var for grad, var in pairs if grad is not None]
        if not with_gradient:
            raise ValueError(
                "No gradients provided for any variable: "
                f"{[str(var) for _, var in pairs]}."
            )
        with context.init_scope():
            self._create_slots(with_gradient)
        with name_scope(name, self._name) as scope:
            self._prepare()
            updates = []
            for grad, var in pairs:
                if grad is None:
                    continue
                own = "" if context.executing_eagerly() else var.op.name
                with name_scope(f"update_{own}"), colocate_with(var):
                    updates.append(self._updated(grad, var))
            return self._finished(updates, global_step, scope)
        # TODO(06.5) end

        # TODO(06.5) begin
        if var.constraint is None:
            return update
        with control_dependencies([update]):
            allowed = var.constraint(var.read_value())
            changed = var.assign(allowed, read_value=False)
        return None if context.executing_eagerly() else changed
        # TODO(06.5) end

        # TODO(06.6) begin
        if global_step is None:
            last = self._finish(updates, scope)
        else:
            done = self._finish(updates, "update")
            with control_dependencies([done]), colocate_with(global_step):
                last = global_step.assign_add(1, name=scope, read_value=False)
        if context.executing_eagerly():
            return None
        last = getattr(last, "op", last)
        if not any(last is known for known in get_collection(GraphKeys.TRAIN_OP)):
            context.get_default_graph().add_to_collection(GraphKeys.TRAIN_OP, last)
        return last
        # TODO(06.6) end

    # TODO(06.7) begin
    unique, places = array_ops.unique(indices)
    count = array_ops.shape(unique)[0]
    return call("UnsortedSegmentSum", [values, places, count]), unique
    # TODO(06.7) end
