"""A picture for a dark page: the same SVG in other colours."""

from dpviz.pictures.theme import ON_DARK

PAPER, INK = ("#ffffff", "#14181e"), ("#212121", "#e8e8e8")  # on light and on dark pages
AXES = ("#555555", "#aab0b8")


def on_dark(svg: str) -> str:
    """Return a picture that was drawn for a white page in the colours of a dark one."""
    for light, dark in (*ON_DARK.items(), PAPER, INK, AXES):
        svg = svg.replace(f'"{light}"', f'"{dark}"')
    return svg
