"""Mixtures fitted to losses: what is recovered, how many components, and what is refused."""

import math
import sys
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.mixture import GaussianMixture

from dpviz.audit import AttackScores, epsilon_star, epsilon_star_of_mixtures
from dpviz.audit.epsilon_star.fits import FittedLaws, TransformedScores, fit_laws
from dpviz.audit.epsilon_star.laws import Law, Mixture, Normal
from tests.audit.oracles import gaussian_losses

TWO_HILLS = ((0.7, 0.0, 1.0), (0.3, 8.0, 0.5))
"""Weight, mean and standard deviation."""


def two_hills(rng: np.random.Generator, n: int) -> np.ndarray:
    first = rng.random(n) < TWO_HILLS[0][0]
    return np.where(first, rng.normal(*TWO_HILLS[0][1:], n), rng.normal(*TWO_HILLS[1][1:], n))


def hilly_scores(n: int, seed: int = 0) -> AttackScores:
    """Members from two hills, non-members from one."""
    rng = np.random.default_rng(seed)
    return AttackScores.from_losses(member=two_hills(rng, n), nonmember=rng.normal(3, 2, n))


def fitted(scores: AttackScores, **form: Any) -> FittedLaws:
    return fit_laws(TransformedScores.of(scores, "none"), method="mixture", **form)


def laws_of(fits: FittedLaws) -> tuple[Law, Law]:
    assert fits.pair is not None
    return fits.pair.member, fits.pair.nonmember


def count(law: Law) -> int:
    return len(law.components) if isinstance(law, Mixture) else 1


def independent_choice(x: np.ndarray, *, most: int, seed: int) -> tuple[int, float]:
    """The number with the smallest BIC, counted from the densities, and its lead."""
    scaled = (x - x.mean()) / x.std()
    found = []
    for k in range(1, most + 1):
        fit = GaussianMixture(k, random_state=seed, max_iter=200).fit(scaled[:, None])
        logs = norm.logpdf(
            scaled[:, None], fit.means_[:, 0], np.sqrt(fit.covariances_[:, 0, 0])
        ) + np.log(fit.weights_)
        likelihood = logsumexp(logs, axis=1).sum()
        found.append((3 * k - 1) * math.log(x.size) - 2 * likelihood)
    first, second = np.sort(found)[:2]
    return 1 + int(np.argmin(found)), float(second - first)


def test_two_hills_are_found_where_they_are() -> None:
    n = 4000
    scores = hilly_scores(n)
    fits = fitted(scores, components=2)
    member, _ = laws_of(fits)
    assert isinstance(member, Mixture)
    ends = fits.sample.transform
    spread = ends.high - ends.low
    order = np.argsort(member.means)
    for (weight, mean, sd), i in zip(TWO_HILLS, order, strict=True):
        size = n * weight
        # Four standard errors; the hills overlap in about one record of ten thousand.
        assert member.weights[i] == pytest.approx(weight, abs=4 * math.sqrt(0.21 / n))
        assert ends.low + spread * member.means[i] == pytest.approx(mean, abs=4 * sd / size**0.5)
        assert spread * member.sds[i] == pytest.approx(sd, abs=4 * sd / (2 * size) ** 0.5)
    assert fits.notes == ("components: 2 for members, 2 for non-members",)


@pytest.mark.parametrize("clip", [None, 0.01])
def test_the_estimate_is_that_of_the_fitted_laws_in_the_unit_of_the_losses(
    clip: float | None,
) -> None:
    scores = hilly_scores(2000, seed=4)
    ends = fitted(scores, components=2).sample.transform
    spread = ends.high - ends.low
    parts = []
    for law in laws_of(fitted(scores, components=2)):
        assert isinstance(law, Mixture)
        parts.append((law.weights, ends.low + spread * law.means, spread * law.sds))
    member, nonmember = parts
    expected = epsilon_star_of_mixtures(nonmember=nonmember, member=member, delta=0.01, clip=clip)
    form: dict[str, Any] = {"method": "mixture", "components": 2, "transform": "none"}
    star = epsilon_star(scores, delta=0.01, clip=clip, **form)
    assert star.value > 0
    np.testing.assert_allclose(star.log_ratios, expected.log_ratios, atol=3e-4)
    active = star.suprema.active
    assert active == expected.active
    place = expected.maxima[active].threshold
    assert star.suprema.maxima[active].threshold == pytest.approx(place, abs=1e-3 * spread)


@pytest.mark.slow
def test_bic_chooses_what_an_independent_loop_chooses() -> None:
    rng = np.random.default_rng(11)
    three = np.concatenate([rng.normal(m, s, 250) for m, s in ((-9, 1), (0, 0.6), (7, 1.5))])
    scores = AttackScores.from_losses(member=three, nonmember=rng.normal(1, 4, 600))
    found = [count(law) for law in laws_of(fitted(scores))]
    for x, number in zip((-scores.member, -scores.nonmember), found, strict=True):
        expected, lead = independent_choice(x, most=6, seed=5)
        assert lead > 5
        assert number == expected
    assert found == [3, 1]


@pytest.mark.slow
def test_bic_does_not_follow_a_slight_second_hill_as_aic_would() -> None:
    rng = np.random.default_rng(26)
    rng.normal(size=750)
    slight = np.concatenate([rng.normal(0, 1, 300), rng.normal(2.1, 1, 300)])
    number, lead = independent_choice(slight, most=3, seed=5)
    assert (number, lead > 10) == (1, True)
    scores = AttackScores.from_losses(member=slight, nonmember=slight[:40])
    assert count(laws_of(fitted(scores))[0]) == 1


def test_the_ks_rule_takes_one_component_for_normal_losses() -> None:
    chosen = [
        count(law)
        for seed in range(12)
        for law in laws_of(
            fitted(
                gaussian_losses(seed, member=(0, 1, 600), nonmember=(1, 2, 600)),
                components="ks",
                seed=seed,
            )
        )
    ]
    # A test at 0.05 rejects one in twenty: 23 expected of 24, standard deviation 1.1.
    assert chosen.count(1) >= 19


def test_the_ks_rule_needs_two_components_for_two_hills() -> None:
    for seed in range(4):
        member, _ = laws_of(fitted(hilly_scores(2000, seed), components="ks", seed=seed))
        assert count(member) >= 2


def test_one_component_is_the_normal_form() -> None:
    scores = gaussian_losses(3, member=(0, 1, 800), nonmember=(0.5, 1.4, 900))
    forms = {"delta": 1e-5, "clip": None}
    one = epsilon_star(scores, method="mixture", components=1, **forms)
    normal = epsilon_star(scores, method="normal", **forms)
    # scikit-learn adds 1e-6 to a variance of 1.
    np.testing.assert_allclose(one.log_ratios, normal.log_ratios, rtol=1e-4)
    assert all(isinstance(law, Normal) for law in laws_of(fitted(scores, components=1)))


@pytest.mark.parametrize(("n", "is_drawn"), [(10_000, False), (10_001, True)])
def test_more_than_ten_thousand_losses_are_drawn_from(n: int, is_drawn: bool) -> None:
    scores = gaussian_losses(1, member=(0, 1, n), nonmember=(0, 1, 50))
    fits = fitted(scores, components=1)
    assert any("10000 losses" in note for note in fits.notes) == is_drawn
    member, nonmember = laws_of(fits)
    assert isinstance(member, Normal)
    assert isinstance(nonmember, Normal)
    mean, sd = fits.sample.member.moments
    distance = abs(member.mean - mean) / sd
    assert (distance > 1e-12) == is_drawn
    assert distance < 1e-3
    assert nonmember.mean == pytest.approx(fits.sample.nonmember.moments[0], rel=1e-12)


def test_few_losses_get_few_components() -> None:
    scores = AttackScores.from_losses(member=[0.0, 0.0, 1.0, 5.0, 6.0], nonmember=[1.0, 2.0])
    member, nonmember = laws_of(fitted(scores, components=20))
    assert (count(member), count(nonmember)) == (2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("components", [2, "bic", "ks"])
def test_the_same_seed_gives_the_same_fit(components: Any) -> None:
    scores = hilly_scores(60)
    form: dict[str, Any] = {"delta": 0.01, "method": "mixture", "components": components}
    first, again = (epsilon_star(scores, **form, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.log_ratios, again.log_ratios)
    assert first.notes == again.notes


@pytest.mark.parametrize("unit", [1e-250, 1e5])
def test_the_unit_of_the_losses_does_not_matter(unit: float) -> None:
    scores = hilly_scores(300)
    scaled = AttackScores(
        member=unit * scores.member, nonmember=unit * scores.nonmember, kind="loss"
    )
    stars = [
        epsilon_star(s, delta=0.01, method="mixture", components=2, transform="none")
        for s in (scores, scaled)
    ]
    assert stars[1].value == pytest.approx(stars[0].value, rel=1e-6)


@pytest.mark.parametrize("components", [25, 0, 21, -1, "aic", 2.5, math.nan, True, None])
@pytest.mark.parametrize("method", ["mixture", "normal", "empirical"])
def test_illegal_numbers_of_components_are_named(components: Any, method: Any) -> None:
    scores = AttackScores.from_losses(member=[0.0, 1.0], nonmember=[1.0, 2.0])
    with pytest.raises(ValueError, match="components must be"):
        epsilon_star(scores, delta=0.1, method=method, components=components)


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sklearn", "sklearn.mixture", "sklearn.exceptions"):
        monkeypatch.setitem(sys.modules, name, None)
    scores = hilly_scores(50)
    for components in (2, "bic", "ks"):
        with pytest.raises(ImportError, match=r"dpviz\[mixture\]"):
            epsilon_star(scores, delta=0.1, method="mixture", components=components)
    assert epsilon_star(scores, delta=0.1, method="normal").value >= 0


def test_a_mixture_of_many_losses_is_fitted_to_some_of_all() -> None:
    scores = gaussian_losses(3, member=(0, 1, 12_000), nonmember=(4, 1, 12_000))
    fits = fitted(scores, components=1)
    for law, every in zip(laws_of(fits), (fits.sample.member, fits.sample.nonmember), strict=True):
        mean, sd = every.moments
        assert isinstance(law, Normal)
        assert law.mean == pytest.approx(mean, abs=5 * sd / math.sqrt(10_000))
        assert law.sd == pytest.approx(sd, rel=0.05)
    assert "fitted to 10000 losses per class drawn at random" in fits.notes
