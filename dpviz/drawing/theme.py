"""Colours and dashes, and samples of lines and markers for legends.

Two hues: blue is what a claim promises, orange is what an attack reached. Members are dark and
filled, non-members lighter and outlined; what remains is grey. Within a hue, shades and dashes
differ. `ON_DARK` has the same colours for dark pages: a picture is drawn for a white page, and a
dark page has rules of style for it. Contrasts, and differences under deuteranopia and in grey, are
in `tests/drawing/test_theme.py`.
"""

from functools import cache
from typing import Literal

Dash = Literal["solid", "dashed", "dotted", "dash_dotted"]

PAPER = "#ffffff"  # behind a picture, and around its labels
INK = "#212121"
AXIS = "#555555"

CLAIM = "#0A4F91"
LEVEL = "#3474B0"  # the claim's epsilon, and what else follows from the claim
BAND = "#2E6DA8"
ATTACK = "#C44F00"
LIMIT = "#7A3000"  # a confidence limit of the attack's curve
MEMBER = "#2B2F36"
NONMEMBER = "#858C97"
SELECTION = "#5B6470"
SHADE = "#868D98"
OVERLAYS: tuple[tuple[str, Dash, float], ...] = (
    *(("#3573B1", "dashed", 1.5), ("#16324F", "dotted", 2), ("#4B55B8", "dash_dotted", 1.5)),
    *(("#157A96", "solid", 1), ("#5A7391", "dashed", 3), ("#6A6F86", "dotted", 3.5)),
)  # colour, dash and width: no two have the same dash and width
# Dash and width of the curves of further attacks; the first one is solid, or a wide dashed line.
ATTACKS: tuple[tuple[Dash, float], ...] = (
    *(("dash_dotted", 2), ("dotted", 2.5), ("dashed", 1.25)),
    *(("dash_dotted", 1.25), ("dotted", 4)),
)
RATIO_COLORS = (ATTACK, LIMIT, "#A8783C", MEMBER)
RATIO_DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted", "dash_dotted")

ON_DARK = {
    **{PAPER: "#14181e", INK: "#e8e8e8", AXIS: "#aab0b8"},
    **{CLAIM: "#9CCBFA", LEVEL: "#5B9BD8", BAND: "#629FDA", ATTACK: "#EC7A2E", LIMIT: "#FFC79E"},
    **{MEMBER: "#E6E9ED", NONMEMBER: "#858C98", SELECTION: "#B4BAC4", SHADE: "#858C99"},
    **{"#3573B1": "#6FAEE8", "#16324F": "#D5E6F7", "#4B55B8": "#9BA3F5", "#157A96": "#55B8D4"},
    **{"#5A7391": "#8FA9C6", "#6A6F86": "#A9AEC4", "#A8783C": "#A8854F", "#8A5F27": "#C9A066"},
}
# Texts have the colour of their mark, unless it is too light for letters.
TEXT_COLORS = {NONMEMBER: SELECTION, SHADE: SELECTION, RATIO_COLORS[2]: "#8A5F27"}

SVG_DASHES = {"solid": "", "dashed": "7 4", "dotted": "2 3", "dash_dotted": "8 3 2 3"}
MARKER_PATHS = {
    "circle": "M 13 7 m -5 0 a 5 5 0 1 0 10 0 a 5 5 0 1 0 -10 0",
    "diamond": "M 13 1 L 18 7 L 13 13 L 8 7 Z",
    "triangle-up": "M 13 2 L 19 12 L 7 12 Z",
}


def text_color(color: str) -> str:
    """Return the colour for texts beside a mark: `color`, or a darker colour if it is light."""
    return TEXT_COLORS.get(color, color)


def css_color(color: str) -> str:
    """Return ``var(--dpviz-..., color)``, a CSS colour that dark pages replace by `ON_DARK`."""
    return f"var({_css_variable(color)}, {color})"


def css_dark_variables() -> str:
    """Return CSS that sets the variables of :func:`css_color` to their colours for dark pages."""
    return " ".join(f"{_css_variable(light)}: {dark};" for light, dark in ON_DARK.items())


def css_light_dark(color: str) -> str:
    """Return CSS ``light-dark(color, dark)``, with the dark colour from `ON_DARK`."""
    return f"light-dark({color}, {ON_DARK[color]})"


def css_svg_on_dark(selector: str) -> str:
    """Return CSS that gives SVG inside `selector` its `ON_DARK` colours on dark pages."""
    return "\n".join(
        f'{selector} [{part}="{light}"] {{ {part}: {css_light_dark(light)}; }}'
        for light in ON_DARK
        for part in ("fill", "stroke")
    )


def _css_variable(color: str) -> str:
    return f"--dpviz-{color.removeprefix('#').lower()}"


@cache  # a legend is written at each step of a slider
def legend_swatch(color: str, *, dash: Dash | None = "solid", fill: float = 0) -> str:
    """Return a legend sample: a line, if `dash` is given, over an area of opacity `fill`."""
    parts = []
    if fill:
        parts.append(f'<rect width="26" height="14" fill="{color}" fill-opacity="{fill}"/>')
    if dash is not None:
        dashed = f' stroke-dasharray="{SVG_DASHES[dash]}"' if SVG_DASHES[dash] else ""
        parts.append(f'<path d="M 0 7 H 26" stroke="{color}" stroke-width="2.5"{dashed}/>')
    return _legend_svg("".join(parts))


@cache
def legend_marker(color: str, shape: str) -> str:
    """Return a sample of a marker for the legend, as SVG."""
    return _legend_svg(f'<path d="{MARKER_PATHS[shape]}" fill="{color}"/>')


def _legend_svg(content: str) -> str:
    return f'<svg width="26" height="14" aria-hidden="true">{content}</svg>'
