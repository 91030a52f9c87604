"""The positive predictive value (PPV) and the advantage of an attack, against the FPR."""

import math

import numpy as np

from dpviz.analysis.result import ClaimRiskAtFpr, Result, SamplePart
from dpviz.analysis.spec import DEFAULT_FPR
from dpviz.analysis.topic import IN_TITLE, TextWriter, Topic
from dpviz.analysis.topics import claim as claims
from dpviz.analysis.words import WORDS
from dpviz.checks import FloatArray
from dpviz.drawing import LOG_ODDS_AXIS, AxisSpec, Layer, SampleLayer, Scene, theme
from dpviz.drawing.axes import HALF_PIXEL, log10_odds_of, rounded_axis_end, without_close_vertices
from dpviz.drawing.marks import NOTHING, Line, Points
from dpviz.number_format import percent, percent_at_most, short, upper
from dpviz.theory import risk


def title(result: Result) -> str:
    """Return the title: the attack's PPV in words, and the largest PPV that the claim allows."""
    sample, spec = result.sample, result.spec
    if sample is None and not result.is_claimed:
        return WORDS["title.no_claim"]
    limit = (result.risk_point if sample is None else sample.bounds).ppv
    reached = limit if sample is None else sample.at_fpr.ppv(prior=spec.prior)
    if math.isnan(reached):
        return WORDS["risk_title.nobody"]
    kind = "promise" if sample is None else attack_title_template_key(result)
    return WORDS[f"risk_title.{kind}"].format(right=percent(reached), most=percent_at_most(limit))


def attack_title_template_key(result: Result) -> str:
    """Return the key of the title's template, which is "measured" if no claim is tested."""
    if not result.is_tested:
        return "measured"
    # An estimate is outside what the claim allows, without contradicting the claim.
    return "estimate" if result.is_outside_by_estimate else "attack"


def subtitle(result: Result) -> str:
    """Return the line below the title: the names of the drawn rates, and the prior."""
    return WORDS["risk_subtitle"].format(prior=percent(result.spec.prior))


def lead(result: Result) -> str:
    """Say the largest PPV that the claim allows at the FPR of the point in the region picture."""
    at = risk_at_point(result)
    return WORDS["risk_lead"].format(
        prior=percent(result.spec.prior), fpr=percent(at.fpr), ppv=percent_at_most(at.ppv)
    )


def risk_text(result: Result) -> str:
    """Say the largest PPV and advantage under the claim, and the attack's PPV and advantage."""
    spec, at = result.spec, result.risk_point
    text = claims.conversion_sentence(result) + WORDS["risk"].format(
        prior=percent(spec.prior),
        claim=claims.claim_in_words(result),
        fpr=percent(result.fpr),
        ppv=percent_at_most(at.ppv),
        advantage=short(upper(at.advantage)),
    )
    if math.isinf(result.claim.claim.epsilon(0.0)):
        text += WORDS["risk.limit"]
    return text + attack_risk_sentence(result)


def attack_risk_sentence(result: Result) -> str:
    """Say the attack's PPV and advantage, and the largest PPV and advantage at the attack's FPR."""
    if result.sample is None:
        return ""
    reached, bounds = result.sample.at_fpr, result.sample.bounds
    if reached.false_positives == reached.true_positives == 0:
        return " This attack flags nobody at this FPR."
    is_elsewhere = percent(reached.fpr) != percent(result.fpr)
    return (
        f" At its realised FPR {percent(reached.fpr)}, this attack has a PPV of "
        f"{percent(reached.ppv(prior=result.spec.prior))} and an advantage of "
        f"{short(reached.tpr - reached.fpr)} (estimates)."
        + f" At this FPR, the claim allows a PPV of at most {percent_at_most(bounds.ppv)} and an "
        f"advantage of at most {short(upper(bounds.advantage))}." * is_elsewhere
    )


def risk_at_point(result: Result) -> ClaimRiskAtFpr:
    """Return the claim's largest advantage and PPV at the FPR of the region picture's point."""
    if result.sample is not None and result.point.source == "attack":
        return result.sample.bounds
    return result.risk_point


ADVANTAGE_PRIOR = (
    "The advantage TPR - FPR does not depend on the prior, because each rate is a share of one "
    "class. The PPV depends on the prior."
)

AXIS_FACTOR = 1.25  # end of the axis divided by the largest PPV of interest, at least
FULL_AXIS_END = 1.08  # end of an axis that shows all rates, with room for labels
LABEL = "PPV and advantage"
AXIS_PIXELS = 400  # length of the axis of rates in a large picture


class RiskBounds(Layer):
    """The largest advantage and PPV under the claim against the FPR, and a line at the prior."""

    of = ("risk", "risk_point", "sample.at_fpr", "odds_decades")
    closed_form = True
    prior = Line(color=theme.SELECTION, dash="dotted", width=1.5, label="prior p")
    ppv = Line(color=theme.CLAIM, width=2.5, label="PPV: limit")
    advantage = Line(color=theme.LEVEL, dash="dashed", label="advantage")

    def draw(self, result: Result) -> None:
        end = ppv_axis_maximum(result)
        self.y.set_range(0.0, end)
        self.y.set_label(LABEL if end == FULL_AXIS_END else f"{LABEL} (up to {percent(end)})")
        self.prior.draw(self.frame.ends_of_horizontal_line(result.spec.prior))
        for line, bound in ((self.ppv, result.risk.ppv), (self.advantage, result.risk.advantage)):
            line.draw(self.frame.cropped(fpr_to_log_odds(bound)) if result.is_claimed else NOTHING)


def fpr_to_log_odds(curve: FloatArray) -> FloatArray:
    """Return a curve with its first column, the FPR, converted to log10 odds."""
    return np.column_stack([log10_odds_of(curve[:, 0]), curve[:, 1]])


def ppv_axis_maximum(result: Result) -> float:
    """Return the upper end of the PPV axis, above the PPVs at the selected FPR and at FPR 1 %."""
    # With a small prior, all of these would look like 0 on an axis up to 1.
    prior = result.spec.prior
    at_one_percent = risk.ppv(result.claim.claim, fpr=DEFAULT_FPR, prior=prior)
    ppvs = [prior, result.risk_point.ppv, at_one_percent]
    if result.sample is not None:
        # PPV of the attack at the selected FPR or at FPR 1 %, whichever is larger.
        odds = result.sample.largest_likelihood_ratio * prior / (1 - prior)
        ppvs.append(1.0 if math.isinf(odds) else odds / (1 + odds))
    end = rounded_axis_end(AXIS_FACTOR * max(ppvs))
    return FULL_AXIS_END if end >= 1 else end


class AttackRisk(SampleLayer):
    """The attack's PPV (solid) and advantage (dashed); a marker shows the PPV at FPR 0."""

    of = ("sample.risk", "odds_decades")
    ppv = Line(color=theme.ATTACK, label="PPV: attack", labelled_first=True)
    advantage = Line(color=theme.ATTACK, dash="dashed", width=1.5)
    at_zero = Points(color=theme.ATTACK)

    def draw_sample(self, sample: SamplePart) -> None:
        risk = sample.risk
        for line, curve in ((self.ppv, risk.ppv), (self.advantage, risk.advantage)):
            inside = self.frame.cropped(fpr_to_log_odds(curve))
            line.draw(without_close_vertices(inside, (HALF_PIXEL, self.y.high / AXIS_PIXELS)))
        if np.isnan(risk.ppv_at_zero):
            self.at_zero.hide()
        else:
            place = np.array([[self.x.low, risk.ppv_at_zero]])
            self.at_zero.draw(place, texts=[self.frame.naming.renamed("attack at FPR 0")])


RISK = Scene(
    title="How often is the attack right?",
    title_sentence="risk_title",
    subtitle_sentence="risk_subtitle",
    topic="risk",
    x=LOG_ODDS_AXIS,
    right=26,  # for half of the tick label 99.99 %
    y=AxisSpec(label=LABEL, low=0, high=FULL_AXIS_END, is_rate=True),
    layers=lambda: [claims.LogOddsAxisRange(), RiskBounds(), AttackRisk(), claims.SelectedFpr()],
)

TOPIC = Topic(
    sentences={
        "risk_title": TextWriter(title, IN_TITLE),
        "risk_subtitle": TextWriter(subtitle, IN_TITLE),
        "risk_lead": TextWriter(lead, "risk", lead=True, about_claim=True),
        "risk": TextWriter(risk_text, "risk", about_claim=True),
        "advantage_prior": TextWriter(lambda _: ADVANTAGE_PRIOR, "risk", fixed=True),
    },
    scenes={"risk": RISK},
)
