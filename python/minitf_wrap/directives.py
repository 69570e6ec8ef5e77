"""Reads a whole interface file: its directives, its constants and its C++ blocks."""

import re
from dataclasses import replace
from pathlib import Path

from minitf_wrap.builder import Builder
from minitf_wrap.parser import NAME, QUALIFIED, Declarations
from minitf_wrap.scanner import TEXT, Place, Scanner
from minitf_wrap.typemaps import Parameter, Typemap

LIBRARY = Path(__file__).parent / "lib"
# The form of each directive, which errors show.
FORMS = {
    "module": '%module name, or %module(threads="1") name',
    "include": '%include "file.i" or %include <file.i>',
    "inline": "%inline %{ declarations %}",
    "typemap": '%typemap(method, numinputs=0, pytype="type") pattern (locals) { code }',
}
# Directives that set a feature of a name: the form, the feature, and its value. Without a
# value, the text in brackets or the block is the value.
FEATURES = {
    "exception": ("%exception name { code }", "exception", ""),
    "feature": ('%feature("docstring") name "text"', "docstring", ""),
    "ignore": ("%ignore name;", "ignore", "1"),
    "immutable": ("%immutable name;", "immutable", "1"),
    "newobject": ("%newobject name;", "newobject", "1"),
    "nothread": ("%nothread name;", "thread", "0"),
    "rename": ("%rename(new_name) name;", "rename", ""),
    "thread": ("%thread name;", "thread", "1"),
}
OPTION = r'numinputs\s*=\s*[01]|pytype\s*=\s*"[^"]+"|local\s*=\s*"pointer"'
TYPEMAP = rf"\(\s*(in|out|argout|check|freearg)((?:\s*,\s*(?:{OPTION}))*)\s*\)"
LOCAL = r"\s*[\w:<>,\s*&$]+?[\s*&](\w+)\s*(\[.*\])?(\s*=.*)?\s*"
DEFINE = rf"#[ \t]*define[ \t]+({NAME})(?![\w(])((?:\\\n|[^\n])*)"
VALUE = rf"(?:{TEXT}|[-\w.+*/%()<>|&^~!?: \t])*"
REAL = r"\d\.|\.\d|\b\d+[eE]"
Locals = tuple[tuple[str, str], ...]


class Directives(Declarations):
    """Reads interface files; ``build.module`` has what was read."""

    def __init__(self, path: Path, folders: list[Path]) -> None:
        super().__init__(Scanner(path))
        self._folders = [*folders, LIBRARY]
        self._open_files: list[Path] = []

    def statements(self) -> None:
        """Reads up to the end of the scanner's text."""
        while self.scan.place.offset < self.scan.end:
            if self.scan.at(r"%\{"):
                self.build.module.header.append(self.scan.block())
            elif self.scan.at("%"):
                self._directive()
            elif self.scan.at("#"):
                self._preprocessor()
            else:
                self.declaration()

    def include_file(self, path: Path) -> None:
        """Reads a whole file.

        Raises:
            InterfaceError: the file has an error.
            OSError: the file cannot be read.
        """
        outer, self.scan = self.scan, Scanner(path)
        self._open_files.append(path.resolve())
        self.statements()
        self._open_files.pop()
        self.scan = outer

    def _preprocessor(self) -> None:
        """Reads ``#define NAME value``, which is a constant, or skips ``#include``."""
        if self.scan.match(r"#[ \t]*(include|pragma)[^\n]*"):
            return
        self.build.place = self.scan.place
        match = self.scan.expect(DEFINE, "#define NAME value, or #include")
        name, value = match[1], match[2].strip()
        numbers, module = re.sub(TEXT, "", value), self.build.module
        words = {word for word in re.findall(r"[\w.]+", numbers) if not word[0].isdigit()}
        if not re.fullmatch(VALUE, value) or not module.constants.keys() >= words:
            self.build.place.expected(f"a constant expression as the value of {name}")
        types = {module.constants[word][1] for word in words}
        types |= {"str"} if numbers != value else set()
        types |= {"float"} if re.search(REAL, numbers) else {"int"}
        if value:
            module.header.append(f"#ifndef {name}\n#define {name} {value}\n#endif")
            pytype = max(types, key=("int", "float", "str").index)
            self.build.add_constant(name, name, pytype)

    # ---- One function for each directive --------------------------------------------

    def _directive(self) -> None:
        place = self.scan.place
        match = self.scan.match(rf"%({NAME})")
        name = match[1] if match else ""
        if name in FEATURES:
            self._set_feature(*FEATURES[name])
        elif name in FORMS:
            getattr(self, f"_{name}")(place, FORMS[name])
        else:
            known = ", ".join(f"%{name}" for name in sorted([*FORMS, *FEATURES]))
            place.expected(f"a directive of the subset ({known})")

    def _set_feature(self, form: str, kind: str, value: str) -> None:
        if kind == "rename":
            value = self.scan.expect(rf"\(\s*({NAME})\s*\)", form)[1]
        elif kind == "docstring":
            self.scan.expect(r'\(\s*"docstring"\s*\)', form)
        is_for_all = kind in ("exception", "thread") and not self.scan.at(NAME)
        name = "" if is_for_all else self.name(form, QUALIFIED)
        if value:
            self.scan.expect(";", "';'")
        elif not self.scan.match(";"):
            value = self.scan.block()
        self.build.features[kind, name] = value

    def _module(self, place: Place, form: str) -> None:
        module = self.build.module
        if module.name:
            place.expected("no second %module")
        head = rf'(?:\(\s*threads\s*=\s*"([01])"\s*\))?\s*({NAME})'
        match = self.scan.expect(head, form)
        module.threads, module.name = match[1] or "", match[2]

    def _include(self, place: Place, form: str) -> None:
        name = self.scan.expect(r'["<]([^">\n]+)[">]', form)[1]
        paths = [folder / name for folder in (place.path.parent, *self._folders)]
        path = next(filter(Path.is_file, paths), None)
        if not path:
            place.expected(f"a file that exists, unlike {name!r}")
        elif path.resolve() in self._open_files:
            place.expected("no file that includes itself")
        else:
            self.include_file(path)

    def _inline(self, place: Place, form: str) -> None:
        match = self.scan.expect(r"%\{(.*?)%\}", form)
        self.build.module.header.append(match[1])
        outer, self.scan.end = self.scan.end, match.end(1)
        self.scan.position = match.start(1)
        self.statements()
        self.scan.position, self.scan.end = match.end(), outer

    def _typemap(self, place: Place, form: str) -> None:
        method, text = self.scan.expect(TYPEMAP, form).groups()
        pairs = re.findall(r'(\w+)\s*=\s*(\w+|"[^"]+")', text)
        options = {name: value.strip('"') for name, value in pairs}
        patterns, place = self._patterns(), self.scan.place
        typemap = Typemap(place, self.scan.block(), options=options)
        for pattern, locals_ in patterns:
            self.build.typemaps.add(method, pattern, replace(typemap, locals_=locals_))

    def _patterns(self) -> list[tuple[list[Parameter], Locals]]:
        """Reads patterns and their locals: ``(double *x, int n), int b (int temp)``."""
        patterns: list[tuple[list[Parameter], Locals]] = []
        self.is_pattern = True
        while not patterns or self.scan.match(","):
            pattern = self.parameters() if self.scan.at(r"\(") else [self.parameter()]
            patterns.append((pattern, self._locals()))
        self.is_pattern = False
        return patterns

    def _locals(self) -> Locals:
        """Reads the local variables of a typemap, if any: ``(int count = 0, char c)``."""
        locals_: list[tuple[str, str]] = []
        if not self.scan.match(r"\("):
            return ()
        while not locals_ or self.scan.match(","):
            place, text = self.scan.place, self.scan.until(",)")
            match = re.fullmatch(LOCAL, text, re.DOTALL)
            name = match[1] if match else place.expected("a type and a name")
            locals_.append((name, text))
        self.scan.expect(r"\)", "')'")
        return tuple(locals_)


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
