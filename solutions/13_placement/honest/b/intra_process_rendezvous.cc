    // TODO(13.11) begin
    for (const auto& [device, name] :
         {std::pair(from, key.src_device), std::pair(to, key.dst_device)}) {
      if (device != nullptr) continue;
      return done(errors::InvalidArgument("there is no device '", name,
                                          "' in this process, which the key ",
                                          key.full_key, " names"),
                  {}, args, {}, false);
    }
    // TODO(13.11) end

      // TODO(13.11) begin
      if (is_dead || !status.ok()) {
        return done(status, send_args, recv_args, std::move(value), is_dead);
      }
      const auto place = [host](const Args& end, const LocalDevice* device) {
        return end.in_host_memory ? host : device;
      };
      Transfer(std::move(value), *place(send_args, from), *place(recv_args, to), transfers,
               [done, send_args, recv_args](const Status& copied, Tensor received) {
                 done(copied, send_args, recv_args, std::move(received), false);
               });
      // TODO(13.11) end
