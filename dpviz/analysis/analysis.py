"""From scores and a spec to a result; everything slow happens once per data set."""

from dpviz import checks
from dpviz.analysis.memo import memoised
from dpviz.analysis.parts.claim import ClaimParts
from dpviz.analysis.parts.compared import ComparedParts
from dpviz.analysis.parts.neighbours import neighbours_of, other_reading
from dpviz.analysis.parts.parts import LOW_FPR, ClaimPart, PointPart, PointSource, SamplePart
from dpviz.analysis.parts.people import PeoplePart, people_part
from dpviz.analysis.result import Result
from dpviz.analysis.spec import DEFAULT_FPR, Spec
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.checks import read_only
from dpviz.theory import ApproximateDP, TradeoffFunction, implied_epsilons
from dpviz.theory.tradeoff import Adjacency


class Analysis(ClaimParts, ComparedParts):
    """Everything computed from one data set (or from none), memoised on this instance.

    Parameters
    ----------
    scores : AttackScores or BinnedScores, optional
        Left out: only the claim's side of the result.

    Examples
    --------
    >>> from dpviz import Analysis, Spec
    >>> analysis = Analysis()
    >>> result = analysis.result(Spec.of(fpr=0.01))
    >>> result.claim is analysis.result(Spec.of(fpr=0.1)).claim
    True
    """

    def result(self, spec: Spec) -> Result:
        """Assemble the result; parts whose arguments did not change are the same objects."""
        claim = self.compared(spec)
        risks = self.risk(claim.claim, spec.prior)
        fpr = self.selected_fpr(claim, spec)
        sample = None
        if self.scores is None and spec.compare:
            raise checks.fail("compare", "left out where there are no scores", [*spec.compare])
        if self.scores is not None:
            sample = SamplePart(
                scores=self.scores,
                attack=self.attack(),
                at_fpr=self.operating_point(fpr),
                threshold=self.short_threshold(fpr),
                at_one_percent=self.operating_point(0.01),
                at_low_fpr=self.operating_point(LOW_FPR),
                bounds=self.risk_point(claim.claim, spec.prior, self.operating_point(fpr).fpr),
                risk=self.attack_risk(spec.prior),
                histogram=self.histogram(),
                epsilon_star=self.epsilon_star(
                    claim.delta, spec.method, spec.clip, spec.transform, spec.components
                ),
                fit=self.fit(spec.method, spec.transform, spec.components),
                band=self.evidence().band(spec.confidence_level),
                box=self.box(fpr, spec.confidence_level),
                attacks=self.attacks(fpr, spec.confidence_level, spec.compare, spec.same_records),
                rates=self.evidence().rates(fpr, spec.confidence_level),
                audit=self.evidence().known(claim, spec),
            )
        neighbours = self.neighbours(spec)
        overlays = self.overlays(spec.overlays, neighbours)
        return Result(
            spec=spec,
            fpr=fpr,
            claim=claim,
            drawn=self.drawn(spec.claim, neighbours),
            overlays=overlays,
            comparison=self.comparison(claim.claim, overlays[0].claim) if overlays else None,
            point=self.point(claim.claim, claim.delta, fpr, spec.fnr),
            pinned=self.point(claim.claim, claim.delta, *spec.pinned_point)
            if spec.pinned_point
            else None,
            risk=risks,
            risk_point=self.risk_point(claim.claim, spec.prior, fpr),
            people=self.people(claim.claim, spec.prior, fpr),
            guess=self.guess(claim, spec.kappa),
            costs=self.costs(claim.claim, spec.prior, spec.cost_false_alarm, spec.cost_miss),
            sample=sample,
        )

    def selected_fpr(self, claim: ClaimPart, spec: Spec) -> float:
        """The FPR of the spec; where it has none, that of the strongest evidence."""
        if spec.fpr is not None:
            return spec.fpr
        if self.scores is None:
            return DEFAULT_FPR
        against = claim.claim
        if isinstance(against, ApproximateDP):  # its epsilon does not move the place
            against = ApproximateDP(epsilon=0.0, delta=against.claimed_delta)
        return self.strongest_fpr(against, spec.confidence_level, spec.lower_bound_method)

    def neighbours(self, spec: Spec) -> Adjacency:
        """What the compared data sets differ in."""
        return neighbours_of(spec, with_scores=self.scores is not None)

    def compared(self, spec: Spec) -> ClaimPart:
        """The claim as it is compared, which every view speaks about."""
        other = other_reading(spec, with_scores=self.scores is not None)
        return self.claim(spec.claim, spec.delta, self.neighbours(spec), other)

    @memoised
    def point(
        self, claim: TradeoffFunction, delta: float, fpr: float, fnr: float | None
    ) -> PointPart:
        """The point in the region: chosen, else on the attack's curve, else on the claim's."""
        tpr, tnr = None, None
        source: PointSource = "chosen"
        if fnr is None and self.scores is not None:
            source, reached = "attack", self.operating_point(fpr)
            fpr, fnr, tpr, tnr = reached.fpr, reached.fnr, reached.tpr, reached.tnr
        elif fnr is None:
            source, fnr, tpr = "claim", claim.beta(fpr), claim.tpr(fpr)
        implied = implied_epsilons(fpr=fpr, fnr=fnr, tpr=tpr, tnr=tnr, delta=delta)
        return PointPart(
            fpr=fpr,
            fnr=fnr,
            source=source,
            implied_epsilons=read_only(implied),
            epsilon=max(0.0, float(implied.max())),
            admitted=claim.admits(fpr=fpr, fnr=fnr),
        )

    @memoised
    def people(self, claim: TradeoffFunction, prior: float, fpr: float) -> PeoplePart:
        """The attack at the selected FPR in whole people, or the best one that the claim allows."""
        if self.scores is None:
            return people_part(claim, fpr=fpr, prior=prior)
        at = self.operating_point(fpr)
        return people_part(claim, fpr=at.fpr, prior=prior, fnr=at.fnr)

    def prepare(self, spec: Spec) -> None:
        """Compute the result for a spec beforehand, and its profiles; safe in any thread."""
        result = self.result(spec)
        for part in (result.drawn, *result.overlays):
            _ = part.profile

    def prepare_audit(self, spec: Spec, *, progress: Progress = iter) -> None:
        """Compute the slow parts of the audit beforehand; safe in any thread."""
        claim = self.compared(spec)
        self.evidence().prepare(claim, spec, progress=progress)
