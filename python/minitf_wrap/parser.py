"""Reads the C++ declarations of an interface file. ``directives.py`` reads the rest."""

from __future__ import annotations

import re

from minitf_wrap.builder import Builder
from minitf_wrap.model import Class
from minitf_wrap.scanner import Place, Scanner
from minitf_wrap.typemaps import VOID, Parameter, Type

NAME = r"[A-Za-z_]\w*"
QUALIFIED = rf"~?{NAME}(?:::~?{NAME})*"
NUMBER = r"(?:(?:unsigned|signed|short|long|char|int|float|double|bool)\b\s*)+"
TYPE = (
    rf"(const\b\s*)?((?:(?:struct|class|enum)\s+)?)({NUMBER}|{QUALIFIED})(\s*\bconst\b)?"
)
MARKS = r"(?:\s*(?:[*&]|\bconst\b))*"
SPECIFIERS = r'((extern\s*"C"|(extern|static|inline|virtual|explicit|constexpr)\b)\s*)*'
REFUSED = r"(template|namespace|using|union|friend|operator|volatile)\b|\("
NUMBERS = {
    *(
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned int",
    ),
    *(
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "float",
        "double",
        "bool",
    ),
}


class Declarations:
    """Reads declarations with ``scan``, and gives them to ``build``.

    All functions raise InterfaceError where the text is not what they read.
    """

    def __init__(self, scan: Scanner) -> None:
        self.scan = scan
        self.build = Builder()
        self._scope = ""  # the class whose members are read

    def declaration(self, class_: Class | None) -> None:
        """Reads a type, a function or variables, outside of classes or as a member."""
        if self.scan.match(r"typedef\b"):
            self._typedef()
        elif self.scan.at(rf"enum\b\s*(class\b\s*)?({NAME})?\s*[{{:]"):
            self._enum(class_)
            self.scan.expect(";", "';'")
        elif self.scan.at(rf"(struct|class)\s+{NAME}\s*[{{:;]"):
            if class_:
                self.scan.place.expected("a member; nested classes are refused")
            self._class()
            self.scan.expect(";", "';'")
        elif not self.scan.match(";"):
            self._function_or_variables(class_)

    def directive(self) -> None:
        """Reads a directive; a subclass does so."""
        raise NotImplementedError

    # ---- Types ----------------------------------------------------------------------

    def name(self, what: str = "a name") -> str:
        """Reads a name."""
        return self.scan.expect(NAME, what)[0]

    def qualified_name(self, what: str) -> str:
        """Reads a name such as ``Point::scale``."""
        return self.scan.expect(QUALIFIED, what)[0]

    def base_type(self, *, is_pattern: bool = False) -> Type:
        """Reads a type without ``*`` and ``&``. A pattern may name any type."""
        place, names = self.scan.place, self.build.typemaps.names
        match = self.scan.expect(TYPE, "a type")
        base = _number_type(match[3].split())
        base = f"{self._scope}::{base}" if f"{self._scope}::{base}" in names else base
        if base == "SWIGTYPE" and match[2].startswith("enum"):
            base = "enum SWIGTYPE"
        if (
            base not in names
            and base not in NUMBERS
            and base != "void"
            and not is_pattern
        ):
            place.expected("a type that is declared above or has a typemap")
        return Type(base, bool(match[1] or match[4]))

    def declarator(self, base: Type) -> Type:
        """Reads ``*`` and ``&`` behind a base type."""
        marks = re.sub(r"[^*&]", "", self.scan.expect(MARKS, "")[0])
        if "&" in marks[:-1]:
            self.scan.place.expected("one '&' at most in front of this")
        return Type(base.base, base.is_const, marks)

    def parameters(self, *, is_pattern: bool = False) -> list[Parameter]:
        """Reads the parameters of a function, in brackets."""
        found: list[Parameter] = []
        self.scan.expect(r"\(", "'('")
        if self.scan.match(r"(void\s*)?\)"):
            return found
        while not found or self.scan.match(","):
            found.append(self.parameter(is_pattern=is_pattern))
        self.scan.expect(r"\)", "',' or ')'")
        return found

    def parameter(self, *, is_pattern: bool = False) -> Parameter:
        """Reads a type with a name, which may be missing, and a default value."""
        type_ = self.declarator(self.base_type(is_pattern=is_pattern))
        name = self.scan.match(NAME)
        if self.scan.match(r"\[\s*\w*\s*\]"):
            type_ = Type(type_.base, type_.is_const, type_.marks + "*")
        if type_ == VOID and not is_pattern:
            self.scan.place.expected("'*' behind void in front of this")
        has_default = not is_pattern and self.scan.match("=")
        default = self.scan.until(",)") if has_default else ""
        return Parameter(type_, name[0] if name else "", default)

    def _typedef(self) -> None:
        names = self.build.typemaps.names
        if self.scan.at(rf"enum\s*({NAME})?\s*\{{"):
            self._enum(None)
            names[self.name("the name of the enum")] = "enum"
        elif self.scan.at(rf"struct\s+{NAME}\s*\{{"):
            tag = self._class()
            name = self.name("the name of the struct")
            if name != tag:
                names[name] = Type(tag)
        else:
            if match := re.compile(rf"\s*struct\s+({NAME})").match(
                self.scan.text, self.scan.position
            ):
                self.build.declare_class(match[1])
            type_ = self.declarator(self.base_type())
            name = self.name("the new name of the type")
            if name != type_.base:
                names[name] = type_
        self.scan.expect(";", "';'")

    def _enum(self, class_: Class | None) -> None:
        match = self.scan.expect(rf"enum\b\s*(class\b)?\s*({NAME})?\s*", "an enum")
        is_scoped, name = match[1], match[2] or ""
        scope = f"{class_.name}::" if class_ else ""
        if name:
            self.build.typemaps.names[scope + name] = "enum"
        if self.scan.match(":"):
            self.base_type()
        self.scan.expect(r"\{", "'{'")
        while not self.scan.match(r"\}"):
            place, enumerator = self.scan.place, self.name("an enumerator")
            if self.scan.match("="):
                self.scan.until(",}")
            shown = f"{name}_{enumerator}" if is_scoped else enumerator
            full = f"{scope}{name}::{enumerator}" if is_scoped else scope + enumerator
            value = f"static_cast<int>({full})"
            self.build.add_constant(place, class_, shown, value, "int")
            if not self.scan.at(r"\}"):
                self.scan.expect(",", "',' or '}'")

    # ---- Classes --------------------------------------------------------------------

    def _class(self) -> str:
        """Reads the declaration of a class, or its definition; returns its name."""
        place = self.scan.place
        match = self.scan.expect(rf"(struct|class)\s+({NAME})", "a class")
        class_ = self.build.declare_class(match[2])
        if self.scan.at(";"):
            return class_.name
        if class_.is_complete:
            place.expected(f"one definition of {class_.name}; this is the second:")
        # Classes stand in the order of their definitions.
        self.build.module.classes[class_.name] = self.build.module.classes.pop(
            class_.name
        )
        class_.doc = self.build.feature("docstring", "", class_.name)
        class_.is_complete = not self.build.feature("ignore", "", class_.name)
        if self.scan.match(":"):
            self._base(class_)
        self._scope = class_.name
        self.scan.expect(r"\{", "'{'")
        is_public = match[1] == "struct" and class_.is_complete
        while not self.scan.match(r"\}"):
            if access := self.scan.match(r"(public|private|protected)\s*:"):
                is_public = access[1] == "public" and class_.is_complete
            elif self.scan.at("%"):
                self.directive()
            elif is_public:
                self.declaration(class_)
            else:
                self._skip_member(class_)
        self._scope = ""
        if class_.is_complete:
            self._add_implied(place, class_)
        return class_.name

    def _base(self, class_: Class) -> None:
        self.scan.expect(r"public\b", "'public' and a base class")
        place, name = self.scan.place, self.qualified_name("a base class")
        base = self.build.module.classes.get(name)
        if not base or not base.is_complete:
            place.expected("a class that is defined above")
        class_.base = name
        class_.pure |= base.pure

    def _add_implied(self, place: Place, class_: Class) -> None:
        """Adds the constructor and the destructor that C++ adds by itself."""
        if not class_.has_constructor and not class_.pure:
            self.build.add_function(
                place, class_, "constructor", class_.pointer, class_.name, []
            )
        if class_.is_deletable:
            self.build.add_function(
                place, class_, "destructor", VOID, f"~{class_.name}", []
            )

    def _skip_member(self, class_: Class) -> None:
        """Skips what Python cannot use, but for what it tells of the class."""
        if match := self.scan.match(rf"(virtual\s+)?(~?){class_.name}\s*(?=\()"):
            class_.is_deletable &= not match[2]
            class_.has_constructor |= not match[2]
        self.scan.until(";{")
        if not self.scan.match(";"):
            self.scan.block()

    # ---- Functions and variables ----------------------------------------------------

    def _function_or_variables(self, class_: Class | None) -> None:
        words = self.scan.expect(SPECIFIERS, "")[0].split()
        if self.scan.at(REFUSED):
            self.scan.place.expected("a declaration of the subset")
        if class_ and (match := self.scan.match(rf"(~?)(?={class_.name}\s*\()")):
            kind = "destructor" if match[1] else "constructor"
            self._function(class_, kind, VOID if match[1] else class_.pointer)
            return
        base = self.base_type()
        while True:
            type_ = self.declarator(base)
            if self.scan.at(REFUSED):
                self.scan.place.expected(
                    "a name; operators and function pointers are refused"
                )
            if self.scan.at(rf"{NAME}\s*\("):
                kind = "static" if "static" in words else "method"
                self._function(class_, kind if class_ else "function", type_)
                return
            if class_ and "static" in words:
                self.scan.place.expected(
                    "a function; static variables of classes are refused"
                )
            self._variable(class_, type_)
            if not self.scan.match(","):
                self.scan.expect(";", "';'")
                return

    def _function(self, class_: Class | None, kind: str, result: Type) -> None:
        place, name = self.scan.place, self.name()
        parameters = self.parameters()
        suffix = self.scan.expect(r"((const|noexcept|override|final)\b\s*)*", "")[0]
        ending = self.scan.match(r"=\s*(0|default|delete)")
        if class_ and ending and ending[1] == "0":
            class_.pure.add(name)
        elif class_:
            class_.pure.discard(name)
        if kind == "constructor" and self.scan.match(":"):
            self.scan.until("{")
        if self.scan.at(r"\{"):
            self.scan.block()
        else:
            self.scan.expect(";", "';' or a body")
        is_deleted = ending and ending[1] == "delete"
        if class_ and kind == "destructor":
            class_.is_deletable &= not is_deleted
            return
        if class_ and kind == "constructor":
            class_.has_constructor = True
        if not is_deleted:
            is_const = "const" in suffix
            self.build.add_function(
                place, class_, kind, result, name, parameters, is_const=is_const
            )

    def _variable(self, class_: Class | None, type_: Type) -> None:
        place, name = self.scan.place, self.name()
        if type_ == VOID:
            place.expected("'*' behind void in front of this")
        if self.scan.match("="):
            self.scan.until(",;")
        elif self.scan.at(r"\{"):
            self.scan.block()
        if self.scan.at(r"\["):
            self.scan.place.expected("';'; arrays are refused")
        self.build.add_variable(place, class_, type_, name)


def _number_type(words: list[str]) -> str:
    """Returns the name that SWIG gives to ``unsigned long int``, or a name as it is."""
    if set(words) & {"short", "long", "unsigned", "signed"}:
        words = [word for word in sorted(words, reverse=True) if word != "int"]
        words = [word for word in words if word != "signed" or "char" in words]
        words += [] if words[-1:] not in (["unsigned"], []) else ["int"]
    return " ".join(words)
