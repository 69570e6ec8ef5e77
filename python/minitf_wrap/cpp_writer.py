"""Writes the C++ wrapper: for each function a body that converts, calls, and converts back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from minitf_wrap.builder import Builder
from minitf_wrap.declarations import Argument, Function
from minitf_wrap.module_writer import signature
from minitf_wrap.typemaps import Type, Typemap, expand

RUNTIME = Path(__file__).parent / "lib" / "runtime.h"
BODY = """
static PyObject* {name}([[maybe_unused]] PyObject* const* swig_obj) {{
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
static const char* const {symbol}_names[] = {{{names}}};
static const SwigOverload {symbol}_overloads[] = {{{overloads}}};
static const SwigFunction {symbol}_function = {{
    "{symbol}", "{shown}", {names_used}, {prototypes}, {size}, {symbol}_overloads}};
"""
TYPE = """
static swig_type_info {descriptor}_info = {{"{type}", {base}, {destroy}, nullptr}};
static swig_type_info* const {descriptor} = &{descriptor}_info;
"""
MODULE = """
static PyMethodDef swig_methods[] = {{
{rows}
    {{"method", SWIG_Method, METH_O, nullptr}},
    {{nullptr, nullptr, 0, nullptr}}}};

static PyModuleDef swig_module = {{
    PyModuleDef_HEAD_INIT, "_{name}", nullptr, -1, swig_methods,
    nullptr, nullptr, nullptr, nullptr}};

PyMODINIT_FUNC PyInit__{name}() {{
  PyObject* m = SWIG_NewModule(&swig_module);
  if (!m) return nullptr;
{init}
  return m;
}}
"""


class CppWriter:
    """Writes the wrapper of the module that a builder has made."""

    def __init__(self, build: Builder) -> None:
        self._build = build
        self._types: dict[str, Type] = {}

    def text(self) -> str:
        """Returns the whole C++ file.

        Raises:
            InterfaceError: a typemap has an unknown special variable.
        """
        module = self._build.module
        functions, rows = [], []
        for symbol, overloads in module.functions.items():
            functions += [self._body(function, k) for k, function in enumerate(overloads)]
            functions.append(self._record(overloads))
            doc = json.dumps(f"{symbol}{signature(overloads)}\n--\n\n{overloads[0].doc}")
            call = f"reinterpret_cast<PyCFunction>(SWIG_Call<{symbol}_function>)"
            rows.append(
                f'    {{"{symbol}", {call}, METH_FASTCALL | METH_KEYWORDS, {doc}}},'
            )
        for class_ in module.classes.values():
            if class_.is_complete:
                info = self._describe(Type(class_.name, marks="*")) + "_info"
                name = f"{class_.python_name}_swigregister"
                rows.append(f'    {{"{name}", SWIG_Register<{info}>, METH_O, nullptr}},')
        constants = [
            f'  PyModule_AddObject(m, "{constant.symbol}", SWIG_From({constant.value}));'
            for constant in module.constants
        ]
        init = "\n".join(constants + module.init)
        return "\n".join(
            [
                f"// Made by minitf_wrap for the module {module.name}. Changes here are lost.",
                RUNTIME.read_text().replace("#pragma once\n", ""),
                *module.header,
                *self._descriptors(),
                *functions,
                MODULE.format(name=module.name, rows="\n".join(rows), init=init),
            ]
        )

    def _describe(self, type_: Type) -> str:
        """Returns the name of the type's descriptor, and has it written."""
        resolved = self._build.typemaps.resolve(type_)
        pointer = Type(resolved.base, marks="*" * max(1, len(resolved.marks)))
        self._types[pointer.descriptor] = pointer
        return pointer.descriptor

    def _descriptors(self) -> Iterator[str]:
        """Yields the descriptors of all types, a base class before those derived from it."""
        classes = self._build.module.classes
        for name, class_ in classes.items():
            if class_.is_complete:
                self._types = {
                    (first := Type(name, marks="*")).descriptor: first
                } | self._types
        order = list(classes)

        def rank(type_: Type) -> int:
            return order.index(type_.base) if type_.base in order else -1

        for descriptor, type_ in sorted(
            self._types.items(), key=lambda item: rank(item[1])
        ):
            class_ = classes.get(type_.base) if type_.marks == "*" else None
            base, destroy = "nullptr, nullptr", "nullptr"
            if class_ and class_.base:
                own = f"static_cast<{class_.name}*>(p)"
                up = f"[](void* p) -> void* {{ return static_cast<{class_.base}*>({own}); }}"
                base = f"{self._describe(Type(class_.base, marks='*'))}, {up}"
            if class_ and class_.is_complete and class_.is_deletable:
                destroy = f"[](void* p) {{ delete static_cast<{class_.name}*>(p); }}"
            yield TYPE.format(
                descriptor=descriptor, type=type_, base=base, destroy=destroy
            )

    def _expand(
        self, typemap: Typemap, variables: dict[str, str], suffix: str = ""
    ) -> str:
        """Expands a typemap, with ``$descriptor(Type *)`` in it."""

        def descriptor(match: re.Match[str]) -> str:
            return self._describe(Type(match[1].strip(), marks=match[2]))

        code = re.sub(r"\$descriptor\(([^*)]+)(\**)\s*\)", descriptor, typemap.code)
        return expand(typemap.with_code(code), variables, suffix)

    def _type_variables(self, prefix: str, type_: Type, local: Type) -> dict[str, str]:
        return {
            f"{prefix}_type": str(type_),
            f"{prefix}_ltype": str(local),
            f"{prefix}_basetype": type_.base,
            f"{prefix}_descriptor": self._describe(type_),
            f"*{prefix}_ltype": str(type_.pointee.local),
        }

    def _variables(self, function: Function, argument: Argument) -> dict[str, str]:
        """Returns the special variables for the typemaps of an argument."""
        first = argument.parameters[0]
        type_ = first.type
        where = (
            f"in method '{function.symbol}', argument {argument.number} of type '{type_}'"
        )
        found = {
            "input": f"swig_obj[{argument.slot}]",
            "result": "resultobj",
            "symname": function.symbol,
            "argnum": str(argument.number),
            "where": json.dumps(function.where or where)[1:-1],
        }
        for k, parameter in enumerate(argument.parameters, start=1):
            found[str(k)] = f"arg{argument.number + k - 1}"
            found |= self._type_variables(str(k), parameter.type, argument.local(k - 1))
        return found

    def _body(self, function: Function, number: int) -> str:
        variables, steps, cleanup = [], [], []
        uses = [
            (a, self._variables(function, a), str(a.number)) for a in function.arguments
        ]
        for argument, names, suffix in uses:
            for k, parameter in enumerate(argument.parameters):
                variables.append(f"  {argument.local(k)} arg{argument.number + k}{{}};")
            for _, text in argument.maps["in"].locals_:
                declared = self._expand(
                    argument.maps["in"].with_code(text), names, suffix
                )
                variables.append(f"  {declared}{'' if '=' in declared else '{}'};")
            code = f"{{ {self._expand(argument.maps['in'], names, suffix)} }}"
            if argument.default:
                code = f"if (swig_obj[{argument.slot}]) {code}\n    else arg{argument.number} = {argument.default};"
            steps.append(code)
        for argument, names, suffix in uses:
            if "check" in argument.maps:
                steps.append(
                    f"{{ {self._expand(argument.maps['check'], names, suffix)} }}"
                )
        steps += [
            "swig_mismatch = false;",
            self._action(function),
            *self._result(function),
        ]
        if str(function.result) != "void":
            variables.append(f"  {function.local_result} result{{}};")
        for argument, names, suffix in uses:
            if "argout" in argument.maps:
                steps.append(
                    f"{{ {self._expand(argument.maps['argout'], names, suffix)} }}"
                )
            if "freearg" in argument.maps:
                cleanup.append(
                    f"  {{ {self._expand(argument.maps['freearg'], names, suffix)} }}"
                )
        return BODY.format(
            name=f"{function.symbol}_{number}",
            variables="\n".join(variables),
            steps="\n".join(f"    {step}" for step in steps),
            cleanup="\n".join(cleanup),
        )

    def _action(self, function: Function) -> str:
        """Returns the call itself, with what handles its exceptions around it."""
        action = f"{function.call};"
        if str(function.result) != "void":
            cast = f"({function.result.local})" if function.result.marks else ""
            action = f"result = {cast}{action}"
        if function.releases_gil:
            action = f"{{ SwigAllowThreads swig_allow; {action} }}"
        for type_, handler in function.catches:
            code = self._expand(handler, {"1": "_e", "symname": function.symbol})
            action = f"try {{ {action} }} catch ({type_}& _e) {{ {code} }}"
        return f"{{ {function.exception.replace('$action', action)} }}"

    def _result(self, function: Function) -> Iterator[str]:
        """Yields what makes the result a Python object."""
        variables = {"1": "result", "result": "resultobj", "symname": function.symbol}
        variables |= self._type_variables("1", function.result, function.local_result)
        is_new = function.is_new or function.returns_copy
        variables["owner"] = "SWIG_POINTER_OWN" if is_new else "0"
        if function.kind == "constructor":
            info = variables["1_descriptor"]
            yield f"resultobj = SWIG_InitProxy(swig_obj[0], result, {info});"
        elif function.out:
            yield f"{{ {self._expand(function.out, variables)} }}"
        if function.kind == "getter" and function.call.startswith("&arg1->"):
            yield "resultobj = SWIG_KeepParent(resultobj, swig_obj[0]);"

    def _record(self, overloads: list[Function]) -> str:
        """Returns what SWIG_Call reads of a function."""
        first, symbol = overloads[0], overloads[0].symbol
        order = sorted(range(len(overloads)), key=lambda k: overloads[k].precedence())
        bodies = [
            f"{{{symbol}_{k}, {overloads[k].required}, {len(overloads[k].names)}}}"
            for k in order
        ]
        lines = [
            f"    {line}\n" for function in overloads for line in function.prototypes
        ]
        is_overloaded = len(lines) > 1
        return FUNCTION.format(
            symbol=symbol,
            shown=first.shown,
            names=", ".join([*(f'"{name}"' for name in first.names), "nullptr"]),
            overloads=", ".join(bodies),
            names_used=f"{symbol}_names" if len(overloads) == 1 else "nullptr",
            prototypes=json.dumps("".join(lines)) if is_overloaded else "nullptr",
            size=len(overloads),
        )
