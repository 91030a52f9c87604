"""The gallery shows every picture, and the numbers it prints about ten papers are theirs.

Each number is computed here from its definition with SciPy alone, or was published.
"""

import re
import runpy
from itertools import product
from math import exp, log, sqrt
from pathlib import Path

from scipy.optimize import brentq
from scipy.stats import binom, norm

import dpviz

DOCS = Path(__file__).parents[1] / "docs"
PAPERS = (DOCS / "gallery" / "papers.md").read_text("utf-8")
WITHOUT_PICTURE = {"ChecklistView"}


def printed_about(paper: str) -> str:
    """What the lines in the section of a paper print."""
    [section] = [s for s in PAPERS.split("\n## ") if f"{{picture}} {paper}\n" in s]
    return "\n".join(re.findall(r"^```text\n(.*?)^```", section, re.DOTALL | re.MULTILINE))


def gaussian_delta(mu: float, epsilon: float) -> float:
    return float(norm.cdf(mu / 2 - epsilon / mu) - exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu))


def gaussian_epsilon(mu: float, delta: float) -> float:
    return float(brentq(lambda epsilon: gaussian_delta(mu, epsilon) - delta, 0, 60, xtol=1e-12))


def gaussian_mu(epsilon: float, delta: float) -> float:
    return float(brentq(lambda mu: gaussian_delta(mu, epsilon) - delta, 0.01, 9, xtol=1e-12))


def gaussian_tpr(mu: float, fpr: float) -> float:
    return float(norm.cdf(norm.ppf(fpr) + mu))


def test_every_picture_is_in_the_gallery() -> None:
    pages = "".join(page.read_text("utf-8") for page in (DOCS / "gallery").glob("*.md"))
    views = {name for name in dpviz.widgets.__all__ if name.endswith("View")}
    assert views - WITHOUT_PICTURE == set(re.findall(r"widgets\.(\w+View)\b", pages))


def test_ten_papers_each_with_what_is_misread() -> None:
    assert len(re.findall(r"^```\{picture\} \w+-20\d\d$", PAPERS, re.MULTILINE)) == 10
    assert PAPERS.count("\n**Easily misread:** ") == 10


def test_composition_of_five_answers() -> None:
    """By adding up all 32 lists of answers of randomized response."""
    right = exp(0.4) / (1 + exp(0.4))
    member = [right ** sum(a) * (1 - right) ** (5 - sum(a)) for a in product((0, 1), repeat=5)]
    nonmember = member[::-1]
    said = printed_about("kairouz-2015")
    for epsilon in (2.0, 1.2, 0.4):
        pairs = zip(member, nonmember, strict=True)
        delta = sum(max(0.0, p - exp(epsilon) * q) for p, q in pairs)
        assert f"({epsilon}, {delta:.4f})" in said
    # The most likely lists first, until 5 % of the non-members are flagged.
    left, caught = 0.05, 0.0
    for p, q in sorted(zip(member, nonmember, strict=True), key=lambda each: -each[0] / each[1]):
        share = min(1.0, left / q)
        left, caught = left - share * q, caught + share * p
    assert f"{0.05 * exp(2.0):.3f} {caught:.3f}" in said


def test_noise_of_the_gaussian_mechanism() -> None:
    for epsilon in (0.1, 1.0, 10.0):
        classical = sqrt(2 * log(1.25 / 1e-5)) / epsilon
        ratio = (1 / gaussian_mu(epsilon, 1e-5) / classical) ** 2
        delta = gaussian_delta(1 / classical, epsilon)
        row = f"{epsilon:g}: variance x {ratio:.2f}, true delta {delta:.1e}"
        assert row in printed_about("balle-2018")


def test_gaussian_differential_privacy() -> None:
    said = printed_about("dong-2022")
    for mu in (0.5, 1.0, 3.0):
        epsilon, tpr = gaussian_epsilon(mu, 1e-5), gaussian_tpr(mu, 0.01)
        assert f"mu {mu}: epsilon {epsilon:.2f}, TPR at FPR 1 % {tpr:.3f}" in said
    assert f"\n{gaussian_delta(1.0, 1.0):.3f}\n" in said


def test_few_false_accusations() -> None:
    """Counted in the file; the bound is that of one threshold, so no larger than at its best."""
    scores = dpviz.read_sample("overfitted")
    second = sorted(scores.nonmember)[-2]
    caught = (scores.member > second).sum()
    assert f"catches {caught / 3:.0f} % ({caught} of 300)" in printed_about("carlini-2022")


def test_the_same_errors_by_two_guarantees() -> None:
    error = norm.cdf(-0.5)
    said = printed_about("nasr-2023")
    assert f"{error:.3f}: epsilon >= {log((1 - 1e-5 - error) / error):.2f}" in said
    assert f"if Gaussian: epsilon >= {gaussian_epsilon(1.0, 1e-5):.2f}" in said


def test_one_training_run() -> None:
    """0.673 is the published value; all of 100 right is a binomial tail."""
    said = printed_about("steinke-2023")
    assert "75 of 100: 0.673" in said
    q = brentq(lambda q: binom.pmf(100, 100, q) - 0.05, 0.5, 1)
    assert f"100 of 100: {log(q / (1 - q)):.3f}" in said


def test_epsilon_star_where_rates_are_left_out() -> None:
    assert f"{log(norm.cdf(norm.ppf(1e-9) + 3) / 1e-9):.2f}" in printed_about("negoescu-2024")


def test_pairs_at_different_deltas() -> None:
    for epsilon, delta in ((8.0, 1e-9), (6.0, 1e-5)):
        mu = gaussian_mu(epsilon, delta)
        row = f"({epsilon:g}, {delta:g}): mu {mu:.3f}, TPR at FPR 1 % {gaussian_tpr(mu, 0.01):.3f}"
        assert row in printed_about("gomez-2025")


def test_guesses_with_and_without_the_output() -> None:
    for baseline in (0.001, 0.1, 0.5):
        row = f"{baseline:g} -> {gaussian_tpr(1.0, baseline):.3f}"
        assert row in printed_about("kulynych-2025")


def test_one_run_certifies_less_than_the_truth() -> None:
    said = printed_about("mahloujifar-2025")
    truth = gaussian_epsilon(2.0, 1e-5)
    assert f"true epsilon {truth:.2f}" in said
    assert 0 < float(said.split("certified ")[1]) < truth


def test_pictures_of_the_readme_are_current() -> None:
    made = runpy.run_path(str(DOCS / "pictures" / "make.py"))["pictures"]()
    assert made == {
        file.name: file.read_text("utf-8") for file in (DOCS / "pictures").glob("*.svg")
    }
