"""The names that the pages of the reference document, each with the module to import it from."""

import re
from importlib import import_module
from pathlib import Path

PAGES = Path(__file__).parents[1] / "docs" / "reference"
DIRECTIVE = re.compile(r"\.\. auto(\w+):: ([\w.]+)\n((?:   :.*\n)*)")


def documented() -> list[tuple[str, str]]:
    """Modules and their names, of every directive on the pages of the reference."""
    found = []
    for page in sorted(PAGES.glob("*.md")):
        for kind, name, options in DIRECTIVE.findall(page.read_text("utf-8")):
            if kind == "module":
                members = re.search(r":members: (.+)", options)
                names = members[1].split(", ") if members else import_module(name).__all__
                found += [(name, each) for each in names]
            else:
                found.append(tuple(name.rpartition(".")[::2]))
    return found
