"""The parts that follow from a claim alone."""

import numpy as np

from dpviz.analysis.memo import memoised
from dpviz.analysis.parts.guarantee import GuaranteePart, guarantee_part
from dpviz.analysis.parts.guess import GuessPart
from dpviz.analysis.parts.parts import ClaimPart, RiskPart, RiskPointPart
from dpviz.checks import read_only
from dpviz.theory import BestAttack, Dominance, TradeoffFunction, best_attack, risk
from dpviz.theory.tradeoff import Adjacency

RISK_VERTICES = 400  # FPRs of the risk curves; kinks of the claim add up to 112


class ClaimParts:
    """What a claim allows, memoised on this instance."""

    @memoised
    def claim(
        self,
        claim: TradeoffFunction,
        delta: float,
        neighbours: Adjacency,
        other: TradeoffFunction | None,
    ) -> ClaimPart:
        """The claim for such neighbours, beside its other reading."""
        drawn = self.drawn(claim, neighbours)
        converted, before = drawn.claim, claim.epsilon(delta)
        delta = converted.parameters.get("delta", delta)
        implied, back = converted.epsilon(delta), converted.inverse()
        return ClaimPart(
            claim=converted,
            other_reading=other,
            converted=claim.adjacency != converted.adjacency,
            epsilon=converted.parameters.get("epsilon", implied),
            delta=delta,
            implied=implied,
            implied_back=implied if back is converted else back.epsilon(delta),
            implied_before=before,
            curve=drawn.curve,
            region=drawn.region,
        )

    @memoised
    def drawn(self, claim: TradeoffFunction, neighbours: Adjacency) -> GuaranteePart:
        """The curves of the claim or of an overlay."""
        return guarantee_part(claim, neighbours)

    @memoised
    def overlays(
        self, overlays: tuple[TradeoffFunction, ...], neighbours: Adjacency
    ) -> tuple[GuaranteePart, ...]:
        """The curves of all overlays."""
        return tuple(self.drawn(overlay, neighbours) for overlay in overlays)

    @memoised
    def comparison(self, claim: TradeoffFunction, overlay: TradeoffFunction) -> Dominance | None:
        """Which of two guarantees is the more private, and where that stops.

        None where they are about different neighbours.
        """
        return claim.dominates(overlay) if claim.adjacency == overlay.adjacency else None

    @memoised
    def risk(self, claim: TradeoffFunction, prior: float) -> RiskPart:
        """Bounds over FPRs evenly spread in log, with the claim's kinks among them."""
        lowest = 1e-6
        cliff = claim.tpr(0.0) * min(1.0, prior / (1 - prior))
        if cliff > 0:  # begin two decades below it
            lowest = 10.0 ** np.floor(np.log10(np.clip(cliff / 100, 1e-15, lowest)))
        kinks = claim.draw(512 - RISK_VERTICES)[:, 0]
        fpr = np.union1d(np.geomspace(lowest, 1, RISK_VERTICES), kinks[kinks > lowest])
        return RiskPart(
            advantage=read_only(np.column_stack([fpr, risk.advantage(claim, fpr=fpr)])),
            ppv=read_only(np.column_stack([fpr, risk.ppv(claim, fpr=fpr, prior=prior)])),
            lowest_fpr=float(lowest),
        )

    @memoised
    def risk_point(self, claim: TradeoffFunction, prior: float, fpr: float) -> RiskPointPart:
        """Both bounds at one FPR."""
        return RiskPointPart(
            fpr=fpr,
            advantage=float(risk.advantage(claim, fpr=fpr)),
            ppv=risk.ppv(claim, fpr=fpr, prior=prior),
        )

    @memoised
    def guess(self, claim: ClaimPart, kappa: float) -> GuessPart:
        """The guess that is right with probability `kappa` without the output."""
        stated = claim.claim.parameters
        is_pure = "epsilon" in stated and "delta" not in stated
        delta = 0.0 if is_pure else claim.delta
        return GuessPart(claim=claim.claim, epsilon=claim.epsilon, delta=delta, kappa=kappa)

    @memoised
    def costs(
        self, claim: TradeoffFunction, prior: float, cost_false_alarm: float, cost_miss: float
    ) -> BestAttack:
        """The attack of least expected cost that the claim allows."""
        return best_attack(
            claim, prior=prior, cost_false_alarm=cost_false_alarm, cost_miss=cost_miss
        )
