#include <vector>

  // TODO(02.8) begin
  if constexpr (std::is_integral_v<T>) {
    if (power == 0) return 1;
    const T root = Power<T>(base, power / 2);
    const T square = WrapMultiply(root, root);
    return power % 2 == 0 ? square : WrapMultiply(square, base);
  } else {
    return std::pow(base, power);
  }
  // TODO(02.8) end

    // TODO(02.8) begin
    if constexpr (std::is_integral_v<T>) {
      OP_REQUIRES(ctx, power >= 0,
                  errors::InvalidArgument("an integer has no power of ", power));
    }
    const Shape shape = BroadcastShapes(x.shape(), y.shape());
    Tensor* z = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &z));
    if (shape.num_elements() == 0) return;

    const T* const xs = x.flat<T>().data();
    const T* const ys = y.flat<T>().data();
    T* next = z->mutable_flat<T>().data();
    // Elements between neighbours along an axis, counted from the end; 0 where one
    // element stands for all.
    const auto steps_of = [&shape](const Shape& from) {
      std::vector<int64_t> steps(shape.rank(), 0);
      int64_t step = 1;
      for (int back = 1; back <= from.rank(); ++back) {
        const int64_t size = from.dim(from.rank() - back);
        steps[shape.rank() - back] = size == 1 ? 0 : step;
        step *= size;
      }
      return steps;
    };
    const std::vector<int64_t> x_steps = steps_of(x.shape());
    const std::vector<int64_t> y_steps = steps_of(y.shape());
    const auto fill = [&](const auto& self, int axis, int64_t i, int64_t j) -> void {
      if (axis == shape.rank()) {
        *next++ = Power<T>(WrapSubtract(xs[i], ys[j]), power);
        return;
      }
      for (int64_t n = 0; n < shape.dim(axis); ++n) {
        self(self, axis + 1, i + n * x_steps[axis], j + n * y_steps[axis]);
      }
    };
    fill(fill, 0, 0, 0);
    // TODO(02.8) end
