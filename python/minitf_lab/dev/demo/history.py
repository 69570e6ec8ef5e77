"""What happened in a training run: what is drawn, shown and written to a file."""

from dataclasses import dataclass, field


@dataclass
class History:
    """What happened.

    Attributes:
        losses: Of every step.
        accuracies: Held-out accuracy after every epoch.
        confusion: ``[digit][recognised as]``, counts of the held-out images.
    """

    mode: str
    losses: list[float] = field(default_factory=list)
    accuracies: list[float] = field(default_factory=list)
    confusion: list[list[int]] = field(default_factory=list)
    images_per_s: float = 0
    seconds: float = 0
