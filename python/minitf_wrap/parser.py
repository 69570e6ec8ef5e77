"""Reads the C++ declarations of an interface file. ``directives.py`` reads the rest."""

from dataclasses import replace

from minitf_wrap.builder import Builder
from minitf_wrap.model import Scope
from minitf_wrap.scanner import Scanner
from minitf_wrap.typemaps import Parameter, Type

NAME = r"(?!operator\b)[A-Za-z_]\w*"
QUALIFIED = rf"{NAME}(?:::{NAME})*"
NUMBER = r"(?:(?:unsigned|signed|short|long|char|int|float|double|bool)\b\s*)+"
TAG = r"(?:(?:struct|class|enum(?!\s+SWIGTYPE))\s+)?"
TYPE = rf"(const\b\s*)?{TAG}({NUMBER}|enum\s+SWIGTYPE|{QUALIFIED})(\s*\bconst\b)?"
SPECIFIERS = r'((extern\s*"C"|(extern|static|inline|explicit|constexpr)\b)\s*)*'
ENUM = rf"enum\b\s*({NAME})?\s*(:[\w\s]+)?\{{"
CLASS = rf"(struct|class)\s+{NAME}\s*[{{:;]"
DESTRUCTOR = r"(virtual\s+)?~"


class Declarations:
    """Reads declarations with ``scan``, and gives them to ``build``.

    All functions raise InterfaceError where the text is not what they read.
    """

    def __init__(self, scan: Scanner) -> None:
        self.scan = scan
        self.build = Builder(scan.place)
        self.scope = self.build.module.scope
        self.is_pattern = False  # a pattern of a typemap may name any type

    def declaration(self) -> None:
        """Reads a type, a function or variables, outside of classes or as a member."""
        if self.scan.match(r"typedef\b"):
            self._typedef()
        elif not self.scope.name and self.scan.at(ENUM):
            self._enum()
            self.scan.expect(";", "';'")
        elif not self.scope.name and self.scan.at(CLASS):
            self._class()
            self.scan.expect(";", "';'")
        elif not self.scan.match(";"):
            self._function_or_variables()

    # ---- Types ----------------------------------------------------------------------

    def name(self, what: str = "a name", pattern: str = NAME) -> str:
        """Reads a name. Errors of the builder stand there from now on."""
        self.build.place = self.scan.place
        return self.scan.expect(pattern, what)[0]

    def base_type(self) -> Type:
        """Reads a type without ``*``."""
        place, names = self.scan.place, self.build.typemaps.names
        before, words, behind = self.scan.expect(TYPE, "a type").groups()
        base = _number_type(words.split())
        if base not in names and not self.is_pattern:
            place.expected("a type that is declared above or has a typemap")
        return Type(base, bool(before or behind))

    def declarator(self, base: Type) -> Type:
        """Reads ``*`` behind a base type."""
        marks = self.scan.expect(r"([*\s]|const\b)*", "")[0]
        if self.scan.at("&"):
            self.scan.place.expected("a value or a pointer, no reference")
        return replace(base, marks="*" * marks.count("*"))

    def parameters(self) -> list[Parameter]:
        """Reads the parameters of a function, in brackets."""
        parameters: list[Parameter] = []
        self.scan.expect(r"\(", "'('")
        if self.scan.match(r"(void\s*)?\)"):
            return parameters
        while not parameters or self.scan.match(","):
            parameters.append(self.parameter())
        self.scan.expect(r"\)", "',' or ')' (no default value)")
        return parameters

    def parameter(self) -> Parameter:
        """Reads a type with a name, which may be missing."""
        type_ = self.declarator(self.base_type())
        name = self.scan.match(NAME)
        return Parameter(type_, name[0] if name else "")

    def _typedef(self) -> None:
        names = self.build.typemaps.names
        if self.scan.at(ENUM):
            self._enum()
            names[self.name("the name of the enum")] = "enum"
        else:
            tag = self.scan.at(rf"struct\s+({NAME})\s*(\{{)?")
            if tag and tag[2]:
                type_ = Type(self._class())
            else:
                if tag:
                    names[tag[1]] = "class"
                type_ = self.declarator(self.base_type())
            name = self.name("the new name of the type")
            if name != type_.base:
                is_circle = self.build.typemaps.resolve(type_).base == name
                if is_circle or names.get(name, type_) not in (type_, "scalar"):
                    self.build.place.expected("a name that is not a type already")
                names[name] = type_
        self.scan.expect(";", "';'")

    def _enum(self) -> None:
        if name := self.scan.expect(ENUM, "an enum")[1]:
            self.build.typemaps.names[name] = "enum"
        while not self.scan.match(r"\}"):
            name = self.name("an enumerator")
            if self.scan.match("="):
                self.scan.until(",}")
            self.build.add_constant(name, f"static_cast<int>({name})", "int")
            if not self.scan.at(r"\}"):
                self.scan.expect(",", "',' or '}'")

    # ---- Classes --------------------------------------------------------------------

    def _class(self) -> str:
        """Reads the declaration of a class, or its definition; returns its name."""
        word = self.scan.expect(r"struct|class", "a class")[0]
        name = self.name()
        self.build.typemaps.names[name] = "class"
        if self.scan.at(";"):
            return name
        if name in self.build.module.classes:
            self.build.place.expected("a class that is not defined above")
        self.scan.expect(r"\{", "'{' (no base class)")
        outer, self.scope = self.scope, self.build.add_class(name)
        self._members(self.scope, is_public=word == "struct")
        self.scope = outer
        return name

    def _members(self, class_: Scope, *, is_public: bool) -> None:
        """Reads members up to ``}``. A class without a constructor gets one."""
        while not self.scan.match(r"\}"):
            if access := self.scan.match(r"(public|private|protected)\s*:"):
                is_public = access[1] == "public"
            elif is_public and class_.python_name and not self.scan.at(DESTRUCTOR):
                self.declaration()
            else:
                self._skip_member(class_, is_public=is_public)
        if class_.python_name and not class_.has_constructor:
            self.build.add_function(class_, "constructor", class_.pointer, class_.name)

    def _skip_member(self, class_: Scope, *, is_public: bool) -> None:
        """Skips a member that Python does not call by its name."""
        if self.scan.at(DESTRUCTOR) and not is_public:
            self.scan.place.expected("a public destructor")
        class_.has_constructor |= bool(self.scan.at(rf"(explicit\s+)?{class_.name}\s*\("))
        self.scan.until(";{")
        if not self.scan.match(";"):
            self.scan.block()

    # ---- Functions and variables ----------------------------------------------------

    def _function_or_variables(self) -> None:
        is_static = "static" in self.scan.expect(SPECIFIERS, "")[0].split()
        class_ = self.scope
        if class_.name and self.scan.at(rf"{class_.name}\s*\("):
            class_.has_constructor = True
            self._function("constructor", class_.pointer)
            return
        base = self.base_type()
        while True:
            type_ = self.declarator(base)
            if self.scan.at(rf"{NAME}\s*\("):
                kind = "static" if is_static else "method"
                self._function(kind if class_.name else "function", type_)
                return
            if class_.name and is_static:
                self.scan.place.expected("a function, no static variable of a class")
            self._variable(type_)
            if not self.scan.match(","):
                self.scan.expect(";", "';'")
                return

    def _function(self, kind: str, result: Type) -> None:
        """Reads a function from its name on. Its body is skipped."""
        name, class_ = self.name(), self.scope
        parameters = self.parameters()
        suffix = self.scan.expect(r"((const|noexcept)\b\s*)*", "")[0]
        if kind == "constructor" and self.scan.match(":"):
            self.scan.until("{")
        if self.scan.at(r"\{"):
            self.scan.block()
        else:
            self.scan.expect(";", "';' or a body")
        if kind == "method":
            self_ = Type(class_.name, "const" in suffix, "*")
            parameters.insert(0, Parameter(self_, "self"))
        self.build.add_function(class_, kind, result, name, *parameters)

    def _variable(self, type_: Type) -> None:
        name = self.name()
        if self.scan.match("="):
            self.scan.until(",;")
        self.build.add_variable(self.scope, type_, name)


def _number_type(words: list[str]) -> str:
    """Returns the name that SWIG gives to ``unsigned long int``, or a name as it is."""
    if set(words) & {"short", "long", "unsigned", "signed"}:
        words = [word for word in sorted(words, reverse=True) if word != "int"]
        words = [word for word in words if word != "signed" or "char" in words]
        words += [] if words[-1:] not in (["unsigned"], []) else ["int"]
    return " ".join(words)
