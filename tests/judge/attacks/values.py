"""Hostile values: what an answer in Python may return, raise or print.

Each is a piece of code that puts a value into ``reached``, raises an error or prints.
``HEAD`` is run before it.
"""

import itertools
import random

HEAD = """
import numpy as np
class Bad(Exception):
    def __str__(self): raise KeyError("no text")
class Deaf(BaseException):
    def __str__(self): raise SystemExit(3)
class Liar(ValueError):
    __traceback__ = property(lambda self: 1 / 0)
    __class__ = property(lambda self: 1 / 0)
class Meta(type):
    __name__ = property(lambda self: 1 / 0)
class Named(ValueError, metaclass=Meta): pass
class Text(str):
    def __str__(self): return 5
    def __getitem__(self, key): raise SystemExit(4)
class Says(ValueError):
    def __str__(self): return Text("\\udcff")
class Odd:
    def __repr__(self): raise KeyboardInterrupt
    __eq__ = __len__ = __hash__ = __bool__ = __iter__ = __str__ = __repr__
class Number(float):
    def hex(self): return object()
class Whole(int):
    def __abs__(self): raise SystemExit(5)
class Array(np.ndarray):
    def tobytes(self): raise SystemExit(6)
    __eq__ = __array__ = tobytes
def nested(make, depth, value=1):
    for _ in range(depth): value = make(value)
    return value
cycle = []; cycle.append(cycle)
ring = {}; ring["x"] = [ring]
"""

ATOMS = (
    *("'\\udcff'", "'\\x00\\x1b[2J'", "'x' * 10_000_000", "b'\\xff\\xfe' * 9", "None"),
    *("10 ** 4299", "10 ** 5000", "-(1 << 64)", "float('nan')", "complex('nan+infj')"),
    *("Odd()", "Number(3)", "Whole(3)", "Text('x')", "object", "cycle", "ring"),
    *("np.zeros(3).view(Array)", "np.zeros(11_500_000, bool)", "np.zeros((1 << 22, 0))"),
    *("np.longdouble(3)", "np.zeros(3, np.clongdouble)", "np.float16([1, np.nan])"),
    *("np.full(4, 255, np.uint8).view('<U1')", "np.full(4, 255, np.uint8).view('>U1')"),
    *("np.array(['a\\udcff', 'b'])", "np.array([b'\\xff'])", "np.zeros(3, 'V5')"),
    *("np.array([3], 'M8[Y]')", "np.array(['NaT'], 'm8[as]')", "np.zeros(2, 'S9999')"),
    *("np.full(3, 2, np.uint8).view(bool)", "np.array([Odd()], object)", "{1: 2}"),
    *("np.array([cycle, {}], object)", "{float('nan'): 1}", "{'$ref': 'x'}", "{2j}"),
    *("nested(lambda v: {'x': v}, 300)", "nested(lambda v: [v], 62)", "['$array', 1]"),
    *("nested(lambda v: (v,), 70)", "nested(lambda v: {'a': [v]}, 5000)", "10.0 ** 308"),
    *("nested(lambda v: np.array([v, None], object), 40)", "[[1], [2, 3]]"),
    *("list(range(300_000))", "{str(i): i for i in range(60_000)}", "(i for i in 'x')"),
)
WRAPPERS = ("{}", "[{}]", "({},)", "{{'x': {}}}", "[1, {}, 2.5]", "{{'\\udcff': {}}}")
ERRORS = (
    *("ValueError('\\udcff')", "ValueError('x' * 10_000_000)", "Bad()", "Deaf()"),
    *("Liar('x')", "Named('x')", "Says('x')", "KeyError(Odd())", "GeneratorExit()"),
    *("KeyboardInterrupt('\\ud800')", "SystemExit(Odd())", "MemoryError('\\udcff')"),
    *("ExceptionGroup('\\udcff', [ValueError(1), Bad()])", "ValueError(b'\\xff')"),
    *("BaseExceptionGroup('g', [Deaf()])", "StopIteration(cycle)", "ValueError(ring)"),
    *("ValueError('task 1 (' * 9999)", "ValueError('task 9.9 is not written yet')"),
    *("OSError(5, '\\udcff', '\\udcfe')", "type('\\u00e9' * 9999, (ValueError,), {})()"),
    *("UnicodeDecodeError('x', b'\\xff', 0, 1, '\\udcff')", "ValueError(10 ** 5000)"),
)
PRINTING = (
    "import os; os.write(1, b'\\xff\\xfe\\x00' * 9999)",
    "print('\\udcff')",
    "import sys; sys.stdout = None",
    "import sys; sys.stdout.close(); reached = ['x']",
    "import sys; sys.stdout = sys.stderr = Odd()",
    "print('\\u202e\\x1b[2J' * 9999); reached = 5",
    "import sys; sys.excepthook = None; sys.setrecursionlimit(30)",
    "import builtins; builtins.isinstance = None; reached = 5",
)
# Lines that a process may send in place of what the worker makes.
LINES = (
    *("null", "[]", "{}", '"x"', "NaN", "1e999", "[" * 500 + "]" * 500, "{" * 99),
    *('{"values":[{"$int":"x"}]}', '{"values":[{"$float":"0x1p+99999"}]}'),
    *('{"values":[{"$array":["<f8",[-1],""]}]}', '{"values":[{"$array":["<U1",[1]]}]}'),
    *('{"values":[{"$array":["<U1",[1],"/////w=="]}]}', '{"values":[{"$tuple":5}]}'),
    *('{"values":[{"$array":["<f16",[1],"AAAAAAAAAAAAAAAAAAAAAA=="]}]}', '{"raised":1}'),
    *('{"values":[{"$array":["<c32",[0],""]}]}', '{"values":[{"$raised":[1]}]}'),
    *('{"values":[{"$objects":[[2],[[1,2],[3,4]]]}]}', '{"raised":{"$raised":[[],{}]}}'),
    *('{"raised":{"$raised":["\\udcff","\\udcff"]}}', '{"values":[{"$ref":[1]}]}'),
    *('{"values":[{"$objects":[["x"],[1]]}]}', '{"values":{"0":1}}', '{"values":[]}'),
    *('{"values":[{"x":{"x":{"x":{"$complex":["nan","inf"]}}}}]}', '{"ended":true}'),
    '{"values":[' + '{"a":' * 60 + "1" + "}" * 60 + "]}",
    '{"values":[' + '{"$tuple":[' * 63 + "1" + "]}" * 63 + "]}",
    '{"values":[{"$raised":["' + "E" * 99999 + '","' + "task 1 (" * 99999 + '"]}]}',
    '{"values":[' + "9" * 4300 + "]}",
)


def codes(num_random: int = 20) -> list[str]:
    """Pieces of code: all atoms, errors and prints, and some atoms in wrappers."""
    rng = random.Random(35)
    pairs = list(itertools.product(WRAPPERS[1:], ATOMS))
    wrapped = [wrapper.format(atom) for wrapper, atom in rng.sample(pairs, num_random)]
    return [
        *(f"reached = {value}" for value in (*ATOMS, *wrapped)),
        *(f"raise {error}" for error in ERRORS),
        *PRINTING,
    ]
