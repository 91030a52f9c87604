"""Files that hold a claim: JSON, YAML and text."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.claims.plain_json import parsed

MOST_BYTES = 10_000_000  # of a file; statements of privacy are short


def opened(source: object) -> Any:
    """The content of a JSON, YAML or text file, or of a JSON text; anything else as it is."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        return parsed("claim", source)
    if not isinstance(source, str | os.PathLike):
        return source
    path = Path(source)
    if path.suffix not in FORMATS:
        if isinstance(source, str):
            return source
        raise checks.fail("the suffix of a claim's file", f"one of {', '.join(FORMATS)}", path)
    if not path.is_file():
        raise checks.fail("claim", "a file that exists", str(path))
    if path.stat().st_size > MOST_BYTES:
        raise checks.fail("a claim's file", f"at most {MOST_BYTES} bytes", path.stat().st_size)
    return FORMATS[path.suffix](path.read_text("utf-8"))


def _json(text: str) -> Any:
    return parsed("claim", text)


def _yaml(text: str) -> Any:
    try:
        import yaml  # optional
    except ImportError as error:
        raise ImportError("YAML files need PyYAML: pip install 'dpviz[yaml]'") from error
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(
            f"claim must be YAML without tags of objects: {checks.reason(error)}"
        ) from error


FORMATS: dict[str, Callable[[str], Any]] = {
    ".json": _json,
    ".txt": str,
    ".yaml": _yaml,
    ".yml": _yaml,
}
