"""A claim's mechanism: its two output distributions, one test of them, its privacy loss."""

from dataclasses import dataclass

import numpy as np

from dpviz.analysis.memo import memoised
from dpviz.analysis.parts.parts import ClaimPart
from dpviz.checks import FloatArray, read_only
from dpviz.theory import PrivacyLoss, TradeoffFunction
from dpviz.theory.outputs.laws import Decision, OutputLaws, Rule

PLACES = 200  # losses on a regular grid; with those that have mass at most 512 vertices
RARE = 1e-5  # an unbounded loss is drawn up to the epsilon with this delta


@dataclass(frozen=True, kw_only=True, eq=False)
class LawsPart:
    """Both output distributions as curves, columns output and density.

    `laws` is None where the claim names no outputs. `span` is the drawn piece of the line, `top`
    the largest density.
    """

    laws: OutputLaws | None
    nonmember: FloatArray
    member: FloatArray
    span: tuple[float, float]
    top: float


@dataclass(frozen=True, kw_only=True, eq=False)
class DecisionPart:
    """A test at the selected FPR: its rates, and its areas under the output densities.

    `decision` is None where the claim names no outputs: then the rates are those of the curve.
    `best_fnr` is that of the best test with the same FPR. The areas are outlines whose sizes are
    the rates, up to what lies beyond the drawn span.
    """

    rule: Rule
    decision: Decision | None
    fpr: float
    fnr: float
    best_fnr: float
    fpr_area: FloatArray
    fnr_area: FloatArray

    @property
    def gap(self) -> float:
        """How far above the curve the test lies: 0 for a best test."""
        return max(0.0, self.fnr - self.best_fnr)


@dataclass(frozen=True, kw_only=True, eq=False)
class LossPart:
    """P(L >= x) under both hypotheses and delta(x), as curves over x; and all three at epsilon.

    The loss is that of the pair behind the curve, in the order "non-member against member". The
    curves are drawn over `span`, as far as they are above `floor`.
    """

    epsilon: float
    delta: float
    member_tail: float
    nonmember_tail: float
    deltas: FloatArray
    member_tails: FloatArray
    nonmember_tails: FloatArray
    span: tuple[float, float]
    floor: float


@dataclass(frozen=True, kw_only=True, eq=False)
class MechanismPart:
    """The distributions, the test and the privacy loss of a claim."""

    claim: TradeoffFunction
    laws: LawsPart
    decision: DecisionPart
    loss: LossPart


class Mechanism:
    """Computes the parts; those that a change does not affect are the same objects."""

    @memoised
    def part(self, claim: ClaimPart, *, fpr: float, rule: Rule = "best") -> MechanismPart:
        """Everything for a claim (under replace-one adjacency), at an FPR."""
        return MechanismPart(
            claim=claim.claim,
            laws=self.laws(claim.claim),
            decision=self.decision(claim.claim, fpr, rule),
            loss=self.loss(claim.claim, claim.epsilon),
        )

    @memoised
    def laws(self, claim: TradeoffFunction) -> LawsPart:
        """The distributions of the outputs."""
        return laws_part(claim.outputs())

    @memoised
    def decision(self, claim: TradeoffFunction, fpr: float, rule: Rule) -> DecisionPart:
        """The test by a rule."""
        laws, best_fnr = self.laws(claim).laws, claim.beta(fpr)
        decision = None if laws is None else laws.test(fpr, rule)
        inside = () if decision is None else decision.intervals
        return DecisionPart(
            rule=rule,
            decision=decision,
            fpr=fpr,
            fnr=best_fnr if decision is None else decision.fnr,
            best_fnr=best_fnr,
            fpr_area=read_only(_area(laws, inside, member=False)),
            fnr_area=read_only(_area(laws, _outside(inside), member=True)),
        )

    @memoised
    def loss(self, claim: TradeoffFunction, epsilon: float) -> LossPart:
        """The privacy loss, with an epsilon marked."""
        loss = PrivacyLoss(claim)
        high = _reach(claim, epsilon)
        low = -high if claim.is_symmetric else -_reach(claim.inverse(), 0.0)
        places = _places(claim, low, high)
        delta, tail = claim.delta(epsilon) + 0.0, loss.tail(epsilon)  # + 0.0: no "-0"
        floor = _floor(delta, tail)

        def tails(*, member: bool) -> FloatArray:
            # Each place twice: with the mass of this very loss, and without.
            both = np.column_stack([ask(places, member=member) for ask in (loss.tail, loss.above)])
            return _down_to(floor, np.repeat(places, 2), both.ravel())

        return LossPart(
            epsilon=epsilon,
            delta=delta,
            member_tail=tail,
            nonmember_tail=loss.tail(epsilon, member=False),
            deltas=read_only(_down_to(floor, places, claim.delta(places))),
            member_tails=read_only(tails(member=True)),
            nonmember_tails=read_only(tails(member=False)),
            span=(low, high),
            floor=floor,
        )


def laws_part(laws: OutputLaws | None) -> LawsPart:
    """Both output distributions as curves."""
    if laws is None:
        nothing = read_only(np.empty((0, 2)))
        return LawsPart(laws=None, nonmember=nothing, member=nothing, span=(0.0, 1.0), top=1.0)
    curves = [laws.outline(*laws.span, member=member) for member in (False, True)]
    return LawsPart(
        laws=laws,
        nonmember=read_only(_grounded(curves[0])),
        member=read_only(_grounded(curves[1])),
        span=laws.span,
        top=float(max(curve[:, 1].max() for curve in curves)),
    )


def _floor(*rates: float) -> float:
    """A power of ten well below the positive ones among the rates."""
    smallest = min([rate for rate in rates if rate > 0], default=1.0)
    return float(10.0 ** np.floor(np.log10(np.clip(smallest / 10, 1e-12, 1e-3))))


def _down_to(floor: float, x: FloatArray, falling: FloatArray) -> FloatArray:
    """A falling curve as far as it is above the floor, and to it."""
    end = np.count_nonzero(falling > floor) + 1
    return np.column_stack([x, np.maximum(falling, floor)])[:end]


def _reach(claim: TradeoffFunction, epsilon: float) -> float:
    """How far the axis of the loss goes: beyond the largest one, and beyond epsilon."""
    largest = claim.epsilon(0.0)
    atoms = claim.atoms()
    if np.isinf(largest) and atoms is not None:
        largest = max(atoms.loss[np.isfinite(atoms.loss)], default=1.0)
    elif np.isinf(largest):
        largest = claim.epsilon(RARE)
    shown = [x for x in (largest, epsilon) if np.isfinite(x)]
    return float(np.clip(1.2 * max(shown, default=1.0), 0.5, 1e6))


def _places(claim: TradeoffFunction, low: float, high: float) -> FloatArray:
    """A grid and the losses that have mass, thinned out where there are many."""
    atoms = claim.atoms()
    ends = np.array([claim.epsilon(0.0), -claim.inverse().epsilon(0.0)])
    jumps = ends if atoms is None else atoms.loss
    jumps = jumps[(jumps >= low) & (jumps <= high)]
    most = 256 - PLACES
    jumps = jumps[:: max(1, -(-len(jumps) // most))]
    return np.union1d(np.linspace(low, high, PLACES), jumps)


def _outside(intervals: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """Complement of the intervals on the line."""
    ends = [-np.inf, *(end for interval in intervals for end in interval), np.inf]
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return tuple((low, high) for low, high in pairs if low < high)


def _area(
    laws: OutputLaws | None, intervals: tuple[tuple[float, float], ...], *, member: bool
) -> FloatArray:
    """The area under a density inside intervals, as one outline joined along the axis."""
    if laws is None:
        return np.empty((0, 2))
    first, last = laws.span
    pieces = [
        _grounded(laws.outline(max(low, first), min(high, last), member=member))
        for low, high in intervals
        if max(low, first) < min(high, last)
    ]
    return np.concatenate(pieces) if pieces else np.empty((0, 2))


def _grounded(curve: FloatArray) -> FloatArray:
    feet = [[[x, 0.0]] for x in (curve[0, 0], curve[-1, 0])]
    return np.concatenate([feet[0], curve, feet[1]])
