"""The parts of an audit beside sorting the same scores: ``python -m benchmarks.audit``."""

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import QUICK, Peer, Row, best, show
from dpviz import Analysis, AttackScores, Spec, audit
from dpviz.audit.experiment import Experiment
from dpviz.theory import GaussianDP, SubsampledGaussian

SIZES = (1_000,) if QUICK else (5_000, 1_000_000)
DELTA = 1e-5
ROUNDS = POINTS = 1_000_000


def audit_of(size: int) -> Iterator[Row]:
    """Every part of the audit of two Gaussian classes, sorted beforehand."""
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.normal(1, 1, size), nonmember=rng.normal(0, 1, size))
    peer = Peer.sort(scores.member, scores.nonmember)
    curve = audit.AttackCurve.from_scores(scores)
    null = audit.null_distribution(scores, delta=DELTA)
    dp_sgd = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    claim, sizes = dp_sgd.to_replace_one(), {"n_members": size, "n_nonmembers": size}
    analysis, spec = Analysis(scores), Spec.of(delta=DELTA)
    analysis.prepare_audit(spec)
    moved, seeds = iter(np.linspace(1, 2, 1000)), iter(range(1, 1000))
    parts = {
        "ceiling": lambda: audit.ceiling(**sizes, delta=DELTA, rng=next(seeds)),
        "no leakage, simulated": lambda: audit.null_distribution(scores, delta=DELTA),
        "no leakage, band": null.band,
        "confidence band": lambda: audit.curve_band(curve),
        "TPR at FPR": lambda: audit.tpr_table(curve, 0.01),
        "AUC": lambda: audit.auc_interval(scores),
        "advantage": lambda: audit.advantage(curve),
        "test of a Gaussian claim": lambda: audit.claim_test(
            scores, GaussianDP(mu=0.9), curve=curve
        ),
        "test of a DP-SGD claim": lambda: audit.claim_test(scores, claim, curve=curve),
        "change of epsilon": lambda: analysis.result(spec.changed(epsilon=next(moved))),
    }
    for name, part in parts.items():
        yield Row(f"{name}, {size} a class", best(part), peer)


def rows() -> Iterator[Row]:
    """Audits, then the game and the frontier."""
    for size in SIZES:
        yield from audit_of(size)
    rng = np.random.default_rng(1)
    game = Experiment(GaussianDP(mu=1.0), 0.01, 0.01)
    draws = Peer.timed("as many random numbers", lambda: rng.random(ROUNDS))
    yield Row("10^6 rounds, counted", best(lambda: game.counts(rng, ROUNDS)), draws)
    yield Row("10^6 rounds, one by one", best(lambda: game.play(rng, ROUNDS)), draws)
    points = rng.random((POINTS, 2))
    frontier = best(lambda: audit.models.frontier(points))
    yield Row("frontier of 10^6 points", frontier, Peer.sort(points[:, 0]))
    x = np.linspace(0, 1, POINTS // 10)
    hull = best(lambda: audit.models.frontier(privacy=x, utility=np.sqrt(x)).hull)
    yield Row("hull of 10^5 corners", hull, Peer.sort(x))


if __name__ == "__main__":
    show(rows())
