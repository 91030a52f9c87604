"""The parts that follow from the scores of one attack; everything slow happens once."""

import numpy as np

from dpviz.analysis.memo import memoised
from dpviz.analysis.parts.attacks import AttackPart, attack_part
from dpviz.analysis.parts.epsilon_star import epsilon_star_part
from dpviz.analysis.parts.evidence import AuditParts
from dpviz.analysis.parts.fit import fit_part
from dpviz.analysis.parts.histogram import histogram
from dpviz.analysis.parts.parts import AttackRiskPart, EpsilonStarPart, FitPart, HistogramPart
from dpviz.analysis.spec import DEFAULT_FPR
from dpviz.audit import AttackCurve, OperatingPoint, goodness_of_fit
from dpviz.audit.epsilon_star.fits import Components, FitMethod, FittedLaws, fit_laws
from dpviz.audit.epsilon_star.result import Clip, Method
from dpviz.audit.epsilon_star.transform import Transform, TransformedScores
from dpviz.audit.evidence.strongest import MembersAtCuts, requested_fpr, strongest_evidence
from dpviz.audit.roc.rate_box import RateBox
from dpviz.audit.roc.threshold_blocks import CountedBlocks, threshold_blocks
from dpviz.audit.roc.threshold_search import ThresholdBlocks
from dpviz.audit.scores.base import Scores, in_unit
from dpviz.checks import read_only
from dpviz.theory import ApproximateDP, TradeoffFunction


class SampleParts:
    """What the scores of one attack show, memoised on this instance.

    Without scores every method raises ValueError.
    """

    def __init__(self, scores: Scores | None = None) -> None:
        self.scores = scores

    @memoised
    def curve(self) -> AttackCurve:
        """Counts at every distinct threshold."""
        return AttackCurve.from_scores(self._loaded())

    @memoised
    def operating_point(self, fpr: float) -> OperatingPoint:
        """The attack at a requested FPR."""
        return self.curve().at_fpr(fpr)

    def at_threshold(self, threshold: float) -> OperatingPoint:
        """The attack at a threshold on the original scale."""
        return self.curve().at_threshold(in_unit(threshold, self.curve().kind))

    @memoised
    def short_threshold(self, fpr: float) -> float:
        """The shortest threshold, on the original scale, with the counts of `fpr`.

        Of binned scores the edge itself: beside it, their counts are not those of the records.
        """
        at = self.operating_point(fpr)
        exact = at.threshold_in_unit
        if np.isinf(exact) or isinstance(self.blocks(), CountedBlocks):
            return exact
        candidates = (float(f"{exact:.{digits}g}") for digits in range(3, 18))
        counts = (at.false_positives, at.true_positives)
        for candidate in candidates:
            reached = self.at_threshold(candidate)
            if (reached.false_positives, reached.true_positives) == counts:
                return candidate
        return exact

    @memoised
    def members_at_cuts(self) -> MembersAtCuts:
        """Members among the first records, counted once for all (epsilon, delta) claims."""
        return MembersAtCuts.of(self._loaded())

    @memoised
    def strongest_fpr(self, claim: TradeoffFunction, confidence_level: float, method: str) -> float:
        """The FPR to request for the place where scores speak most strongly against a claim."""
        try:
            if isinstance(claim, ApproximateDP):
                place = self.members_at_cuts().strongest(claim, confidence_level, method)
            else:
                place = strongest_evidence(self._loaded(), claim, confidence_level=confidence_level)
        except ValueError:  # such as more records than ranks can be counted of
            return DEFAULT_FPR
        found = None if place is None else requested_fpr(self.curve(), claim, place)
        return DEFAULT_FPR if found is None else found

    @memoised
    def attack(self) -> AttackPart:
        """What is drawn of the attack."""
        return attack_part(self.curve())

    @memoised
    def attack_risk(self, prior: float) -> AttackRiskPart:
        """The attack's advantage and PPV over its realised FPR."""
        fpr, fnr = self.attack().curve.T
        tpr = 1 - fnr
        some = fpr > 0
        x, y = fpr[some], tpr[some]
        at_zero = self.operating_point(0.0)
        return AttackRiskPart(
            advantage=read_only(np.column_stack([x, y - x])),
            ppv=read_only(np.column_stack([x, prior * y / (prior * y + (1 - prior) * x)])),
            ppv_at_zero=at_zero.ppv(prior=prior),
        )

    @memoised
    def box(self, fpr: float, level: float) -> RateBox:
        """Limits of both true rates at the threshold of an FPR."""
        return self.evidence().band(level).box(self.operating_point(fpr))

    @memoised
    def histogram(self) -> HistogramPart:
        """The scores in bins."""
        return histogram(self._loaded())

    @memoised
    def epsilon_star(
        self,
        delta: float,
        method: Method,
        clip: Clip,
        transform: Transform = "paper",
        components: Components = "bic",
    ) -> EpsilonStarPart:
        """Epsilon* and its ratio curves; after the first call the sample's size does not matter."""
        fits = None if method == "empirical" else self.fits(method, transform, components)
        return epsilon_star_part(self.curve(), self.blocks(), delta=delta, clip=clip, fits=fits)

    @memoised
    def evidence(self) -> AuditParts:
        """The audit of the scores."""
        return AuditParts(self._loaded(), self.curve())

    @memoised
    def blocks(self) -> ThresholdBlocks:
        """What the search for the empirical maximum needs."""
        return threshold_blocks(self._loaded(), lasting=True)

    @memoised
    def fits(
        self, method: FitMethod, transform: Transform = "paper", components: Components = "bic"
    ) -> FittedLaws:
        """Distributions fitted to the transformed losses."""
        sample = TransformedScores.of(self._loaded(), transform)
        return fit_laws(sample, method=method, components=components)

    @memoised
    def fit(self, method: Method, transform: Transform, components: Components) -> FitPart:
        """The fit of the method, tested; the Normal fit, untested, where the method has none."""
        if method == "empirical":
            return fit_part(self.fits("normal", transform), None)
        goodness = goodness_of_fit(
            self._loaded(), method=method, transform=transform, components=components
        )
        return fit_part(self.fits(method, transform, components), goodness)

    def _loaded(self) -> Scores:
        if self.scores is None:
            raise ValueError("scores must be loaded for this, got None")
        return self.scores
