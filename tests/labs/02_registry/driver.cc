// What cases of lab 02 call in C++: the scanner and the parsers, a table of names,
// kernels that are registered and looked up, and the rules of shapes.
//
// A shape is a list of sizes, -1 for one that is not known, or None if its rank is not.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/base/name_table.h"
#include "minitf/base/scanner.h"
#include "minitf/base/text.h"
#include "minitf/framework/op_def_parser.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"
#include "minitf/framework/shapes/conv2d_geometry.h"
#include "minitf/framework/shapes/product_shapes.h"
#include "minitf/ops/cwise/power_difference.h"
#include "tests/labs/02_registry/table_locks.h"
#include "tests/labs/common/arrays.h"

namespace minitf {
namespace {

namespace py = pybind11;

using Numbers = std::vector<int64_t>;
using MaybeSizes = std::optional<Numbers>;

PartialShape ShapeOf(const MaybeSizes& sizes) {
  return sizes.has_value() ? PartialShape(*sizes) : PartialShape();
}

MaybeSizes SizesOf(const PartialShape& shape) {
  if (!shape.has_rank()) return std::nullopt;
  return shape.ToVector();
}

// ---- Values as plain data -------------------------------------------------------------

template <typename T>
py::object Plain(const T& value) {
  return py::cast(value);
}
py::object Plain(DType dtype) { return py::cast(NameOf(dtype)); }
py::object Plain(const PartialShape& shape) { return py::cast(SizesOf(shape)); }
py::object Plain(const Tensor& tensor) { return ArrayOf(tensor); }
template <typename T>
py::object Plain(const std::vector<T>& list) {
  py::list result;
  for (const T& element : list) result.append(Plain(element));
  return result;
}

// The kind of a value, and the value: types as names.
py::tuple KindAndValue(const AttrValue& value) {
  return py::make_tuple(std::string(KindOf(value)),
                        std::visit([](const auto& held) { return Plain(held); }, value));
}

py::dict Described(const AttrDef& attr) {
  py::dict result;
  result["name"] = attr.name;
  result["kind"] = attr.kind;
  if (attr.default_value) {
    result["default"] = KindAndValue(*attr.default_value);
  } else {
    result["default"] = py::none();
  }
  result["types"] = Plain(attr.allowed_types);
  result["strings"] = attr.allowed_strings;
  result["minimum"] = attr.minimum;
  return result;
}

py::dict Described(const ArgDef& arg) {
  py::dict result;
  result["name"] = arg.name;
  result["type"] = arg.type == DType::kInvalid ? std::string_view() : NameOf(arg.type);
  result["type_attr"] = arg.type_attr;
  result["number_attr"] = arg.number_attr;
  result["type_list_attr"] = arg.type_list_attr;
  return result;
}

py::dict Described(const OpDef& op) {
  const auto list_of = [](const auto& parts) {
    py::list result;
    for (const auto& part : parts) result.append(Described(part));
    return result;
  };
  py::dict result;
  result["name"] = op.name;
  result["inputs"] = list_of(op.inputs);
  result["outputs"] = list_of(op.outputs);
  result["attrs"] = list_of(op.attrs);
  return result;
}

// ---- Texts ----------------------------------------------------------------------------

// `text` as the beginning of a longer one: nothing but its size says where it ends.
std::string_view PartOf(const std::string& longer, const std::string& text) {
  return std::string_view(longer).substr(0, text.size());
}

// Reads `text` by steps such as {"word"}, {"consume", ","}, {"list", "[", "]", "word"};
// the value of each.
py::list Scan(const std::string& text,
              const std::vector<std::vector<std::string>>& steps) {
  const std::string longer = text + "'\"]x";  // what is not the scanner's
  Scanner in(PartOf(longer, text));
  const auto read = [&in](const std::string& what) -> py::object {
    if (what == "word") return py::cast(in.Word());
    if (what == "quoted") return py::cast(in.Quoted());
    if (what == "integer") return py::cast(in.Integer());
    if (what == "float") return py::cast(in.Float());
    if (what == "end") return py::cast(in.AtEnd());
    throw Error(errors::Internal("no step ", what));
  };
  py::list values;
  for (const auto& step : steps) {
    if (step[0] == "consume") {
      values.append(in.Consume(step[1]));
    } else if (step[0] == "expect") {
      in.Expect(step[1]);
      values.append(py::none());
    } else if (step[0] == "list") {
      py::list list;
      in.List(step[1], step[2], [&] { list.append(read(step[3])); });
      values.append(list);
    } else {
      values.append(read(step[0]));
    }
  }
  return values;
}

py::tuple ParsedValue(const std::string& kind, const std::string& text) {
  return KindAndValue(ParseAttrValue(kind, text));
}

py::dict ParsedAttr(const std::string& spec) { return Described(ParseAttrDef(spec)); }

// The definition that calls of Input, Output, Attr and SetShapeFn make.
py::dict BuiltOp(const std::string& name,
                 const std::vector<std::pair<std::string, std::string>>& calls) {
  OpDefBuilder builder(name);
  for (const auto& [call, spec] : calls) {
    if (call == "input") builder.Input(spec);
    if (call == "output") builder.Output(spec);
    if (call == "attr") builder.Attr(spec);
    if (call == "shape_fn") builder.SetShapeFn(UnknownShape);
  }
  return Described(builder.Build());
}

// ---- Tables ---------------------------------------------------------------------------

// A table of numbers that counts those that are alive.
class NumberTable {
 public:
  explicit NumberTable(const std::string& kind) : table_(kind) {}

  void Add(const std::string& key, int64_t number) { table_.Add(key, Last(number)); }
  void Replace(const std::string& key, int64_t number) {
    table_.Replace(key, Last(number));
  }
  // The same with the entry that was given last. Requires: the table has it.
  void AddAgain(const std::string& key) { table_.Add(key, last_.lock()); }
  void ReplaceAgain(const std::string& key) { table_.Replace(key, last_.lock()); }
  std::optional<int64_t> Find(const std::string& key) const {
    const std::string longer = key + "Grad";
    const void* entry = table_.Find(PartOf(longer, key));
    if (entry == nullptr) return std::nullopt;
    return *static_cast<const int64_t*>(entry);
  }
  int64_t Get(const std::string& key) const {
    const std::string longer = key + "Grad";
    return *static_cast<const int64_t*>(table_.Get(PartOf(longer, key)));
  }
  std::vector<std::string> Keys() const { return table_.Keys(); }
  int64_t num_alive() const { return *num_alive_; }

  // How many of so many threads could add each of the keys; and whether all of them find
  // what is there.
  py::tuple AddFromThreads(int num_threads, const std::vector<std::string>& keys) {
    std::vector<std::atomic<int64_t>> added(keys.size());
    std::atomic<bool> all_found = true;
    {
      const py::gil_scoped_release release;
      std::vector<std::thread> threads;
      for (int t = 0; t < num_threads; ++t) {
        threads.emplace_back([&, t] {
          for (size_t i = 0; i < keys.size(); ++i) {
            try {
              table_.Add(keys[i], Hold(t));
              ++added[i];
            } catch (const Error&) {
            }
            if (table_.Find(keys[i]) == nullptr) all_found = false;
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
    return py::make_tuple(Numbers(added.begin(), added.end()), all_found.load());
  }

 private:
  NameTable::Entry Hold(int64_t number) {
    ++*num_alive_;
    return {new int64_t(number), [alive = num_alive_](const int64_t* held) {
              --*alive;
              delete held;
            }};
  }
  NameTable::Entry Last(int64_t number) {
    NameTable::Entry entry = Hold(number);
    last_ = entry;
    return entry;
  }

  std::shared_ptr<std::atomic<int64_t>> num_alive_ =
      std::make_shared<std::atomic<int64_t>>(0);
  std::weak_ptr<const void> last_;
  NameTable table_;
};

// ---- Kernels --------------------------------------------------------------------------

using Types = std::vector<std::pair<std::string, std::string>>;
// A number, a text, or a list of types.
using OtherAttr = std::variant<int64_t, std::string, std::vector<std::string>>;

AttrValue ValueOf(const OtherAttr& attr) {
  if (const auto* number = std::get_if<int64_t>(&attr)) return *number;
  if (const auto* text = std::get_if<std::string>(&attr)) return *text;
  std::vector<DType> types;
  for (const std::string& name : std::get<2>(attr)) types.push_back(DTypeFromName(name));
  return types;
}

Device DeviceFrom(const std::string& name) {
  return name == "GPU" ? Device::kGpu : Device::kCpu;
}

void RegisterOneKernel(const std::string& op, const std::string& device,
                       const Types& types, const std::string& label, int priority) {
  Kernel kernel(op);
  kernel.On(DeviceFrom(device)).Label(label).Priority(priority);
  for (const auto& [attr, type] : types) kernel.Type(attr, DTypeFromName(type));
  KernelRegistrar(kernel, KernelFactory());
}

// Device, types, label and priority of the kernel that a call runs. `others` are
// attributes of the call that are no types.
py::tuple FoundKernel(const std::string& op, const std::string& device,
                      const Types& types, const std::optional<std::string>& label,
                      const std::vector<std::pair<std::string, OtherAttr>>& others) {
  OpDef definition;
  definition.name = op;
  Attrs attrs;
  for (const auto& [name, value] : others) attrs.Set(name, ValueOf(value));
  for (const auto& [attr, type] : types) attrs.Set(attr, DTypeFromName(type));
  if (label.has_value()) attrs.Set("_kernel", *label);
  const KernelKey& key = FindKernel(definition, attrs, DeviceFrom(device)).key;
  py::list found;
  for (const auto& [attr, dtype] : key.types) {
    found.append(py::make_tuple(attr, NameOf(dtype)));
  }
  return py::make_tuple(StrCat(key.device), found, key.label, key.priority);
}

// ---- PowerDifference ------------------------------------------------------------------

// The definition, and what it says of itself by mistake.
py::dict PowerDifferenceDef() {
  const OpDef op = DefinePowerDifference().Build();
  py::list claims;
  if (op.is_commutative) claims.append("is commutative");
  if (op.is_stateful()) claims.append("has state");
  if (op.facts.depends_on_outside) claims.append("depends on outside");
  if (op.facts.is_identity) claims.append("is the identity");
  if (op.facts.hands_on_input) claims.append("hands on its input");
  if (op.facts.reads_shapes_only) claims.append("reads shapes only");
  py::dict result = Described(op);
  result["claims"] = claims;
  return result;
}

// Has calls use the definition as it is now.
void RedefinePowerDifference() {
  Ops().Replace("PowerDifference", DefinePowerDifference().Build());
}

MaybeSizes PowerDifferenceShape(const std::vector<MaybeSizes>& shapes) {
  std::vector<PartialShape> inputs;
  for (const MaybeSizes& sizes : shapes) inputs.push_back(ShapeOf(sizes));
  const std::vector<DType> types(inputs.size(), DType::kFloat32);
  const Attrs attrs = {{"T", DType::kFloat32}};
  InferenceContext ctx(inputs, types, attrs, {});
  DefinePowerDifference().Build().shape_fn(&ctx);
  ctx.Finish(1);
  return SizesOf(ctx.outputs()[0]);
}

// ---- Shapes ---------------------------------------------------------------------------

py::tuple Merged(const MaybeSizes& x, const MaybeSizes& y) {
  const PartialShape shape = ShapeOf(x).MergedWith(ShapeOf(y));
  return py::make_tuple(SizesOf(shape), shape.IsFullyKnown(), shape.num_elements());
}

bool IsCompatible(const MaybeSizes& x, const MaybeSizes& y) {
  return ShapeOf(x).IsCompatibleWith(ShapeOf(y));
}

MaybeSizes MatMulSizes(const MaybeSizes& a, const MaybeSizes& b, bool transpose_a,
                       bool transpose_b) {
  return SizesOf(MatMulShape(ShapeOf(a), ShapeOf(b), transpose_a, transpose_b));
}

MaybeSizes BatchMatMulSizes(const MaybeSizes& x, const MaybeSizes& y, bool adj_x,
                            bool adj_y, bool broadcasts) {
  return SizesOf(BatchMatMulShape(ShapeOf(x), ShapeOf(y), adj_x, adj_y, broadcasts));
}

MaybeSizes JoinedSizes(const std::vector<MaybeSizes>& xs, int64_t axis, bool is_new) {
  std::vector<PartialShape> shapes;
  for (const MaybeSizes& x : xs) shapes.push_back(ShapeOf(x));
  return SizesOf(is_new ? PackedShape(shapes, axis) : ConcatenatedShape(shapes, axis));
}

MaybeSizes ReshapedSizes(const MaybeSizes& x, const Numbers& sizes) {
  return SizesOf(ReshapedShape(ShapeOf(x), sizes));
}

Padding PaddingOf(const std::string& name) {
  if (name == "SAME") return Padding::kSame;
  return name == "VALID" ? Padding::kValid : Padding::kExplicit;
}

// Places, and zeros before and after.
Numbers Window(int64_t size, int64_t taps, const std::string& padding, int64_t stride,
               int64_t dilation, const std::pair<int64_t, int64_t>& zeros) {
  const WindowAttrs attrs = {stride, dilation, zeros.first, zeros.second};
  const auto window = SlidingWindow::Of(size, taps, PaddingOf(padding), attrs);
  return {window.places, window.pad_before, window.pad_after};
}

py::dict Convolution(const MaybeSizes& x, const MaybeSizes& w, const std::string& format,
                     const std::string& padding, const Numbers& strides,
                     const Numbers& dilations, const Numbers& zeros) {
  const Attrs attrs = {{"data_format", format},
                       {"padding", padding},
                       {"strides", strides},
                       {"dilations", dilations},
                       {"explicit_paddings", zeros}};
  const auto g = Conv2dGeometry::Of(ShapeOf(x), ShapeOf(w), Conv2dAttrs::Of(attrs));
  py::dict result;
  result["output"] = SizesOf(g.output_shape());
  result["images"] = Numbers{g.n, g.h, g.w, g.c};
  result["zeros"] = Numbers{g.pad_top, g.pad_bottom, g.pad_left, g.pad_right};
  result["groups"] = g.groups;
  return result;
}

}  // namespace
}  // namespace minitf

PYBIND11_MODULE(lab_02_driver, module) {
  module.def("scan", &minitf::Scan);
  module.def("parsed_value", &minitf::ParsedValue);
  module.def("parsed_attr", &minitf::ParsedAttr);
  module.def("built_op", &minitf::BuiltOp);
  module.def("get_ends_while_others_write", &minitf::GetEndsWhileOthersWrite);
  module.def("get_waits_for_lock", &minitf::GetWaitsForLock);
  module.def("nearest_name", &minitf::NearestName);
  module.def("did_you_mean", &minitf::DidYouMean);
  module.def("find_op",
             [](const std::string& name) { return minitf::FindOp(name).name; });
  module.def("register_kernel", &minitf::RegisterOneKernel);
  module.def("found_kernel", &minitf::FoundKernel);
  module.def("power_difference_def", &minitf::PowerDifferenceDef);
  module.def("redefine_power_difference", &minitf::RedefinePowerDifference);
  module.def("power_difference_shape", &minitf::PowerDifferenceShape);
  module.def("merged", &minitf::Merged);
  module.def("is_compatible", &minitf::IsCompatible);
  module.def("matmul_sizes", &minitf::MatMulSizes);
  module.def("batch_matmul_sizes", &minitf::BatchMatMulSizes);
  module.def("joined_sizes", &minitf::JoinedSizes);
  module.def("reshaped_sizes", &minitf::ReshapedSizes);
  module.def("window", &minitf::Window);
  module.def("convolution", &minitf::Convolution);

  using Table = minitf::NumberTable;
  pybind11::class_<Table>(module, "Table")
      .def(pybind11::init<std::string>())
      .def("add", &Table::Add)
      .def("replace", &Table::Replace)
      .def("add_again", &Table::AddAgain)
      .def("replace_again", &Table::ReplaceAgain)
      .def("find", &Table::Find)
      .def("get", &Table::Get)
      .def("keys", &Table::Keys)
      .def("num_alive", &Table::num_alive)
      .def("add_from_threads", &Table::AddFromThreads);
}
