"""Further claims as thin lines with their names beside them."""

from dpviz.analysis import Result
from dpviz.analysis.parts.guarantee import GuaranteePart
from dpviz.analysis.sentences.claim import name
from dpviz.pictures import theme
from dpviz.pictures.layers.named_lines import NamedLines, at_height


class Overlays(NamedLines[GuaranteePart]):
    """The overlays of a view."""

    styles = theme.OVERLAYS

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.overlays,)

    def named(self, result: Result) -> list[tuple[str, GuaranteePart]]:
        return [(name(each.given).replace(" = ", "="), each) for each in result.overlays]


def on_curve(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """On the trade-off curve, from FNR 0.8 downwards."""
    return at_height(overlay.curve, 0.8 - 0.12 * i)


def on_roc(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """The same place where the TPR is drawn."""
    fpr, fnr = on_curve(overlay, i)
    return fpr, 1 - fnr


def on_far_edge(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """On the other edge of the region, away from the attack and the point."""
    x, y = on_curve(overlay, i)
    return 1 - x, 1 - y
