"""Reads what opens by ``%`` in an interface file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from minitf_wrap.builder import Builder
from minitf_wrap.declarations import Constant
from minitf_wrap.lexer import Source, Token
from minitf_wrap.token_reader import TokenReader
from minitf_wrap.typemaps import Parameter, Type, Typemap

METHODS = ("in", "out", "argout", "check", "freearg", "throws")
OPTIONS = {"numinputs": "0|1", "precedence": r"\d+", "pytype": ".+", "local": "pointer"}
# Directives that are no more than a mark on a name, and the value of the mark.
FLAGS = {
    "%ignore": ("ignore", "1"),
    "%immutable": ("immutable", "1"),
    "%mutable": ("immutable", ""),
    "%newobject": ("newobject", "1"),
    "%thread": ("thread", "1"),
    "%nothread": ("thread", "0"),
}


class Directives(TokenReader):
    """Reads directives; a subclass reads the declarations between them."""

    def __init__(self, folders: list[Path]) -> None:
        self.build = Builder()
        super().__init__(self.build.typemaps)
        self._folders = folders
        self._open_files: list[Path] = []
        self._readers = {
            "%module": self._module,
            "%include": self._include,
            "%inline": self._inline,
            "%init": lambda: self.build.module.init.append(self.block()),
            "%constant": self._constant,
            "%typemap": self._typemap,
            "%apply": self._apply,
            "%exception": self._exception,
            "%catches": self._catches,
            "%rename": self._rename,
            "%feature": self._feature,
        }

    def parse_text(self, source: Source, start: int, end: int) -> None:
        """Reads the statements in a part of a source; a subclass does so."""
        raise NotImplementedError

    def directive(self) -> None:
        """Reads one directive."""
        token = self.take()
        if token.text in FLAGS:
            kind, value = FLAGS[token.text]
            if kind == "thread" and not self.build.module.threads:
                token.fail('expected %module(threads="1") above, for threads to overlap')
            self._mark(kind, value)
        elif token.text in self._readers:
            self._readers[token.text]()
        else:
            known = ", ".join(sorted([*self._readers, *FLAGS]))
            token.expected(f"a directive of the subset ({known})")

    def include(self, path: Path, place: Token | None = None) -> None:
        """Reads a whole file.

        Raises:
            InterfaceError: the file cannot be read, or includes itself.
            OSError: the file cannot be read, and no ``place`` includes it.
        """
        try:
            text = path.read_text()
        except (OSError, UnicodeDecodeError) as error:
            if not place:
                raise
            place.fail(f"expected a file of text, got {path}: {error}")
        if path in self._open_files:
            (place or self.next).fail(
                f"expected no circle of %include, got {path} in itself"
            )
        self._open_files.append(path)
        self.parse_text(Source(path, text), 0, len(text))
        self._open_files.pop()

    def _module(self) -> None:
        options = self.options() if self.next.text == "(" else {}
        for name in options:
            if name not in ("threads", "docstring"):
                self.next.fail(f"expected the option threads or docstring, got {name!r}")
        module = self.build.module
        if module.name:
            self.next.expected("one %module")
        module.name = self.name("the name of the module")
        module.doc = options.get("docstring", "")
        module.threads = options.get("threads", "")

    def _include(self) -> None:
        place = self.next
        if self.skip("<"):
            name = ""
            while self.next.text != ">" and self.next.kind != "end":
                name += self.take().text
            self.expect(">")
        else:
            name = self.string()
        for folder in (place.source.path.parent, *self._folders):
            if (folder / name).is_file():
                self.include(folder / name, place)
                return
        place.fail(f"expected a file that exists, got {name!r}")

    def _inline(self) -> None:
        token = self.next
        if token.kind != "code":
            token.expected("%{ after %inline")
        self.build.module.header.append(self.block())
        self.parse_text(token.source, token.start + 2, token.end - 2)

    def _constant(self) -> None:
        base = self.base_type()
        type_ = Type(base.base, base.is_const, self.marks())
        place, name = self.next, self.name()
        self.expect("=")
        value = self.expression(";")
        self.expect(";")
        out = self.build.typemaps.find("out", [Parameter(type_)])
        pytype = out.options.get("pytype", "Any") if out else "Any"
        self.build.add_constant(
            place, None, Constant(name, f"({type_})({value})", pytype)
        )

    def _typemap(self) -> None:
        place, options = self.next, self.options()
        method = next(iter(options), "")
        if method not in METHODS or options.pop(method):
            place.fail(f"expected a method of {', '.join(METHODS)}, got {method!r}")
        for name, value in options.items():
            if name not in OPTIONS or not re.fullmatch(OPTIONS[name], value):
                place.fail(
                    f"expected an option of {', '.join(OPTIONS)}, got {name}={value!r}"
                )
        patterns = self._patterns()
        locals_ = self._locals() if self.next.text == "(" else ()
        if self.skip(";"):
            self.build.typemaps.remove(method, patterns)
            return
        if self.skip("="):
            place = self.next
            model = self.build.typemaps.get(method, self._pattern())
            self.expect(";")
            if not model:
                place.fail(f"expected a pattern with a typemap({method})")
            typemap = replace(model, options=model.options | options)
        else:
            typemap = Typemap(self.next, self.block(), locals_, options)
        for pattern in patterns:
            self.build.typemaps.add(method, pattern, typemap)

    def _pattern(self) -> list[Parameter]:
        """Reads ``const char *name`` or ``(double *data, int count)``."""
        if self.next.text == "(":
            return self.parameters(is_pattern=True)
        return [self.parameter(is_pattern=True)]

    def _patterns(self) -> list[list[Parameter]]:
        """Reads ``int, const char *name, (double *data, int count)``."""
        patterns = [self._pattern()]
        while self.skip(","):
            patterns.append(self._pattern())
        return patterns

    def _locals(self) -> tuple[tuple[str, str], ...]:
        """Reads the local variables of a typemap, ``(int count = 0, Py_buffer view)``."""
        place = self.next
        found = []
        for text in filter(None, re.split(r",(?![^<({]*[>)}])", self.balanced())):
            match = re.fullmatch(
                r"\s*[\w:<>,\s*&$]+?[\s*&](\w+)\s*(\[.*\])?(\s*=.*)?\s*", text, re.S
            )
            if not match:
                place.fail(
                    f"expected a type and a name of a local variable, got {text!r}"
                )
            found.append((match[1], text.strip()))
        return tuple(found)

    def _apply(self) -> None:
        """Reads ``%apply int *OUTPUT { int *rows, int *columns };``."""
        place, source = self.next, self._pattern()
        self.expect("{")
        targets = self._patterns()
        self.expect("}")
        self.skip(";")
        if not any([self.build.typemaps.copy(source, target) for target in targets]):
            place.fail("expected a pattern that has a typemap")

    def _target(self) -> str:
        """Reads the name that a directive is about, up to the semicolon."""
        name = self.qualified_name("the name of a declaration")
        self.expect(";")
        return name

    def _mark(self, kind: str, value: str) -> None:
        if kind == "ignore" or self.next.text != ";":
            self.build.features[kind, self._target()] = value
        else:
            self.take()
            self.build.features[kind, ""] = value

    def _exception(self) -> None:
        name = "" if self._is_block() or self.next.text == ";" else self.qualified_name()
        code = "$action" if self.skip(";") else self.block()
        if "$action" not in code:
            self.next.fail("expected $action in the block of %exception above, got none")
        self.build.features["exception", name] = code

    def _is_block(self) -> bool:
        return self.next.text == "{" or self.next.kind in ("code", "string")

    def _catches(self) -> None:
        types = ", ".join(str(parameter.type) for parameter in self.parameters())
        self.build.features["catches", self._target()] = types

    def _rename(self) -> None:
        place, options = self.next, self.options()
        if len(options) != 1 or not next(iter(options)).isidentifier():
            place.fail("expected one new name in brackets after %rename")
        self.build.features["rename", self._target()] = next(iter(options))

    def _feature(self) -> None:
        """Reads ``%feature("docstring") name "text"``, or the text as an option."""
        place, options = self.next, self.options()
        if next(iter(options), "") != "docstring" or len(options) > 2:
            place.fail('expected ("docstring") or ("docstring", "text") after %feature')
        name = self.qualified_name("the name of a declaration")
        text = list(options)[1] if len(options) == 2 else self.block()
        self.skip(";")
        self.build.features["docstring", name] = text.strip()
