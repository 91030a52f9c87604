"""The numbers that the pages and lessons state, computed again with NumPy and SciPy alone.

Each row is a text with its computed number, and the page that has this text. A number that somebody
may not exceed is rounded up, one that is certified is rounded down, and others are rounded.
"""

from functools import cache
from math import ceil, comb, e, exp, floor, log, prod
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import beta, binom, norm

from dpviz import teach
from dpviz.teach.lesson import Lesson

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "dpviz" / "data" / "samples"
DELTA = 1e-5


def gaussian_delta(mu: float, epsilon: float) -> float:
    return float(norm.cdf(mu / 2 - epsilon / mu) - exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu))


def gaussian_epsilon(mu: float) -> float:
    return float(brentq(lambda epsilon: gaussian_delta(mu, epsilon) - DELTA, 0, 60))


def least_noise(epsilon: float) -> float:
    return float(brentq(lambda sigma: gaussian_delta(1 / sigma, epsilon) - DELTA, 0.5, 100))


def least_noise_by_tail(epsilon: float) -> float:
    """The privacy loss has mean 1 / 2σ² and standard deviation 1 / σ."""
    return float(brentq(lambda s: norm.sf(s * (epsilon - 0.5 / s**2)) - DELTA, 0.5, 100))


def largest_tpr(fpr: float, epsilon: float, delta: float) -> float:
    return min(exp(epsilon) * fpr + delta, 1 - exp(-epsilon) * (1 - delta - fpr))


def ppv(prior: float, tpr: float, fpr: float) -> float:
    return prior * tpr / (prior * tpr + (1 - prior) * fpr)


def certified_by_counts(wrong: int, n: int, delta: float) -> float:
    """By Clopper-Pearson limits of both error rates, with half of 5 % for each."""
    largest = beta.ppf(0.975, wrong + 1, n - wrong)
    return log((1 - largest - delta) / largest)


def refuted_by_a_perfect_order(n: int) -> float:
    """The ε at which randomized response, ties at random, orders n + n records so in 5 %."""

    def probability(epsilon: float) -> float:
        q = exp(epsilon) / (1 + exp(epsilon))
        some, all_said_member = (
            sum(
                comb(n, k) * q ** (2 * n - k) * (1 - q) ** k / comb(n + k, n)
                for k in range(first, n + 1)
            )
            for first in (0, 1)
        )
        return some + all_said_member

    return float(brentq(lambda epsilon: probability(epsilon) - 0.05, 0.1, 5))


def right_guesses(epsilon: float, delta: float) -> tuple[float, float]:
    """p-values of 80 right of 100 guesses about 1000 canaries: published, and of the page."""
    q = exp(epsilon) / (1 + exp(epsilon))
    tail = binom.sf(79, 100, q)
    below = np.cumsum(binom.pmf(np.arange(79, -1, -1), 100, q)) / np.arange(1, 81)
    page = tail + 1000 * delta * tail * (1 - tail) / (80 * binom.pmf(80, 100, q))
    return float(tail + 2 * 1000 * delta * below.max()), float(page)


def jeffreys_above_truth() -> tuple[float, float]:
    """How often the bound of 400 + 600 records is above the ε of a threshold, and this ε."""
    fpr, fnr, half = 0.0044, 0.015, 0.025
    flagged, missed = np.arange(600), np.arange(400)
    largest_fpr = beta.ppf(1 - half, flagged + 0.5, 600 - flagged + 0.5)
    largest_fnr = beta.ppf(1 - half, missed + 0.5, 400 - missed + 0.5)
    bounds = np.log(np.divide.outer(1 - largest_fnr, largest_fpr))
    chances = np.outer(binom.pmf(missed, 400, fnr), binom.pmf(flagged, 600, fpr))
    truth = log((1 - fnr) / fpr)
    return float(chances[bounds > truth].sum()), truth


@cache
def counts(sample: str) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Members and non-members at or below each loss, and how many there are."""
    losses, member = np.loadtxt(SAMPLES / f"{sample}.csv", delimiter=",", skiprows=1).T[:2]
    found = [np.sort(losses[member == m]) for m in (1, 0)]
    below = [np.searchsorted(each, np.unique(losses), "right") for each in found]
    return below[0], below[1], len(found[0]), len(found[1])


def epsilon_star(sample: str, clip: float) -> float:
    """The largest log ratio over thresholds whose rates are within the clip."""
    caught, flagged, n, m = counts(sample)
    inside = np.logical_and.reduce(
        [(k > clip * size) & (size - k > clip * size) for k, size in ((caught, n), (flagged, m))]
    )
    t, missed = flagged[inside] / m, 1 - caught[inside] / n
    over = ((1 - DELTA - missed) / t, (1 - DELTA - t) / missed)
    under = ((missed - DELTA) / (1 - t), (t - DELTA) / (1 - missed))
    return max(0.0, log(max(ratios.max() for ratios in (*over, *under))))


def auc(sample: str) -> float:
    """The area under the curve of the counts, by trapezes."""
    caught, flagged, n, m = counts(sample)
    return float(np.trapezoid(np.append(0, caught), np.append(0, flagged)) / (n * m))


def down(value: float, digits: int) -> str:
    return f"{floor(value * 10**digits) / 10**digits:.{digits}f}"


def up(value: float, digits: int) -> str:
    return f"{ceil(value * 10**digits) / 10**digits:.{digits}f}"


CLAIM = largest_tpr(0.3, 1.0, gaussian_delta(1.0, 1.0))
PUBLISHED, SHARP = right_guesses(0.9, 1e-4)
MISSED, TRUTH = jeffreys_above_truth()
STEINKE = brentq(lambda x: binom.sf(79, 100, exp(x) / (1 + exp(x))) - 0.05, 0.1, 3)
CLASSICAL = gaussian_delta(10 / (2 * log(1.25 / DELTA)) ** 0.5, 10.0)
NORMAL_NOISE = f"{1 - norm.cdf(0.5):.1%}".replace("%", " %")  # P(L > 1) for μ = 1
ERRATA, STAR, ONE_RUN = "explanation/errata", "explanation/epsilon_star", "explanation/one_run"
TEACHING, CLAIMS, PEERS = "how-to/teaching", "how-to/own_claim", "explanation/peers"

STATED = [
    (ERRATA, f"\n{exp(0) / 2}\ntail {least_noise_by_tail(1.0):.3f}"),
    (ERRATA, f"analytic {least_noise(1.0):.3f}"),
    (ERRATA, f"{gaussian_delta(1.0, 1.0):.3f} {1 - norm.cdf(0.5):.3f}"),
    (ERRATA, f"in {NORMAL_NOISE} of"),
    (ERRATA, f"certify ε ≥ {down(certified_by_counts(1, 10, 1e-4), 2)}"),
    (ERRATA, f"ten thousand ε ≥ {down(certified_by_counts(1000, 10_000, 1e-4), 2)}"),
    (ERRATA, f"country has ε = {200 / 100_000:g}, and one of 2500 streets has ε = {200 / 40:g}"),
    (ERRATA, f"{gaussian_delta(5**0.5, 5.0):.3f}\n{gaussian_delta(5.0, 5.0):.3f}"),
    (ERRATA, f"{CLASSICAL:.2e}"),
    (ERRATA, f"ε = {log(0.11 / 0.1):.3f}, their complements log 10 = {log(0.1 / 0.01):.1f}"),
    (STAR, f"caps the value at {log(0.999 / 0.001):.2f}"),
    (STAR, f"{epsilon_star('overfitted', 0.001):.2f} m2"),
    ("explanation/adjacency", f"epsilon=2.0, delta={1 + e:.9f}"),
    ("explanation/adjacency", f"δ = {1 + e:.2f}e-5"),
    ("explanation/bounds_and_estimates", f"{1 - largest_tpr(0.01, 1.0, DELTA):.4f}"),
    (ONE_RUN, f"published:      {PUBLISHED:.4f}"),
    (ONE_RUN, f"one_run_curve:  {SHARP:.4f}"),
    (PEERS, f"{100 * MISSED:.1f} % of the bounds from 400 + 600 records"),
    (PEERS, f"the true ε of {TRUTH:.2f}"),
    (PEERS, f"returns {STEINKE - 0.01:.2f} at\nδ = 0.001 and {STEINKE - 0.1:.2f} at δ = 0.01"),
    ("appendix/coverage", f"error is {100 * (0.05 * 0.95 / 1000) ** 0.5:.1f} % at 5 %"),
    (TEACHING, f"1. {100 * (1 - largest_tpr(0.1, 1.0, 0.0)):.1f}%"),
    (TEACHING, f"2. {log(0.7 / 0.2):.2f}"),
    (TEACHING, f"6. {100 * ppv(0.001, 0.9, 0.01):.1f}%"),
    (TEACHING, f"7. {100 * ppv(0.5, e * 0.1, 0.1):.1f}%"),
    (TEACHING, f"9. {100 * (1 - 0.95**20):.0f}% and {100 - 5 / 20:.2f}%"),
    (TEACHING, f"10. {refuted_by_a_perfect_order(10):.2f}"),
    (CLAIMS, f"FPR 1 %: {norm.cdf(norm.ppf(0.01) + 1):.3f}"),
    (CLAIMS, f"ε = 1: {gaussian_delta(1.0, 1.0):.3f}"),
    (CLAIMS, f"prior 10 %: {ppv(0.1, norm.cdf(norm.ppf(0.01) + 1), 0.01):.3f}"),
    (CLAIMS, f"δ = 1e-5: {least_noise(1.0):.3f}"),
    (CLAIMS, f"ε = {gaussian_epsilon(1.0):.2f} at δ = 1e-5"),
    ("how-to/numbers", f"AUC {auc('overfitted'):.3f}"),
    ("how-to/numbers", f"last_vertex          {5 / 300:.4f}"),
    ("how-to/numbers", f"imply ε = {log((5 / 300 - DELTA) / (14 / 1497)):.3f}"),
    ("how-to/groups", f"claimed {gaussian_epsilon(2.0):.2f}"),
    ("how-to/groups", f"confidence {1 - 0.05 / 10:.1%}"),
]

TOLD = [
    ((1, "perfect"), f"begins at FPR {100 * (1 - 1e-4):.2f} %"),
    ((1, "worse"), f"need ε = {log(0.7 / 0.2):.2f}"),
    ((1, "ten"), f"at least {down(certified_by_counts(1, 10, 1e-4), 2)}"),
    ((1, "ten"), f"= {log(0.9 / 0.1):.2f}, an estimate"),
    ((2, "noise"), f"{NORMAL_NOISE} of the runs"),
    ((2, "noise"), f"is {gaussian_delta(1.0, 1.0):.3f}."),
    ((2, "same"), f"find {100 * CLAIM:.1f} % of the members"),
    ((2, "same"), f"noise {100 * norm.cdf(norm.ppf(0.3) + 1):.1f} %"),
    ((3, "zoom"), f"{200 / 100_000:g} for the country and {200 / 40:g} for the streets"),
    ((3, "survey"), f"{100 * prod([0.5] * 3):.1f} % of those who support the secret item"),
    ((4, "flagged"), f"{100 * ppv(0.01, 0.9, 0.05):.1f} %"),
    ((4, "flagged"), f"{0.9 * 100:.0f} members and {0.05 * 9900:.0f} non-members"),
    ((4, "cliff"), f"at most {up(100 * ppv(0.1, largest_tpr(0.01, 1.0, 0.01), 0.01), 1)} %"),
    ((4, "cliff"), f"up to {up(100 * ppv(0.1, largest_tpr(1e-4, 1.0, 0.01), 1e-4), 0)} %"),
    ((5, "nothing"), f"still up to {epsilon_star('null', 0.0):.2f}"),
    ((5, "nothing"), f"and is {epsilon_star('null', 0.001):.3f}"),
    ((5, "clip"), f"Epsilon* is {epsilon_star('overfitted', 0.001):.2f} without rates below 0.1 %"),
    ((5, "clip"), f"and {epsilon_star('overfitted', 0.01):.2f} without rates below 1 %"),
    ((6, "three"), f"hold in {down(100 * 0.95**3, 1)} %"),
    ((6, "three"), f"up to {up(100 * (1 - 0.95**3), 1)} %"),
    ((7, "rare"), f"{100 * (1 - (1 - 1e-6) ** 10_000):.3f} % of such tests"),
]


@pytest.mark.parametrize(("page", "text"), STATED)
def test_a_page_states_the_number(page: str, text: str) -> None:
    assert text in (ROOT / "docs" / f"{page}.md").read_text("utf-8")


@cache
def lesson(number: int) -> Lesson:
    return teach.lesson(number, login="ada")


@pytest.mark.parametrize(("place", "text"), TOLD, ids=str)
def test_a_lesson_states_the_number(place: tuple[int, str], text: str) -> None:
    prediction = lesson(place[0]).predictions[place[1]]
    assert text in f"{prediction.text} {prediction.because}"


def test_the_worst_of_many_cells_exceeds_its_level_by_chance() -> None:
    """Of 66 cells with an error rate of 5 %, one has 63 false bounds of 1000 in most cases."""
    assert "63 of 1000" in (ROOT / "docs" / "appendix" / "coverage.md").read_text("utf-8")
    assert 1 - binom.cdf(62, 1000, 0.05) ** 66 > 0.5
