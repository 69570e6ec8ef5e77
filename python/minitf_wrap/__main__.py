"""The command line: ``python -m minitf_wrap module.i``."""

import argparse
import sys
from pathlib import Path

from minitf_wrap.cpp_writer import CppWriter
from minitf_wrap.directives import parse
from minitf_wrap.python_writer import PythonWriter
from minitf_wrap.scanner import InterfaceError


def generate(interface: Path, folders: list[Path], out: Path) -> None:
    """Writes ``<file>_wrap.cc``, ``<module>.py`` and ``<module>.pyi`` to ``out``.

    ``folders`` are searched for files of ``%include``, after the folder of the file that
    includes. Nothing is written if the interface has an error.

    Raises:
        InterfaceError: the interface is wrong, or outside of the subset.
        OSError: a file cannot be read or written.
    """
    build = parse(interface, folders)
    writer = PythonWriter(build)
    texts = {
        out / f"{interface.stem}_wrap.cc": CppWriter(build).text(),
        out / f"{build.module.name}.py": writer.module(),
        out / f"{build.module.name}.pyi": writer.stub(),
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


def main() -> int:
    """Writes the files; returns 1 after an error, which it prints."""
    parser = argparse.ArgumentParser(prog="minitf_wrap", description=__doc__)
    parser.add_argument("interface", type=Path, help="an interface file: example.i")
    parser.add_argument("-I", dest="folders", type=Path, action="append", default=[])
    parser.add_argument("--outdir", type=Path, default=Path(), help="where the files go")
    options = parser.parse_args()
    try:
        generate(options.interface, options.folders, options.outdir)
    except (InterfaceError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
