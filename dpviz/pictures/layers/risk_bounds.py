"""The largest advantage and PPV that the claim allows."""

import math

from dpviz.analysis import Result
from dpviz.analysis.number_format import percent
from dpviz.analysis.spec import DEFAULT_FPR
from dpviz.pictures import theme
from dpviz.pictures.axes import round_end
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import NOTHING, Line
from dpviz.theory import risk

ROOM = 1.25  # least height of the axis over the largest PPV that is read
WHOLE = 1.08  # height of the axis that has all rates, with room for labels
LABEL = "PPV and advantage"


class RiskBounds(Layer):
    """The largest advantage and PPV that the claim allows, and the prior as a base line."""

    closed_form = True

    def add_marks(self) -> None:
        self._prior = self.add(
            "prior", Line(color=theme.SELECTION, dash="dotted", width=1.5, label="prior p")
        )
        self._ppv = self.add(
            "ppv", Line(color=theme.CLAIM, width=2.5, label="PPV: limit of the claim")
        )
        self._advantage = self.add(
            "advantage",
            Line(color=theme.LEVEL, width=2.5, label="advantage (TPR - FPR): limit of the claim"),
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.risk, result.risk_point, result.sample and result.sample.at_fpr)

    def draw(self, result: Result) -> None:
        self.x.set_range(result.risk.lowest_fpr, 1.0)  # so that the cliff of delta shows
        end = axis_end(result)
        self.y.set_range(0.0, end)
        self.y.set_label(LABEL if end == WHOLE else f"{LABEL} up to {percent(end)}")
        self._prior.draw(self.frame.horizontal(result.spec.prior))
        self._ppv.draw(result.risk.ppv if result.is_claimed else NOTHING)
        self._advantage.draw(result.risk.advantage if result.is_claimed else NOTHING)


def axis_end(result: Result) -> float:
    """Upper end of the axis: above the PPVs at the selected FPR and at 1 %, and above the prior.

    At a small prior they are far below the PPV at the smallest FPRs, and would look like 0.
    """
    prior = result.spec.prior
    read = [prior, result.risk_point.ppv]
    read.append(risk.ppv(result.claim.claim, fpr=DEFAULT_FPR, prior=prior))
    if result.sample is not None:
        ratio = result.sample.likelihood_ratio
        odds = ratio * prior / (1 - prior)
        read.append(1.0 if math.isinf(odds) else odds / (1 + odds))
    end = round_end(ROOM * max(read))
    return WHOLE if end >= 1 else end
