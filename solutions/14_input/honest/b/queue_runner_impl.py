            # TODO(14.14) begin
            if self._num_running.get(sess, 0) > 0:
                return []
            self._num_running[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
            # TODO(14.14) end

        # TODO(14.14) begin
        is_at_end = False
        try:
            while coord is None or not coord.should_stop():
                sess.run(enqueue_op)
        except self._closed_types:
            is_at_end = True
        except Exception as error:
            if coord is None:
                with self._lock:
                    self._exceptions_raised.append(error)
                raise
            coord.request_stop(error)
        finally:
            if self._ended(sess) == 0 and is_at_end:
                self._run_quietly(sess, self._close_op)
        # TODO(14.14) end

        # TODO(14.14) begin
        with self._lock:
            self._num_running[sess] -= 1
            return self._num_running[sess]
        # TODO(14.14) end

        # TODO(14.14) begin
        coord.wait_for_stop()
        self._run_quietly(sess, self._cancel_op)
        # TODO(14.14) end
