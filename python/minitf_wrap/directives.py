"""Reads a whole interface file: its directives, its constants and its C++ blocks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from minitf_wrap.builder import Builder
from minitf_wrap.parser import NAME, QUALIFIED, Declarations
from minitf_wrap.scanner import TEXT, Place, Scanner
from minitf_wrap.typemaps import Parameter, Typemap, key_of

LIBRARY = Path(__file__).parent / "lib"
# The form of each directive, which errors show.
FORMS = {
    "module": '%module name, or %module(threads="1", docstring="text") name',
    "include": '%include "file.i" or %include <file.i>',
    "inline": "%inline %{ declarations %}",
    "init": "%init %{ code %}",
    "constant": "%constant type NAME = value;",
    "typemap": "%typemap(method, option=value) pattern, pattern (locals) { code }",
    "apply": "%apply pattern { pattern, pattern };",
    "exception": "%exception name { code with $action }",
    "catches": "%catches(Type, Type) name;",
    "rename": "%rename(new_name) name;",
    "feature": '%feature("docstring") name "text"',
}
# Directives that are no more than a mark on a name, and the value of the mark.
MARKS = {
    "ignore": ("ignore", "1"),
    "immutable": ("immutable", "1"),
    "mutable": ("immutable", ""),
    "newobject": ("newobject", "1"),
    "thread": ("thread", "1"),
    "nothread": ("thread", "0"),
}
METHODS = ("in", "out", "argout", "check", "freearg", "throws")
OPTIONS = {"numinputs": "0|1", "precedence": r"\d+", "pytype": ".+", "local": "pointer"}
OPTION = rf"({NAME})\s*(?:=\s*({TEXT}|\w+))?\s*"
LOCAL = r"\s*[\w:<>,\s*&$]+?[\s*&](\w+)\s*(\[.*\])?(\s*=.*)?\s*"
Locals = tuple[tuple[str, str], ...]
VALUE = rf"(?:{TEXT}|[-\w.+*/%()<>|&^~!?: \t])+"


class Directives(Declarations):
    """Reads interface files; ``build.module`` has what was read."""

    def __init__(self, path: Path, folders: list[Path]) -> None:
        super().__init__(Scanner(path, path.read_text()))
        self._folders = [*folders, LIBRARY]
        self._open_files: list[Path] = []

    def statements(self) -> None:
        """Reads up to the end of the scanner's text."""
        while self.scan.place.offset < self.scan.end:
            if self.scan.at(r"%\{"):
                self.build.module.header.append(self.scan.block())
            elif self.scan.at("%"):
                self.directive()
            elif self.scan.at("#"):
                self._preprocessor()
            else:
                self.declaration(None)

    def directive(self) -> None:
        """Reads one directive."""
        place = self.scan.place
        match = self.scan.match(rf"%({NAME})")
        name = match[1] if match else ""
        if name in MARKS:
            kind, value = MARKS[name]
            if kind == "thread" and not self.build.module.threads:
                place.expected('%module(threads="1") above, and then')
            is_for_all = kind != "ignore" and self.scan.at(";")
            target = "" if is_for_all else self.qualified_name("a name")
            self.scan.expect(";", "';'")
            self.build.features[kind, target] = value
        elif name in FORMS:
            getattr(self, f"_{name}")(place, FORMS[name])
        else:
            known = ", ".join(f"%{name}" for name in sorted([*FORMS, *MARKS]))
            place.expected(f"a directive of the subset ({known})")

    def include_file(self, path: Path, place: Place | None = None) -> None:
        """Reads a whole file.

        Raises:
            InterfaceError: the file has an error, or includes itself.
            OSError: the file cannot be read.
        """
        outer, self.scan = self.scan, Scanner(path, path.read_text())
        if path.resolve() in self._open_files and place:
            place.expected("no file that includes itself")
        self._open_files.append(path.resolve())
        self.statements()
        self._open_files.pop()
        self.scan = outer

    def _preprocessor(self) -> None:
        """Reads ``#define NAME value``, which is a constant, or skips ``#include``."""
        if self.scan.match(r"#[ \t]*(include|pragma)[^\n]*"):
            return
        place = self.scan.place
        line = rf"#[ \t]*define[ \t]+({NAME})(?![\w(])((?:\\\n|[^\n])*)"
        match = self.scan.expect(line, "#define NAME value, or #include")
        name, value = match[1], match[2].strip()
        numbers = re.sub(TEXT, "", value)
        words = [word for word in re.findall(r"[\w.]+", numbers) if not word[0].isdigit()]
        constants = self.build.module.constants
        if not re.fullmatch(rf"({VALUE})?", value) or not constants.keys() >= set(words):
            place.expected(
                f"a constant expression as the value of {name} in front of this"
            )
        if not value:
            return
        kinds = {constants[word][1] for word in words}
        is_real = re.search(r"\d\.|\.\d|\b\d+[eE]", numbers) or "float" in kinds
        pytype = (
            "str" if numbers != value or "str" in kinds else "float" if is_real else "int"
        )
        define = f"#ifndef {name}\n#define {name} {value}\n#endif"
        self.build.module.header.append(define)
        self.build.add_constant(place, None, name, name, pytype)

    # ---- One function for each directive --------------------------------------------

    def _module(self, place: Place, form: str) -> None:
        options = (
            self._options(form, ("threads", "docstring")) if self.scan.at(r"\(") else {}
        )
        module = self.build.module
        if module.name:
            place.expected("one %module; this is the second:")
        module.name = self.name(form)
        module.doc = options.get("docstring", "")
        module.threads = options.get("threads", "")

    def _include(self, place: Place, form: str) -> None:
        name = self.scan.expect(r'["<]([^">\n]+)[">]', form)[1]
        for folder in (place.path.parent, *self._folders):
            if (folder / name).is_file():
                self.include_file(folder / name, place)
                return
        place.expected(f"a file that exists in place of {name!r}")

    def _inline(self, place: Place, form: str) -> None:
        match = self.scan.expect(r"%\{(.*?)%\}", form)
        self.build.module.header.append(match[1])
        outer, self.scan.end = self.scan.end, match.end(1)
        self.scan.position = match.start(1)
        self.statements()
        self.scan.position, self.scan.end = match.end(), outer

    def _init(self, place: Place, form: str) -> None:
        self.build.module.init.append(self.scan.block())

    def _constant(self, place: Place, form: str) -> None:
        type_ = self.declarator(self.base_type())
        name = self.name(form)
        self.scan.expect("=", form)
        value = self.scan.until(";")
        self.scan.expect(";", form)
        out = self.build.typemaps.find("out", [Parameter(type_)])
        pytype = out.options.get("pytype", "Any") if out else "Any"
        self.build.add_constant(place, None, name, f"({type_})({value})", pytype)

    def _typemap(self, place: Place, form: str) -> None:
        options = self._options(form, (*METHODS, *OPTIONS))
        method = next(iter(options), "")
        if method not in METHODS or options.pop(method):
            place.expected(
                f"one of the methods {', '.join(METHODS)} first in brackets, in"
            )
        for name, value in options.items():
            if not re.fullmatch(OPTIONS.get(name, "(?!)"), value):
                place.expected(f"{name}={OPTIONS.get(name)} instead of {name}={value} in")
        typemaps, patterns = self.build.typemaps, self._patterns()
        code_place = self.scan.place
        if self.scan.match(";"):
            for pattern, _ in patterns:
                typemaps.table.pop((method, key_of(pattern)), None)
            return
        if self.scan.match("="):
            model = typemaps.table.get((method, key_of(self._pattern())))
            if not model:
                code_place.expected(f"a pattern with a typemap({method}) behind")
            typemap = replace(model, options=model.options | options)
            self.scan.expect(";", form)
        else:
            typemap = Typemap(code_place, self.scan.block(), options=options)
        for pattern, locals_ in patterns:
            own = replace(typemap, locals_=locals_) if locals_ else typemap
            typemaps.add(method, pattern, own)

    def _pattern(self) -> list[Parameter]:
        """Reads ``const char *name`` or ``(double *data, int count)``."""
        if self.scan.at(r"\("):
            return self.parameters(is_pattern=True)
        return [self.parameter(is_pattern=True)]

    def _patterns(self) -> list[tuple[list[Parameter], Locals]]:
        """Reads patterns, each with its local variables: ``int a, int b (int temp)``."""
        patterns: list[tuple[list[Parameter], Locals]] = []
        while not patterns or self.scan.match(","):
            patterns.append((self._pattern(), self._locals()))
        return patterns

    def _locals(self) -> Locals:
        """Reads the local variables of a typemap, if any: ``(int count = 0, char c)``."""
        found: list[tuple[str, str]] = []
        if not self.scan.match(r"\("):
            return ()
        while not found or self.scan.match(","):
            place, text = self.scan.place, self.scan.until(",)")
            match = re.fullmatch(LOCAL, text, re.DOTALL)
            found.append(
                (match[1] if match else place.expected("a type and a name"), text)
            )
        self.scan.expect(r"\)", "')'")
        return tuple(found)

    def _apply(self, place: Place, form: str) -> None:
        typemaps, source = self.build.typemaps, key_of(self._pattern())
        self.scan.expect(r"\{", form)
        targets = self._patterns()
        self.scan.expect(r"\}\s*;?", form)
        found = [
            (key[0], value) for key, value in typemaps.table.items() if key[1] == source
        ]
        for method, typemap in found:
            for target, _ in targets:
                typemaps.add(method, target, typemap)
        if not found:
            place.expected("a pattern that has a typemap behind")

    def _exception(self, place: Place, form: str) -> None:
        name = self.scan.match(QUALIFIED)
        code = "$action" if self.scan.match(";") else self.scan.block()
        if "$action" not in code:
            place.expected("$action in the block behind")
        self.build.features["exception", name[0] if name else ""] = code

    def _catches(self, place: Place, form: str) -> None:
        types = ", ".join(str(parameter.type) for parameter in self.parameters())
        self.build.features["catches", self.qualified_name(form)] = types
        self.scan.expect(";", form)

    def _rename(self, place: Place, form: str) -> None:
        new = self.scan.expect(rf'\(\s*"?({NAME})"?\s*\)', form)[1]
        self.build.features["rename", self.qualified_name(form)] = new
        self.scan.expect(";", form)

    def _feature(self, place: Place, form: str) -> None:
        match = self.scan.expect(rf'\(\s*"docstring"\s*(?:,\s*({TEXT})\s*)?\)', form)
        name = self.qualified_name(form)
        text = match[1][1:-1] if match[1] else self.scan.block()
        self.scan.match(";")
        self.build.features["docstring", name] = text.strip()

    def _options(self, form: str, known: tuple[str, ...]) -> dict[str, str]:
        """Reads ``(name, name=value, ...)``; a name alone has the empty value."""
        options = {}
        self.scan.expect(r"\(", form)
        while not options or self.scan.match(","):
            place, match = self.scan.place, self.scan.expect(OPTION, form)
            if match[1] not in known:
                place.expected(f"one of the options {', '.join(known)}")
            options[match[1]] = (match[2] or "").strip("\"'")
        self.scan.expect(r"\)", form)
        return options


def parse(path: Path, folders: list[Path]) -> Builder:
    """Reads the interface file and all that it includes, from its folder and ``folders``.

    Raises:
        InterfaceError: the file has an error, or is outside of the subset.
        OSError: the file cannot be read.
    """
    reader = Directives(path, folders)
    reader.include_file(LIBRARY / "builtin.i")
    reader.include_file(path)
    if not reader.build.module.name:
        reader.scan.place.expected("%module name in this file")
    return reader.build
