            # TODO(14.14) begin
            if self._num_running.get(sess, 0) > 0:
                return []
            self._num_running[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
            # TODO(14.14) end

        # TODO(14.14) begin
        is_counted = True
        try:
            while coord is None or not coord.should_stop():
                try:
                    sess.run(enqueue_op)
                except self._closed_types:
                    is_counted = False
                    if self._ended(sess) == 0:
                        self._run_quietly(sess, self._close_op)
                    return
        except Exception as error:
            if coord is not None:
                coord.request_stop(error)
                return
            with self._lock:
                self._exceptions_raised.append(error)
            raise
        finally:
            if is_counted:
                self._ended(sess)
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
