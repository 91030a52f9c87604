"""Whatever can be written as SVG, saved to files."""

from pathlib import Path

from dpviz import checks
from dpviz.pictures.svg_png import as_png


class SvgFiles:
    """Saves what :meth:`svg` gives."""

    def svg(self, prefix: str = "") -> str:
        """One SVG document, whose ids begin with `prefix`."""
        raise NotImplementedError

    def save_svg(self, path: str | Path) -> None:
        """Write the pictures to an SVG file; an existing one is replaced.

        Parameters
        ----------
        path : str or Path

        Raises
        ------
        ValueError
            If there is nothing to show yet.
        OSError
            If the file cannot be written.
        """
        text = self.svg()
        Path(path).write_text(text, encoding="utf-8")

    def save_png(self, path: str | Path, scale: float = 2) -> None:
        """Write the pictures to a PNG file; an existing one is replaced.

        Parameters
        ----------
        path : str or Path
        scale : float
            Pixels per unit of the SVG, in (0, 10].

        Raises
        ------
        ValueError
            If there is nothing to show yet, or `scale` leaves its range.
        ImportError
            Without the extra `png`.
        OSError
            If the file cannot be written, or no font is installed.
        """
        checks.real("scale", scale, 0, 10, closed="right")
        image = as_png(self.svg(), scale=scale)
        Path(path).write_bytes(image)
