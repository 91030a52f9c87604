"""Texts in SVG: escaped, and as wide as they may get without asking a font."""

import re
from html import escape
from unicodedata import east_asian_width

FORBIDDEN = re.compile(
    "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # XML 1.0, production 2
)
FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans, Noto Sans, sans-serif"
"""Named one by one: not every program knows what a sans-serif font is."""
LETTER = 0.57
"""Width of a letter over the font's size: common sans-serif fonts need less on the average."""


def escaped(text: str) -> str:
    """Text as XML content or attribute; what XML cannot hold becomes U+FFFD."""
    return escape(FORBIDDEN.sub("\ufffd", text))


def width(text: str, size: float) -> float:
    """Pixels that a text takes; an estimate, since whoever shows it chooses the font."""
    letters = sum(1.8 if east_asian_width(letter) in "WF" else 1.0 for letter in text)
    return LETTER * size * letters


def shortened(text: str, size: float, room: float) -> str:
    """The text, or its beginning with an ellipsis, no wider than `room` pixels."""
    if width(text, size) <= room:
        return text
    kept = len(text)
    while kept and width(text[:kept] + "…", size) > room:
        kept -= 1
    return text[:kept] + "…"


def wrapped(text: str, size: float, room: float) -> list[str]:
    """Lines no wider than `room` pixels; a word that is wider by itself is broken."""
    lines: list[str] = []
    line = ""
    for word in text.replace(" %", "\u00a0%").split(" "):
        joined = f"{line} {word}" if line else word
        if width(joined, size) <= room:
            line = joined
            continue
        if line:
            lines.append(line)
        line = word
        while width(line, size) > room and len(line) > 1:
            kept = max(1, int(room / width(line, size) * len(line)))
            lines.append(line[:kept])
            line = line[kept:]
    return [*lines, line] if line else lines
