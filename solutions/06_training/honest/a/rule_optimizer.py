        # TODO(06.8) begin
        for setting in self._SETTINGS.values():
            value = self._call_if_callable(getattr(self, setting.value))
            setattr(self, setting.tensor, convert_to_tensor(value, name=setting.name))
        # TODO(06.8) end

        # TODO(06.8) begin
        inputs = []
        for arg in op_def_registry.get(op_type).inputs:
            slot = None
            if arg.name in self._SLOTS:
                slot = self.get_slot(var, self._SLOTS[arg.name])
            if arg.name == "var":
                inputs.append(var.handle)
            elif arg.name in given:
                inputs.append(given[arg.name])
            elif slot is not None:
                inputs.append(slot.handle)
            else:
                inputs.append(self._input(arg.name, given["grad"]))
        attrs = {"use_locking": self._use_locking, **self._rule_attrs()}
        return call(op_type, inputs, attrs)
        # TODO(06.8) end
