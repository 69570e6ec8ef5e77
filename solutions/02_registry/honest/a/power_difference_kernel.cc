#include <array>

  // TODO(02.8) begin
  if constexpr (std::is_integral_v<T>) {
    T result = 1;
    for (; power > 0; power /= 2) {
      if (power % 2 == 1) result = WrapMultiply(result, base);
      base = WrapMultiply(base, base);
    }
    return result;
  } else {
    return std::pow(base, power);
  }
  // TODO(02.8) end

    // TODO(02.8) begin
    if constexpr (std::is_integral_v<T>) {
      OP_REQUIRES(ctx, power >= 0,
                  errors::InvalidArgument(
                      "pow of integers must not be negative, it is ", power));
    }
    const Shape shape = BroadcastShapes(x.shape(), y.shape());
    Tensor* z = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &z));
    const T* x_data = x.flat<T>().data();
    const T* y_data = y.flat<T>().data();
    T* z_data = z->mutable_flat<T>().data();

    const std::array<const Shape*, 2> shapes = {&x.shape(), &y.shape()};
    const BroadcastPlan plan(shape, shapes);
    const int64_t x_step = plan.row().strides[0];
    const int64_t y_step = plan.row().strides[1];
    plan.ForEachRow(
        0, shape.num_elements(),
        [&](const BroadcastPlan::Offsets& offsets, int64_t begin, int64_t count) {
          for (int64_t i = 0; i < count; ++i) {
            const T difference = WrapSubtract(x_data[offsets[0] + i * x_step],
                                              y_data[offsets[1] + i * y_step]);
            z_data[begin + i] = Power(difference, power);
          }
        });
    // TODO(02.8) end
