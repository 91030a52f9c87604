"""Levels of the tests of two attacks, and of the bound of the best of eight: more runs than in CI.

Run as ``python -m benchmarks.comparison``; it takes some minutes.
"""

import numpy as np
from scipy.stats import norm

from dpviz import AttackScores, audit

RUNS, BEST_RUNS, K = 2000, 300, 8
SIZES = ((50, 50), (200, 500), (2000, 2000))


def two_attacks(
    rng: np.random.Generator, n: int, m: int, leaks: tuple[float, float]
) -> tuple[AttackScores, AttackScores]:
    """Scores of the same records by two attacks with correlated noise; members are shifted."""
    shared = rng.normal(size=n + m)
    noises = [0.6 * shared + 0.8 * rng.normal(size=n + m) for _ in leaks]
    one, other = (
        AttackScores(member=noise[:n] + leak, nonmember=noise[n:])
        for noise, leak in zip(noises, leaks, strict=True)
    )
    return one, other


def differences() -> None:
    """The share of intervals that miss the true difference, at 95 % confidence."""
    print("members non-members leaks       AUC (DeLong)  TPR at 10 %  TPR at 1 %")
    for n, m in SIZES:
        for leaks in ((0.8, 0.8), (1.2, 0.4)):
            rng = np.random.default_rng(1)
            auc = np.subtract(*norm.cdf(np.array(leaks) / np.sqrt(2)))
            tpr = {f: np.subtract(*norm.sf(norm.isf(f) - np.array(leaks))) for f in (0.1, 0.01)}
            missed = np.zeros(3)
            for _ in range(RUNS):
                pair = two_attacks(rng, n, m, leaks)
                area = audit.auc_difference(*pair, paired=True)
                rates = [audit.tpr_difference(*pair, f, paired=True) for f in tpr]
                missed += [
                    not area.low <= auc <= area.high,
                    *(not r.low <= tpr[r.fpr] <= r.high for r in rates),
                ]
            shares = "  ".join(f"{100 * share:9.2f} %" for share in missed / RUNS)
            print(f"{n:7d} {m:11d} {leaks!s:11} {shares}")


def best_of_eight() -> None:
    """The share of runs without leakage in which an epsilon above 0 is certified."""
    print("method        best of 8 at 95 %")
    for method in ("rank_exact", "one_run"):
        rng = np.random.default_rng(2)
        false = 0
        for _ in range(BEST_RUNS):
            attacks = {
                str(i): AttackScores(member=rng.normal(size=100), nonmember=rng.normal(size=100))
                for i in range(K)
            }
            false += audit.best_of(attacks, delta=0.0, method=method).low > 0
        print(f"{method:13} {100 * false / BEST_RUNS:6.2f} %")


if __name__ == "__main__":
    differences()
    best_of_eight()
