"""States of tests that go on later, as JSON: nothing that is read is executed."""

import json
from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.replace_file import replace_file


def write_state(path: str | Path, state: dict[str, Any]) -> None:
    """Write a state whole or not at all: an interrupted run leaves the old file."""
    replace_file(path, json.dumps(state, allow_nan=False).encode())


def read_state(path: str | Path, schema: str) -> dict[str, Any]:
    """Read a state; ValueError if the file is none of this schema."""
    try:
        state: dict[str, Any] = json.loads(Path(path).read_text("utf-8"))
        if state["schema"] != schema:
            raise KeyError(schema)
    except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise checks.fail("path", f"a file of schema {schema}", str(path)) from error
    return state
