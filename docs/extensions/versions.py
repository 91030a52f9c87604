"""The menu of versions: pages of each version know those beside them, without server or network.

Published pages of a version stand in a folder of its name. Each folder has a small script,
`versions.js`, which fills the menu with links to the folders beside it. After a new version was put
there, all of them are written anew:

    python docs/extensions/versions.py SITE

What `make docs` builds is one version alone.
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NAME = re.compile(r"\d+(\.\d+)+")
SCRIPT = """// Written by docs/extensions/versions.py.
const others = %s;
const root = document.documentElement.dataset.content_root;
for (const place of others.length ? document.querySelectorAll(".dpviz-versions") : []) {
  const make = (name, ...inside) => {
    const made = document.createElement(name);
    made.append(...inside);
    return made;
  };
  const items = others.map((version) => {
    const link = make("a", version);
    link.href = `${root}../${version}/index.html`;
    return make("li", link);
  });
  place.replaceChildren(
    make("details", make("summary", ...place.childNodes), make("ul", ...items)));
}
"""


def write(pages: Path, others: Sequence[str]) -> None:
    """Write the script of one version's pages."""
    (pages / "versions.js").write_text(SCRIPT % json.dumps(list(others)), encoding="utf-8")


def write_all(site: Path) -> list[str]:
    """Write the scripts of all versions below a folder; return these, newest first."""
    found = [each.name for each in site.iterdir() if each.is_dir() and NAME.fullmatch(each.name)]
    found.sort(key=lambda name: [int(part) for part in name.split(".")], reverse=True)
    for version in found:
        write(site / version, [other for other in found if other != version])
    return found


def setup(app: Any) -> dict[str, bool]:
    """Load the script on each page, and write it for a version alone."""
    app.add_js_file("../versions.js", loading_method="defer")
    app.connect("build-finished", lambda app, _: write(Path(app.outdir), []))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    sys.stdout.write(" ".join(write_all(Path(sys.argv[1]))) + "\n")
