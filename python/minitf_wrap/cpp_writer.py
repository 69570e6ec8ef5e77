"""Writes the C++ wrapper: a body for each function, and the tables that Python reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from minitf_wrap.builder import Builder
from minitf_wrap.model import Argument, Function
from minitf_wrap.python_writer import signature
from minitf_wrap.typemaps import VOID, Type, Typemap

RUNTIME = Path(__file__).parent / "lib" / "runtime.h"
BODY = """
static PyObject* {symbol}_{number}([[maybe_unused]] PyObject* const* swig_obj) {{
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
ROW = "    SWIG_Row<{symbol}_function>({doc}),"
CLASS_ROW = (
    '    {{"{name}_swigregister", SWIG_Register<{descriptor}_info>, METH_O, nullptr}},'
)
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
        self._module = build.module
        self._typemaps = build.typemaps
        complete = [
            class_ for class_ in build.module.classes.values() if class_.is_complete
        ]
        # All types that need a descriptor: a base class stands before those derived from it.
        self._types = {class_.pointer.descriptor: class_.pointer for class_ in complete}
        self._complete = complete

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
            for class_ in self._complete
        ]
        init = [
            f'  PyModule_AddObject(m, "{symbol}", SWIG_From({value}));'
            for symbol, (value, _) in self._module.constants.items()
        ]
        parts = [
            f"// Made by minitf_wrap for the module {self._module.name}.",
            RUNTIME.read_text().replace("#pragma once\n", ""),
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
        self,
        function: Function,
        types: list[Type],
        typemap: Typemap,
        first: str = "result",
    ) -> dict[str, str]:
        """Returns the special variables for a typemap of some C++ variables.

        ``first`` is the name of the first variable in C++: ``result`` or ``arg3``.
        """
        found = {"result": "resultobj", "symname": function.symbol}
        for k, type_ in enumerate(types):
            variable = first if first == "result" else f"arg{int(first[3:]) + k}"
            found |= {
                f"{k + 1}": variable,
                f"{k + 1}_type": str(type_),
                f"{k + 1}_ltype": str(typemap.local(type_)),
                f"*{k + 1}_ltype": str(type_.pointee.local),
                f"{k + 1}_basetype": type_.base,
                f"{k + 1}_descriptor": self._describe(type_),
            }
        return found

    def _expand(self, typemap: Typemap, code: str, variables: dict[str, str]) -> str:
        """Expands code of a typemap, with ``$descriptor(Type *)`` in it."""

        def descriptor(match: re.Match[str]) -> str:
            return self._describe(Type(match[1].strip(), marks=match[2]))

        code = re.sub(r"\$descriptor\(([^*)]+)(\**)\s*\)", descriptor, code)
        return typemap.expand(code, variables, variables.get("argnum", ""))

    # ---- Functions ------------------------------------------------------------------

    def _body(self, number: int, function: Function) -> str:
        """Returns the C++ function that converts the arguments, calls, and converts back."""
        variables, steps = (
            [],
            {method: [] for method in ("in", "check", "argout", "freearg")},
        )
        for argument in function.arguments:
            names = self._argument_variables(function, argument)
            variables += self._locals(argument, names)
            for method, typemap in argument.maps.items():
                step = f"{{ {self._expand(typemap, typemap.code, names)} }}"
                if method == "in" and argument.default:
                    otherwise = f"{names['1']} = {argument.default};"
                    step = f"if ({names['input']}) {step} else {otherwise}"
                steps[method].append(step)
        if function.result != VOID:
            variables.append(f"{function.local_result} result{{}};")
        calls = [
            "swig_mismatch = false;",
            self._action(function),
            *self._result(function),
        ]
        return BODY.format(
            symbol=function.symbol,
            number=number,
            variables="\n".join(f"  {line}" for line in variables),
            steps="\n".join(steps["in"] + steps["check"] + calls + steps["argout"]),
            cleanup="\n".join(steps["freearg"]),
        )

    def _argument_variables(
        self, function: Function, argument: Argument
    ) -> dict[str, str]:
        types = [parameter.type for parameter in argument.parameters]
        found = self._variables(
            function, types, argument.maps["in"], f"arg{argument.number}"
        )
        where = f"in method '{function.symbol}', argument {argument.number} of type '{types[0]}'"
        found["input"] = f"swig_obj[{argument.slot}]"
        found["argnum"] = str(argument.number)
        found["where"] = function.where or where
        return found

    def _locals(self, argument: Argument, names: dict[str, str]) -> Iterator[str]:
        """Yields the C++ variables of an argument and of its typemap."""
        for k in range(len(argument.parameters)):
            yield f"{argument.local(k)} {names[str(k + 1)]}{{}};"
        converter = argument.maps["in"]
        for _, declaration in converter.locals_:
            text = self._expand(converter, declaration, names)
            yield f"{text};" if "=" in text else f"{text}{{}};"

    def _action(self, function: Function) -> str:
        """Returns the call itself, with what handles its exceptions around it."""
        action = f"{function.call};"
        if function.result != VOID:
            cast = f"({function.local_result})" if function.result.marks else ""
            action = f"result = {cast}{action}"
        if function.releases_gil:
            action = f"{{ SwigAllowThreads swig_allow; {action} }}"
        for type_, handler in function.catches:
            variables = self._variables(function, [type_], handler) | {"1": "_e"}
            code = self._expand(handler, handler.code, variables)
            action = f"try {{ {action} }} catch ({type_}& _e) {{ {code} }}"
        return f"{{ {function.exception.replace('$action', action)} }}"

    def _result(self, function: Function) -> Iterator[str]:
        """Yields what makes the result a Python object."""
        variables = self._variables(function, [function.result], function.out)
        is_new = function.is_new or function.out.is_by_pointer
        variables["owner"] = "SWIG_POINTER_OWN" if is_new else "0"
        if function.kind == "constructor":
            info = variables["1_descriptor"]
            yield f"resultobj = SWIG_InitProxy(swig_obj[0], result, {info});"
        else:
            yield f"{{ {self._expand(function.out, function.out.code, variables)} }}"
        if function.kind == "getter" and function.call.startswith("&arg1->"):
            yield "resultobj = SWIG_KeepParent(resultobj, swig_obj[0]);"

    def _record(self, overloads: list[Function]) -> str:
        """Returns what SWIG_Call reads of a function."""
        first, symbol = overloads[0], overloads[0].symbol
        order = sorted(enumerate(overloads), key=lambda pair: pair[1].precedence())
        bodies = [f"{{{symbol}_{k}, {f.required}, {len(f.names)}}}" for k, f in order]
        lines = [
            f"    {line}\n" for function in overloads for line in function.prototypes
        ]
        return FUNCTION.format(
            symbol=symbol,
            shown=first.shown,
            names=", ".join([f'"{name}"' for name in first.names] + ["nullptr"]),
            overloads=", ".join(bodies),
            names_used=f"{symbol}_names" if len(overloads) == 1 else "nullptr",
            prototypes=json.dumps("".join(lines)) if len(lines) > 1 else "nullptr",
            size=len(overloads),
        )
