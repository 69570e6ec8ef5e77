        # TODO(06.8) begin
        for setting in dict.fromkeys(self._SETTINGS.values()):
            value = self._call_if_callable(getattr(self, setting.value))
            setattr(self, setting.tensor, convert_to_tensor(value, name=setting.name))
        # TODO(06.8) end

        # TODO(06.8) begin
        known = {"var": var.handle}
        for name, slot_name in self._SLOTS.items():
            slot = self.get_slot(var, slot_name)
            if slot is not None:
                known[name] = slot.handle
        known |= given
        names = [arg.name for arg in op_def_registry.get(op_type).inputs]
        inputs = [
            known[name] if name in known else self._input(name, given["grad"])
            for name in names
        ]
        attrs = {"use_locking": self._use_locking, **self._rule_attrs()}
        return call(op_type, inputs, attrs)
        # TODO(06.8) end
