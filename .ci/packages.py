"""The packages that dpviz needs: the lowest versions allowed, and a table of those installed.

    python .ci/packages.py lowest mixture parquet       # constraints for pip, with two extras
    python .ci/packages.py table docs/sbom.json         # name, version and licence, as Markdown

`.ci/prove` runs both.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
LOWEST = re.compile(r"([\w.-]+)\s*>=\s*([\w.]+)")
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
TABLE = """# What dpviz installs, with all its extras for users

Made by `.ci/prove sbom` from [sbom.json](sbom.json) (CycloneDX); licences as declared, \
or in brackets as the licence file says.

| package | version | licence |
|---|---|---|
"""


def lowest(*extras: str) -> None:
    """Write a line for each dependency that has a lowest version."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    chosen = [one for extra in extras for one in project["optional-dependencies"][extra]]
    for requirement in [*project["dependencies"], *chosen]:
        if match := LOWEST.match(requirement):
            sys.stdout.write(f"{match[1]}=={match[2]}\n")


def table(path: str) -> None:
    """Write a Markdown table with a line for each package of a CycloneDX file."""
    components = json.loads(Path(path).read_text(encoding="utf-8"))["components"]
    rows = sorted((one["name"].lower(), one["version"], licence(one)) for one in components)
    sys.stdout.write(TABLE)
    sys.stdout.writelines(
        f"| {name} | {version} | {text.replace('|', '/')} |\n" for name, version, text in rows
    )


def licence(component: dict[str, Any]) -> str:
    """The licence as the package declares it, shortened to one line."""
    declared = []
    for entry in component.get("licenses", []):
        text = entry.get("expression") or entry["license"].get("id") or entry["license"]["name"]
        declared.append(text.removeprefix(CLASSIFIER).strip().splitlines()[0][:LONGEST])
    by_file = BY_FILE.get(component["name"])
    known = f"({by_file})" if by_file else "not declared"
    return "; ".join(dict.fromkeys(declared)) or known


if __name__ == "__main__":
    part, *arguments = sys.argv[1:]
    {"lowest": lowest, "table": table}[part](*arguments)
