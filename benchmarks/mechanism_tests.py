"""How often tests of mechanisms find known bugs, and how often they fail correct programs.

Run with dpviz installed (half an hour; ``--share 0.1`` to try it)::

    python -m benchmarks.mechanism_tests

Bugs are tested as by default (99.9 % confidence, at most 30,000 draws), correct programs at 95 %
confidence with 1000 draws, so that the share that fails can be compared with a level that is
measurable: 5 %. Every run has its own seed. At the end the table in benchmarks/README.md is written
between two markers.
"""

import argparse
import math
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
from scipy.stats import beta
from tqdm import tqdm

from dpviz.testing import check_mechanism
from dpviz.testing.gallery import BUGS
from dpviz.theory import GaussianDP

README = Path(__file__).parent / "README.md"
BEGIN, END = "<!-- mechanisms -->", "<!-- /mechanisms -->"
FIRST_SEED = 1000
MOST, FEW = 30_000, 1000  # draws for bugs, for correct programs
LEVEL = 0.05


def response(data: int, rng: np.random.Generator, size: int) -> np.ndarray:
    """Randomized response at epsilon 1 exactly."""
    return np.where(rng.random(size) < 1 / (1 + math.e), 1 - data, data)


def leaky_response(data: int, rng: np.random.Generator, size: int) -> np.ndarray:
    """The worst pair of epsilon 1, delta 0.05."""
    told = response(data, rng, size)
    return np.where(rng.random(size) < 0.05, 2 + data, told)


def laplace(data: int, rng: np.random.Generator, size: int) -> np.ndarray:
    """Epsilon 1 exactly, on a grid."""
    return (data + rng.laplace(size=size)).round(6)


def gaussian(data: int, rng: np.random.Generator, size: int) -> np.ndarray:
    """Gaussian DP with mu 1 exactly, in five dimensions."""
    return (data / math.sqrt(5) + rng.normal(size=(size, 5))).round(6)


EXACT = {
    "randomized response": (response, "1.0,0"),
    "leaky randomized response, δ = 0.05": (leaky_response, "1.0,0.05"),
    "Laplace": (laplace, "1.0,0"),
    "Gaussian, five numbers, claim μ = 1": (gaussian, GaussianDP(mu=1.0)),
}


def rows(share: float) -> Iterator[str]:
    """The lines of the table."""
    n_bugs, n_right, n_exact = (math.ceil(share * runs) for runs in (20, 100, 400))
    for name, bug in tqdm(BUGS.items()):
        wrong = [
            check_mechanism(bug.wrong, bug.pairs, bug.claim, n_resamples=MOST, rng=FIRST_SEED + run)
            for run in range(n_bugs)
        ]
        found = sum(test.outcome == "contradicted" for test in wrong)
        draws = sorted(test.n_resamples for test in wrong)
        failed = failures(bug.right, bug.pair, bug.claim, runs=n_right)
        yield (
            f"| {name} | {found} of {n_bugs} | {draws[len(draws) // 2]} | {draws[-1]} | "
            f"{share_of(failed, n_right)} |"
        )
    for name, (mechanism, claim) in tqdm(EXACT.items()):
        failed = failures(mechanism, (0, 1), claim, runs=n_exact, batched=True)
        yield f"| exactly at its claim: {name} | | | | {share_of(failed, n_exact)} |"


def failures(mechanism: object, pair: object, claim: object, *, runs: int, **how: bool) -> int:
    """Tests that contradict a true claim."""
    return sum(
        check_mechanism(
            mechanism, [pair], claim, n_resamples=FEW, confidence_level=1 - LEVEL,
            rng=FIRST_SEED + run, **how,
        ).outcome
        == "contradicted"
        for run in range(runs)
    )  # fmt: skip


def share_of(found: int, runs: int) -> str:
    """A share with its exact upper 95 % limit."""
    upper = beta.ppf(0.95, found + 1, runs - found) if found < runs else 1.0
    return f"{found} of {runs} (below {upper:.3f})"


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=1.0, help="of the runs")
    lines = [
        "| program | bug found | draws, median | most | correct program failed, level 5 % |",
        "| --- | --- | --- | --- | --- |",
        *rows(parser.parse_args().share),
        "",
        f"Measured on {date.today()}; limits are of 95 % confidence (Clopper-Pearson).",
    ]
    text = README.read_text()
    before, rest = text.split(BEGIN)
    table = "\n".join(lines)
    README.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
