"""Settings of Sphinx; `make docs` builds the pages."""

import re
import sys
from pathlib import Path
from typing import Any

import dpviz

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "dpviz"
author = "the dpviz contributors"
project_copyright = "2026, the dpviz contributors"
version = release = dpviz.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "extensions.rooms",
    "extensions.mathml",
    "extensions.pictures",
    "extensions.lessons",
    "extensions.command",
    "extensions.versions",
    "extensions.terms",
    "extensions.markdown",
]
exclude_patterns = ["_build", "extensions", "templates", "dependencies.md"]
templates_path = ["templates"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

# Words in the description of a parameter are looked up as types: an epsilon is no link.
suppress_warnings = ["ref.python"]
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"  # and of every result
autodoc_member_order = "alphabetical"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "dpviz"
html_search_scorer = str(HERE / "search.js")
html_static_path = ["style"]
html_css_files = ["pages.css"]
html_favicon = "style/icon.svg"
html_context = {"default_mode": "auto"}
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "header_links_before_dropdown": 7,
    "navbar_end": ["versions", "theme-switcher"],
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "start": []}

# "ValueError, if n is 0" is a type and its description, which napoleon reads on a line of its own.
ERROR = re.compile(r"^(\w+(?:Error|Warning)), (?=if |for |a )")


def describe_errors(_app: Any, *names_and_options: Any) -> None:
    """Write each error of a docstring on a line, and its description on the next one."""
    lines = names_and_options[-1]
    lines[:] = "\n".join(ERROR.sub(r"\1\n    ", line) for line in lines).split("\n")


def setup(app: Any) -> None:
    """Change docstrings before napoleon reads them."""
    app.connect("autodoc-process-docstring", describe_errors, priority=400)
