"""What a published number proves: beside it what chance gives, and what each epsilon allows."""

import numpy as np

from dpviz.analysis.number_format import lower, percent, short, upper
from dpviz.analysis.sentences.certificate import (
    NAMES,
    RATES,
    certificate,
    conditions,
    is_range,
    least,
)
from dpviz.audit import Certificate
from dpviz.audit.bounds.number_law import refuted_up_to
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.simulation import Series
from dpviz.widgets.views.fixed import FixedView

PLACES = 7  # of the curve
BEYOND = 1.6  # of the published number's distance to chance, where the curve ends
AROUND = 0.15  # of the range of numbers, left free above and below
NARROWEST = 0.2  # range of numbers of which so much is left free, at least


class CertificateView(FixedView):
    """What a published number proves of epsilon, from the numbers of records alone.

    The curve is, at each epsilon, the number from which on a published one refutes it; at epsilon 0
    it is what chance alone may give.

    Parameters
    ----------
    found : audit.Certificate

    Raises
    ------
    TypeError
        If `found` is not a Certificate.

    Examples
    --------
    >>> from dpviz import audit
    >>> from dpviz.widgets import CertificateView
    >>> found = audit.certify(auc="0.60", n_members=500, n_nonmembers=500)
    >>> CertificateView(found).sentence
    'AUC 0.60 (read as 0.595 or more) on 500 members and 500 non-members certifies ε ≥ 0.239 ...'
    """

    def __init__(self, found: Certificate) -> None:
        if not isinstance(found, Certificate):
            raise TypeError(f"found must be a Certificate, got {type(found).__name__}")
        what, level = NAMES[found.statistic], percent(found.confidence_level)
        allowed = _allowed(found)
        chance, used = allowed[0, 1], found.count / found.law.total
        shown = np.append(allowed[:, 1], [found.least, found.most])
        free = AROUND * max(float(np.ptp(shown)), NARROWEST * shown.max())
        bottom, top = max(0.0, shown.min() - free), min(1.02, shown.max() + free)
        end = max(float(allowed[-1, 0]), 0.1)
        is_rate = found.statistic in RATES
        text = percent if is_rate else short
        published = f"published: {found.published}"
        if is_range(found):
            published += f", read as {least(found)} or more"
        unproven = "chance alone" if found.delta == 0 else "chance and δ"
        corners = [(0, found.least), (end, found.least), (end, found.most), (0, found.most)]
        series = [
            Series(label=f"what ε allows ({level})", places=allowed, color=theme.CLAIM),
            Series(
                label=f"{unproven}: below {text(upper(chance))} ({level})",
                places=allowed[:1],
                color=theme.SELECTION,
                dash=None,
                marker="diamond",
            ),
            Series(label=published, places=np.array(corners), color=theme.ATTACK),
        ]
        if found.low > 0:
            series.append(
                Series(
                    label=f"certified: ε ≥ {short(lower(found.low))}",
                    places=np.array([[found.low, used], [found.low, bottom]]),
                    color=theme.LIMIT,
                    dash="dashed",
                    marker="circle",
                )
            )
        super().__init__(
            title=f"What does this {what} prove?",
            sentence=certificate(found),
            details=conditions(found),
            x=AxisSpec(label="ε", high=end),
            y=AxisSpec(
                label=f"{what} at {found.place}" if found.place else what,
                low=bottom,
                high=top,
                is_rate=is_rate,
            ),
            series=series,
        )


def _allowed(found: Certificate) -> FloatArray:
    """Epsilons, ascending, and the numbers from which on they are refuted, shape (k, 2)."""
    law, chance = found.law, found.law.by_chance
    of_chance = chance / law.total
    if chance >= law.most:
        return np.array([[0.0, of_chance], [1.0, of_chance]])
    beyond = BEYOND * (found.count - chance) if found.low > 0 else (law.most - chance) / 2
    last = min(law.most, chance + beyond)
    places, epsilon = [(0.0, of_chance)], 0.0
    for count in np.linspace(chance, last, PLACES)[1:].astype(np.int64).tolist():
        epsilon = refuted_up_to(law.chance(count), law.level, start=epsilon)
        places.append((epsilon, count / law.total))
    if found.low > 0:
        places.append((found.low, found.count / law.total))
    return np.array(sorted(places))
