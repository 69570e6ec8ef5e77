    // TODO(13.11) begin
    if (from == nullptr || to == nullptr) {
      const std::string_view missing = from == nullptr ? key.src_device : key.dst_device;
      done(errors::InvalidArgument("the device ", missing,
                                   " is not in this process, which has ",
                                   devices_.set().Names()),
           {}, args, {}, false);
      return;
    }
    // TODO(13.11) end

      // TODO(13.11) begin
      if (!status.ok() || is_dead) {
        done(status, send_args, recv_args, std::move(value), is_dead);
        return;
      }
      auto call = [done, send_args, recv_args](const Status& copied, Tensor received) {
        done(copied, send_args, recv_args, std::move(received), false);
      };
      Transfer(std::move(value), send_args.in_host_memory ? *host : *from,
               recv_args.in_host_memory ? *host : *to, transfers, std::move(call));
      // TODO(13.11) end
