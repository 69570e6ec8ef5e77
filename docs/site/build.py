"""Builds the site: documents, labs, notebooks, annotated source and reference.

    ./lab site      writes site/, and prints where to begin

Doxygen reads the C++ source, and Sphinx writes the pages. ``build/site/source`` has
copies of the documents, and the pages that ``reference_pages.py`` writes.
"""

import shutil
import subprocess
import sys

import doxygen_xml
import reference_pages
import repository

ROOT = repository.ROOT
WORK = ROOT / "build/site"
SOURCE = WORK / "source"
SITE = ROOT / "site"
# The documents of the site; index.md.in lies beside this file.
SHOWN = ("README.md", "docs", "exercises", "notebooks", ":(glob)solutions/*.md")
SUFFIXES = (".md", ".ipynb", ".svg", ".png")


def stage() -> None:
    """Copies the documents into one folder for Sphinx, with the same relative paths."""
    untracked = ("--cached", "--others", "--exclude-standard")
    listed = repository.listed(*untracked, *SHOWN)
    documents = {path: path for path in listed if path.endswith(SUFFIXES)}
    documents["index.md"] = "docs/site/index.md.in"
    for name, path in documents.items():
        copy = SOURCE / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, copy)


def read_cpp() -> None:
    """Runs Doxygen.

    Raises:
        SystemExit: Doxygen rejects a comment of a header. The message names the line.
    """
    (WORK / "doxygen").mkdir(parents=True, exist_ok=True)
    subprocess.run(["doxygen", "docs/site/Doxyfile"], cwd=ROOT, check=True)
    warnings = (WORK / "doxygen/warnings.txt").read_text().split("\n")
    # In .cc files, Doxygen parses registrations as declarations.
    errors = [line for line in warnings if ".h:" in line and "inconsistency" not in line]
    if errors:
        sys.exit("\n".join(["site: Doxygen rejects comments", *errors]))
    doxygen_xml.name_files_by_path()


def run_sphinx() -> None:
    """Runs Sphinx on all pages. A warning is an error.

    An incremental build is slower: Sphinx needs minutes to remove old C++ names.

    Raises:
        SystemExit: Sphinx rejects a page. Sphinx has printed the reason.
    """
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-j", "2", "-q"]
    command += ["-W", "--keep-going", "-c", str(ROOT / "docs/site")]
    command += ["-d", str(WORK / "doctrees")]
    pages = WORK / "pages"  # MyST-NB writes beside this folder, too
    done = subprocess.run([*command, str(SOURCE), str(pages)], cwd=ROOT, check=False)
    if done.returncode:
        sys.exit("site: Sphinx rejects a page, see above")
    pages.rename(SITE)


def main() -> None:
    """Builds the site."""
    if len(sys.argv) > 1:
        sys.exit(f"./lab site takes no arguments, not {' '.join(sys.argv[1:])}")
    shutil.rmtree(WORK, ignore_errors=True)
    shutil.rmtree(SITE, ignore_errors=True)
    read_cpp()
    stage()
    reference_pages.write(SOURCE / "reference")
    run_sphinx()
    print(f"The site begins at {SITE / 'index.html'}")


if __name__ == "__main__":
    main()
