"""Writes the C++ wrapper: a body for each function, and the tables that Python reads."""

import json
import re
from pathlib import Path

from minitf_wrap.builder import Builder
from minitf_wrap.model import Argument, Function
from minitf_wrap.typemaps import VOID, Type

LIBRARY = Path(__file__).parent / "lib"
# Every wrapper begins with these files, and includes no file of ours.
RUNTIME = [
    (LIBRARY / f"{name}.h").read_text() for name in ("proxies", "conversions", "calls")
]
OWN_INCLUDE = re.compile(r'#pragma once\n|#include "python/.*\n')
BODY = """
static PyObject* wrap_{symbol}([[maybe_unused]] PyObject* const* swig_obj) {{
  PyObject* resultobj = nullptr;
{variables}
  try {{
{before}
{action}
{after}
  }} SWIG_CATCH_ALL
fail:
{cleanup}
  if (PyErr_Occurred()) Py_CLEAR(resultobj);
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
CLASS_ROW = (
    '    {{"{name}_swigregister", SWIG_Register<{descriptor}_info>, METH_O, nullptr}},'
)
MODULE = """
static PyMethodDef swig_methods[] = {{
{rows}
    {{"method", SWIG_Method, METH_O, nullptr}},
    {{nullptr, nullptr, 0, nullptr}}}};

PyMODINIT_FUNC PyInit__{name}() {{
  PyObject* m = SWIG_NewModule("_{name}", swig_methods);
  if (!m) return nullptr;
{init}
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
        bodies, rows = [], []
        for symbol, function in self._module.functions.items():
            bodies.append(self._body(function))
            signature = f"{symbol}({', '.join(function.names)})"
            doc = json.dumps(f"{signature}\n--\n\n{function.doc}")
            rows.append(ROW.format(symbol=symbol, doc=doc))
        for class_ in self._module.complete:
            descriptor = self._describe(class_.pointer)
            rows.append(CLASS_ROW.format(name=class_.python_name, descriptor=descriptor))
        init = [
            f'  PyModule_AddObject(m, "{symbol}", SWIG_From({value}));'
            for symbol, (value, _) in self._module.constants.items()
        ]
        init += self._module.init
        texts = {"rows": "\n".join(rows), "init": "\n".join(init)}
        parts = [
            f"// Made by minitf_wrap for the module {self._module.name}.",
            *(OWN_INCLUDE.sub("", text) for text in RUNTIME),
            *self._module.header,
            *(self._type(*pair) for pair in self._types.items()),
            *bodies,
            MODULE.format(name=self._module.name, **texts),
        ]
        return "\n".join(parts)

    def _describe(self, type_: Type) -> str:
        """Returns the name of the descriptor of a type or a pointer to it."""
        resolved = self._typemaps.resolve(type_)
        pointer = Type(resolved.base, marks=resolved.marks or "*")
        self._types.setdefault(pointer.descriptor, pointer)
        return pointer.descriptor

    def _type(self, descriptor: str, type_: Type) -> str:
        class_ = self._module.classes.get(type_.base)
        destroy = "nullptr"
        if class_ and class_.is_complete and class_.is_deletable and type_.marks == "*":
            destroy = f"[](void* p) {{ delete static_cast<{type_}>(p); }}"
        return TYPE.format(descriptor=descriptor, type=type_, destroy=destroy)

    # ---- Functions ------------------------------------------------------------------

    def _body(self, function: Function) -> str:
        """Returns the C++ function that converts, calls, and converts back."""
        locals_: list[str] = []
        steps: dict[str, list[str]] = {
            method: [] for method in ("in", "check", "out", "argout", "freearg")
        }
        for argument in (*function.arguments, function.result):
            variables = self._variables(function, argument)
            locals_ += self._locals(argument, variables)
            for method, typemap in argument.maps.items():
                steps[method].append(f"{{ {typemap.expand(typemap.code, variables)} }}")
        return BODY.format(
            symbol=function.symbol,
            variables="\n".join(locals_),
            before="\n".join(steps["in"] + steps["check"]),
            action=self._action(function),
            after="\n".join(steps["out"] + steps["argout"]),
            cleanup="\n".join(steps["freearg"]),
            names=", ".join([f'"{name}"' for name in function.names] + ["nullptr"]),
            count=len(function.names),
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
        texts = [
            f"{typemap.local(type_)} {name}"
            for name, type_ in argument.variables
            if type_ != VOID
        ]
        texts += [typemap.expand(text, variables) for _, text in typemap.locals_]
        return [f"{text};" if "=" in text else f"{text}{{}};" for text in texts]

    def _action(self, function: Function) -> str:
        """Returns the call itself, with the code of ``%exception`` around it."""
        action = f"{function.call};"
        if function.result.type != VOID:
            result_type = function.result.converter.local(function.result.type)
            action = f"result = ({result_type}){action}"
        if function.releases_gil:
            action = f"{{ SwigAllowThreads swig_allow; {action} }}"
        return f"{{ {function.exception.replace('$action', action)} }}"
