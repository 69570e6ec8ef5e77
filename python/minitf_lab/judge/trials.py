"""Trials that cases of many labs are made of: one call, and what it gives or refuses."""

from typing import Any

from minitf_lab.judge.case import Call, Mismatch, Raised, Trial

__all__ = ["refused", "text_of", "value_trial"]


def text_of(sizes: Any) -> str:
    """As minitf prints a shape: ``[2,3]``; unknown is ``?``, or ``<unknown>``.

    >>> text_of((2, -1)), text_of(()), text_of(None)
    ('[2,?]', '[]', '<unknown>')
    """
    if sizes is None:
        return "<unknown>"
    return f"[{','.join('?' if n == -1 else str(n) for n in sizes)}]"


def value_trial(
    title: str, function: str, arguments: dict[str, Any], expected: Any
) -> Trial:
    """A call whose value is plain data."""

    def check(values: list[Any]) -> Mismatch | None:
        got = values[0]
        got = list(got) if isinstance(got, tuple) else got
        if got == expected:
            return None
        return Mismatch("wrong", expected=str(expected), got=str(got))

    return Trial(title, [Call(function, arguments)], check)


def refused(
    title: str,
    function: str,
    arguments: dict[str, Any],
    *,
    names: list[str],
    kind: str = "InvalidArgumentError",
) -> Trial:
    """A call that must raise an error of a kind, with some words in its text."""

    def check(values: list[Any]) -> Mismatch | str | None:
        got = values[0]
        if not isinstance(got, Raised):
            return f"it gives {got}, expected {kind}"
        if got.type != kind:
            return f"it raised {got.type}: {got.message}, expected {kind}"
        missing = [name for name in names if name not in got.message]
        return (
            f"the error {got.message!r} does not name {missing[0]}" if missing else None
        )

    return Trial(title, [Call(function, arguments, may_raise=True)], check)
