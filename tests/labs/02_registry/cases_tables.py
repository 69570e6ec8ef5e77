"""Lab 02, tasks 5 and 6: what is found under a name, and what is not."""

import itertools
import string

from lab_02_registry.trials import (
    LETTERS,
    changed,
    different_words,
    edit_distance,
    hint,
    nearest,
    table_trial,
    word,
)

from minitf_lab.judge.case import Trial, case
from minitf_lab.judge.draw import Draw
from minitf_lab.judge.trials import refused, value_trial

OPS = ["MatMul", "Conv2D", "BiasAdd", "Relu", "Sin", "Cos", "Add", "AddN", "Reshape"]

# ---- 02.5 -----------------------------------------------------------------------------


def _twice(kind: str, key: str) -> tuple[str, str]:
    return "AlreadyExistsError", f"{kind} '{key}' is registered twice"


def _unknown(kind: str, key: str, keys: list[str]) -> tuple[str, str]:
    text = f"no {kind} is registered for '{key}'{hint(key, sorted(keys))}"
    return "NotFoundError", text


@case("02.5")
def table_by_heart(draw):
    """What was added is found; a second entry is refused, and the first one stays."""
    script = [("find", "Sin"), ("add", "Sin", 1), ("find", "Sin"), ("get", "Sin")]
    yield table_trial("an empty table", "op", [("keys",)], [[], 0])
    yield table_trial("one entry", "op", script, [None, None, 1, 1, 1])
    again = [("add", "Sin", 1), ("add", "Sin", 2), ("find", "Sin"), ("keys",)]
    yield table_trial(
        "the same key", "op", again, [None, _twice("op", "Sin"), 1, ["Sin"], 1]
    )
    again = [("add", "Sin", 1), ("add", "sin", 2), ("find", "Sin"), ("find", "sin")]
    yield table_trial("keys that differ in case", "op", again, [None, None, 1, 2, 2])
    again = [("add", "Sin", 1), ("add_again", "Sin"), ("add_again", "Cos"), ("keys",)]
    expected = [None, _twice("op", "Sin"), None, ["Cos", "Sin"], 1]
    yield table_trial("the same entry again", "op", again, expected)
    again = [("add", "", 7), ("find", ""), ("find", "x"), ("add", "", 8), ("get", "")]
    expected = [None, 7, None, _twice("op", ""), 7, 1]
    yield table_trial("the empty name", "op", again, expected)


@case("02.5")
def the_order_of_adding_does_not_matter(draw):
    """Any two orders give the same table: keys come in alphabetical order."""
    for order in itertools.permutations(["Sin", "MatMul", "Add", "Cos"]):
        script = [("add", name, len(name)) for name in order]
        script += [("keys",), ("get", "Add"), ("get", "MatMul")]
        expected = [None] * 4 + [["Add", "Cos", "MatMul", "Sin"], 3, 6, 4]
        yield table_trial(f"in the order {', '.join(order)}", "op", script, expected)


@case("02.5")
def what_is_not_there(draw):
    """An error has the kind, the key, and the nearest name there is."""
    for kind in ("op", "gradient", "element-wise loop"):
        for name in ["Sim", "MatMull", "Konv2D", "ReLU", "Nothing", "", "Resape", "A"]:
            script = [("add", one, 1) for one in OPS]
            script += [("get", name), ("find", name)]
            expected = [None] * len(OPS) + [_unknown(kind, name, OPS), None, len(OPS)]
            yield table_trial(f"{kind}s {', '.join(OPS)}", kind, script, expected)
    yield table_trial(
        "an empty table", "op", [("get", "Sin")], [_unknown("op", "Sin", []), 0]
    )


@case("02.5")
def replacing(draw):
    """The new entry is found, and the old one stays alive for who still points to it."""
    script = [("replace", "Sin", 1), ("get", "Sin"), ("replace", "Sin", 2)]
    script += [("get", "Sin"), ("keys",)]
    expected = [None, 1, None, 2, ["Sin"], 2]
    yield table_trial("an entry replaced", "gradient", script, expected)
    script += [("add", "Sin", 3), ("replace", "Sin", 4), ("find", "Sin")]
    expected = [*expected[:-1], _twice("gradient", "Sin"), None, 4, 3]
    yield table_trial("an entry replaced twice", "gradient", script, expected)
    again = [("add", "Sin", 1), ("replace_again", "Sin"), ("find", "Sin")]
    again += [("replace", "Sin", 2), ("replace_again", "Cos"), ("keys",)]
    expected = [None, None, 1, None, None, ["Cos", "Sin"], 2]
    yield table_trial("an entry replaced by itself", "gradient", again, expected)
    for count in (1, 2, 40):
        script = [("replace", f"Op{i % 3}", i) for i in range(count)]
        yield table_trial(f"{count} replaced", "op", script, [*[None] * count, count])


def _random_table(draw: Draw, length: int) -> Trial:
    """Calls by chance, against a dict."""
    kind = draw.one_of(["op", "gradient", "reader"])
    names = [*different_words(draw, draw.whole(1, 6)), draw.one_of(["", "a b", "x'y"])]
    known: dict[str, int] = {}
    alive, script, expected = 0, [], []
    last = None  # the number that was given last, if the table has taken it
    calls = ["add", "add", "replace", "find", "get", "get", "keys"]
    for number in range(length):
        again = [] if last is None else ["add_again", "replace_again"]
        call = draw.one_of([*calls, *again])
        key = changed(draw, draw.one_of(names), draw.one_of([0, 0, 0, 1]))
        if call.startswith(("add", "replace")):
            is_again = call.endswith("again")
            script.append((call, key) if is_again else (call, key, number))
            is_refused = call.startswith("add") and key in known
            expected.append(_twice(kind, key) if is_refused else None)
            if not is_again:
                alive += not is_refused
                last = None if is_refused else number
            known |= {} if is_refused else {key: last}
        elif call == "keys":
            script.append((call,))
            expected.append(sorted(known))
        else:
            script.append((call, key))
            missing = None if call == "find" else _unknown(kind, key, [*known])
            expected.append(known.get(key, missing))
    return table_trial(f"{length} calls", kind, script, [*expected, alive])


@case("02.5", over=range(2))
def random_tables(draw, _part):
    """Any order of calls."""
    for length in range(1, 40):
        yield _random_table(draw, length)


@case("02.5", hidden=True)
def more_random_tables(draw):
    """Other orders, and longer ones."""
    for length in range(5, 100, 3):
        yield _random_table(draw, length)


@case("02.5")
def get_beside_who_writes(draw):
    """Get comes to an end while another thread writes: nobody takes a lock twice."""
    title = "calls of Get end while another thread replaces an entry"
    yield value_trial(title, "get_ends", {"num_turns": 300}, True)


@case("02.5")
def get_waits_for_who_writes(draw):
    """Get looks at nothing while another thread holds the lock to write."""
    for key in ("there", "not there"):
        title = f"Get of what is {key} waits for a thread that writes"
        yield value_trial(title, "get_waits", {"key": key}, True)


@case("02.5", hidden=True, over=[2, 8])
def tables_of_threads(draw, num_threads):
    """Of threads that add the same key one succeeds, and all find it then."""
    for count in (1, 3, 60):
        keys = sorted(f"Op{i:03}" for i in range(count))
        title = f"{num_threads} threads add {count} keys"
        arguments = {"num_threads": num_threads, "keys": keys}
        expected = [[1] * count, True, keys]
        yield value_trial(title, "table_from_threads", arguments, expected)


# ---- 02.6 -----------------------------------------------------------------------------


def _nearest(name: str, candidates: list[str]) -> Trial:
    shown = candidates if len(candidates) < 12 else f"{len(candidates)} names"
    asked = repr(name) if len(name) < 250 else f"{len(name)} times {name[0]!r}"
    title = f"the name nearest to {asked} of {shown}"
    expected = [nearest(name, candidates), hint(name, candidates)]
    arguments = {"name": name, "candidates": candidates}
    return value_trial(title, "nearest", arguments, expected)


@case("02.6")
def nearest_by_heart(draw):
    """One letter put in, taken out or replaced is one edit."""
    for name, candidates, expected in [
        ("Sim", ["Cos", "Sin"], "Sin"), ("MatMull", OPS, "MatMul"), ("Sin", OPS, "Sin"),
        ("MtMul", OPS, "MatMul"), ("Konv2D", OPS, "Conv2D"), ("abcxyz", ["abc"], ""),
        ("Xyz", OPS, ""), ("Conv3d", OPS, "Conv2D"), ("", ["ab"], ""), ("a", ["b"], "b"),
        ("", ["a"], "a"), ("ab", [""], ""), ("ab", ["ba"], ""), ("abcd", ["abdc"], ""),
        ("abcdef", ["abdcef"], "abdcef"), ("x", [], ""), ("Add", ["AddN", "Add"], "Add"),
        ("aXc", ["abc", "adc"], "abc"), ("aXc", ["adc", "abc"], "adc"), ("", [], ""),
    ]:  # fmt: skip
        said = f"; did you mean '{expected}'?" if expected else ""
        arguments = {"name": name, "candidates": candidates}
        title = f"the name nearest to {name!r} of {candidates}"
        yield value_trial(title, "nearest", arguments, [expected, said])


@case("02.6")
def all_short_names(draw):
    """All pairs of names of at most three letters."""
    names = ["".join(p) for n in range(4) for p in itertools.product("ab", repeat=n)]
    for name in names:
        for candidate in names:
            yield _nearest(name, [candidate])


@case("02.6", over=range(2))
def names_at_a_distance(draw, _part):
    """As many edits as there may be, and one more; the first of equals."""
    for i in range(60):
        name = "".join(draw.one_of(LETTERS) for _ in range(1 + i // 3))
        most = max(1, len(name) // 3)
        edits = [most, most + 1, most - 1, draw.whole(0, most + 2)]
        yield _nearest(name, [changed(draw, name, count) for count in edits])


@case("02.6")
def far_and_long_names(draw):
    """Distances of hundreds and of thousands are what they are."""
    for length in (255, 256, 257, 300, 520, 1030, 2**16 + 5):
        yield _nearest("b" * length, ["Q"])
    for length in (255, 256, 257, 300):
        yield _nearest("b" * length, ["bQ", "b"])
        yield _nearest("Q", ["b" * length])
        yield _nearest("", ["b" * length])


@case("02.6", hidden=True)
def many_names(draw):
    """Lists of names in which several are near."""
    for _ in range(40):
        names = [word(draw, 3, 14) for _ in range(draw.whole(1, 8))]
        names += [changed(draw, draw.one_of(names), 2) for _ in range(5)]
        name = changed(draw, draw.one_of(names), draw.whole(0, 4))
        yield _nearest(name, draw.shuffled(names))


@case("02.6", hidden=True)
def long_names(draw):
    """Names of hundreds of letters, in reasonable time."""
    for length in (50, 100, 200):
        name = "".join(draw.one_of(string.ascii_letters) for _ in range(length))
        yield _nearest(name, [changed(draw, name, length // 4), name[::-1], name[1:]])
    name, others = "ab" * 60, ["ba" * 60, "a" * 120, "b" * 10]
    assert edit_distance(name, others[0]) == 2
    yield _nearest(name, others)


@case("02.6")
def ops_that_are_not_registered(draw):
    """Whoever asks for an op that is not there is told of the nearest one."""
    for name, near in [("MatMull", "MatMul"), ("Conv2d", "Conv2D"), ("Reshap", "Reshape"),
                       ("BiasAd", "BiasAdd"), ("PowerDiference", "PowerDifference"),
                       ("Softmaks", "Softmax"), ("ConcatV3", "ConcatV2")]:  # fmt: skip
        names = [f"Op type not registered '{name}'", f"did you mean '{near}'?"]
        arguments = {"name": name}
        yield refused(name, "find_op", arguments, names=names, kind="NotFoundError")
    yield value_trial("MatMul", "find_op", {"name": "MatMul"}, "MatMul")
