"""Texts in SVG: escaped, with estimates of their widths that need no font."""

import re
from html import escape
from unicodedata import east_asian_width

FORBIDDEN = re.compile(
    "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # XML 1.0, production 2
)
# Named one by one: not every program knows a generic sans-serif font.
FONTS = "Helvetica, Arial, Liberation Sans, DejaVu Sans, Noto Sans, sans-serif"
LETTER = 0.57  # width of a letter over the font size; common sans-serif fonts average less


def escaped(text: str) -> str:
    """Text as XML content or attribute; characters that XML excludes become U+FFFD."""
    return escape(FORBIDDEN.sub("\ufffd", text))


def width(text: str, size: float) -> float:
    """Estimated width of a text in pixels; the program that shows it chooses the font."""
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
    """Lines no wider than `room` pixels; a wider word is broken."""
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
