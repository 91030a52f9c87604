"""SVG as PNG, by an optional library with its own renderer."""

from functools import cache

from dpviz.pictures.svg.text import FONTS


def as_png(svg: str, *, scale: float) -> bytes:
    """An image of `scale` pixels per unit; raises without the extra `png` or without a font."""
    try:
        from resvg_py import svg_to_bytes  # optional
    except ImportError as error:
        raise ImportError("PNG files need resvg_py: pip install 'dpviz[png]'") from error
    if not has_font():
        raise OSError(f"PNG files need a font, and none of these is installed: {FONTS}")
    return bytes(svg_to_bytes(svg_string=svg, zoom=scale))


@cache
def has_font() -> bool:
    """Whether a letter is drawn: without fonts the renderer leaves texts out without an error."""
    from resvg_py import svg_to_bytes  # optional

    start = f'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" font-family="{FONTS}">'
    letter, nothing = (
        bytes(svg_to_bytes(svg_string=f'{start}<text y="15">{text}</text></svg>'))
        for text in ("M", "")
    )
    return letter != nothing
