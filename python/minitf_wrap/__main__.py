"""The command line: ``python -m minitf_wrap module.i``."""

import argparse
import sys
from pathlib import Path

from minitf_wrap.lexer import InterfaceError
from minitf_wrap.generate import generate


def main() -> int:
    """Writes the files, prints their names; returns 1 after an error of the interface."""
    parser = argparse.ArgumentParser(
        prog="minitf_wrap", description="Wraps C++ for Python."
    )
    parser.add_argument(
        "interface", type=Path, help="an interface file, such as example.i"
    )
    parser.add_argument(
        "-I",
        dest="folders",
        type=Path,
        action="append",
        default=[],
        help="a folder to search for files of %%include",
    )
    parser.add_argument("--outdir", type=Path, default=Path(), help="where the files go")
    options = parser.parse_args()
    try:
        for path in generate(options.interface, options.folders, options.outdir):
            print(path)
    except (InterfaceError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
