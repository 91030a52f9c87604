"""The statistic of method "rank_exact" beside that of "rank", on the same data: medians of bounds.

Run with dpviz installed::

    python -m benchmarks.stronger_rank              # 301 runs a law: ten minutes
    python -m benchmarks.stronger_rank --runs 101

Its shares were chosen on runs with other seeds. Laws are those of `benchmarks.coverage`, and some
whose leaks are rare, at one end, or tied.
"""

import argparse
import time

import numpy as np

from benchmarks import coverage
from dpviz import read_sample
from dpviz.audit import AttackScores
from dpviz.audit.bounds.exact_rank import bound_of, exact_test
from dpviz.audit.bounds.power import refuted
from dpviz.audit.bounds.rank import least_in_first, rank_bound
from dpviz.audit.bounds.result import Request

RUNS, LEVEL, SEED = 301, 0.05, 23
SAMPLES = ("overfitted", "regularised", "gamma", "null")


def rounded(draw: coverage.Sampler, decimals: int) -> coverage.Sampler:
    """Scores with few values."""
    return lambda rng, n, is_member, delta: np.round(draw(rng, n, is_member, delta), decimals)


def outlying(share: float, by: float) -> coverage.Sampler:
    """A share of the members moved far up."""
    return lambda rng, n, is_member, _: (
        rng.normal(0, 1, n) + by * is_member * (rng.random(n) < share)
    )


LAWS: dict[str, coverage.Sampler] = {
    **{law: draw for law, (draw, _) in coverage.LAWS.items()},
    "laplace 0.2": coverage.shifted("laplace", 0.2),
    "gaussian 4": coverage.shifted("normal", 4.0),
    "5 % leak": outlying(0.05, 6),
    "1 % leak": outlying(0.01, 6),
    "LiRA-like (2 % far out)": outlying(0.02, 6),
    "LiRA-like (2 % four out)": outlying(0.02, 4),
    "5 % of non-members leak": lambda rng, n, is_member, delta: (
        -outlying(0.05, 6)(rng, n, not is_member, delta)
    ),
    "randomized response 2": coverage.responses(2.0),
    "gaussian 1, whole numbers": rounded(coverage.shifted("normal", 1.0), 0),
    "gaussian 2, whole numbers": rounded(coverage.shifted("normal", 2.0), 0),
    "laplace 1, whole numbers": rounded(coverage.shifted("laplace", 1.0), 0),
    "laplace 1, one decimal": rounded(coverage.shifted("laplace", 1.0), 1),
    "30 % randomized response 2": lambda rng, n, is_member, delta: np.where(
        rng.random(n) < 0.3, coverage.responses(2.0)(rng, n, is_member, delta), 0.5
    ),
}
CELLS = [(law, 500, 500, 0.0) for law in LAWS] + [
    *((law, 1000, 1000, 0.0) for law in ("laplace 1", "gaussian 1", "gaussian 2", "1 % leak")),
    ("gaussian 1", 1000, 1000, 1e-5),
    ("gaussian 1", 30, 1000, 0.0),
    ("gaussian 1", 5000, 5000, 0.0),
]


def main() -> None:
    """Medians of both on the same data."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--runs", type=int, default=RUNS)
    runs = arguments.parse_args().runs
    for key in SAMPLES:
        scores = read_sample(key)
        compare(key, [scores], scores.n_members, scores.n_nonmembers, 1e-5)
    for law, n, m, delta in CELLS:
        drawn = []
        for run in range(runs):
            rng = np.random.default_rng([SEED, run, n, m, list(LAWS).index(law)])
            member, nonmember = (
                LAWS[law](rng, size, is_member, delta)
                for size, is_member in ((n, True), (m, False))
            )
            drawn.append(AttackScores(member=member, nonmember=nonmember))
        compare(law, drawn, n, m, delta)


def compare(law: str, drawn: list[AttackScores], n: int, m: int, delta: float) -> None:
    """One row."""
    test, leaks = exact_test(n, m, delta=delta, level=LEVEL)
    old, right = [], []
    for run, scores in enumerate(drawn):
        request = Request(delta=delta, confidence_level=1 - LEVEL, seed=run)
        old.append(rank_bound(scores, request).low)
        right.append(test.guesses.right(least_in_first(scores, test.guesses.cuts)))
    found = np.sort(refuted(test, np.array(right).T))
    begin = time.process_time()
    # The bound does not fall with the statistic: its median is that of the median statistic.
    new = bound_of(test, float(found[(found.size - 1) // 2]), leaks)
    seconds, before = time.process_time() - begin, float(np.median(old))
    ratio = f"{new / before:.3f}" if before else "-"
    print(f"{law:26s} {n}+{m} {delta:g} {before:.3f} {new:.3f} {ratio} {seconds:.2f}s", flush=True)


if __name__ == "__main__":
    main()
