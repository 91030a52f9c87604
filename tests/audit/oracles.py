"""Slow and obvious: counts by comparing every record, ratios in exact fractions."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from dpviz.audit import AttackScores

# Few distinct values, so that ties within and across the samples are the rule.
tied_losses = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=25)
# Dyadic, so that a rate less delta is exact in float64 whenever it vanishes.
deltas = st.sampled_from([0.0, 2.0**-20, 2.0**-5, 0.25])
clips = st.sampled_from([None, 0.001, 2.0**-4, 0.125, 0.25, 0.4375])


def of_losses(member: list[float], nonmember: list[float]) -> AttackScores:
    return AttackScores.from_losses(member=member, nonmember=nonmember)


def gaussian_losses(
    seed: int, *, member: tuple[float, float, int], nonmember: tuple[float, float, int]
) -> AttackScores:
    """Losses drawn from two Normal laws, each given as (mean, sd, n)."""
    rng = np.random.default_rng(seed)
    return AttackScores.from_losses(member=rng.normal(*member), nonmember=rng.normal(*nonmember))


def exact_rates(
    member: list[float], nonmember: list[float]
) -> list[tuple[float, Fraction, Fraction]]:
    """(tau, FPR, FNR) of "member when loss <= tau" at -inf and every distinct loss."""
    found = []
    for tau in [-math.inf, *sorted({*member, *nonmember})]:
        accused = sum(loss <= tau for loss in nonmember)
        missed = sum(loss > tau for loss in member)
        found.append((tau, Fraction(accused, len(nonmember)), Fraction(missed, len(member))))
    return found


def surviving_rates(
    member: list[float], nonmember: list[float], clip: float | None
) -> list[tuple[Fraction, Fraction]]:
    """The pairs strictly inside (clip, 1 - clip)."""
    pairs = [(t, eta) for _, t, eta in exact_rates(member, nonmember)]
    if clip is None:
        return pairs
    low = Fraction(clip)
    return [(t, eta) for t, eta in pairs if low < t < 1 - low and low < eta < 1 - low]


def largest_log_ratios(pairs: list[tuple[Fraction, Fraction]], delta: float) -> list[float]:
    """Logs of the largest m1..m4 over the pairs."""
    d = Fraction(delta)
    quotients = [
        [(1 - eta - d, t), (1 - t - d, eta), (eta - d, 1 - t), (t - d, 1 - eta)] for t, eta in pairs
    ]
    return [max(log_quotient(*row[i]) for row in quotients) for i in range(4)]


def log_quotient(top: Fraction, bottom: Fraction) -> float:
    if top <= 0:
        return -math.inf
    return math.inf if bottom == 0 else math.log(top) - math.log(bottom)
