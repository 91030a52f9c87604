"""End with an error unless a tag, the versions in the files and the changelog agree.

python .ci/tag.py v0.1.0
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main(tag: str) -> None:
    """Compare them."""
    wanted = tag.removeprefix("v")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found = {"pyproject.toml": project["version"]}
    for file, pattern in {
        "dpviz/__init__.py": r'__version__ = "(.*)"',
        "CITATION.cff": r"(?m)^version: (.*)$",
        "CHANGELOG.md": r"(?m)^## (\S+(?: \(unreleased\))?)",
    }.items():
        match = re.search(pattern, (ROOT / file).read_text("utf-8"))
        found[file] = match[1] if match else "none"
    if wrong := {file: version for file, version in found.items() if version != wanted}:
        raise SystemExit(f"the tag says {wanted}, but {wrong}")


if __name__ == "__main__":
    main(*sys.argv[1:])
