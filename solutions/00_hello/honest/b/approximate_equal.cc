#include <functional>

    // TODO(00.1) begin
    const Status status = construction->GetAttr("tolerance", &tolerance_);
    OP_REQUIRES_OK(construction, status);
    // TODO(00.1) end

      // TODO(00.2) begin
      const auto distance = Distance(a[i], b[i]);
      result[i] = std::less<>{}(distance, tolerance_);
      // TODO(00.2) end
