"""Writes the C++ wrapper: a body for each function, and the tables that Python reads."""

import json

from minitf_wrap.builder import Builder
from minitf_wrap.model import Argument, Function, Scope
from minitf_wrap.typemaps import Type

BODY = """
static PyObject* wrap_{symbol}([[maybe_unused]] PyObject* const* swig_obj) {{
  PyObject* resultobj = nullptr;
{statements}
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
        bodies = [*map(self._body, module.functions.values())]
        rows = [*map(self._row, module.functions.values())]
        rows += map(self._class_row, module.classes.values())
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
        """Returns the descriptor of a type. Its ``destroy`` is a C++ lambda.

        The lambda gets a ``void*`` and deletes the object. For all types but a pointer to
        a class that the interface defines, ``destroy`` is nullptr.
        """
        # LAB(12.6) begin: return TYPE with the values of its three fields
        destroy = "nullptr"
        if type_.base in self._module.classes and type_.marks == "*":
            destroy = f"[](void* p) {{ delete static_cast<{type_}>(p); }}"
        return TYPE.format(descriptor=type_.descriptor, type=type_, destroy=destroy)
        # LAB(12.6) end

    # ---- Functions ------------------------------------------------------------------

    def _body(self, function: Function) -> str:
        """Returns the C++ function, and the table with the names of its arguments."""
        return BODY.format(
            symbol=function.symbol,
            statements=self._statements(function),
            names=", ".join([f'"{name}"' for name in function.names] + ["nullptr"]),
            count=len(function.names),
        )

    def _statements(self, function: Function) -> str:
        """Returns the statements that convert, call, and convert back.

        The steps are in, check, the call, out and argout; each step treats all arguments
        in their order. ``SWIG_fail``, which may stand in each typemap but freearg, is a
        jump to the label ``fail``. There freearg runs, also after success, and the only
        return follows: of ``resultobj``, which is null if Python has an exception. C++
        exceptions of all steps are caught by ``SWIG_CATCH_ALL``, which jumps to
        ``fail``, too.
        """
        # LAB(12.4) begin: declare the locals, and bring the steps in order
        locals_: list[str] = []
        steps = {name: "" for name in ("in", "check", "out", "argout", "freearg")}
        for argument in (*function.arguments, function.result):
            variables = self._variables(function, argument)
            locals_ += self._locals(argument, variables)
            for method, typemap in argument.maps.items():
                steps[method] += f"{{ {typemap.expand(typemap.code, variables)} }}\n"
        lines = [*locals_, "try {", steps["in"], steps["check"], self._action(function)]
        lines += [steps["out"], steps["argout"], "} SWIG_CATCH_ALL"]
        lines += ["fail:", steps["freearg"], "if (PyErr_Occurred()) Py_CLEAR(resultobj);"]
        return "\n".join([*lines, "return resultobj;"])
        # LAB(12.4) end

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
        """Returns a block: the call, with the code of ``%exception`` around it.

        The code of ``%exception`` has the call in place of ``$action``. The result, if
        there is one, is cast to the type of the variable ``result``. If the function
        releases the GIL, a local ``SwigAllowThreads`` does that: during the call alone.
        """
        # LAB(12.5) begin: assign the result, release the GIL, and apply %exception
        action = f"{function.call};"
        if function.result.variables:
            result_type = function.result.converter.local(function.result.type)
            action = f"result = ({result_type}){action}"
        if function.releases_gil:
            action = f"{{ SwigAllowThreads swig_allow; {action} }}"
        return f"{{ {function.exception.replace('$action', action)} }}"
        # LAB(12.5) end
