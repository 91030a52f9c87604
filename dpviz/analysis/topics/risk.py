"""What an attacker gains: the positive predictive value and the advantage."""

import math

import numpy as np

from dpviz.analysis.result import Result, RiskPointPart
from dpviz.analysis.spec import DEFAULT_FPR
from dpviz.analysis.topic import Registered, Topic, as_claim_lead
from dpviz.analysis.topics.claim import conversion, the_claim
from dpviz.analysis.words import WORDS
from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec, round_end
from dpviz.drawing.layer import Layer
from dpviz.drawing.layers import SelectedFpr
from dpviz.drawing.marks import NOTHING, Line, Points
from dpviz.drawing.scene import Scene
from dpviz.number_format import percent, short, upper
from dpviz.theory import risk

ADVANTAGE_PRIOR = (
    "The advantage TPR - FPR does not depend on the prior: each rate is a share of one class. The "
    "PPV does."
)


def about(result: Result) -> str:
    """PPV and advantage at the prior: the bounds, and the attack where it stands."""
    return conversion(result) + permitted_risk(result) + attack_risk(result)


def permitted_risk(result: Result) -> str:
    """The largest PPV and advantage that the claim permits at the selected FPR."""
    spec, at = result.spec, result.risk_point
    text = WORDS["risk"].format(
        prior=percent(spec.prior),
        claim=the_claim(result),
        fpr=percent(result.fpr),
        ppv=percent(upper(at.ppv)),
        advantage=short(upper(at.advantage)),
    )
    return text + (WORDS["risk.limit"] if math.isinf(result.claim.claim.epsilon(0.0)) else "")


def risk_at_point(result: Result) -> RiskPointPart:
    """Both bounds at the FPR of the point: an attack realises a little less than selected."""
    if result.sample is not None and result.point.source == "attack":
        return result.sample.bounds
    return result.risk_point


def attack_risk(result: Result) -> str:
    """PPV and advantage of the attack, beside what the claim permits at the same FPR."""
    if result.sample is None:
        return ""
    reached, bounds = result.sample.at_fpr, result.sample.bounds
    if reached.false_positives == reached.true_positives == 0:
        return " This attack flags nobody at this FPR."
    return (
        f" This attack, at its realised FPR {percent(reached.fpr)}: PPV "
        f"{percent(reached.ppv(prior=result.spec.prior))} and advantage "
        f"{short(reached.tpr - reached.fpr)}, estimates; there the claim allows at most "
        f"{percent(upper(bounds.ppv))} and {short(upper(bounds.advantage))}."
    )


def lead(result: Result) -> str:
    """The largest share of members among the flagged, at the FPR of the point."""
    at = risk_at_point(result)
    return WORDS["risk_lead"].format(
        prior=percent(result.spec.prior), fpr=percent(at.fpr), ppv=percent(upper(at.ppv))
    )


# The advantage and the PPV that the attack reached.


class AttackRisk(Layer):
    """Advantage and PPV at each FPR of the attack; a marker for FPR 0, which a log axis lacks."""

    def add_marks(self) -> None:
        self._ppv = self.add(
            "ppv", Line(color=theme.ATTACK, dash="dashed", label="PPV of this attack (estimate)")
        )
        self._advantage = self.add(
            "advantage",
            Line(
                color=theme.LIMIT,
                dash="dotted",
                label="advantage of this attack (estimate)",
                extra=True,
            ),
        )
        self._at_zero = self.add("at zero", Points(color=theme.ATTACK))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.sample and result.sample.risk, result.risk)  # `risk` sets the x axis

    def draw(self, result: Result) -> None:
        if result.sample is None:
            self.hide()
            return
        risk = result.sample.risk
        self._ppv.draw(risk.ppv)
        self._advantage.draw(risk.advantage)
        if np.isnan(risk.ppv_at_zero):
            self._at_zero.hide()
        else:
            place = np.array([[result.risk.lowest_fpr, risk.ppv_at_zero]])
            self._at_zero.draw(place, texts=[self.frame.naming.renamed("this attack at FPR 0")])


# The largest advantage and PPV that the claim allows.

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


RISK = Scene(
    title="How often is the attack right?",
    topic="risk",
    x=AxisSpec(
        label="non-members wrongly accused (FPR, log scale)",
        low=1e-6,
        high=1,
        scale="log",
        is_rate=True,
    ),
    y=AxisSpec(label="PPV and advantage", low=0, high=1.08, is_rate=True),
    layers=lambda: [RiskBounds(), AttackRisk(), SelectedFpr()],
)


TOPIC = Topic(
    sentences={
        "risk_lead": as_claim_lead(lead, "risk"),
        "risk": Registered(about, "risk", about_claim=True),
        "advantage_prior": Registered(lambda _: ADVANTAGE_PRIOR, "risk", fixed=True),
    },
    scenes={
        "risk": RISK,
    },
)
