    // TODO(00.1) begin
    OP_REQUIRES_OK(construction, construction->GetAttr("tolerance", &tolerance_));
    // TODO(00.1) end

      // TODO(00.2) begin
      result[i] = Distance(a[i], b[i]) < tolerance_;
      // TODO(00.2) end
