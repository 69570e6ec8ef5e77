"""``docs/api.md``: which names of TensorFlow's core minitf has, and why not the others.

The first column of the page lists the names that the course is about. To add a name, add
a row that begins with it, and run ``./lab gen``, which writes the other columns.

A name is there if Python finds it. What is missing, or is there with less than TensorFlow
gives it, must have a reason below; ``./lab gen`` fails otherwise, and when a reason is
out of date.
"""

import re
from collections.abc import Mapping
from typing import Any

from minitf_lab import project

PAGE = project.ROOT / "docs" / "api.md"

_CHECKPOINTS = "checkpoints are not here yet"
_CLUSTERS = "sessions of several processes are not here yet"

# Names that do not exist, and why.
MISSING = {
    "train.Checkpoint": _CHECKPOINTS,
    "train.CheckpointManager": _CHECKPOINTS,
    "train.ClusterSpec": _CLUSTERS,
    "train.MonitoredSession": "sessions with hooks are not here yet",
    "train.NewCheckpointReader": _CHECKPOINTS,
    "train.Saver": _CHECKPOINTS,
    "train.SaverDef": _CHECKPOINTS,
    "train.checkpoint_exists": _CHECKPOINTS,
    "train.generate_checkpoint_state_proto": _CHECKPOINTS,
    "train.get_checkpoint_mtimes": _CHECKPOINTS,
    "train.get_checkpoint_state": _CHECKPOINTS,
    "train.latest_checkpoint": _CHECKPOINTS,
    "train.remove_checkpoint": _CHECKPOINTS,
    "train.update_checkpoint_state": _CHECKPOINTS,
}

# Names that do less than TensorFlow's, and what is left out.
PARTLY = {
    "nn.conv3d": "the number of planes of the filter must be known",
    "nn.conv3d_transpose": "the number of planes of the filter must be known",
    "nn.max_pool3d": "of equal elements another one may get the gradient",
    "train.replica_device_setter": "without a cluster",
}


def _found(name: str) -> bool:
    import minitf

    value: Any = minitf
    for part in name.split("."):
        value = getattr(value, part, None)
        if value is None and name != "newaxis":
            return False
    return True


def names() -> list[str]:
    """The names of the core, in alphabetical order.

    Raises:
        ValueError: the page lists no names.
    """
    found = re.findall(r"^\| `([\w.]+)` \|", PAGE.read_text(), re.MULTILINE)
    if not found:
        raise ValueError(f"{PAGE} has no rows that begin with a name, as in | `add` |")
    return sorted(set(found))


def _row(name: str, cases: Mapping[str, int]) -> str:
    is_there = _found(name)
    if is_there == (name in MISSING):
        problem = "exists, and has" if is_there else "is missing, and has not"
        raise ValueError(f"tf.{name} {problem} a reason in tests/python/api_page.py")
    answer = "yes" if is_there else "no"
    reason = MISSING.get(name, "")
    if name in PARTLY:
        answer, reason = "partly", PARTLY[name]
    count = str(cases[name]) if name in cases else ""
    return f"| `{name}` | {answer} | {count} | {reason} |\n"


def page(cases: Mapping[str, int]) -> str:
    """The text of the page.

    Args:
        cases: how many cases the differential tester draws for a name; those that it
            does not test by themselves are left out.
    """
    rows = [_row(name, cases) for name in names()]
    answers = [row.split(" | ")[1] for row in rows]
    return (
        "# Names of the core\n\n"
        f"Of the {len(rows)} names of TensorFlow 1.15 that programs use most, "
        f"{answers.count('yes')} are here,\n{answers.count('partly')} partly, and "
        f"{answers.count('no')} not yet. This page is made by `./lab gen`. The third "
        "column\nhas the number of cases that `./lab test differential` draws for a "
        "name.\n\n"
        "| name | here | cases | what is missing, and why |\n"
        "| --- | --- | --- | --- |\n" + "".join(rows)
    )
