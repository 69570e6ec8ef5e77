"""Writes the C++ wrapper: a body for each function, and the tables that Python reads."""

import json

from minitf_wrap.builder import Builder
from minitf_wrap.model import Argument, Function, Scope
from minitf_wrap.typemaps import Type

BODY = """
static PyObject* wrap_{symbol}([[maybe_unused]] PyObject* const* swig_obj) {{
  PyObject* resultobj = nullptr;
{locals}
  try {{
{in}{check}{action}
{out}{argout}  }} SWIG_CATCH_ALL
fail:
{freearg}  if (PyErr_Occurred()) Py_CLEAR(resultobj);
  return resultobj;
}}
static const char* const wrap_{symbol}_names[] = {{{names}}};
static const SwigFunction wrap_{symbol}_function = {{
    "{symbol}", wrap_{symbol}, {count}, wrap_{symbol}_names}};
"""
TYPE = """
static swig_type_info {descriptor}_info = {{"{type}", {destroy}, nullptr}};
static swig_type_info* const {descriptor} = &{descriptor}_info;
"""
ROW = "    SWIG_Row<wrap_{symbol}_function>({doc}),"
CLASS_ROW = '    SWIG_ClassRow<{descriptor}_info>("{name}_swigregister"),'
CONSTANT = '  PyModule_AddObject(m, "{name}", SWIG_From({value}));'
WRAPPER = """\
// Made by minitf_wrap for the module {name}.
#include "python/minitf_wrap/lib/calls.h"
#include "python/minitf_wrap/lib/conversions.h"
#include "python/minitf_wrap/lib/proxies.h"
{header}
{types}
{bodies}
static PyMethodDef swig_methods[] = {{
{rows}
    {{"method", SWIG_Method, METH_O, nullptr}},
    {{nullptr, nullptr, 0, nullptr}}}};

PyMODINIT_FUNC PyInit__{name}() {{
  PyObject* m = SWIG_NewModule("_{name}", swig_methods);
  if (!m) return nullptr;
{constants}
  return m;
}}
"""


class CppWriter:
    """Writes the wrapper of the module that a builder has made."""

    def __init__(self, build: Builder) -> None:
        self._module = build.module
        self._typemaps = build.typemaps
        self._types: dict[str, Type] = {}  # all types that need a descriptor

    def text(self) -> str:
        """Returns the whole C++ file.

        Raises:
            InterfaceError: a typemap has an unknown special variable.
        """
        module = self._module
        bodies = [self._body(function) for function in module.functions.values()]
        rows = [self._row(function) for function in module.functions.values()]
        rows += [self._class_row(class_) for class_ in module.classes.values()]
        constants = [
            CONSTANT.format(name=name, value=value)
            for name, (value, _) in module.constants.items()
        ]
        return WRAPPER.format(
            name=module.name,
            header="\n".join(module.header),
            bodies="\n".join(bodies),
            types="\n".join(map(self._type, self._types.values())),
            rows="\n".join(rows),
            constants="\n".join(constants),
        )

    def _row(self, function: Function) -> str:
        symbol, parameters = function.symbol, ", ".join(function.names)
        doc = json.dumps(f"{symbol}({parameters})\n--\n\n{function.doc}")
        return ROW.format(symbol=symbol, doc=doc)

    def _class_row(self, class_: Scope) -> str:
        descriptor = self._describe(class_.pointer)
        return CLASS_ROW.format(name=class_.python_name, descriptor=descriptor)

    def _describe(self, type_: Type) -> str:
        """Returns the name of the descriptor of a type or a pointer to it."""
        resolved = self._typemaps.resolve(type_)
        pointer = Type(resolved.base, marks=resolved.marks or "*")
        self._types.setdefault(pointer.descriptor, pointer)
        return pointer.descriptor

    def _type(self, type_: Type) -> str:
        destroy = "nullptr"
        if type_.base in self._module.classes and type_.marks == "*":
            destroy = f"[](void* p) {{ delete static_cast<{type_}>(p); }}"
        return TYPE.format(descriptor=type_.descriptor, type=type_, destroy=destroy)

    # ---- Functions ------------------------------------------------------------------

    def _body(self, function: Function) -> str:
        """Returns the C++ function that converts, calls, and converts back."""
        locals_: list[str] = []
        steps = {name: "" for name in ("in", "check", "out", "argout", "freearg")}
        for argument in (*function.arguments, function.result):
            variables = self._variables(function, argument)
            locals_ += self._locals(argument, variables)
            for method, typemap in argument.maps.items():
                steps[method] += f"{{ {typemap.expand(typemap.code, variables)} }}\n"
        return BODY.format(
            symbol=function.symbol,
            locals="\n".join(locals_),
            action=self._action(function),
            names=", ".join([f'"{name}"' for name in function.names] + ["nullptr"]),
            count=len(function.names),
            **steps,
        )

    def _variables(self, function: Function, argument: Argument) -> dict[str, str]:
        """Returns the special variables of the typemaps of an argument."""
        where = f"method '{function.symbol}', argument {argument.number}"
        if function.kind == "setter":
            where = f"variable '{function.symbol.removesuffix('_set')}'"
        variables = {
            "symname": function.symbol,
            "input": f"swig_obj[{argument.slot}]",
            "argnum": str(argument.number),
            "where": f"in {where} of type '{argument.type}'",
            "result": "resultobj",
            "owner": "SWIG_POINTER_OWN" if function.is_new else "0",
        }
        for k, (name, type_) in enumerate(argument.variables, start=1):
            variables |= {
                f"{k}": name,
                f"{k}_type": str(type_),
                f"{k}_ltype": str(argument.converter.local(type_)),
                f"{k}_descriptor": self._describe(type_),
            }
        return variables

    def _locals(self, argument: Argument, variables: dict[str, str]) -> list[str]:
        """Returns the local variables of an argument, and those of its typemap."""
        typemap = argument.converter
        texts = [f"{typemap.local(type_)} {name}" for name, type_ in argument.variables]
        texts += [typemap.expand(text, variables) for _, text in typemap.locals_]
        return [f"{text};" if "=" in text else f"{text}{{}};" for text in texts]

    def _action(self, function: Function) -> str:
        """Returns the call itself, with the code of ``%exception`` around it."""
        action = f"{function.call};"
        if function.result.variables:
            result_type = function.result.converter.local(function.result.type)
            action = f"result = ({result_type}){action}"
        if function.releases_gil:
            action = f"{{ SwigAllowThreads swig_allow; {action} }}"
        return f"{{ {function.exception.replace('$action', action)} }}"
