"""Parsing of text, JSON, TOML and YAML documents of limited size.

Python's own readers wait for a pipe, follow a device without end, and repeat a YAML alias.
"""

import json
import os
import tomllib
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NoReturn

from dpviz import checks

MOST_BYTES = 10_000_000  # of a file
MOST_CHARACTERS = 100_000  # of TOML and YAML, which Python reads slowly
MOST_DOTS = 500  # on a line of TOML: a key of n names takes n^2 steps
MOST_BRACKETS = 200  # of YAML, open at the same time
LONGEST_PATH = 300  # characters of a path in an error
QUOTED_LENGTH = 60  # characters of a rejected value that an error quotes


def read_text(name: str, path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> str:
    """Return the text of a UTF-8 file of at most `most_bytes` bytes."""
    try:
        os.stat(path)  # raises the error of a file that does not exist
        if not os.path.isfile(path):
            raise checks.fail(name, "a file, not a folder, pipe or device", os.fspath(path))
        with open(path, "rb") as file:
            # Reading one byte more than allowed shows that a file is too large, or grows.
            data = file.read(most_bytes + 1)
    except OSError as error:
        error.filename = os.fspath(path)[:LONGEST_PATH]
        raise
    if len(data) > most_bytes:
        raise checks.fail(name, f"a file of at most {most_bytes} bytes", os.path.basename(path))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} must be text in UTF-8: {error}") from error


def read_toml_or_yaml(name: str, path: str | Path) -> Any:
    """Return the content of a TOML or YAML file; {} for an empty file."""
    parse = PARSERS[checks.choice(f"ending of the {name} file", Path(path).suffix.lower(), PARSERS)]
    given = parse(name, read_text(name, path))
    return {} if given is None else given


def parse_json(name: str, document: object) -> Any:
    """Parse JSON text, or copy parsed JSON; raise ValueError for NaN and for repeated keys."""

    def as_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        _check_keys_are_different(name, [key for key, _ in pairs])
        return dict(pairs)

    try:
        # A dict that Python already parsed takes the same way, and the same checks.
        text = document if isinstance(document, str) else json.dumps(document, allow_nan=False)
        return json.loads(text, parse_constant=_reject_nan_and_infinity, object_pairs_hook=as_dict)
    except checks.ConditionError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise checks.fail(name, f"JSON ({error})", cut_for_error(document)) from error


def parse_toml(name: str, text: str) -> Any:
    """Parse TOML text; raise ValueError if it is invalid, too long or too deeply nested."""
    _check_length(name, "TOML", text)
    if (dots := max(line.count(".") for line in f"{text}\n".splitlines())) > MOST_DOTS:
        raise checks.fail(name, f"TOML with at most {MOST_DOTS} dots on a line", dots)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name} must be TOML: {checks.reason(error)}") from error


def parse_yaml(name: str, text: str) -> Any:
    """Parse YAML text; raise ValueError for invalid text, aliases and tags of Python objects."""
    try:
        import yaml  # optional: an extra
    except ImportError as error:
        raise ImportError(f"{name} in YAML needs PyYAML: pip install 'dpviz[yaml]'") from error

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # the safe one runs no code
        def compose_node(self, *place: Any) -> Any:
            # Ten lines of aliases, each of which repeats the line before, stand for 10^10 entries.
            if self.check_event(yaml.AliasEvent):
                raise checks.fail(name, "YAML without aliases", f"*{self.peek_event().anchor}")
            node = super().compose_node(*place)
            keys = [key.value for key, _ in node.value] if node.id == "mapping" else []
            _check_keys_are_different(name, [key for key in keys if isinstance(key, str)])
            return node

        def fetch_flow_collection_start(self, *bracket: Any) -> None:
            # For each token PyYAML's scanner looks at all brackets that are open.
            if self.flow_level == MOST_BRACKETS:
                rule = f"YAML with at most {MOST_BRACKETS} open brackets"
                raise checks.fail(name, rule, cut_for_error(text))
            super().fetch_flow_collection_start(*bracket)

    _check_length(name, "YAML", text)
    try:
        return yaml.load(text, Loader)
    except checks.ConditionError:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError for a month 13
        raise ValueError(f"{name} must be YAML: {checks.reason(error)}") from error


PARSERS: dict[str, Callable[[str, str], Any]] = {
    ".toml": parse_toml,
    ".yaml": parse_yaml,
    ".yml": parse_yaml,
}


def checked_dict(name: str, value: object, keys: Collection[str]) -> dict[str, Any]:
    """Return `value`; raise ValueError unless it is a dict with exactly these `keys`."""
    if not isinstance(value, dict) or value.keys() != set(keys):
        given = list(value) if isinstance(value, dict) else cut_for_error(value)
        raise checks.fail(name, f"an object with the fields {', '.join(keys)}", given)
    return value


def cut_for_error(value: object) -> object:
    """Return `value`, or the beginning of its repr if the repr is long."""
    shown = checks.shortened_repr(value)
    return value if len(shown) <= QUOTED_LENGTH else f"{shown[:QUOTED_LENGTH]} ..."


def _check_length(name: str, form: str, text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        raise checks.fail(name, f"{form} of at most {MOST_CHARACTERS} characters", len(text))


def _check_keys_are_different(name: str, keys: list[str]) -> None:
    # Parsers would keep the last value of a repeated key.
    for key, times in Counter(keys).items():
        if times > 1:
            raise checks.fail(name, "a table without repeated keys", cut_for_error(key))


def _reject_nan_and_infinity(token: str) -> NoReturn:
    raise ValueError(f"{token} is no JSON")
