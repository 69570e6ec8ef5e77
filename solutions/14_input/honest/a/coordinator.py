            # TODO(14.13) begin
            if isinstance(exception, self._clean_types):
                exception = None
            if self._joined and exception is not None:
                raise exception
            if not self._stop.is_set():
                self._exception = exception
                self._stop.set()
            # TODO(14.13) end

        # TODO(14.13) begin
        while any(thread.is_alive() for thread in waited):
            if self.wait_for_stop(_LOOK_SECONDS):
                break
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in waited:
            if thread.is_alive():
                thread.join(max(deadline - time.monotonic(), 0))
        # TODO(14.13) end
