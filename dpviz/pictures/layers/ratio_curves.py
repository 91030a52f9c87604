"""The four ratio curves of Epsilon* in logs, counted and fitted, and their maxima."""

from dataclasses import replace

import numpy as np

from dpviz.analysis.number_format import short
from dpviz.analysis.parts.parts import SamplePart
from dpviz.analysis.sentences.templates import RATIOS
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.axes import decades_of
from dpviz.pictures.layer import SampleLayer
from dpviz.pictures.marks import NOTHING, Line, Points

NAMED = 2  # the largest maxima; the others are often near to each other


class RatioCurvesLayer(SampleLayer):
    """log m1..m4 over t = FPR, in decades of odds, with the maximum of each marked.

    The largest maximum, which is Epsilon*, has its number. Beside fitted curves the counts are
    thin lines.
    """

    def add_marks(self) -> None:
        thin = [Line(color=color, width=0.8, extra=True) for color in theme.RATIOS]
        thin[0] = replace(thin[0], label="thin line: counts")
        self._counted = self.add_each("counted", *thin)
        looks = zip(theme.RATIOS, theme.RATIO_DASHES, strict=True)
        self._lines = self.add_each("line", *(Line(color=c, dash=dash) for c, dash in looks))
        maxima = (Points(color=color, marker="diamond") for color in theme.RATIOS)
        self._maxima = self.add_each("maximum", *maxima)

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.epsilon_star,)

    def draw_sample(self, sample: SamplePart) -> None:
        part, curves = sample.epsilon_star, sample.epsilon_star.curves
        self.x.set_range(-part.decades, part.decades)
        self.y.set_range(*part.log_ratio_range)
        for line, curve in zip(self._lines, curves.curves, strict=True):
            line.draw(self._in_decades(curve))
        for line, curve in zip(self._counted, curves.counted, strict=True):
            line.draw(NOTHING if curves.fitted is None else self._in_decades(curve))
        suprema = part.star.suprema
        named = np.argsort(suprema.log_ratios)[-NAMED:]
        for i, maximum in enumerate(suprema.maxima):
            if not maximum.log_ratio > self.y.low:
                self._maxima[i].hide()
                continue
            x = self.x.clamp(float(decades_of(np.array(maximum.fpr))))
            place = np.array([[x, self._height(i, maximum.log_ratio)]])
            number = f": ε ≈ {short(maximum.log_ratio)}" if i == suprema.active else ""
            text = self.frame.naming.renamed(f"{RATIOS[i]}{number}")
            self._maxima[i].draw(place, texts=[text if i in named else ""])

    def _in_decades(self, curve: FloatArray) -> FloatArray:
        decades = np.clip(decades_of(curve[:, 0]), self.x.low, self.x.high)
        return np.column_stack([decades, curve[:, 1]])

    def _height(self, i: int, log_ratio: float) -> float:
        """Height of a maximum; infinite ones are near the top, one below the other."""
        low, high = self.y.low, self.y.high
        return high - 0.08 * (i + 1) * (high - low) if np.isinf(log_ratio) else log_ratio
