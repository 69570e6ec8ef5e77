"""Writes the C++ wrapper: a body for each function, and the tables that Python reads."""

from __future__ import annotations

import json
import re
from pathlib import Path

from minitf_wrap.builder import Builder
from minitf_wrap.model import Argument, Function
from minitf_wrap.python_writer import signature
from minitf_wrap.typemaps import VOID, Type, Typemap

LIBRARY = Path(__file__).parent / "lib"
# What every wrapper begins with; it needs no other file of ours then.
RUNTIME = "".join(
    (LIBRARY / f"{name}.h").read_text() for name in ("proxies", "conversions", "calls")
)
OWN_INCLUDE = re.compile(r'#pragma once\n|#include "python/.*\n')
BODY = """
static PyObject* wrap_{symbol}_{number}([[maybe_unused]] PyObject* const* swig_obj) {{
  PyObject* resultobj = nullptr;
{variables}
  try {{
{steps}
  }} SWIG_CATCH_ALL
fail:
{cleanup}
  if (PyErr_Occurred()) Py_CLEAR(resultobj);
  return resultobj;
}}
"""
FUNCTION = """
static const char* const wrap_{symbol}_names[] = {{{names}}};
static const SwigOverload wrap_{symbol}_overloads[] = {{{overloads}}};
static const SwigFunction wrap_{symbol}_function = {{
    "{symbol}", "{shown}", {names_used}, {prototypes}, {size}, wrap_{symbol}_overloads}};
"""
TYPE = """
static swig_type_info {descriptor}_info = {{"{type}", {base}, {destroy}, nullptr}};
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
        # All types that need a descriptor. Base classes stand before derived classes.
        pointers = [class_.pointer for class_ in build.module.complete]
        self._types = {pointer.descriptor: pointer for pointer in pointers}

    def text(self) -> str:
        """Returns the whole C++ file.

        Raises:
            InterfaceError: a typemap has an unknown special variable.
        """
        functions, rows = [], []
        for symbol, overloads in self._module.functions.items():
            functions += [self._body(*pair) for pair in enumerate(overloads)]
            functions.append(self._record(overloads))
            doc = json.dumps(f"{symbol}{signature(overloads)}\n--\n\n{overloads[0].doc}")
            rows.append(ROW.format(symbol=symbol, doc=doc))
        rows += [
            CLASS_ROW.format(
                name=class_.python_name, descriptor=class_.pointer.descriptor
            )
            for class_ in self._module.complete
        ]
        init = [
            f'  PyModule_AddObject(m, "{symbol}", SWIG_From({value}));'
            for symbol, (value, _) in self._module.constants.items()
        ]
        parts = [
            f"// Made by minitf_wrap for the module {self._module.name}.",
            OWN_INCLUDE.sub("", RUNTIME),
            *self._module.header,
            *(self._type(*pair) for pair in self._types.items()),
            *functions,
            MODULE.format(
                name=self._module.name,
                rows="\n".join(rows),
                init="\n".join(init + self._module.init),
            ),
        ]
        return "\n".join(parts)

    # ---- Types and typemaps ---------------------------------------------------------

    def _describe(self, type_: Type) -> str:
        """Returns the name of the descriptor of a type or a pointer to it."""
        resolved = self._typemaps.resolve(type_)
        pointer = Type(resolved.base, marks="*" * max(1, len(resolved.marks)))
        self._types.setdefault(pointer.descriptor, pointer)
        return pointer.descriptor

    def _type(self, descriptor: str, type_: Type) -> str:
        class_ = self._module.classes.get(type_.base)
        base, destroy = "nullptr, nullptr", "nullptr"
        if class_ and class_.is_complete and type_ == class_.pointer:
            own = f"static_cast<{class_.name}*>(p)"
            if class_.base:
                up = f"return static_cast<{class_.base}*>({own});"
                info = self._module.classes[class_.base].pointer.descriptor
                base = f"{info}, [](void* p) -> void* {{ {up} }}"
            if class_.is_deletable:
                destroy = f"[](void* p) {{ delete {own}; }}"
        return TYPE.format(descriptor=descriptor, type=type_, base=base, destroy=destroy)

    def _variables(
        self, function: Function, typemap: Typemap, types: list[Type], names: list[str]
    ) -> dict[str, str]:
        """Returns the special variables for a typemap of C++ variables."""
        found = {"result": "resultobj", "symname": function.symbol}
        for k, (type_, name) in enumerate(zip(types, names, strict=True), start=1):
            found |= {
                f"{k}": name,
                f"{k}_type": str(type_),
                f"{k}_ltype": str(typemap.local(type_)),
                f"*{k}_ltype": str(type_.pointee.local),
                f"{k}_basetype": type_.base,
                f"{k}_descriptor": self._describe(type_),
            }
        return found

    def _expand(self, typemap: Typemap, code: str, variables: dict[str, str]) -> str:
        """Expands code of a typemap, with ``$descriptor(Type *)`` in it."""

        def descriptor(match: re.Match[str]) -> str:
            return self._describe(Type(match[1].strip(), marks=match[2]))

        code = re.sub(r"\$descriptor\(([^*)]+)(\**)\s*\)", descriptor, code)
        return f"{{ {typemap.expand(code, variables, variables.get('argnum', ''))} }}"

    # ---- Functions ------------------------------------------------------------------

    def _body(self, number: int, function: Function) -> str:
        """Returns the C++ function that converts, calls, and converts back."""
        locals_: list[str] = []
        steps: dict[str, list[str]] = {
            name: [] for name in ("in", "check", "argout", "freearg")
        }
        for argument in function.arguments:
            self._add_steps(function, argument, locals_, steps)
        if function.result != VOID:
            locals_.append(f"{function.local_result} result{{}};")
        calls = ["swig_mismatch = false;", self._action(function), self._result(function)]
        return BODY.format(
            symbol=function.symbol,
            number=number,
            variables="\n".join(f"  {line}" for line in locals_),
            steps="\n".join(steps["in"] + steps["check"] + calls + steps["argout"]),
            cleanup="\n".join(steps["freearg"]),
        )

    def _add_steps(
        self,
        function: Function,
        argument: Argument,
        locals_: list[str],
        steps: dict[str, list[str]],
    ) -> None:
        """Adds the local variables of an argument, and the code of its typemaps."""
        converter = argument.converter
        types = [parameter.type for parameter in argument.parameters]
        names = [f"arg{argument.number + k}" for k in range(len(types))]
        where = f"in method '{function.symbol}', argument {argument.number}"
        variables = self._variables(function, converter, types, names) | {
            "input": f"swig_obj[{argument.slot}]",
            "argnum": str(argument.number),
            "where": function.where or f"{where} of type '{types[0]}'",
        }
        locals_ += [
            f"{converter.local(t)} {name}{{}};"
            for t, name in zip(types, names, strict=True)
        ]
        for _, declaration in converter.locals_:
            text = self._expand(converter, declaration, variables)[2:-2]
            locals_.append(f"{text};" if "=" in text else f"{text}{{}};")
        for method, typemap in argument.maps.items():
            step = self._expand(typemap, typemap.code, variables)
            if method == "in" and argument.default:
                otherwise = f"{names[0]} = {argument.default};"
                step = f"if ({variables['input']}) {step} else {otherwise}"
            steps[method].append(step)

    def _action(self, function: Function) -> str:
        """Returns the call itself, with what handles its exceptions around it."""
        action = f"{function.call};"
        if function.result != VOID:
            cast = f"({function.local_result})" if function.result.marks else ""
            action = f"result = {cast}{action}"
        if function.releases_gil:
            action = f"{{ SwigAllowThreads swig_allow; {action} }}"
        for type_, handler in function.catches:
            variables = self._variables(function, handler, [type_], ["_e"])
            code = self._expand(handler, handler.code, variables)
            action = f"try {{ {action} }} catch ({type_}& _e) {code}"
        return f"{{ {function.exception.replace('$action', action)} }}"

    def _result(self, function: Function) -> str:
        """Returns what makes the result a Python object."""
        variables = self._variables(function, function.out, [function.result], ["result"])
        is_new = function.is_new or function.out.is_by_pointer
        variables["owner"] = "SWIG_POINTER_OWN" if is_new else "0"
        if function.kind == "constructor":
            descriptor = variables["1_descriptor"]
            return f"resultobj = SWIG_InitProxy(swig_obj[0], result, {descriptor});"
        code = self._expand(function.out, function.out.code, variables)
        if function.kind == "getter" and function.call.startswith("&arg1->"):
            code += " resultobj = SWIG_KeepParent(resultobj, swig_obj[0]);"
        return code

    def _record(self, overloads: list[Function]) -> str:
        """Returns what SWIG_Call reads of a function."""
        first, symbol = overloads[0], overloads[0].symbol
        order = sorted(enumerate(overloads), key=lambda pair: pair[1].precedence())
        bodies = [
            f"{{wrap_{symbol}_{k}, {f.required}, {len(f.names)}}}" for k, f in order
        ]
        lines = [
            f"    {line}\n" for function in overloads for line in function.prototypes
        ]
        return FUNCTION.format(
            symbol=symbol,
            shown=first.shown,
            names=", ".join([f'"{name}"' for name in first.names] + ["nullptr"]),
            overloads=", ".join(bodies),
            names_used=f"wrap_{symbol}_names" if len(overloads) == 1 else "nullptr",
            prototypes=json.dumps("".join(lines)) if len(lines) > 1 else "nullptr",
            size=len(overloads),
        )
