// Splitting text on the CPU: the words of each text as a row of a sparse matrix.
//
// Op         minitf/contrib/strings/string_ops.cc
// Compare    tensorflow/core/kernels/string_split_op.cc

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/common/scalars.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

constexpr std::string_view kWhitespace = " \t\n\v\f\r";

using Words = std::vector<std::string_view>;

// The words of `text` between bytes that are in `delimiters`; all bytes for none.
Words SplitAtAny(std::string_view text, std::string_view delimiters, bool skips_empty) {
  Words words;
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) words.push_back(text.substr(i, 1));
    return words;
  }
  while (true) {
    const size_t end = text.find_first_of(delimiters);
    const std::string_view word = text.substr(0, end);
    if (!word.empty() || !skips_empty) words.push_back(word);
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

std::string_view WithoutLeadingWhitespace(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kWhitespace), text.size()));
  return text;
}

// The words between whitespace. After `most` of them, if positive, what is left is one.
Words SplitAtWhitespace(std::string_view text, int64_t most) {
  Words words;
  text = WithoutLeadingWhitespace(text);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(kWhitespace));
    words.push_back(word);
    text = WithoutLeadingWhitespace(text.substr(word.size()));
    if (most > 0 && std::ssize(words) == most) {
      words.push_back(text);
      break;
    }
  }
  return words;
}

// The words between occurrences of `separator`, as by Python's str.split.
Words SplitAtSeparator(std::string_view text, std::string_view separator, int64_t most) {
  Words words;
  for (size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator)) {
    if (most > 0 && std::ssize(words) == most) break;
    words.push_back(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  words.push_back(text);
  return words;
}

// Outputs 0 to 2: row i of a sparse matrix has the words rows[i].
void SetRows(OpKernelContext* ctx, const std::vector<Words>& rows) {
  int64_t count = 0;
  int64_t longest = 0;
  for (const Words& words : rows) {
    count += std::ssize(words);
    longest = std::max<int64_t>(longest, std::ssize(words));
  }
  Tensor* indices = nullptr;
  Tensor* values = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {count, 2}, &indices));
  OP_REQUIRES_OK(ctx, ctx->allocate_output(1, {count}, &values));
  auto index = indices->mutable_flat<int64_t>().begin();
  auto value = values->mutable_flat<std::string>().begin();
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < rows[i].size(); ++j) {
      *index++ = static_cast<int64_t>(i);
      *index++ = static_cast<int64_t>(j);
      *value++ = rows[i][j];
    }
  }
  ctx->set_output(2, Tensor::Of<int64_t>({2}, {std::ssize(rows), longest}));
}

// The words of input 0, a vector, by split(text, separator).
template <typename Split>
void SplitAll(OpKernelContext* ctx, std::string_view name, const Split& split) {
  const Tensor& input = ctx->input(0);
  Require(input.rank() == 1, "input must be a vector, its shape is ", input.shape());
  RequireScalar(ctx->input(1), name);
  const std::string& separator = ctx->input(1).scalar<std::string>();
  std::vector<Words> rows;
  for (const std::string& text : input.flat<std::string>()) {
    rows.push_back(split(text, separator));
  }
  SetRows(ctx, rows);
}

class StringSplitOp final : public OpKernel {
 public:
  explicit StringSplitOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("skip_empty", &skips_empty_));
  }

  void Compute(OpKernelContext* ctx) override {
    SplitAll(ctx, "delimiter", [this](std::string_view text, std::string_view delimiter) {
      return SplitAtAny(text, delimiter, skips_empty_);
    });
  }

 private:
  bool skips_empty_ = true;
};
REGISTER_KERNEL(Kernel("StringSplit").On(Device::kCpu), StringSplitOp);

class StringSplitV2Op final : public OpKernel {
 public:
  explicit StringSplitV2Op(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("maxsplit", &most_));
  }

  void Compute(OpKernelContext* ctx) override {
    SplitAll(ctx, "sep", [this](std::string_view text, std::string_view separator) {
      if (most_ == 0) return Words{text};
      return separator.empty() ? SplitAtWhitespace(text, most_)
                               : SplitAtSeparator(text, separator, most_);
    });
  }

 private:
  int64_t most_ = -1;
};
REGISTER_KERNEL(Kernel("StringSplitV2").On(Device::kCpu), StringSplitV2Op);

}  // namespace
}  // namespace minitf
