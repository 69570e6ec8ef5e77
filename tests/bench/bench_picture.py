"""Pictures of what ``./lab bench`` has measured, as SVG.

``--tiers`` gives bars, a group for each case. Without it, each case is a point under a
roof: how many operations a second a core can do at most, where each byte that is fetched
serves so many of them (Williams, Waterman and Patterson, "Roofline", CACM 52, 2009).

Read next: ``tests/bench/peak.cc``.
"""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "minitf"  # the same picture from the same numbers
mpl.rcParams["svg.fonttype"] = "none"  # text stays text, and not a path for each glyph

from matplotlib import pyplot as plt  # noqa: E402


def _save(path: Path) -> None:
    plt.savefig(path, format="svg", metadata={"Date": None}, bbox_inches="tight")
    plt.close()


def bars(rates: dict[str, dict[str, float]], peak: float, path: Path) -> None:
    """Draws GFLOP/s of tiers side by side.

    Args:
        rates: For each tier, by the name of the case.
        peak: What a core can do at most.
        path: Of the picture.
    """
    cases = list(dict.fromkeys(case for found in rates.values() for case in found))
    width = 0.8 / len(rates)
    plt.figure(figsize=(1.5 + 0.9 * len(cases), 4))
    for i, (tier, found) in enumerate(rates.items()):
        offset = (i - len(rates) / 2 + 0.5) * width
        places = [cases.index(case) + offset for case in found]
        plt.bar(places, found.values(), width, label=tier)
    plt.axhline(peak, color="black", linewidth=0.8, linestyle="--")
    plt.text(-0.5, peak, " peak of a core", va="bottom", fontsize=8)
    plt.xticks(range(len(cases)), cases, rotation=30, ha="right", fontsize=8)
    plt.ylabel("GFLOP/s")
    plt.legend(fontsize=8)
    _save(path)


def roof(
    points: dict[str, tuple[float, float]], peak: float, bandwidth: float, path: Path
) -> None:
    """Draws cases under the roof of the machine.

    Args:
        points: Operations for each byte, and GFLOP/s, by the name of the case.
        peak: GFLOP/s that the processor can do at most.
        bandwidth: GB/s that memory brings at most.
        path: Of the picture.
    """
    intensities, rates = zip(*points.values(), strict=True)
    ridge = peak / bandwidth
    left, right = min(ridge, *intensities) / 3, max(ridge, *intensities) * 3
    plt.figure(figsize=(6, 4.5))
    plt.plot([left, ridge, right], [left * bandwidth, peak, peak], color="black")
    for number, (x, y) in enumerate(points.values(), start=1):
        plt.plot(x, y, "o", markersize=3, color="tab:blue")
        place = {"textcoords": "offset points", "xytext": (3, 3)}
        plt.annotate(str(number), (x, y), fontsize=7, **place)
    names = [f"{number}  {name}" for number, name in enumerate(points, start=1)]
    plt.figtext(0.92, 0.5, "\n".join(names), fontsize=7, va="center")
    plt.xlim(left, right)
    plt.ylim(min(rates) / 2, max(peak, *rates) * 2)
    plt.xscale("log")
    plt.yscale("log")
    plt.xlabel("operations for each byte")
    plt.ylabel("GFLOP/s")
    _save(path)
