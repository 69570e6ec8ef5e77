    # TODO(05.9) begin
    if not variable.trainable:
        return
    for tape in recorders.tapes:
        is_stopped = recorders.stops > tape._stops_around
        if tape._watch_variables and not is_stopped:
            tape._watch_variable(variable)
    for variables in recorders.variable_lists:
        variables[id(variable)] = variable
    # TODO(05.9) end
