"""Write the packages of a CycloneDX file as a table: `dependencies.py docs/sbom.json`."""

import json
import sys
from pathlib import Path
from typing import Any

CLASSIFIER = "License :: OSI Approved :: "
# Of packages whose metadata has no licence that the listing knows; as their licence files say.
BY_FILE = {
    "asttokens": "Apache-2.0",
    "bleach": "Apache-2.0",
    "bqscales": "Apache-2.0",
    "dp-accounting": "Apache-2.0",
    "overrides": "Apache-2.0",
    "partd": "BSD-3-Clause",
    "resvg_py": "MIT",
}
LONGEST = 60  # characters: some packages declare the whole text of their licence


def licence(component: dict[str, Any]) -> str:
    """The licence as the package declares it, shortened to one line."""
    declared = []
    for entry in component.get("licenses", []):
        text = entry.get("expression") or entry["license"].get("id") or entry["license"]["name"]
        declared.append(text.removeprefix(CLASSIFIER).strip().splitlines()[0][:LONGEST])
    by_file = BY_FILE.get(component["name"])
    known = f"({by_file})" if by_file else "not declared"
    return "; ".join(dict.fromkeys(declared)) or known


def main(path: str) -> None:
    """Write a Markdown table with a line for each package."""
    components = json.loads(Path(path).read_text(encoding="utf-8"))["components"]
    rows = sorted((one["name"].lower(), one["version"], licence(one)) for one in components)
    head = (
        "# What dpviz installs, with all its extras for users\n\n"
        "Made by `make sbom` from [sbom.json](sbom.json) (CycloneDX); licences as declared, "
        "or in brackets as the licence file says.\n\n"
        "| package | version | licence |\n|---|---|---|\n"
    )
    sys.stdout.write(head)
    sys.stdout.writelines(
        f"| {name} | {version} | {text.replace('|', '/')} |\n" for name, version, text in rows
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
