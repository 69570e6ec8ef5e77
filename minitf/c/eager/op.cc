// Eager ops: their inputs, and running them.
//
// Compare    tensorflow/c/eager/c_api.cc

#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "minitf/base/logging.h"
#include "minitf/c/eager/context.h"
#include "minitf/c/internal.h"
#include "minitf/c/live_objects.h"
#include "minitf/eager/dispatch.h"

using minitf::ArgDef;
using minitf::Attrs;
using minitf::DType;
using minitf::Error;
using minitf::OpDef;
using minitf::Require;
using minitf::Tensor;
using minitf::ThrowInvalidArgument;
using minitf::c::Guarded;
using minitf::c::LiveObjects;
using minitf::c::RequireList;
using minitf::c::TextOf;

std::vector<int> TFE_Op::InputLengths() const {
  const bool describes_all = has_lists && lengths.size() == def->inputs.size();
  return describes_all ? lengths : std::vector<int>();
}

namespace {

std::shared_ptr<TFE_Op> Get(const TFE_Op* op) {
  return LiveObjects<TFE_Op>::Get(op, "op");
}

// The attributes with those that follow from the inputs. Throws what is missing.
Attrs CompletedAttrs(const TFE_Op& op) {
  Attrs attrs = op.attrs;
  std::vector<DType> types;
  for (const Tensor& input : op.inputs) types.push_back(input.dtype());
  try {
    minitf::CompleteAttrs(*op.def, types, op.InputLengths(), &attrs);
  } catch (const Error& error) {
    throw Error(error.status().WithPrefix(op.def->name + ": "));
  }
  return attrs;
}

// The number of tensors that `args` have together.
int64_t NumTensors(const TFE_Op& op, const std::vector<ArgDef>& args) {
  int64_t count = 0;
  for (const ArgDef& arg : args) {
    if (arg.is_list()) {
      const Attrs attrs = CompletedAttrs(op);
      count = 0;
      for (const ArgDef& each : args) count += minitf::NumTensorsOf(each, attrs);
      return count;
    }
    ++count;
  }
  return count;
}

int LengthOf(const TFE_Op& op, const std::vector<ArgDef>& args, const std::string& name) {
  for (const ArgDef& arg : args) {
    if (arg.name != name) continue;
    const int64_t length =
        arg.is_list() ? minitf::NumTensorsOf(arg, CompletedAttrs(op)) : 1;
    Require(length <= std::numeric_limits<int>::max(), op.def->name, ": '", name,
            "' has ", length, " tensors, more than an int can count");
    return static_cast<int>(length);
  }
  std::string names;
  for (const ArgDef& arg : args) names += (names.empty() ? "" : ", ") + arg.name;
  ThrowInvalidArgument(op.def->name, " has no argument '", name,
                       "'; expected one of: ", names.empty() ? "none" : names);
}

// The attributes of a call, with the kernel that the options of the context select.
Attrs AttrsToRun(const TFE_Op& op) {
  Attrs attrs = op.attrs;
  const auto& labels = op.context->config.kernel_labels;
  const auto label = labels.find(op.def->name);
  if (label != labels.end() && attrs.Find("_kernel") == nullptr) {
    attrs.Set("_kernel", label->second);
  }
  return attrs;
}

std::vector<Tensor> Run(const TFE_Op& op) {
  VLOG(2) << "C API: run op " << op.def->name << " with " << op.inputs.size()
          << " inputs";
  TFE_Context& context = *op.context;
  minitf::c::RequirePolicy(context.PolicyOfThread());
  if (context.config.log_device_placement) {
    std::fprintf(stderr, "Executing op %s in device %s\n", op.def->name.c_str(),
                 minitf::c::kEagerDevice);
  }
  const bool is_traced = context.trace.is_enabled();
  const int64_t start_ns = is_traced ? minitf::c::OpTrace::Now() : 0;
  std::vector<Tensor> outputs =
      minitf::RunOp(op.def->name, op.inputs, AttrsToRun(op), op.InputLengths());
  if (is_traced) context.trace.Add(op.def->name, start_ns, outputs);
  return outputs;
}

// Hands the outputs over: all of them, or, where memory ends, none.
void FillHandles(std::vector<Tensor> outputs, TFE_TensorHandle** retvals) {
  std::vector<std::shared_ptr<TFE_TensorHandle>> handles;
  handles.reserve(outputs.size());
  for (Tensor& output : outputs) {
    handles.push_back(
        std::make_shared<TFE_TensorHandle>(TFE_TensorHandle{std::move(output)}));
  }
  size_t num_added = 0;
  try {
    for (; num_added < handles.size(); ++num_added) {
      LiveObjects<TFE_TensorHandle>::Add(handles[num_added]);
    }
  } catch (...) {
    while (num_added > 0) {
      LiveObjects<TFE_TensorHandle>::Remove(handles[--num_added].get());
    }
    throw;
  }
  for (size_t i = 0; i < handles.size(); ++i) retvals[i] = handles[i].get();
}

}  // namespace

TFE_Op* TFE_NewOp(TFE_Context* ctx, const char* op_or_function_name, TF_Status* status) {
  return Guarded<TFE_Op*>(status, nullptr, [&] {
    auto op = std::make_shared<TFE_Op>();
    op->context = LiveObjects<TFE_Context>::Get(ctx, "ctx");
    op->def = &minitf::FindOp(TextOf(op_or_function_name, "op_or_function_name"));
    op->inputs.reserve(op->def->inputs.size());
    op->lengths.reserve(op->def->inputs.size());
    return LiveObjects<TFE_Op>::Add(std::move(op));
  });
}

void TFE_DeleteOp(TFE_Op* op) { LiveObjects<TFE_Op>::Remove(op); }

void TFE_OpSetDevice(TFE_Op* op, const char* device_name, TF_Status* status) {
  Guarded(status, [&] {
    const auto call = Get(op);
    call->device = minitf::c::EagerDeviceNamed(
        TextOf(device_name, "device_name"), call->context->config.allow_soft_placement);
  });
}

const char* TFE_OpGetDevice(TFE_Op* op, TF_Status* status) {
  return Guarded<const char*>(status, nullptr, [&] { return Get(op)->device.c_str(); });
}

// ---- Inputs ---------------------------------------------------------------------------

void TFE_OpAddInput(TFE_Op* op, TFE_TensorHandle* input, TF_Status* status) {
  Guarded(status, [&] {
    const auto call = Get(op);
    call->inputs.push_back(LiveObjects<TFE_TensorHandle>::Get(input, "input")->tensor);
    call->lengths.push_back(1);
  });
}

void TFE_OpAddInputList(TFE_Op* op, TFE_TensorHandle** inputs, int num_inputs,
                        TF_Status* status) {
  Guarded(status, [&] {
    const auto call = Get(op);
    RequireList(inputs, num_inputs, "inputs");
    const OpDef& def = *call->def;
    const size_t next = call->lengths.size();
    Require(next < def.inputs.size(), def.name, ": all ", def.inputs.size(),
            " inputs are there; expected no more");
    Require(def.inputs[next].is_list(), def.name, ": input '", def.inputs[next].name,
            "' is one tensor; expected a call of TFE_OpAddInput");
    std::vector<Tensor> tensors;
    for (int i = 0; i < num_inputs; ++i) {
      tensors.push_back(LiveObjects<TFE_TensorHandle>::Get(inputs[i], "input")->tensor);
    }
    call->inputs.insert(call->inputs.end(), tensors.begin(), tensors.end());
    call->lengths.push_back(num_inputs);
    call->has_lists = true;
  });
}

int TFE_OpGetInputLength(TFE_Op* op, const char* input_name, TF_Status* status) {
  return Guarded(status, -1, [&] {
    const auto call = Get(op);
    return LengthOf(*call, call->def->inputs, TextOf(input_name, "input_name"));
  });
}

int TFE_OpGetOutputLength(TFE_Op* op, const char* output_name, TF_Status* status) {
  return Guarded(status, -1, [&] {
    const auto call = Get(op);
    return LengthOf(*call, call->def->outputs, TextOf(output_name, "output_name"));
  });
}

// ---- Running --------------------------------------------------------------------------

void TFE_Execute(TFE_Op* op, TFE_TensorHandle** retvals, int* num_retvals,
                 TF_Status* status) {
  Guarded(status, [&] {
    const auto call = Get(op);
    int& room = minitf::c::NotNull(num_retvals, "num_retvals");
    RequireList(retvals, room, "retvals");
    minitf::ThrowIfError(call->error);
    const int64_t num_outputs = NumTensors(*call, call->def->outputs);
    Require(num_outputs <= room, call->def->name, ": expected room for ", num_outputs,
            " outputs, but *num_retvals is ", room);
    std::vector<Tensor> outputs = Run(*call);
    const auto count = static_cast<int>(outputs.size());
    FillHandles(std::move(outputs), retvals);
    room = count;
  });
}
