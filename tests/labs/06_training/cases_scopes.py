"""Lab 06, task 1: names."""

from typing import Any

from lab_06_training.trials import names_of, scopes_trial, wrong_error

from minitf_lab.judge.case import Call, Trial, case

# ---- 06.1 Name scopes -----------------------------------------------------------------


@case("06.1")
def scopes_in_full(_draw):
    """A name that ends in a slash is a scope in full, and is not made unique."""
    yield scopes_trial([("scope", "a/", [("node", "x")])])
    yield scopes_trial([("scope", "a", [("node", "x")]), ("again", 0, [("node", "x")])])
    inner = ("scope", "b", [("again", 0, [("node", "x"), ("scope", "c", [])])])
    yield scopes_trial([("scope", "a", [inner, ("node", "y")])])
    yield scopes_trial([("scope", "a", [("scope", "x/y/", [("node", "z")])])] * 2)
    yield scopes_trial([("scope", "a/b", [("node", "z")])] * 2)
    # One slash is the end; one more belongs to the name.
    yield scopes_trial([("scope", "a//", [("scope", "b", [])])])


@case("06.1")
def names_of_bytes(_draw):
    """A name may be bytes, which are text in UTF-8."""
    for name in ("a", "a/b", "a/", "a/b/"):
        for body in ([("node", "x")], [("scope", "c", [("node", "x")])]):
            expected = names_of([("scope", name, body)] * 2)
            yield scopes_trial([("scope", name.encode(), body)] * 2, expected)
            program = [("scope", "z", [("scope", name.encode(), body)])]
            yield scopes_trial(
                program, names_of([("scope", "z", [("scope", name, body)])])
            )


@case("06.1")
def the_outermost_scope(_draw):
    """None and the empty name are the scope without a name; bytes may be empty, too."""
    for name in (None, "", b""):
        yield scopes_trial([("scope", name, [("node", "x")])])
        body = [("scope", name, [("node", "x"), ("scope", "a", [])]), ("node", "x")]
        yield scopes_trial([("scope", "a", body)])


@case("06.1")
def scopes_left_by_an_error(_draw):
    """A scope that an error leaves is left, or an interrupt, which is no Exception."""
    for what in ("error", "stop"):
        body = [("node", "x"), ("escape", what)]
        yield scopes_trial([("scope", "a", body), ("node", "x")])
        yield scopes_trial([("scope", "b", [("scope", "a", body), ("node", "x")])] * 2)
        yield scopes_trial([("scope", "b", [("scope", None, body), ("node", "x")])])


def _wrong_refusal(got: Any, kind: str, name: str) -> str | None:
    """What is wrong with an error that has the name, as it is or as repr shows it."""
    quoted = repr(name)[1:-1]
    is_quoted = isinstance(got, dict) and quoted in str(got.get("text"))
    return wrong_error(got, kind, quoted if is_quoted else name)


@case("06.1")
def names_that_no_scope_has(_draw):
    """A name that no scope may have is refused, and is named."""
    for name in ("a b", "_a", "-a", "ü", "a:0", "/a", "a b/", "_a/", "a:0/", "a\n"):

        def check(values: list[Any], name: str = name) -> str | None:
            (got,) = values
            if len(got) != 3 or got[1] != "in ":
                return f"expected an error, then no scope; there is {got}"
            if got[2] != name:
                return f"the name was refused, and is taken: {got[2]} would be free"
            return _wrong_refusal(got[0], "ValueError", name)

        program = [("scope", name, []), ("free", name)]
        call = Call("name_scopes", {"program": program})
        yield Trial(f"a scope {name!r}", [call], check)
    for name, text in (
        *((one, one) for one in ("a b", "ü", "a:0", "a b/", "a:0/", "a\n")),
        (b"a b", "a b"), (b"a:0/", "a:0/"), (b"\xff", "xff"), (5, "5"), (["a"], "a"),
    ):  # fmt: skip

        def check_within(
            values: list[Any], name: Any = name, text: str = text
        ) -> str | None:
            (got,) = values
            if len(got) != 4 or [got[0], *got[2:]] != ["z/", "in z", "in "]:
                return f"expected z/, an error, then the scope z; there is {got}"
            kind = "ValueError" if isinstance(name, (str, bytes)) else "TypeError"
            return _wrong_refusal(got[1], kind, text)

        program = [("scope", "z", [("scope", name, [])])]
        call = Call("name_scopes", {"program": program})
        yield Trial(f"a scope {name!r} within z", [call], check_within)
    # Below another scope, a name need not begin with a letter.
    yield scopes_trial([("scope", "a", [("scope", "_b", []), ("scope", "-c", [])])])
    yield scopes_trial([("scope", "0.a", [("scope", ">b\\", [])])])
    yield scopes_trial([("scope", "a", [("scope", "_b/", [])])])
