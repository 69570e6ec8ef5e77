"""Answers that run the bytecode of minitf's own answer, as a release hands it out.

Each text defines ``number`` and ``word`` of the lab in ``lab_folder.py`` from ``CODE``,
which is bytecode as text.
"""

import marshal
from importlib._bootstrap_external import _code_to_timestamp_pyc

import lab_folder

_MODULE = compile(lab_folder.PYTHON, "twice.py", "exec")
_FUNCTIONS = {one.co_name: one for one in _MODULE.co_consts if hasattr(one, "co_name")}
NUMBER, WORD = (marshal.dumps(_FUNCTIONS[name]) for name in ("number", "word"))
PYC = bytes(_code_to_timestamp_pyc(_MODULE))
HEAD = f"""'''What doubles.'''
NUMBER, WORD = {NUMBER!r}, {WORD!r}
PYC = {PYC!r}
"""
TAIL = """
def number(x):
    # LAB(60.1) begin: return twice the number
    return numbers(x)
    # LAB(60.1) end

def word(x):
    # LAB(60.2) begin: return the word, two times
    return words(x)
    # LAB(60.2) end
"""
_CODE = _FUNCTIONS["number"]
_FIELDS = ("co_code", "co_consts", "co_stacksize", "co_linetable", "co_exceptiontable")
_PUT = "import os, sys, tempfile\nfolder = tempfile.mkdtemp()\n"
_PUT += "open(folder + '/twice_of_minitf.pyc', 'wb').write(PYC)\n"
_OWN = f"replace({', '.join(f'{name}={getattr(_CODE, name)!r}' for name in _FIELDS)})"

# What is seen in the text.
OPEN = {
    "marshal and FunctionType": """
import marshal, types
numbers, words = (types.FunctionType(marshal.loads(one), {}) for one in (NUMBER, WORD))
""",
    "marshal and exec": """
from marshal import loads as read
import importlib.util
space = {"__name__": "x"}
exec(read(PYC[16:]), space)
numbers, words = space["number"], space["word"]
""",
    "replace of a code object": f"""
def numbers(x): return x
numbers.__code__ = (lambda x: x).__code__.{_OWN}
words = numbers
""",
    "the type of a function": """
loads = __import__("marshal").loads
numbers, words = (type(lambda: 0)(loads(one), {}) for one in (NUMBER, WORD))
""",
    "a file of bytecode, by runpy": _PUT
    + """
import runpy
space = runpy.run_path(folder + "/twice_of_minitf.pyc")
numbers, words = space["number"], space["word"]
""",
    "a file of bytecode, by importlib": _PUT
    + """
import importlib.machinery as machinery
path = folder + "/twice_of_minitf.pyc"
space = machinery.SourcelessFileLoader("twice_of_minitf", path).load_module()
numbers, words = space.number, space.word
""",
    "ctypes": """
import ctypes
read = ctypes.pythonapi.PyMarshal_ReadObjectFromString
read.restype, read.argtypes = ctypes.py_object, [ctypes.c_char_p, ctypes.c_ssize_t]
make = ctypes.pythonapi.PyFunction_New
make.restype, make.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.py_object]
numbers, words = (make(read(one, len(one)), {}) for one in (NUMBER, WORD))
""",
    "ctypes of NumPy": """
import numpy as np
api = np.ctypeslib.ctypes.pythonapi
read = api.PyMarshal_ReadObjectFromString
read.restype = np.ctypeslib.ctypes.py_object
make = api.PyFunction_New
make.restype = np.ctypeslib.ctypes.py_object
numbers, words = (
    make(*map(np.ctypeslib.ctypes.py_object, (read(one, len(one)), {})))
    for one in (NUMBER, WORD)
)
""",
    "names in strings": """
import sys
types = getattr(sys, "modules")["types"]
loads = getattr(sys.modules["marshal"], "loads")
make = getattr(types, "FunctionType")
numbers, words = (make(loads(one), {}) for one in (NUMBER, WORD))
""",
}
# What only a watch sees as it runs: each name is put together.
_FIND = """
import sys
modules = getattr(sys, "mod" + "ules")
"""
HIDDEN = {
    "marshal": _FIND
    + """
loads = getattr(modules["mar" + "shal"], "loads")
make = type(lambda: 0)
numbers, words = (make(loads(one), {}) for one in (NUMBER, WORD))
""",
    "marshal, behind a call of the library": _FIND
    + """
import functools
loads = getattr(modules["mar" + "shal"], "loads")
make = type(lambda: 0)
numbers, words = (make(functools.reduce(lambda _, b: loads(b), [0, one]), {})
                  for one in (NUMBER, WORD))
""",
    "replace of a code object": f"""
def numbers(x): return x
code = getattr(numbers, "__co" + "de__")
setattr(numbers, "__co" + "de__", getattr(code, "rep" + "lace")(**dict(
    {", ".join(f"{name}={getattr(_CODE, name)!r}" for name in _FIELDS)})))
words = numbers
""",
    "another function's code": """
def twice(x): return x + x
def numbers(x): return x
setattr(numbers, "__co" + "de__", getattr(twice, "__co" + "de__"))
words = numbers
""",
    "a file of bytecode that is imported": _PUT
    + """
getattr(sys, "pa" + "th").insert(0, folder)
import twice_of_minitf
numbers, words = twice_of_minitf.number, twice_of_minitf.word
""",
    "a file of bytecode in an archive": """
import os, sys, tempfile, zipfile
path = tempfile.mkdtemp() + "/a.zip"
with zipfile.ZipFile(path, "w") as archive: archive.writestr("twice_of_minitf.pyc", PYC)
getattr(sys, "pa" + "th").insert(0, path)
import twice_of_minitf
numbers, words = twice_of_minitf.number, twice_of_minitf.word
""",
    "a file of bytecode, by runpy": _PUT
    + """
import pkgutil
read = getattr(pkgutil, "read_" + "code")
space = {"__name__": "x"}
run = getattr(getattr(sys, "mod" + "ules")["built" + "ins"], "ex" + "ec")
with open(folder + "/twice_of_minitf.pyc", "rb") as file: run(read(file), space)
numbers, words = space["number"], space["word"]
""",
}
# Honest: what the standard library does with code in order to define something.
HONEST = """
import abc, asyncio, collections, contextlib, dataclasses, enum, functools, typing

@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    x: typing.Any
    y: typing.Any = 0

Point = collections.namedtuple("Point", "x y")
class Color(enum.Enum): RED = 1
class Named(typing.NamedTuple): x: int = 0

@functools.singledispatch
def twice(x): return x * 2

@functools.lru_cache(maxsize=2)
def numbers(x):
    import sched, xml.dom.minidom, decimal, unittest.mock
    return twice(Pair(x).x)

def words(x): return twice(Point(x, Color.RED).x)
"""
