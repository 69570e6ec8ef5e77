// Compare    tensorflow/python/framework/op_def_library.py
// Read next  python/bindings/numpy_bridge.cc

#include "python/bindings/attr_bridge.h"

#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "minitf/graph/attr_proto.h"
#include "minitf/graph/graph_def.h"
#include "minitf/protos/graph.pb.h"
#include "python/bindings/eager_tensor.h"
#include "python/bindings/numpy_bridge.h"

namespace py = pybind11;

namespace minitf {

namespace {

// Integers, texts, lists and tuples, which are no messages.
constexpr unsigned long kBuiltinTypes =
    Py_TPFLAGS_LONG_SUBCLASS | Py_TPFLAGS_BYTES_SUBCLASS | Py_TPFLAGS_UNICODE_SUBCLASS |
    Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_TUPLE_SUBCLASS;

[[noreturn]] void Refuse(std::string_view kind, py::handle value) {
  throw py::type_error(
      StrCat("a ", kind, " is needed, not ", py::repr(value).cast<std::string>()));
}

// numpy's integers and bools count as Python's; floats do not count as integers.
int64_t IntegerOf(py::handle value) {
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) {
    PyErr_Clear();
    Refuse("int", value);
  }
  const int64_t result = PyLong_AsLongLong(index.ptr());
  if (result == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw py::value_error(StrCat(py::repr(value).cast<std::string>(),
                                 " is too large: integers have 64 bits here"));
  }
  return result;
}

bool BoolOf(py::handle value) {
  if (value.ptr() == Py_True) return true;
  if (value.ptr() == Py_False) return false;
  const std::string type = Py_TYPE(value.ptr())->tp_name;
  if (type != "numpy.bool" && type != "numpy.bool_") Refuse("bool", value);
  return PyObject_IsTrue(value.ptr()) == 1;
}

float FloatOf(py::handle value) {
  const double result = PyFloat_AsDouble(value.ptr());
  if (result == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    Refuse("float", value);
  }
  return static_cast<float>(result);
}

std::string StringOf(py::handle value) {
  if (!PyBytes_Check(value.ptr()) && !PyUnicode_Check(value.ptr()))
    Refuse("string", value);
  return BytesOf(value);
}

DType TypeOf(py::handle value) { return static_cast<DType>(IntegerOf(value)); }

template <typename T, typename Convert>
std::vector<T> ListOf(py::handle value, std::string_view kind, const Convert& convert) {
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr())) Refuse(kind, value);
  std::vector<T> list;
  for (py::handle item : py::reinterpret_borrow<py::sequence>(value))
    list.push_back(convert(item));
  return list;
}

// The value of a tf.AttrValue; nothing if `value` is no message.
std::optional<AttrValue> AttrOfMessage(std::string_view kind, py::handle value) {
  if ((PyType_GetFlags(Py_TYPE(value.ptr())) & kBuiltinTypes) != 0) return {};
  if (!py::hasattr(value, "SerializeToString")) return {};
  proto::AttrValue message;
  const py::bytes bytes = value.attr("SerializeToString")();
  FromBytes(std::string_view(bytes), "the AttrValue", &message);
  Expansion expansion;
  std::optional<AttrValue> result = AttrFromProto(message, kind, &expansion);
  if (!result) Refuse(kind.empty() ? "value that is no function" : kind, value);
  return result;
}

// For attributes that no definition names: what the value looks like.
AttrValue GuessedAttr(py::handle value) {
  if (PyBool_Check(value.ptr())) return BoolOf(value);
  if (PyLong_Check(value.ptr())) return IntegerOf(value);
  if (PyFloat_Check(value.ptr())) return FloatOf(value);
  if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()))
    return ListOf<std::string>(value, "list(string)", StringOf);
  return StringOf(value);
}

template <typename T>
py::object ItemToPython(const T& item) {
  if constexpr (std::is_same_v<T, std::string>)
    return py::bytes(item);
  else if constexpr (std::is_same_v<T, DType>)
    return py::int_(static_cast<int>(item));
  else if constexpr (std::is_same_v<T, PartialShape>)
    return ShapeToPython(item);
  else if constexpr (std::is_same_v<T, Tensor>)
    return WrapEagerTensor(MakeEagerTensor(item));
  else
    return py::cast(item);
}

struct ToPython {
  template <typename T>
  py::object operator()(const T& value) const {
    return ItemToPython(value);
  }
  template <typename T>
  py::object operator()(const std::vector<T>& values) const {
    py::list list;
    for (size_t i = 0; i < values.size(); ++i)
      list.append(ItemToPython(static_cast<T>(values[i])));
    return list;
  }
};

}  // namespace

PartialShape ShapeFromPython(py::handle shape) {
  if (shape.is_none()) return {};
  const auto sizes = ListOf<int64_t>(shape, "shape", [](py::handle size) {
    return size.is_none() ? PartialShape::kUnknown : IntegerOf(size);
  });
  return PartialShape(sizes);
}

py::object ShapeToPython(const PartialShape& shape) {
  if (!shape.has_rank()) return py::none();
  py::list sizes;
  for (const int64_t size : shape.sizes()) {
    if (size == PartialShape::kUnknown)
      sizes.append(py::none());
    else
      sizes.append(size);
  }
  return sizes;
}

AttrValue AttrFromPython(std::string_view kind, py::handle value) {
  if (kind == "bool") return BoolOf(value);
  if (kind == "int") return IntegerOf(value);
  if (kind == "float") return FloatOf(value);
  if (kind == "string") return StringOf(value);
  if (kind == "type") return TypeOf(value);
  if (kind == "shape") return ShapeFromPython(value);
  if (kind == "tensor") return UnwrapEagerTensor(value).tensor;
  if (kind == "list(bool)") return ListOf<bool>(value, kind, BoolOf);
  if (kind == "list(int)") return ListOf<int64_t>(value, kind, IntegerOf);
  if (kind == "list(float)") return ListOf<float>(value, kind, FloatOf);
  if (kind == "list(string)") return ListOf<std::string>(value, kind, StringOf);
  if (kind == "list(type)") return ListOf<DType>(value, kind, TypeOf);
  if (kind == "list(shape)") return ListOf<PartialShape>(value, kind, ShapeFromPython);
  throw Error(errors::Internal("no attribute is of kind ", kind));
}

Attrs AttrsFromPython(const OpDef& op, py::handle values) {
  Attrs attrs;
  if (values.is_none()) return attrs;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(values.ptr(), &position, &key, &value) != 0) {
    if (value == Py_None) {
      const std::string_view name = PyUnicode_AsUTF8(key);
      const AttrDef* def = op.FindAttr(name);
      if (def == nullptr || def->kind != "shape") continue;
    }
    const std::string_view name = PyUnicode_AsUTF8(key);
    const AttrDef* def = op.FindAttr(name);
    if (def == nullptr && !name.starts_with('_')) {
      throw py::type_error(StrCat(op.name, " has no attribute '", name, "'"));
    }
    try {
      std::optional<AttrValue> attr = AttrOfMessage(def ? def->kind : "", value);
      if (!attr) attr = def ? AttrFromPython(def->kind, value) : GuessedAttr(value);
      attrs.Set(name, *std::move(attr));
    } catch (const py::value_error& error) {
      throw py::value_error(
          StrCat("attribute '", name, "' of ", op.name, ": ", error.what()));
    } catch (const py::builtin_exception& error) {
      throw py::type_error(
          StrCat("attribute '", name, "' of ", op.name, ": ", error.what()));
    }
  }
  return attrs;
}

py::object AttrToPython(const AttrValue& value) { return std::visit(ToPython{}, value); }

}  // namespace minitf
