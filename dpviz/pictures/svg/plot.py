"""The map from data to pixels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.checks import FloatArray
from dpviz.pictures.axes import Axis


@dataclass(frozen=True, kw_only=True)
class Plot:
    """The rectangle between the axes, in pixels of the picture, and the axes themselves."""

    left: float
    top: float
    width: float
    height: float
    x: Axis
    y: Axis

    @property
    def right(self) -> float:
        """Pixel of the right end."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Pixel of the lower end."""
        return self.top + self.height

    def to_pixels(self, data: FloatArray) -> FloatArray:
        """Pixels of data; the last axis is the coordinate."""
        x = self.left + self.width * self.x.share(data[..., 0])
        y = self.bottom - self.height * self.y.share(data[..., 1])
        return np.stack([x, y], axis=-1)

    def shows(self, pixels: FloatArray) -> NDArray[np.bool]:
        """Whether places, shape (k, 2), are inside the axes, up to a pixel."""
        x, y = pixels.T
        across = (x >= self.left - 1) & (x <= self.right + 1)
        return np.asarray(across & (y >= self.top - 1) & (y <= self.bottom + 1))

    def attributes(self) -> str:
        """Attributes from which a script computes pixels; log-odds axes are linear in decades."""
        numbers = {
            "x-scale": self.x.spec.scale,
            "x-low": repr(float(self.x.low)),
            "x-high": repr(float(self.x.high)),
            "x-rate": str(int(self.x.spec.is_rate)),
            "y-scale": self.y.spec.scale,
            "y-low": repr(float(self.y.low)),
            "y-high": repr(float(self.y.high)),
            "y-rate": str(int(self.y.spec.is_rate)),
            "left": f"{self.left:g}",
            "top": f"{self.top:g}",
            "width": f"{self.width:g}",
            "height": f"{self.height:g}",
        }
        return " ".join(f'data-{name}="{number}"' for name, number in numbers.items())
