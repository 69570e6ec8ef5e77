"""Reads an interface file: its C++ declarations. ``directives.py`` reads the rest."""

from __future__ import annotations

from pathlib import Path

from minitf_wrap.builder import Builder
from minitf_wrap.declarations import Class, Constant
from minitf_wrap.directives import Directives
from minitf_wrap.lexer import Source
from minitf_wrap.typemaps import VOID, Type

LIBRARY = Path(__file__).parent / "lib"
SPECIFIERS = ("extern", "static", "inline", "virtual", "explicit", "constexpr")
REFUSED = (
    "template",
    "namespace",
    "using",
    "union",
    "friend",
    "operator",
    "volatile",
    "(",
)
ACCESS = ("public", "private", "protected")


class Parser(Directives):
    """Reads interface files; ``build.module`` has what was read."""

    _open_blocks = 0  # of extern "C" {

    def parse_text(self, source: Source, start: int, end: int) -> None:
        """Reads the statements in a part of a source."""
        for _ in self.statements(source, start, end):
            self._statement()
            if self.next.kind == "end" and self._open_blocks and not start:
                self.next.expected("'}' to close extern \"C\" {")

    def _statement(self) -> None:
        """Reads one declaration or directive outside of classes."""
        token = self.next
        if token.kind == "directive":
            self.directive()
        elif token.kind == "code":
            self.build.module.header.append(self.block())
        elif token.kind == "define":
            self._define()
        elif token.text == "extern" and self.peek(1).kind == "string":
            self.take()
            self.take()
            self._open_blocks += bool(self.skip("{"))
        elif self._open_blocks and self.skip("}"):
            self._open_blocks -= 1
        elif token.text == "typedef":
            self._typedef()
        elif not self._opened_type(None):
            self._declaration(None)

    def _define(self) -> None:
        """Reads the constant that ``#define`` makes; its type follows from its tokens."""
        place, tokens = self.take(), []
        while not self.skip(";"):
            tokens.append(self.take())
        kinds = {token.kind for token in tokens}
        if not kinds <= {"number", "symbol", "string", "char"}:
            place.fail(f"expected a constant expression as the value of {place.text}")
        is_real = any(token.kind == "number" and "." in token.text for token in tokens)
        pytype = "str" if kinds & {"string", "char"} else "float" if is_real else "int"
        value = " ".join(token.text for token in tokens)
        self.build.add_constant(place, None, Constant(place.text, value, pytype))

    # ---- Types ----------------------------------------------------------------------

    def _opened_type(self, class_: Class | None) -> bool:
        """Reads a class or an enum, if one is defined or declared here."""
        word, behind = self.next.text, self.peek(2).text
        if word == "enum" and (
            behind in ("{", ":") or self.peek(1).text in ("{", "class")
        ):
            self.take()
            self._enum(class_, self._tag())
        elif word in ("struct", "class") and behind in ("{", ":", ";"):
            if class_:
                self.next.fail("expected a member: nested classes are refused")
            self._class(self.take().text, self.name())
        else:
            return bool(self.skip(";"))
        self.expect(";")
        return True

    def _tag(self) -> str:
        """Reads the name of an enum; with "class " in front if its names are scoped."""
        scoped = self.skip("class", "struct") and "class "
        return scoped + (self.name() if self.next.kind == "name" else "")

    def _typedef(self) -> None:
        self.expect("typedef")
        place, names = self.next, self.build.typemaps.names
        if place.text in ("struct", "enum") and "{" in (
            self.peek(1).text,
            self.peek(2).text,
        ):
            self.take()
            name = self._name_behind_body()
            tag = self.name() if self.next.kind == "name" else name
            if place.text == "struct":
                self._class("struct", tag)
            else:
                self._enum(None, tag)
            self.take()
        else:
            if place.text == "struct" and self.peek(1).kind == "name":
                self.build.declare_class(self.peek(1).text)
            base = self.base_type()
            type_, tag = Type(base.base, base.is_const, self.marks()), base.base
            name = self.name("the new name of a type")
            if name != tag:
                names[name] = type_
        if name != tag and name not in names:
            names[name] = Type(tag)
        self.expect(";")

    def _name_behind_body(self) -> str:
        """Returns the name of ``typedef struct { ... } Name;``, and moves nowhere."""
        depth, count = 0, 0
        while depth or self.peek(count).text in ("{", "}") or count < 1:
            if self.peek(count).kind == "end":
                self.next.expected("'}' and a name behind this typedef")
            depth += {"{": 1, "}": -1}.get(self.peek(count).text, 0)
            count += 1
            if not depth and self.peek(count - 1).text == "}":
                break
        return self.peek(count).text

    def _enum(self, class_: Class | None, tag: str) -> None:
        is_scoped, name = tag.startswith("class "), tag.removeprefix("class ")
        scope = f"{class_.name}::" if class_ else ""
        if name:
            self.build.typemaps.names[scope + name] = "enum"
        if self.skip(":"):
            self.base_type()
        self.expect("{")
        while not self.skip("}"):
            place, enumerator = self.next, self.name("an enumerator")
            if self.skip("="):
                self.expression(",", "}")
            shown = f"{name}_{enumerator}" if is_scoped else enumerator
            full = scope + (f"{name}::" if is_scoped else "") + enumerator
            constant = Constant(shown, f"static_cast<int>({full})", "int")
            self.build.add_constant(place, class_, constant)
            if self.next.text != "}":
                self.expect(",")

    def _class(self, word: str, name: str) -> None:
        """Reads the declaration of a class, or its definition with its members."""
        place, class_ = self.next, self.build.declare_class(name)
        if place.text == ";":
            return
        if class_.is_complete:
            place.fail(f"expected one definition of {name}, got a second one")
        if self.skip(":"):
            self._base(class_)
        class_.doc = self.build.feature("docstring", "", name)
        class_.is_complete = not self.build.feature("ignore", "", name)
        self.scope, access = class_.name, "public" if word == "struct" else "private"
        self.expect("{")
        while not self.skip("}"):
            if self.next.kind == "directive":
                self.directive()
            elif self.next.text in ACCESS:
                access = self.take().text
                self.expect(":")
            elif access != "public" or not class_.is_complete:
                self._skip_member(class_)
            elif not self._opened_type(class_):
                self._declaration(class_)
        self.scope = ""
        if class_.is_complete:
            self.build.finish_class(place, class_)

    def _base(self, class_: Class) -> None:
        self.expect("public")
        place, name = self.next, self.qualified_name("a base class")
        base = self.build.module.classes.get(name)
        if not base or not base.is_complete:
            place.fail(f"expected a class that is defined above, got {name!r}")
        class_.base = name
        class_.pure |= base.pure
        if self.next.text == ",":
            self.next.fail("expected '{': a second base class is refused")

    def _skip_member(self, class_: Class) -> None:
        """Skips what Python cannot use, but for what it says of the class."""
        is_destructor = bool(self.skip("~"))
        if self.next.text == class_.name and self.peek(1).text == "(":
            class_.is_deletable &= not is_destructor
            class_.constructors += not is_destructor
        self.expression(";", "{")
        if not self.skip(";"):
            self.balanced()

    # ---- Functions and variables ----------------------------------------------------

    def _declaration(self, class_: Class | None) -> None:
        specifiers = set()
        while word := self.skip(*SPECIFIERS):
            specifiers.add(word)
        if self.next.text in REFUSED:
            self.next.fail(f"expected a declaration: {self.next.text} is refused")
        is_destructor = bool(class_ and self.skip("~"))
        if class_ and self.next.text == class_.name and self.peek(1).text == "(":
            self._function(class_, "destructor" if is_destructor else "constructor", VOID)
            return
        base = self.base_type()
        while True:
            type_ = Type(base.base, base.is_const, self.marks())
            if self.next.text in REFUSED:
                self.next.fail(
                    "expected a name: operators and function pointers are refused"
                )
            if self.peek(1).text == "(":
                kind = "static" if "static" in specifiers else "method"
                self._function(class_, kind if class_ else "function", type_)
                return
            if class_ and "static" in specifiers:
                self.next.fail(
                    "expected a function: static variables of classes are refused"
                )
            self._variable(class_, type_)
            if not self.skip(","):
                break
        self.expect(";")

    def _function(self, class_: Class | None, kind: str, result: Type) -> None:
        place, name = self.next, self.name()
        parameters = self.parameters()
        while self.skip("const", "noexcept", "override", "final"):
            pass
        is_deleted = False
        if self.skip("="):
            value = self.take().text
            is_deleted = value == "delete"
            if class_ and value == "0":
                class_.pure.add(name)
        elif class_:
            class_.pure.discard(name)
        if self.skip(":"):  # the initializers of a constructor
            self.expression("{")
        if self.next.text == "{":
            self.balanced()
        else:
            self.expect(";")
        if class_ and kind == "constructor":
            class_.constructors += 1
        if class_ and kind == "destructor":
            class_.is_deletable &= not is_deleted
        elif not is_deleted:
            self.build.add_function(place, class_, kind, result, name, parameters)

    def _variable(self, class_: Class | None, type_: Type) -> None:
        place, name = self.next, self.name()
        if self.next.text == "[":
            self.next.fail("expected ';': arrays are refused")
        if type_.base == "void" and not type_.marks:
            place.expected("'*' in front of the name of a variable")
        if self.skip("="):
            self.expression(",", ";")
        elif self.next.text == "{":
            self.balanced()
        self.build.add_variable(place, class_, type_, name)


def parse(path: Path, folders: list[Path]) -> Builder:
    """Reads the interface file and all that it includes, from its folder and ``folders``.

    Raises:
        InterfaceError: the file has an error, or is outside of the subset.
        OSError: the file cannot be read.
    """
    parser = Parser([*folders, LIBRARY])
    parser.include(LIBRARY / "builtin.i")
    parser.include(path)
    if not parser.build.module.name:
        parser.next.expected("%module in this file")
    return parser.build
