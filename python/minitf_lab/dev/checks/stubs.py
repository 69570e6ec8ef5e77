"""The text of ``raw_ops.pyi``, which tells editors what functions the registry has.

    python -m minitf_lab.dev.checks.stubs FILE

The build writes it, and puts it beside ``raw_ops.py`` and into the wheel.
Read next: ``raw_ops.py``.
"""

import sys
from pathlib import Path

from minitf import _minitf
from minitf.framework import op_def_registry, op_functions
from minitf.framework.dtypes import DType
from minitf.framework.tensor import Tensor
from minitf.framework.tensor_shape import TensorShape

_HEADER = '''\
"""One function for each op of C++. Made by the build."""

from typing import Any

'''


def _text_of(default: object) -> str:
    if isinstance(default, (DType, Tensor, TensorShape)):
        return "..."
    return repr(default)


def function_stub(name: str) -> str:
    """The stub of the function of one op.

    >>> print(function_stub("Sin").splitlines()[0])
    def Sin(x: Any, name: str | None = None) -> Any:
    """
    op = op_def_registry.get(name)
    names = op_functions.argument_names(op)
    arguments = [f"{argument}: Any" for argument in names[: len(op.inputs)]]
    for argument, attr in zip(names[len(op.inputs) :], op.explicit_attrs, strict=True):
        definition = op.attrs[attr]
        default = ""
        if definition.has_default:
            default = f" = {_text_of(op_functions.default_to_python(definition))}"
        arguments.append(f"{argument}: Any{default}")
    arguments.append("name: str | None = None")
    lines = [f"def {name}({', '.join(arguments)}) -> Any:"]
    doc = [line.rstrip() for line in op.doc.strip().splitlines()] or [""]
    lines.append(f'    """{doc[0]}')
    lines += [f"    {line}".rstrip() for line in doc[1:]]
    lines[-1] += '"""'
    return "\n".join(lines)


def module_stub() -> str:
    """The stubs of all ops."""
    names = [name for name in _minitf.op_names() if name.isidentifier()]
    return _HEADER + "\n\n".join(function_stub(name) for name in names) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(module_stub())
