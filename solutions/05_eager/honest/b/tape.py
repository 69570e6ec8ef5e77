    # TODO(05.9) begin
    if not variable.trainable:
        return
    # Copies: another thread may take its tape out of the list meanwhile.
    for tape in filter(lambda tape: tape._watch_variables, tuple(recorders.tapes)):
        if tape._records():
            tape._watch_variable(variable)
    for variables in recorders.variable_lists:
        variables.setdefault(id(variable), variable)
    # TODO(05.9) end
