"""Settings of Sphinx for the site; ``build.py`` calls Sphinx. Needs the built minitf."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

project = "minitf"
html_title = "minitf"
author = "the authors of minitf"
project_copyright = "the authors of minitf, Apache License 2.0"
root_doc = "index"

extensions = [
    "myst_nb",
    "breathe",
    "sphinx.ext.graphviz",
    "source_pages",
    "repository_links",
    "accessibility",
]

# ---- Documents ------------------------------------------------------------------------
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
# The notebooks are committed with their outputs; `./lab notebook --check` runs them.
nb_execution_mode = "off"
nb_merge_streams = True
# The questions of a lab are for the students who write the answers there.
exclude_patterns = ["exercises/*/answers.md", "docs/site"]

# ---- Reference ------------------------------------------------------------------------
breathe_projects = {"minitf": str(ROOT / "build/site/doxygen/xml")}
breathe_default_project = "minitf"
graphviz_output_format = "svg"
toc_object_entries = False  # the contents at the side would have thousands
cpp_id_attributes = ["__device__", "__global__", "__host__", "__forceinline__"]
suppress_warnings = [
    "duplicate_declaration.cpp",  # an overload in two rooms, which C++ allows
    "misc.highlighting_failure",  # mermaid draws where GitHub shows the document
]

# ---- Pages ----------------------------------------------------------------------------
html_theme = "furo"
html_static_path = [str(HERE / "assets")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_search_summary = False  # it fetches pages, which none may do from disk
html_show_sourcelink = False
html_theme_options = {"top_of_page_buttons": []}
