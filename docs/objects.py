"""The public objects, which have a page each: those of the rooms that pages of the reference name.

A page says `.. room:: dpviz.audit` for all functions and classes that a module exports, and lists
names below that line if it means only these.
"""

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parent / "reference"
ROOM = re.compile(r"^\.\. room:: ([\w.]+)\n((?:   .*\n)*)", re.MULTILINE)


def names_in(room: str, listed: str = "") -> list[str]:
    """Return the full names of functions and classes of a module: the listed, else the exported."""
    module = import_module(room)
    names = listed.split() or module.__all__
    return [f"{room}.{name}" for name in names if callable(getattr(module, name))]


@cache
def objects() -> dict[str, Any]:
    """Return all functions and classes of the rooms by full name; some have several names."""
    text = "".join(page.read_text("utf-8") for page in sorted(PAGES.glob("*.md")))
    names = (name for found in ROOM.findall(text) for name in names_in(*found))
    parts = ((name, *name.rpartition(".")[::2]) for name in names)
    return {name: getattr(import_module(room), last) for name, room, last in parts}


@cache
def pages() -> dict[str, str]:
    """Return the name of the page of each object by full name: the shortest name it has."""
    shortest: dict[int, str] = {}
    for name in sorted(objects(), key=len):
        shortest.setdefault(id(objects()[name]), name)
    return {name: shortest[id(value)] for name, value in objects().items()}
