        # TODO(06.1) begin
        former = self._thread.name_stack
        text = name_as_string(name) if name else ""
        if text and not _SCOPE_NAME[bool(former)].fullmatch(text):
            raise ValueError(f"'{text}' is not a valid scope name")
        opened = text[:-1] if text.endswith("/") else text and self.unique_name(text)
        self._thread.name_stack = opened
        try:
            yield opened and f"{opened}/"
        finally:
            self._thread.name_stack = former
        # TODO(06.1) end
