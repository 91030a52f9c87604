"""A picture for a dark page: the same SVG in other colours."""

from dpviz.drawing.theme import ON_DARK


def on_dark(svg: str) -> str:
    """Return a picture that was drawn for a white page in the colours of a dark one."""
    for light, dark in ON_DARK.items():
        svg = svg.replace(f'"{light}"', f'"{dark}"')
    return svg
