"""Arguments by chance, the same for the same seed on every machine."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

REAL = ("float32", "float64")
FLOATING = (*REAL, "complex64", "complex128")

# Kinds of numbers; a kind is what an answer may be wrong for.
KINDS = ("plain", "signed", "whole", "tiny", "huge")


class Draw:
    """A source of shapes and numbers."""

    def __init__(self, seed: str) -> None:
        digest = hashlib.sha256(seed.encode()).digest()
        self._rng = np.random.Generator(np.random.PCG64(int.from_bytes(digest[:8])))

    def whole(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return int(self._rng.integers(low, high + 1))

    def coin(self, chance: float = 0.5) -> bool:
        """True in so many of all cases."""
        return bool(self._rng.random() < chance)

    def one_of(self, members: Sequence) -> Any:
        """A member."""
        return members[self.whole(0, len(members) - 1)]

    def some_of(self, members: Sequence, least: int = 0) -> list:
        """Members, at least so many, in their order."""
        count = self.whole(least, len(members))
        chosen = self._rng.permutation(len(members))[:count]
        return [members[i] for i in sorted(chosen)]

    def shuffled(self, members: Sequence) -> list:
        """All members in another order."""
        return [members[i] for i in self._rng.permutation(len(members))]

    def shape(
        self, rank: int, largest: int = 4, *, empty: bool = False
    ) -> tuple[int, ...]:
        """Sizes to ``largest``, alike only if they must be; one is 0 if ``empty``."""
        sizes = list(range(1, largest + 1))
        chosen = self.shuffled(sizes)[:rank]
        chosen += [self.one_of(sizes) for _ in range(rank - len(chosen))]
        if empty and rank:
            chosen[self.whole(0, rank - 1)] = 0
        return tuple(chosen)

    def stretched(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts to ``shape``: axes are missing, or of size 1."""
        kept = shape[self.whole(0, len(shape)) :]
        return tuple(1 if self.coin(0.4) else size for size in kept)

    def array(
        self, shape: tuple[int, ...], dtype: str = "float64", kind: str = "signed"
    ) -> np.ndarray:
        """Numbers of a kind.

        Args:
            shape: Their shape.
            dtype: Their type.
            kind: ``plain`` is from 0.5 to 1.5; ``signed`` has both signs, from 0.25 to 2;
                ``whole`` is small whole numbers, among them 0; ``tiny`` and ``huge`` lie
                near 1e-20 and 1e15; ``special`` has zeros, infinities and NaN too.
        """
        if dtype.startswith("complex"):
            part = "float32" if dtype == "complex64" else "float64"
            result = np.empty(shape, dtype)
            # Not as a sum: 1j times infinity has a real part, which is NaN.
            result.real, result.imag = (self.array(shape, part, kind) for _ in range(2))
            return result
        fractions = self._rng.random(shape)
        signs = self._rng.choice([-1.0, 1.0], shape)
        if dtype == "bool":
            return np.asarray(fractions < 0.5)
        numbers = {
            "plain": lambda: 0.5 + fractions,
            "signed": lambda: signs * (0.25 + 1.75 * fractions),
            "whole": lambda: np.floor(fractions * 4) * signs,
            "tiny": lambda: signs * (1 + fractions) * 1e-20,
            "huge": lambda: signs * (1 + fractions) * 1e15,
            "special": lambda: self._special(signs * (0.25 + fractions)),
        }[kind]()
        return np.asarray(numbers).astype(dtype)

    def _special(self, numbers: np.ndarray) -> np.ndarray:
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan])
        chosen = self._rng.choice(special, numbers.shape)
        return np.where(self._rng.random(numbers.shape) < 0.5, chosen, numbers)
