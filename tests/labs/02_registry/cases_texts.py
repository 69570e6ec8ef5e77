"""Lab 02, tasks 1 to 4: from the texts of REGISTER_OP to an OpDef."""

import itertools
from typing import Any

from lab_02_registry.trials import (
    KINDS,
    TYPES,
    attr_trial,
    blank,
    different_words,
    listed,
    op_trial,
    plain_arg,
    plain_attr,
    random_attr,
    refused_attr,
    refused_op,
    text_in_quotes,
    value_of,
    word,
)

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.trials import refused, value_trial

# ---- 02.1 -----------------------------------------------------------------------------


def _scan(text: str, *pairs: tuple[list[str], Any]) -> Trial:
    """Steps, and what each gives."""
    steps = [step for step, _ in pairs]
    title = f"{text!r} read by {', '.join(' '.join(step) for step in steps)}"
    arguments = {"text": text, "steps": steps}
    return value_trial(title, "scan", arguments, [value for _, value in pairs])


def _refused_scan(text: str, steps: list[list[str]], *names: str) -> Trial:
    title = f"{text!r} read by {', '.join(' '.join(step) for step in steps)}"
    arguments = {"text": text, "steps": steps}
    return refused(title, "scan", arguments, names=[f'in "{text}"', *names])


@case("02.1")
def words_by_heart(draw):
    """Words end at the first character that is no letter, digit or underscore."""
    yield _scan("x", (["word"], "x"), (["end"], True))
    yield _scan("x: T", (["word"], "x"), (["expect", ":"], None), (["word"], "T"))
    yield _scan("a_b9Z:", (["word"], "a_b9Z"), (["end"], False), (["consume", ":"], True))
    yield _scan("  x  ", (["word"], "x"), (["end"], True))
    yield _scan("\n\tx", (["word"], "x"))
    yield _scan("9", (["word"], "9"), (["end"], True))
    yield _scan("N*T", (["word"], "N"), (["consume", "*"], True), (["word"], "T"))
    yield _scan("a-b", (["word"], "a"), (["consume", "-"], True), (["word"], "b"))
    yield _scan("_", (["word"], "_"))
    yield _scan("ä", (["end"], False), (["consume", "ä"], True), (["end"], True))


@case("02.1")
def consumes_or_not(draw):
    """Nothing is passed if it is not what comes next."""
    steps = [(["consume", "="], False), (["consume", ">="], True)]
    yield _scan(">= 3", *steps, (["integer"], 3))
    yield _scan(" > =", (["consume", ">="], False), (["consume", ">"], True))
    yield _scan("", (["consume", "x"], False), (["end"], True))
    yield _scan("list(int)", (["consume", "list("], True), (["word"], "int"))
    yield _scan("listing", (["consume", "list("], False), (["word"], "listing"))
    yield _scan("aa", (["consume", "aaa"], False), (["consume", "a"], True),
                (["consume", "a"], True), (["consume", "a"], False))  # fmt: skip
    yield _scan("x", (["consume", "y"], False), (["word"], "x"))


@case("02.1")
def quotes_by_heart(draw):
    """A text ends at the quote that began it, and keeps what is between as it is."""
    yield _scan("'SAME'", (["quoted"], "SAME"), (["end"], True))
    yield _scan('"SAME"', (["quoted"], "SAME"), (["end"], True))
    yield _scan("''", (["quoted"], ""), (["end"], True))
    yield _scan("' a  b '", (["quoted"], " a  b "))
    for blanks in (" ", "  ", "\n", " \t"):
        for quote in "'\"":
            text = f" {quote}{blanks}{quote} x"
            yield _scan(text, (["quoted"], blanks), (["word"], "x"))
    yield _scan("'a\\' b", (["quoted"], "a\\"), (["word"], "b"))
    yield _scan('"it\'s" x', (["quoted"], "it's"), (["word"], "x"))
    yield _scan("'\"' '\"'", (["quoted"], '"'), (["quoted"], '"'), (["end"], True))
    yield _scan("  'a''b'", (["quoted"], "a"), (["quoted"], "b"))
    for text in ["'a", '"a', "'a\"", "a'", "", "'", "a"]:
        yield _refused_scan(text, [["quoted"]])


@case("02.1")
def lists_by_heart(draw):
    """Brackets around elements with commas between them; there may be none."""
    for brackets in ("[]", "{}", "()", ("<<", ">>"), ("list(", ");"), ("{", "}}")):
        step = ["list", brackets[0], brackets[1], "word"]
        for count in range(4):
            words = different_words(draw, count)
            for text in ["".join([*brackets[0], ",".join(words), brackets[1]]),
                         listed(draw, words, brackets)]:  # fmt: skip
                yield _scan(text + " end", (step, words), (["word"], "end"))
    step = ["list", "[", "]", "word"]
    for text in ["[", "[a", "[a,", "[a,]", "[,a]", "[a b]", "a]", "", "[a;b]", "(a]"]:
        yield _refused_scan(text, [step])
    for text in ["<a>>", "<<a>", "<<a> >", "<", "<<", "<<>", "<<a,>>", "< <a>>"]:
        yield _refused_scan(text, [["list", "<<", ">>", "word"]])
    step = ["list", "[", "]", "integer"]
    yield _scan("[[1,2],[]]", (["consume", "["], True), (step, [1, 2]),
                (["consume", ","], True), (step, []),
                (["expect", "]"], None))  # fmt: skip


@case("02.1")
def what_is_no_word(draw):
    """An error shows the text and what is left of it."""
    yield _refused_scan("", [["word"]], "a name expected")
    yield _refused_scan(" : T", [["word"]], "a name expected", '": T"')
    yield _refused_scan("x = *", [["word"], ["expect", "="], ["word"]], '"*"')
    yield _refused_scan("x y", [["word"], ["expect", ":"]], "':'", '"y"')
    yield _refused_scan("[1, x]", [["list", "[", "]", "integer"]], '"x]"')


def _random_script(draw: Draw) -> Trial:
    """Words, numbers, texts and lists by chance, with blanks by chance."""
    text, pairs = "", []
    for _ in range(draw.whole(1, 6)):
        form = draw.one_of(["word", "integer", "quoted", "list", "consume"])
        text += blank(draw)
        if form == "word":
            value = word(draw)
            text += value + ","
            pairs += [(["word"], value), (["consume", ","], True)]
        elif form == "integer":
            value = draw.whole(-1000, 1000)
            text += f"{value};"
            pairs += [(["integer"], value), (["expect", ";"], None)]
        elif form == "quoted":
            written, value = text_in_quotes(draw)
            text += written
            pairs.append((["quoted"], value))
        elif form == "list":
            element = draw.one_of(["word", "quoted", "integer"])
            count = draw.whole(0, 3)
            values = {
                "word": [(one, one) for one in different_words(draw, count)],
                "quoted": [text_in_quotes(draw) for _ in range(count)],
                "integer": [(str(n), n) for n in range(count)],
            }[element]
            text += listed(draw, [written for written, _ in values])
            pairs.append((["list", "[", "]", element], [value for _, value in values]))
        else:
            text += ">="
            pairs += [(["consume", "="], False), (["consume", ">="], True)]
    return _scan(text + blank(draw), *pairs, (["end"], True))


@case("02.1", hidden=True, over=range(2))
def random_scripts(draw, _part):
    """Texts of all parts in any order."""
    for _ in range(120):
        yield _random_script(draw)


# ---- 02.2 -----------------------------------------------------------------------------


def _value(kind: str, text: str, value: Any) -> Trial:
    arguments = {"kind": kind, "text": text}
    return value_trial(f"{text!r} as {kind}", "value", arguments, [kind, value])


def _refused_value(kind: str, text: str, *names: str) -> Trial:
    arguments = {"kind": kind, "text": text}
    title = f"{text!r} as {kind}"
    return refused(title, "value", arguments, names=[f'in "{text}"', *names])


@case("02.2")
def values_by_heart(draw):
    """A value of each kind."""
    for kind, text, value in [
        ("bool", "true", True), ("bool", "false", False), ("int", "-3", -3),
        ("float", "1e-3", 0.0010000000474974513), ("string", "'SAME'", "SAME"),
        ("type", "half", "float16"), ("shape", "[2,?]", [2, -1]), ("shape", "[]", []),
        ("shape", "<unknown>", None), ("list(int)", "[1,1,1,1]", [1, 1, 1, 1]),
        ("list(int)", "[]", []), ("list(bool)", "[true,false]", [True, False]),
        ("list(shape)", "[[1],<unknown>,[]]", [[1], None, []]), ("float", "2", 2.0),
        ("list(type)", "[int32,float]", ["int32", "float32"]), ("shape", "[-1]", [-1]),
        ("list(string)", "['a',\"b\"]", ["a", "b"]), ("list(float)", "[1,.5]", [1, 0.5]),
    ]:  # fmt: skip
        yield _value(kind, text, value)


@case("02.2", over=KINDS)
def values_of_a_kind(draw, kind):
    """Values by chance, with blanks where blanks may be."""
    for _ in range(25):
        text, value = value_of(draw, kind)
        yield _value(kind, f"{blank(draw)}{text}{blank(draw)}", value)


@case("02.2")
def what_is_no_value(draw):
    """A value of another kind is refused, and so is more than one."""
    wrong = [
        ("bool", "1"), ("bool", "True"), ("bool", ""), ("int", "x"), ("int", ""),
        ("int", "1.5"), ("int", "9223372036854775808"), ("float", "x"), ("string", "a"),
        ("string", "'a"), ("type", "flaot"), ("type", "'float'"), ("type", ""),
        ("shape", "2"), ("shape", "[a]"), ("shape", "[-2]"), ("shape", "[2"),
        ("list(int)", "1"), ("list(int)", "[1,]"), ("list(int)", "[a]"),
        ("list(int)", "[1.5]"), ("list(bool)", "[1]"), ("list(string)", "[a]"),
        ("list(type)", "[float,flaot]"), ("list(shape)", "[2]"), ("list(float)", "[x]"),
        ("bool", "true false"), ("int", "1 2"), ("string", "'a' 'b'"),
        ("shape", "[1] [2]"), ("type", "float half"), ("list(int)", "[1] 2"),
        ("shape", "?"), ("shape", "unknown"), ("shape", "[<unknown>]"), ("shape", ""),
        ("shape", "[??]"), ("shape", "[2,?,]"), ("list(shape)", "[?]"),
    ]  # fmt: skip
    for kind, text in wrong:
        yield _refused_value(kind, text)
    for kind in ["func", "", "Int", "list", "list(func)"]:
        yield _refused_value(kind, "1", kind.removeprefix("list(").rstrip(")"))


@case("02.2")
def sizes_below_nothing_in_texts(draw):
    """A size below -1 is refused at every place; the error shows the whole text."""
    for rank in range(1, 6):
        for place, size in itertools.product(range(rank), (-2, -3, -(2**63))):
            sizes = [draw.one_of(["?", "-1", "0", "2", "128"]) for _ in range(rank)]
            sizes[place] = str(size)
            text = listed(draw, sizes)
            yield _refused_value("shape", text)
            shapes = draw.shuffled([text, "<unknown>", listed(draw, ["?"] * rank)])
            yield _refused_value("list(shape)", listed(draw, shapes))


@case("02.2")
def what_is_no_kind(draw):
    """A name that is nearly that of a kind is none, whatever the value looks like."""
    for kind in KINDS:
        near = [kind[:at] + kind[at + 1 :] for at in range(len(kind))]
        near += [kind[:at] + kind[at - 1 :] for at in range(1, len(kind) + 1)]
        near += [kind + more for more in (" ", "x", ")", "()")]
        near += [more + kind for more in (" ", "x", "(", "list(")]
        near += [kind.upper(), f"list[{kind}]", f"list({kind}x", f"list(list({kind}))"]
        for name in near:
            text, _ = value_of(draw, kind)
            if name in KINDS:
                continue
            is_list = name.startswith("list(") and name.endswith(")")
            yield _refused_value(name, text, name[5:-1] if is_list else name)


# ---- 02.3 -----------------------------------------------------------------------------


@case("02.3")
def attributes_by_heart(draw):
    """The forms that op.h shows."""
    yield attr_trial("T: type", plain_attr("T", "type"))
    yield attr_trial("n: int = -3", plain_attr("n", "int", default=("int", -3)))
    yield attr_trial("N: int >= 2", plain_attr("N", "int", minimum=2))
    both = plain_attr("N: int", "int", minimum=1, default=("int", 4))
    yield attr_trial("N: int >= 1 = 4", both | {"name": "N"})
    types = plain_attr("T", "type", types=["float32", "float64", "int32"])
    yield attr_trial("T: {float, double, int32}", types)
    yield attr_trial(
        "T: {float, double, int32} = double", types | {"default": ("type", "float64")}
    )
    strings = plain_attr("padding", "string", strings=["SAME", "VALID"])
    yield attr_trial("padding: {'SAME', 'VALID'}", strings)
    yield attr_trial("padding: {'SAME','VALID'} = 'VALID'",
                     strings | {"default": ("string", "VALID")})  # fmt: skip
    yield attr_trial("padding: {\"SAME\", 'VALID'}", strings)
    yield attr_trial("value: tensor", plain_attr("value", "tensor"))
    yield attr_trial("strides: list(int)", plain_attr("strides", "list(int)"))
    ones = plain_attr("strides", "list(int)", default=("list(int)", [1, 1, 1, 1]))
    yield attr_trial("strides: list(int) = [1,1,1,1]", ones)
    ones = plain_attr("ksize", "list(int)", minimum=4)
    yield attr_trial("ksize: list(int) >= 4", ones)
    several = plain_attr("Ts", "list(type)", types=["float32", "int64"], minimum=1)
    yield attr_trial("Ts: list({float, int64}) >= 1", several)
    none = plain_attr("Ts", "list(type)", minimum=0, default=("list(type)", []))
    yield attr_trial("Ts: list(type) >= 0 = []", none)
    empty = plain_attr("s", "string", strings=[""], default=("string", ""))
    yield attr_trial("s: {''} = ''", empty)


@case("02.3", over=range(3))
def random_attributes(draw, _part):
    """Attributes of all kinds, with and without minimum and default."""
    for i in range(70):
        name = draw.one_of(["T", "N", "strides", word(draw, 1, 1 + i // 10)])
        yield attr_trial(*random_attr(draw, name))


@case("02.3", hidden=True, over=range(3))
def more_random_attributes(draw, _part):
    """Other attributes."""
    for _ in range(70):
        yield attr_trial(*random_attr(draw, word(draw)))


@case("02.3")
def what_is_no_attribute(draw):
    """An error shows the text of the attribute."""
    for spec in [
        "", "T", "T:", ": type", "T: flaot", "T: list", "T: list(", "T: list(int",
        "T: list(flaot)", "T: list(list(int))", "T: {}x", "T: {float", "T: {float,}",
        "T: {flaot}", "T: {float, 'a'}", "T: {'a', float}", "T: {'a'", "n: int =",
        "n: int = x", "n: int = 1 2", "n: int >=", "n: int > 1", "n: int >= x",
        "n: int >= 1 >= 2", "T: type, U: type", "n: int = 3 >= 1", "T type",
        "s: string = a", "n: list(int) = 1", "n: list(int) = [1, 2", "T: list({flaot})",
        "T: list(tensor)", "T: {}", "T: { }", "T: list({})", "T: listing(int)",
        "T: list({'a'})", 'T: list({"a", "b"})', "T: list({float, 'a'})",
        "T: list int", "T: (int)", "T: list()", "T: list(int))", "T: list(int}",
    ]:  # fmt: skip
        yield refused_attr(spec, f'in "{spec}"')


@case("02.3")
def minimum_of_what_has_none(draw):
    """Only numbers and lists have a minimum."""
    for kind in ["bool", "string", "type", "shape", "float", "{float}", "{'a'}",
                 "tensor"]:  # fmt: skip
        yield refused_attr(f"a: {kind} >= 1", f'in "a: {kind} >= 1"')


@case("02.3")
def defaults_that_are_not_allowed(draw):
    """A default must be among the allowed values, and not below the minimum."""
    for spec, *words in [
        ("T: {float, double} = int32", "'T'", "int32", "float64"),
        ("p: {'SAME', 'VALID'} = 'FULL'", "'p'", "FULL", "VALID"),
        ("Ts: list({float}) = [float, int32]", "'Ts'", "int32"),
        ("n: int >= 2 = 1", "'n'", "1", "2"), ("n: int >= 0 = -1", "'n'"),
        ("l: list(int) >= 2 = [7]", "'l'", "7", "2"), ("l: list(type) >= 1 = []", "'l'"),
        ("l: list(string) >= 2 = ['a']", "'l'"), ("l: list(bool) >= 1 = []", "'l'"),
        ("l: list(float) >= 1 = []", "'l'"), ("l: list(shape) >= 1 = []", "'l'"),
    ]:  # fmt: skip
        yield refused_attr(spec, f'in "{spec}"', *words)
    yield attr_trial("n: int >= 2 = 2", plain_attr("n", "int", minimum=2,
                                                   default=("int", 2)))  # fmt: skip
    yield attr_trial("n: int >= -2 = -1", plain_attr("n", "int", minimum=-2,
                                                     default=("int", -1)))  # fmt: skip


# ---- 02.4 -----------------------------------------------------------------------------

SHAPE_FN = ("shape_fn", "")
ATTRS = {
    "T": "type", "U": "type", "Ts": "list(type)", "N": "int", "M": "int", "b": "bool",
    "s": "string", "ns": "list(int)", "f": "float",
}  # fmt: skip


def _with(call: str, spec: str) -> list[tuple[str, str]]:
    """An op with all of ATTRS and one more part."""
    attrs = [("attr", f"{name}: {kind}") for name, kind in ATTRS.items()]
    return [*attrs, (call, spec), SHAPE_FN]


def _op(name: str, **parts: list) -> dict[str, Any]:
    return {"name": name, "inputs": [], "outputs": [], "attrs": [], **parts}


@case("02.4", over=["input", "output"])
def arguments_by_heart(draw, which):
    """A type, an attribute that holds one, a number of them, a list of types."""
    attrs = [plain_attr(name, kind) for name, kind in ATTRS.items()]
    forms = [("x: float", {"type": "float32"}), ("x: T", {"type_attr": "T"}),
             ("x:U", {"type_attr": "U"}), ("xs: Ts", {"type_list_attr": "Ts"}),
             ("xs: N * T", {"number_attr": "N", "type_attr": "T"}),
             ("xs:M*int32", {"number_attr": "M", "type": "int32"}),
             (" x : string ", {"type": "string"}), ("x: half", {"type": "float16"}),
             ("handle: resource", {"type": "resource"})]  # fmt: skip
    for spec, facts in forms:
        arg = plain_arg(spec.split(":")[0].strip(), **facts)
        expected = _op("Try", attrs=attrs, **{f"{which}s": [arg]})
        yield op_trial("Try", _with(which, spec), expected)


@case("02.4", over=["input", "output"])
def what_is_no_argument(draw, which):
    """An argument must name a type, or an attribute that holds one."""
    for spec in ["x: V", "x: N", "x: b", "x: s", "x: ns", "xs: V * T", "xs: T * T",
                 "xs: b * T", "xs: f * T", "xs: ns * T", "xs: Ts * T", "xs: N * V",
                 "xs: N * b", "xs: N * Ts", "xs: N *", "xs: * T", "x: T T", "x", "x:",
                 ": T", "", "x: float32_", "x: Float", "x: {float}", "x: 2 * T",
                 "xs: N * T * T", "x: t", "xs: N * M * T", "xs: N * N * T",
                 "xs: V * float", "xs: T * float", "xs: b * int32", "xs: ns * half",
                 "xs: Ts * string", "xs: N * M"]:  # fmt: skip
        yield refused_op("Try", _with(which, spec), f'in "{spec}"')


def _random_op(draw: Draw) -> Trial:
    """An op of which nothing is in the order in which it is needed."""
    names = different_words(draw, draw.whole(2, 9))
    count = draw.whole(0, min(4, len(names) - 1))
    attrs = []
    for name in names[:count]:
        spec, made = random_attr(draw, name)
        attrs.append(("attr", spec, made))
    types = [a["name"] for *_, a in attrs if a["kind"] == "type"]
    lists = [a["name"] for *_, a in attrs if a["kind"] == "list(type)"]
    numbers = [a["name"] for *_, a in attrs if a["kind"] == "int"]
    args = []
    for name in names[count:]:
        facts: dict[str, str] = {}
        holder = draw.one_of(["fixed", *types, *lists])
        if holder == "fixed":
            text = draw.one_of(list(TYPES))
            facts["type"] = TYPES[text]
        else:
            text = holder
            facts["type_attr" if holder in types else "type_list_attr"] = holder
        if numbers and holder not in lists and draw.coin():
            facts["number_attr"] = draw.one_of(numbers)
            text = f"{facts['number_attr']}{blank(draw)}*{blank(draw)}{text}"
        spec = f"{blank(draw)}{name}{blank(draw)}:{blank(draw)}{text}"
        args.append((draw.one_of(["input", "output"]), spec, plain_arg(name, **facts)))
    parts = draw.shuffled([*attrs, *args])
    expected = _op("Try")
    for call, _, made in parts:
        expected[f"{call}s"].append(made)
    calls = [(call, spec) for call, spec, _ in parts]
    calls.insert(draw.whole(0, len(calls)), SHAPE_FN)
    return op_trial("Try", calls, expected)


@case("02.4", over=range(2))
def random_ops(draw, _part):
    """Inputs, outputs and attributes in any order of calls."""
    for _ in range(60):
        yield _random_op(draw)


@case("02.4", hidden=True, over=range(2))
def more_random_ops(draw, _part):
    """Other ops."""
    for _ in range(60):
        yield _random_op(draw)


@case("02.4")
def nothing_at_all(draw):
    """An op may have no inputs, outputs or attributes, but has a shape function."""
    yield op_trial("NoOp", [SHAPE_FN], _op("NoOp"))
    yield refused_op("NoOp", [], "NoOp")
    calls = [("attr", "T: type"), ("input", "x: T"), ("output", "y: T")]
    yield refused_op("Sin", calls, "Sin")


@case("02.4")
def names_given_twice(draw):
    """A name stands for one input, output or attribute."""
    for first, second in [("input", "input"), ("output", "output"), ("attr", "attr"),
                          ("input", "output"), ("input", "attr"),
                          ("output", "attr")]:  # fmt: skip
        both = [(first, "same: "), (second, "same: ")]
        for calls in [both, [both[1], ("input", "other: "), both[0]]]:
            texts = [
                (call, name + ("type" if call == "attr" else "float"))
                for call, name in calls
            ]
            yield refused_op("Twice", [*texts, SHAPE_FN], "Twice", "'same'", "twice")
