"""Cases whose shapes only the step knows, and the table of what becomes of them.

A check that needs a static shape does not run then. Each case is run three times: without
shapes by both frameworks, and with shapes by minitf.
"""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import compare

# The outcomes of a case, in the order of the table's columns.
OUTCOMES = {
    "agrees": "the same value as TensorFlow's, and as that with static shapes",
    "refused": "both refuse the call, with a clear error",
    "unlike": "the same value as TensorFlow's; with static shapes, another or an error",
    "row": "a difference that docs/differences.md has",
    "differs": "any other difference",
}


def without_shapes(program: str) -> str:
    """A program whose constants and placeholders have no static shape."""
    program = re.sub(r"\btf\.constant\(", "hidden(", program)
    return re.sub(r"(tf\.placeholder\(tf\.\w+), \[[^]]*\]", r"\1, None", program)


def _values(facts: list) -> list:
    """The facts about values and errors."""
    seen = re.compile(r"(value|sizes|first|second|updates|raises|message)\b")
    return [fact for fact in facts if seen.match(fact[0])]


def outcome(found: Any, row: str | None, facts: list, known: list, options: dict) -> str:
    """Which of ``OUTCOMES`` a case has.

    Args:
        found: the mismatch with TensorFlow, or None.
        row: the row of docs/differences.md that describes the mismatch.
        facts: the facts of minitf without static shapes.
        known: the facts of minitf with static shapes.
        options: the options of ``compare.first_mismatch``.
    """
    if found is not None and found.error_of(facts) and found.error_of(found.their_facts):
        found = None  # such as a Python number that is a tensor: the type is not compared
    raises = any(label.endswith("raises") for label, _ in facts)
    is_same = raises or not compare.first_mismatch(
        _values(facts), _values(known), **options
    )
    if found is None:
        return "refused" if raises else "agrees" if is_same else "unlike"
    return "row" if row is not None and is_same else "differs"


@dataclass
class Table:
    """How many cases of each function have each outcome."""

    counts: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))
    examples: dict[str, Any] = field(default_factory=dict)

    def add(self, case: Any, result: str) -> None:
        """Counts a case; the shortest one unlike that with static shapes is kept."""
        function = case.entry.function
        self.counts[function][result] += 1
        best = self.examples.get(function)
        if result == "unlike" and (not best or len(case.program()) < len(best.program())):
            self.examples[function] = case

    def lines(self) -> list[str]:
        """The table, and the examples."""
        width = max(map(len, self.counts), default=0)
        heads = "".join(f"{name:>9}" for name in OUTCOMES)
        found = [f"{'function':{width}}{heads}"]
        for function, counts in sorted(self.counts.items()):
            cells = "".join(f"{counts[name]:9}" for name in OUTCOMES)
            found.append(f"{function:{width}}{cells}")
        for function, case in sorted(self.examples.items()):
            found.append(f"\n== {function}: unlike that with static shapes")
            found += [f"   {line}" for line in case.program().splitlines()]
        total = sum(self.counts.values(), Counter())
        order = ("differs", "row", "unlike", "agrees", "refused")
        worst = Counter(
            next(name for name in order if counts[name])
            for counts in self.counts.values()
        )
        found.append(f"\n{len(self.counts)} functions with hidden shapes, by the worst:")
        for name, text in OUTCOMES.items():
            found.append(
                f"{worst[name]:5} functions, {total[name]:6} cases: {name}, {text}"
            )
        return found
