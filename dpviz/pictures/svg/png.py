"""SVG as PNG, by an optional library that brings its own renderer."""

from functools import cache

from dpviz.pictures.svg_text import FONTS


def as_png(svg: str, *, scale: float) -> bytes:
    """An image of `scale` pixels per unit of the document.

    Raises
    ------
    ImportError
        Without the extra `png`.
    OSError
        If no font is installed that letters could be drawn with.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise ImportError("PNG files need resvg_py: pip install 'dpviz[png]'") from error
    if not has_font():
        raise OSError(f"PNG files need a font, and none of these is installed: {FONTS}")
    return bytes(svg_to_bytes(svg_string=svg, zoom=scale))


@cache
def has_font() -> bool:
    """Whether a letter leaves a trace: without fonts, texts would be missing without a word."""
    from resvg_py import svg_to_bytes

    start = f'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" font-family="{FONTS}">'
    letter, nothing = (
        bytes(svg_to_bytes(svg_string=f'{start}<text y="15">{text}</text></svg>'))
        for text in ("M", "")
    )
    return letter != nothing
