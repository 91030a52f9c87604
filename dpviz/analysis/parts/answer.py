"""The answer of an audit: one of six states, and the numbers of the ruler."""

import math
from dataclasses import dataclass
from typing import Literal

from dpviz.analysis.attacks import FIRST
from dpviz.analysis.parts.parts import AuditPart, ResultParts, SamplePart
from dpviz.theory import ApproximateDP, TradeoffFunction

AnswerState = Literal[
    "contradicted", "not contradicted", "cannot decide", "no claim", "computing", "promise"
]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What scores show of the claim, in one word and on one axis of epsilon at `delta`.

    Parameters
    ----------
    state : str
        One of "contradicted"; "not contradicted", which does not confirm the claim; "cannot decide"
        (even a perfect attack on so few records could not contradict it, or the claim cannot be
        tested); "no claim" (there are scores, but the claim allows every attack); "computing" (not
        known yet); "promise" (there are no scores).
    delta : float
        The delta of all numbers.
    claimed : float or None
        Epsilon of the claim; what it implies at `delta`, if it has none of its own. Perhaps inf.
        None for a claim that allows every attack, which is no claim.
    certified : float or None
        The lower bound; None as long as it is not computed, like the numbers below.
    estimate : float or None
        Epsilon*, an estimate and no bound.
    chance : float or None
        What Epsilon* does not exceed in 95 of 100 random labellings of these records. Of counts:
        None where Epsilon* is that of a fit.
    ceiling : float or None
        The most that a perfect attack on this many records certifies.
    attacks : tuple of pairs
        The names of the compared attacks and what each certifies, all of them at once.

    Examples
    --------
    >>> import dpviz
    >>> dpviz.analyze(epsilon=1.0).answer.state
    'promise'
    """

    state: AnswerState
    delta: float
    claimed: float | None
    certified: float | None = None
    estimate: float | None = None
    chance: float | None = None
    ceiling: float | None = None
    attacks: tuple[tuple[str, float], ...] = ()

    @property
    def largest(self) -> float:
        """The largest finite number that was measured; 0 where there is none."""
        others = (low for _, low in self.attacks)
        found = (self.certified, self.estimate, self.chance, self.ceiling, *others)
        return max(
            (each for each in found if each is not None and math.isfinite(each)), default=0.0
        )


def answer_of(result: ResultParts) -> Answer:
    """The answer of a result, from what is known of its audit."""
    claim, sample = result.claim, result.sample
    claimed = None if allows_everything(claim.claim) else claim.epsilon
    if sample is None:
        return Answer(state="promise", delta=claim.delta, claimed=claimed)
    audit = sample.audit
    is_counted = result.spec.method == "empirical"
    return Answer(
        state=_state(result, sample),
        delta=claim.delta,
        claimed=claimed,
        certified=audit.bound.low if audit.bound else None,
        estimate=sample.epsilon_star.star.value,
        chance=audit.null.quantile("epsilon_star") if audit.null and is_counted else None,
        ceiling=audit.ceiling,
        attacks=_others(audit),
    )


def _others(audit: AuditPart) -> tuple[tuple[str, float], ...]:
    if audit.best_of is None:
        return ()
    bounds = audit.best_of.bounds.items()
    return tuple((name, bound.low) for name, bound in bounds if name != FIRST)


def is_undecidable(result: ResultParts, audit: AuditPart) -> bool:
    """Whether no attack on this many records could contradict an (epsilon, delta) claim.

    The ceiling is at the delta of the bound; a claim at another delta is not compared with it.
    """
    claim = result.claim.claim
    return (
        isinstance(claim, ApproximateDP)
        and claim.claimed_delta == result.claim.delta
        and audit.ceiling is not None
        and audit.ceiling <= claim.claimed_epsilon
    )


def allows_everything(claim: TradeoffFunction) -> bool:
    """Whether a guarantee allows every attack, so that nothing can contradict it.

    An infinite epsilon counts as no claim, whatever its delta: of all attacks it excludes only one
    with FPR 0 and a TPR above delta.
    """
    is_infinite = isinstance(claim, ApproximateDP) and math.isinf(claim.claimed_epsilon)
    return is_infinite or claim.beta(0.0) <= 0.0


def _state(result: ResultParts, sample: SamplePart) -> AnswerState:
    audit = sample.audit
    if allows_everything(result.claim.claim):
        return "no claim"
    if audit.test is None:
        return "cannot decide" if "test" in dict(audit.refused) else "computing"
    if audit.test.outcome == "contradicted":
        return "contradicted"
    if "ceiling" in dict(audit.pending):
        return "computing"  # without the ceiling it is open why the claim is not contradicted
    return "cannot decide" if is_undecidable(result, audit) else "not contradicted"
