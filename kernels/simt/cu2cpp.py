"""Makes C++ of a CUDA file, for the emulator. Lines keep their numbers.

Two things of CUDA are no C++, whatever macros there are:

    kernel<<<grid, block>>>(x, y);      simt::Launch(kernel, grid, block)(x, y);
    extern __shared__ float room[];     SIMT_DYNAMIC_SHARED(float, room);

Comments, strings and everything else stay as they are.

    python3 cu2cpp.py FILE.cu OUT.cc

Read next: ``kernels/simt/cuda.h``.
"""

import re
import sys
from pathlib import Path

OPEN, CLOSE = "([{", ")]}"
HIDDEN = re.compile(
    r"//(?:\\\n|[^\n])*"  # a comment, also one that a backslash continues
    r"|/\*.*?\*/"
    r'|R"(?P<mark>[^()\\ ]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])+'(?!\w)",
    re.DOTALL,
)
SHARED = re.compile(
    r"\bextern\s+__shared__\s+(?:__align__\s*\([^()]*\)\s*|alignas\s*\([^()]*\)\s*)?"
    r"(?P<type>[\w:\s<>,*]+?)\s*\b(?P<name>\w+)\s*\[\s*\]\s*;"
)
KERNEL = re.compile(
    r"\b__global__[^;{}()]*?(?:__launch_bounds__\s*\([^()]*\)[^;{}()]*?)?\b(\w+)\s*\("
)
TEMPLATE = re.compile(r"\btemplate\s*<[^;{}]*?>[^;{}()]*?__global__[^;{}]*?\b(\w+)\s*\(")


class TranslationError(Exception):
    """A file that cannot be translated: the line, and why."""


def masked(text: str) -> str:
    """``text`` with blanks for comments and strings; of the same length."""
    return HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def end_of_bracket(mask: str, begin: int) -> int:
    """The place after the bracket that closes the one at ``begin``."""
    depth = 0
    for i in range(begin, len(mask)):
        depth += (mask[i] in OPEN) - (mask[i] in CLOSE)
        if depth == 0:
            return i + 1
    raise TranslationError(f"{line_of(mask, begin)}: '{mask[begin]}' is never closed")


def line_of(text: str, place: int) -> int:
    """The number of the line of a place."""
    return text.count("\n", 0, place) + 1


def split(text: str, mask: str) -> list[str]:
    """The parts of a list between its commas, not those in brackets or templates."""
    parts, depth, begin = [], 0, 0
    for i, c in enumerate(mask):
        is_template = c in "<>" and mask[i - 1 : i + 1] != "->"
        depth += (c in OPEN or (is_template and c == "<" and _opens(mask, i))) - (
            c in CLOSE or (is_template and c == ">" and depth > 0)
        )
        if c == "," and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
    return [*parts, text[begin:]]


def _opens(mask: str, place: int) -> bool:
    """Whether a '<' opens a list of template arguments: it is closed before the end."""
    before = mask[:place].rstrip()
    return bool(re.search(r"\w$", before)) and ">" in mask[place:]


def begin_of_bracket(mask: str, end: int) -> int:
    """The place of the bracket, or the '<', that the character before ``end`` closes."""
    close = mask[end - 1]
    partner = "<" if close == ">" else OPEN[CLOSE.index(close)]
    i = end - 1
    while i > 0:
        i -= 1
        if mask[i] == partner:
            return i
        if mask[i] in CLOSE or (mask[i] == ">" and close == ">"):
            i = begin_of_bracket(mask, i + 1)
    raise TranslationError(f"{line_of(mask, end)}: '{close}' is never opened")


def begin_of_callee(mask: str, end: int) -> int:
    """Where the name of the kernel before ``end`` begins, with its template arguments."""
    i = len(mask[:end].rstrip())
    if i > 0 and mask[i - 1] == ")":
        return begin_of_bracket(mask, i)
    if i > 0 and mask[i - 1] == ">":
        i = begin_of_bracket(mask, i)
    found = re.search(r"[A-Za-z_]\w*(?:\s*(?:::|\.|->)\s*[A-Za-z_]\w*)*\s*$", mask[:i])
    if found is None:
        raise TranslationError(f"{line_of(mask, end)}: no kernel stands before '<<<'")
    return found.start()


def kernel_types(mask: str, templates: set[str]) -> dict[str, str]:
    """The pointer type of each kernel that is not a template and is defined once.

    The type selects the kernel among functions of the same name, such as ``exp``.
    """
    types: dict[str, list[str]] = {}
    for found in KERNEL.finditer(mask):
        end = end_of_bracket(mask, found.end() - 1)
        if mask[end:].lstrip().startswith("{"):
            parameters = " ".join(mask[found.end() : end - 1].split())
            types.setdefault(found[1], []).append(f"void (*)({parameters})")
    return {
        name: some[0]
        for name, some in types.items()
        if len(some) == 1 and name not in templates and "=" not in some[0]
    }


def launches(text: str, mask: str) -> str:
    """``text`` with all launches translated, those in arguments of others as well."""
    templates = set(TEMPLATE.findall(mask))
    types = kernel_types(mask, templates)
    while (at := mask.rfind("<<<")) >= 0:
        begin = begin_of_callee(mask, at)
        close = mask.find(">>>", at)
        if close < 0:
            raise TranslationError(f"{line_of(mask, at)}: '<<<' is never closed by '>>>'")
        while mask[close : close + 4] == ">>>>":  # a template ends just before
            close += 1
        how = [part.strip() for part in split(text[at + 3 : close], mask[at + 3 : close])]
        if not 2 <= len(how) <= 4:
            raise TranslationError(
                f"{line_of(mask, at)}: a launch has 2 to 4 arguments, grid, block, "
                f"shared bytes and stream; here are {len(how)}"
            )
        after = re.compile(r"\s*\(").match(mask, close + 3)
        if after is None:
            raise TranslationError(f"{line_of(mask, at)}: no '(' follows after '>>>'")
        end_of_bracket(mask, after.end() - 1)
        callee = text[begin:at].strip()
        if callee in templates:
            call = f"[](auto... arguments) {{ {callee}(arguments...); }}"
            head = f'simt::LaunchDeduced("{callee}", {call}, '
        elif callee in types:
            head = f"simt::Launch(static_cast<{types[callee]}>({callee}), "
        else:
            head = f"simt::Launch({callee}, "
        lost = text[begin : close + 3].count("\n") - sum(p.count("\n") for p in how)
        lost -= callee.count("\n")
        new = head + ", ".join(how) + "\n" * lost + ")"
        text = text[:begin] + new + text[close + 3 :]
        mask = mask[:begin] + masked(new) + mask[close + 3 :]
    return text


def translate(text: str, name: str) -> str:
    """The C++ of a CUDA file.

    Args:
        text: Its source.
        name: Of the file, for the compiler's messages.

    Raises:
        TranslationError: a launch is not complete.

    >>> print(translate("void F() { K<<<1, 2>>>(x); }", "f.cu"), end="")
    #line 1 "f.cu"
    void F() { simt::Launch(K, 1, 2)(x); }
    >>> print(translate("__global__ void K(int n) {} K<<<1, 2>>>(x);", "f.cu"))
    #line 1 "f.cu"
    __global__ void K(int n) {} simt::Launch(static_cast<void (*)(int n)>(K), 1, 2)(x);
    """
    mask = masked(text)
    for found in reversed(list(SHARED.finditer(mask))):
        lines = "\n" * found[0].count("\n")
        new = f"SIMT_DYNAMIC_SHARED({' '.join(found['type'].split())}, {found['name']});"
        text = text[: found.start()] + new + lines + text[found.end() :]
    return f'#line 1 "{name}"\n' + launches(text, masked(text))


def main() -> int:
    """Translates the file that is named first into the one named second."""
    if len(sys.argv) != 3:
        print("usage: cu2cpp.py FILE.cu OUT.cc", file=sys.stderr)
        return 2
    source, out = map(Path, sys.argv[1:])
    try:
        translated = translate(source.read_text(), str(source.resolve()))
        out.write_text(translated)
    except OSError as error:
        print(f"cu2cpp: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except UnicodeDecodeError:
        print(f"cu2cpp: {source}: not a text in UTF-8", file=sys.stderr)
        return 1
    except TranslationError as refused:
        print(f"{source}:{refused}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
