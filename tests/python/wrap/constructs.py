"""Reads the constructs of the interface files here, and makes their calls.

A construct is a piece of an interface file. Below it stand calls, in comments. For a
function with kinds of parameters, calls with hostile values are made for each in turn.
"""

from dataclasses import dataclass, field
from pathlib import Path

MODULES = ("numbers", "objects", "conversions")
# For each kind of parameter: a value that fits, and then values to try.
INTS = """
    3 0 1 -1 127 128 -128 -129 255 256 32767 32768 65535 65536 2**31-1 2**31 -2**31
    -2**31-1 2**32-1 2**32 2**63-1 2**63 -2**63 -2**63-1 2**64-1 2**64 10**400 True False
    1.0 nan None 'a' b'a' [] () {} object() Index(3) Number(7) np.int64(3) np.int8(1)
    np.bool_(1) 1j
"""
FLOATS = """
    1.5 0 1 -1 -0.0 nan inf -inf 1e300 -1e300 3.5e38 3.4e38 5e-324 10**30 10**308 10**400
    True None 'a' '1.5' b'1' [] object() Index(3) Number(7) np.float64(1.5) np.float32(2)
    np.int64(3)
"""
TEXTS = r"""
    't' '' 'a' 'ab' 'abc' '\xe9' '\U0001f600' 'a\0b' '\0' '\ud800' 'a\udc80' b'' b'x' None
    0 1 97 255 -1 300 True 1.5 [] ['a'] object() Text('sub') bytearray(b'x') np.str_('n')
"""
BOOLS = "True False 0 1 2 None 'True' [] 1.0 np.bool_(True) object()"
VALUES = {"int": INTS, "float": FLOATS, "str": TEXTS, "bool": BOOLS, "enum": INTS}


@dataclass
class Construct:
    """A named piece of an interface file, with calls that show how it behaves."""

    name: str
    calls: list[str] = field(default_factory=list)


def constructs(module: str) -> list[Construct]:
    """Returns the constructs of an interface file, in its order."""
    found = []
    for line in interface(module).read_text().splitlines():
        mark, _, rest = line.partition(" ")
        if line.startswith("// == "):
            found.append(Construct(line.removeprefix("// == ")))
        elif mark == "//>":
            found[-1].calls += rest.split(" ; ")
        elif mark == "//!":
            found[-1].calls += hostile_calls(*rest.split())
    return found


def interface(module: str) -> Path:
    """Returns the path of an interface file beside this file."""
    return Path(__file__).with_name(f"{module}.i")


def hostile_calls(name: str, *kinds: str) -> list[str]:
    """Returns calls with good and hostile arguments, and wrong numbers of arguments."""
    values = [VALUES[kind].split() for kind in kinds]
    good = [each[0] for each in values]
    calls = [f"{name}()", f"{name}({', '.join(good)})"]
    calls += [f"{name}({', '.join([*good, extra])})" for extra in ("1", "zz=1")]
    for k, each in enumerate(values):
        for value in each[1:]:
            calls.append(f"{name}({', '.join([*good[:k], value, *good[k + 1 :]])})")
    return calls
