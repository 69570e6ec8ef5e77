"""Writes the pages of the reference: ops, Python, C++ and its classes.

The text comes from the op registry, from docstrings and from Doxygen. The program needs
the built minitf and an emulated GPU (MINITF_GPU=emulate), which registers GPU kernels.
"""

import inspect
import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import doxygen_xml
import repository
from sphinx.ext.napoleon import Config, GoogleDocstring

import minitf as tf
from minitf import _minitf

ROOT = repository.ROOT
REGISTERED = {
    "Registered": re.compile(r'^REGISTER_OP\("(\w+)"\)', re.M),
    "Kernel": re.compile(r'Kernel\("(\w+)"\)'),
    "Gradient": re.compile(r'REGISTER_\w*GRADIENT\w*\(\s*"?(\w+)"?'),
    "Named": re.compile(r'"(_?[A-Z]\w+)"'),  # a table of ops that are alike
}
CODE = re.compile(r"(``.*?``|`[^`]*`|^>>>.*$|^\.\.\..*$)", re.M)
NO_METHODS = (int, BaseException, tuple)  # Python's own reference has their methods


def _save(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _title(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n\n"


def _indented(lines: list[str], by: str = "   ") -> str:
    return "\n".join((by + line).rstrip() for line in lines)


def _docstring(value: Any) -> list[str]:
    config = Config(napoleon_use_param=False, napoleon_use_rtype=False)
    text = inspect.cleandoc(getattr(value, "__doc__", None) or "")
    # Outside of code, bars and underscores mean nothing special in our docstrings.
    pieces = CODE.split(text)
    pieces[::2] = [
        re.sub(r"(\||(?<=\w)_(?!\w))", r"\\\1", piece) for piece in pieces[::2]
    ]
    return GoogleDocstring("".join(pieces), config, what="function").lines()


def _toctree(names: list[str]) -> str:
    return ".. toctree::\n   :maxdepth: 1\n\n" + _indented(names) + "\n"


# ---- Ops ------------------------------------------------------------------------------


@cache
def _places() -> dict[str, dict[str, list[tuple[str, int]]]]:
    """Returns the files and lines that register each op, its kernels and its gradient."""
    places: dict[str, dict[str, list[tuple[str, int]]]] = {
        what: defaultdict(list) for what in REGISTERED
    }
    folders = ["minitf/*.cc", "kernels/cpu/*.cc", "kernels/gpu/*.cu"]
    is_ops = re.compile(r"^minitf/(ops|contrib)/").match
    for path in repository.listed(*folders):
        text = (ROOT / path).read_text()
        for what, pattern in REGISTERED.items():
            if what == "Named" and not is_ops(path):
                continue
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                places[what][match[1]].append((path, line))
    return places


@cache
def _labs() -> dict[str, str]:
    """Returns the folder of the lab in which students write a file, by its path."""
    labs = {}
    for path in sorted((ROOT / "exercises").glob("*/lab.json")):
        labs |= dict.fromkeys(json.loads(path.read_text())["files"], path.parent.name)
    return labs


def _kernels(op: str) -> Iterator[str]:
    """Yields a field for each device: the element types of the op's kernels."""
    types: dict[str, list[str]] = defaultdict(list)
    for device, constraints, label in _minitf.kernels(op):
        name = ", ".join(tf.as_dtype(t).name for t in constraints.values()) or "any type"
        text = f"{name} ({label})" if label else name
        if text not in types[device]:
            types[device].append(text)
    for device, names in sorted(types.items()):
        yield f":Kernels on {device}: {', '.join(names)}"


def _op(name: str) -> str:
    function = getattr(tf.raw_ops, name, None)
    lines = list(_kernels(name)) or [":Kernels: none; the runtime does its work"]
    lines.append(f":Gradient: {_minitf.gradient_kind(name) or 'none'}")
    labs = []
    for what, places in _places().items():
        if what == "Named" or name not in places:
            continue
        links = [f":line:`{path}:{line}`" for path, line in places[name]]
        lines.append(f":{what} in: {', '.join(dict.fromkeys(links))}")
        labs += [_labs()[path] for path, _ in places[name] if path in _labs()]
    if labs:
        links = [f":doc:`/exercises/{lab}/README`" for lab in dict.fromkeys(labs)]
        lines.append(f":Lab: {', '.join(links)}")
    body = [".. index:: " + name, "", f".. _op-{name}:", ""]
    text = _title(name, "-") + "\n".join(body) + "\n\n" + "\n".join(lines) + "\n\n"
    if function is None:
        return text + _minitf.op_def(name)["doc"] + "\n\n"
    signature = name + _signature(function)
    about = _indented(_docstring(function))
    return f"{text}.. py:function:: {signature}\n   :module: tf.raw_ops\n\n{about}\n\n"


def _ops(folder: Path) -> None:
    """Writes a page for each folder that registers ops."""
    places = _places()["Named"] | _places()["Registered"]
    rooms: dict[str, list[str]] = defaultdict(list)
    for name in _minitf.op_names():
        # The source concatenates some names, such as ResourceSparseApplyAdagrad.
        alike = re.sub("^.*Apply", "", name)
        folder_of = str(Path((places[name] or places[alike])[0][0]).parent)
        rooms[folder_of.removeprefix("minitf/").replace("/", "_")].append(name)
    for room, names in rooms.items():
        text = "".join(_op(name) for name in sorted(names))
        _save(folder / f"{room}.rst", _title(f"Ops of {room.replace('_', '/')}") + text)
    lines = [_title("Ops"), "Each op with its types, shapes, kernels and gradient.\n\n"]
    _save(folder / "index.rst", "".join([*lines, _toctree(sorted(rooms))]))


# ---- Python ---------------------------------------------------------------------------


def _members(cls: type) -> Iterator[str]:
    """Yields the public methods and properties of a class, without those of object."""
    if issubclass(cls, NO_METHODS):
        return
    for name in dir(cls):
        value = inspect.getattr_static(cls, name)
        if name.startswith("_") or getattr(object, name, None) is value:
            continue
        if isinstance(value, property):
            head, about = f".. py:property:: {name}", value.fget
        elif callable(getattr(cls, name)):
            head, about = f".. py:method:: {name}{_signature(getattr(cls, name))}", value
        else:
            continue
        about = getattr(about, "__func__", about)
        yield f"{head}\n   :no-index:\n\n{_indented(_docstring(about))}\n"


def _signature(value: Callable) -> str:
    """Returns the parameters and their defaults. The docstring states the types."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
    ]
    # The repr of a default may contain an address.
    return re.sub(r"<[^<>]*>", "...", str(inspect.Signature(plain)))


def _public(module: Any, name: str) -> str:
    value = getattr(module, name)
    about = _indented(_docstring(value))
    if inspect.isclass(value):
        members = "\n".join(_members(value))
        body = about + "\n\n" + _indented(members.split("\n"))
        return f".. py:class:: {name}{_signature(value)}\n\n{body}\n\n"
    if callable(value):
        return f".. py:function:: {name}{_signature(value)}\n\n{about}\n\n"
    return f".. py:data:: {name}\n\n"


def _python(folder: Path) -> None:
    """Writes a page for ``tf`` and for each module in it."""
    modules = {"tf": tf}
    for name in dir(tf):
        if inspect.ismodule(getattr(tf, name)) and name not in ("raw_ops", "version"):
            modules[f"tf.{name}"] = getattr(tf, name)
    pages: list[str] = []
    for name, module in modules.items():
        public = [name for name in dir(module) if not name.startswith("_")]
        public = [name for name in public if not inspect.ismodule(getattr(module, name))]
        classes = [name for name in public if inspect.isclass(getattr(module, name))]
        others = [name for name in public if name not in classes]
        head = f".. py:module:: {name}\n\n"
        for title, names in ((name, others), (f"{name}: classes", classes)):
            if names:
                text = head + "".join(_public(module, name) for name in names)
                _save(folder / f"{title.replace(': ', '_')}.rst", _title(title) + text)
                head = f".. py:currentmodule:: {name}\n\n"
                pages.append(title.replace(": ", "_"))
    text = "The names, arguments and errors are those of TensorFlow 1.15.\n\n"
    _save(folder / "index.rst", _title("Python") + text + _toctree(pages))


# ---- C++ ------------------------------------------------------------------------------


def _cpp(folder: Path) -> None:
    """Writes a page for each folder of tests/rooms.toml that has headers."""
    rooms = tomllib.loads((ROOT / "tests/rooms.toml").read_text())["rooms"]
    shown = []
    for room, row in rooms.items():
        headers = sorted((ROOT / room).glob("*.h"))
        if not headers or room.startswith(("python", "kernels/simt", "kernels/gpu")):
            continue
        text = _title(room) + row["holds"] + "\n\n"
        for header in headers:
            path = str(header.relative_to(ROOT))
            text += _title(header.name, "-")
            text += f"The source with its comments: :line:`{path}:1`\n\n"
            text += f".. doxygenfile:: {path}\n   :sections: briefdescription "
            text += (
                "detaileddescription innerclass public* func define enum typedef var\n\n"
            )
        _save(folder / f"{room.replace('/', '_')}.rst", text)
        shown.append(room.replace("/", "_"))
    _save(folder / "index.rst", _title("C++") + _toctree([*shown, "classes"]))


def _classes(folder: Path) -> None:
    """Writes a page with class diagrams, one for each hierarchy."""
    bases = doxygen_xml.bases()
    derived: dict[str, list[str]] = defaultdict(list)
    for name, names in bases.items():
        for base in names:
            derived[base].append(name)
    text = (
        _title("Classes") + "An arrow leads from a class to what is derived from it.\n\n"
    )
    tops = [name for name in derived if not derived.keys() & set(bases.get(name, []))]
    for top in sorted(tops):
        edges, waiting = [], [top]
        for name in waiting:
            children = sorted(set(derived.get(name, [])))
            edges += [f'   "{name}" -> "{child}";' for child in children]
            waiting += children
        if len(edges) < 2:
            continue
        text += (
            _title(top, "-") + f".. graphviz::\n   :alt: classes derived from {top}\n\n"
        )
        head = ["digraph classes {", "   rankdir=LR; bgcolor=white;"]
        head.append('   node [shape=box fontname="Helvetica" fontsize=11 height=0.3];')
        text += _indented([*head, *edges, "}"]) + "\n\n"
    _save(folder / "classes.rst", text)


def write(folder: Path) -> None:
    """Writes all pages below ``folder``."""
    tf.Session().close()  # loads the kernels of all devices
    _ops(folder / "ops")
    _python(folder / "python")
    _cpp(folder / "cpp")
    _classes(folder / "cpp")
