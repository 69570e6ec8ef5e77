        # TODO(06.1) begin
        outer = self._thread.name_stack
        if name:
            name = name_as_string(name)
            if not _SCOPE_NAME[bool(outer)].fullmatch(name):
                raise ValueError(f"'{name}' is not a valid scope name")
        if not name:
            inner = ""
        elif name[-1] == "/":
            inner = name[:-1]
        else:
            inner = self.unique_name(name)
        self._thread.name_stack = inner
        try:
            yield f"{inner}/" if inner else ""
        finally:
            self._thread.name_stack = outer
        # TODO(06.1) end
