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
        def running() -> list[threading.Thread]:
            return [thread for thread in waited if thread.is_alive()]

        while running() and not self.wait_for_stop(_LOOK_SECONDS):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        pause = 0.001
        while running() and (left := deadline - time.monotonic()) > 0:
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LOOK_SECONDS)
        # TODO(14.13) end
