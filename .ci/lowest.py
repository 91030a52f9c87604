"""Print the lowest versions of the dependencies that pyproject.toml allows, as constraints of pip.

python .ci/lowest.py accounting mixture > lowest.txt    # with two extras
"""

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
LOWEST = re.compile(r"([\w.-]+)\s*>=\s*([\w.]+)")


def main(extras: list[str]) -> None:
    """Write a line for each dependency that has a lowest version."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    chosen = [one for extra in extras for one in project["optional-dependencies"][extra]]
    for requirement in [*project["dependencies"], *chosen]:
        if found := LOWEST.match(requirement):
            sys.stdout.write(f"{found[1]}=={found[2]}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
