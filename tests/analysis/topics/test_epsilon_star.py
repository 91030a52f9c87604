"""What is said of Epsilon*, its fit and its chance, against numbers made another way."""

import math
import re

import numpy as np
import pytest
from scipy.stats import ks_1samp, norm

from dpviz import Analysis, AttackScores, Spec, read_sample
from dpviz.analysis.topics.epsilon_star import bootstrap_text, permutation_test_sentence
from dpviz.analysis.topics.registry import SCENES
from dpviz.audit import bootstrap, permutation_test
from dpviz.audit.epsilon_star import (
    epsilon_star_of_mixtures,
    epsilon_star_of_normals,
    transform_losses,
)
from dpviz.theory import ApproximateDP
from dpviz.widgets.base.picture import static_svg
from tests.analysis.topics.test_sentences import numbers, rounded


@pytest.fixture(scope="module")
def gamma() -> Analysis:
    return Analysis(read_sample("gamma"))


def sentences(scores: AttackScores, **spec: object) -> dict[str, str]:
    return Analysis(scores).result(Spec.of(**spec)).sentences


def fitted(scores: AttackScores) -> tuple[np.ndarray, np.ndarray]:
    """Transformed losses of members and non-members, low = member-like."""
    phi = transform_losses(member=-scores.member, nonmember=-scores.nonmember)
    return -phi[0], -phi[1]


def test_the_normal_form_says_estimate_clip_cap_unclipped_and_place(gamma: Analysis) -> None:
    text = gamma.result(Spec.of(method="normal")).sentences["epsilon_star"]
    assert gamma.scores is not None
    member, nonmember = fitted(gamma.scores)
    laws = {
        "nonmember": (nonmember.mean(), nonmember.std()),
        "member": (member.mean(), member.std()),
        "delta": 1e-5,
    }
    clipped = epsilon_star_of_normals(**laws, clip=1e-5)
    cap = math.log((1 - 2e-5) / 1e-5)
    place = clipped.maxima[clipped.index_of_largest].threshold
    z = [(place - x.mean()) / x.std() for x in (member, nonmember)]
    records = 5000 * min(norm.sf(z[0]), norm.sf(z[1]))
    head = [clipped.value, 1e-5, 1e-5, 1e-5, 0.99999, cap, epsilon_star_of_normals(**laws).value]
    shown = [head[0], 1e-5, 100 * 1e-5, 99.999, 1e-5, cap, head[-1]]
    assert numbers(text) == [*rounded(*shown[:3]), 99.999, *rounded(*shown[4:], *z, records)]
    assert "an estimate for this trained model from Normal fits, not a bound" in text
    assert "extrapolated" in text
    assert "comes from the high losses, which non-members have more often" in text
    assert "(the ratio TNR/FNR, m2 in the paper). There the attacker learns who was not" in text


def test_a_value_at_0_names_no_ratio_and_no_place() -> None:
    losses = np.arange(50.0)
    scores = AttackScores.from_losses(member=losses, nonmember=losses)
    said = sentences(scores, method="normal")
    assert said["epsilon_star"].startswith("Epsilon* ≈ 0 at δ = 1e-5")
    assert "The value comes" not in said["epsilon_star"]
    assert "maximum lies" not in said["epsilon_star"] + said["quantiles"]


def test_the_marker_of_epsilon_star_has_the_number_of_the_title() -> None:
    """All ratios of this sample are below 1: their largest log is negative, and Epsilon* is 0."""
    claim = ApproximateDP(epsilon=1.0, delta=0.02)
    result = Analysis(read_sample("null")).result(Spec(claim=claim))
    assert result.sample is not None
    assert result.sample.epsilon_star.star.suprema.log_ratios.max() < 0
    assert "Epsilon* 0<" in static_svg(SCENES["epsilon_star"], result)


def test_the_standard_error_stands_beside_the_value_where_it_holds() -> None:
    rng = np.random.default_rng(3)
    leak = AttackScores.from_losses(
        member=rng.normal(0, 1.4, 20_000), nonmember=rng.normal(1, 1, 20_000)
    )
    form = {"method": "normal", "clip": None, "transform": "none", "delta": 1e-3}
    text = sentences(leak, **form)["epsilon_star"]
    laws = [(x.mean(), x.std()) for x in (-leak.nonmember, -leak.member)]
    star = epsilon_star_of_normals(nonmember=laws[0], member=laws[1], delta=1e-3)
    error = star.standard_error(n_nonmembers=20_000, n_members=20_000)
    assert error is not None
    assert numbers(text)[:2] == rounded(star.value, error)
    assert "if both distributions are Normal and the samples independent" in text
    # Near 0 a maximum is no mean, and at the clip it is no stationary point.
    near_0 = sentences(read_sample("null"), method="normal")["epsilon_star"]
    assert "standard error" not in near_0
    at_the_clip = sentences(read_sample("gamma"), method="normal")["epsilon_star"]
    assert "standard error" not in at_the_clip


def test_an_undefined_value_keeps_the_unclipped_one_beside_it() -> None:
    apart = AttackScores.from_losses(member=[0.0, 0.1, 0.2], nonmember=[9.0, 9.1, 9.3])
    text = sentences(apart)["epsilon_star"]
    assert "undefined for this trained model: no threshold has both FPR and FNR" in text
    assert "would be infinite: beyond some threshold all records are of one class" in text


def test_a_poor_fit_and_an_extreme_loss_are_warned_of(gamma: Analysis) -> None:
    assert gamma.result(Spec()).sentences["warnings"] == ""
    poor = gamma.result(Spec.of(method="normal")).sentences["warnings"]
    assert "both fits are rejected" in poor
    assert "extrapolated" in poor
    # The picture says so before anything is opened.
    said = gamma.result(Spec.of(method="normal")).sentences
    assert said["epsilon_star_title"] == "Epsilon* 7.71; fit rejected"
    assert said["epsilon_star_lead"].endswith("not a bound. Both fits are rejected (5 % level).")
    rng = np.random.default_rng(0)
    member, nonmember = rng.normal(0, 1, 300), rng.normal(0.5, 1, 300)
    clean = AttackScores.from_losses(member=member, nonmember=nonmember)
    assert "single loss" not in sentences(clean, method="normal")["warnings"]
    assert sentences(clean, method="normal")["epsilon_star_lead"].endswith("not a bound.")
    member[7] = 1000.0
    one = AttackScores.from_losses(member=member, nonmember=nonmember)
    low, high = min(member.min(), nonmember.min()), max(np.delete(member, 7).max(), nonmember.max())
    share = 100 * (1000 - high) / (1000 - low)
    warning = sentences(one, method="normal")["warnings"]
    assert f"a single loss, 1000, accounts for {share:.3g} % of the range" in warning
    # Laws of the losses themselves need no range.
    assert "single loss" not in sentences(one, method="normal", transform="none")["warnings"]


def test_the_fit_sentence_says_what_was_fitted_and_how_it_was_tested(gamma: Analysis) -> None:
    empirical = gamma.result(Spec()).sentences["fit"]
    assert empirical.startswith(
        "Normal distributions are fitted to the transformed losses for comparison"
    )
    text = gamma.result(Spec.of(method="normal")).sentences["fit"]
    assert text.startswith("Normal distributions are fitted to the transformed losses.")
    assert "(1000 losses)" in text
    assert "Both fits are rejected" in text
    themselves = gamma.result(Spec.of(method="normal", transform="none")).sentences["fit"]
    assert "to the losses themselves" in themselves
    mixture = gamma.result(Spec.of(method="mixture", components=3)).sentences["fit"]
    assert "components: 3 for members, 3 for non-members" in mixture
    few = sentences(
        AttackScores.from_losses(member=[0.0, 1.0], nonmember=[1.0, 3.0]), method="normal"
    )
    assert few["fit"].endswith("There are too few losses to hold some out for a test.")
    flat = sentences(
        AttackScores.from_losses(member=[1.0, 1.0], nonmember=[1.0, 3.0]), method="normal"
    )
    assert flat["fit"] == "No fit: all losses of the members are equal: counted, not fitted."


@pytest.mark.parametrize("transform", ["paper", "none"])
def test_the_drawn_fit_is_the_data_and_its_normal_laws(gamma: Analysis, transform: str) -> None:
    assert gamma.scores is not None
    part = gamma.result(Spec.of(method="normal", transform=transform)).sample.fit  # type: ignore[union-attr]
    if transform == "paper":
        member, _ = fitted(gamma.scores)
    else:
        losses = -np.concatenate([gamma.scores.member, gamma.scores.nonmember])
        member = (-gamma.scores.member - losses.min()) / np.ptp(losses)
    heights, _ = np.histogram(member, bins=part.edges, density=True)
    np.testing.assert_allclose(part.member, heights, rtol=1e-12)
    x, density = part.member_density.T
    assert (x[0], x[-1]) == (part.edges[0], part.edges[-1])
    np.testing.assert_allclose(density, norm.pdf(x, member.mean(), member.std()), rtol=1e-10)
    law, data = part.member_quantiles.T
    assert len(law) <= 120
    np.testing.assert_allclose(
        data[[0, -1]], [(e - member.mean()) / member.std() for e in (member.min(), member.max())]
    )
    n = member.size
    np.testing.assert_allclose(law[0], norm.ppf(0.5 / n), rtol=1e-9)
    shown = part.goodness.member
    whole = ks_1samp(member, norm(member.mean(), member.std()).cdf)
    # 1000 held out of 5000: the distance is that of all up to 3 / sqrt(1000).
    assert shown.distance == pytest.approx(whole.statistic, abs=0.095)


def test_answers_about_chance_name_what_they_were_asked_about() -> None:
    scores = read_sample("null")
    star = Analysis(scores).result(Spec.of(delta=1e-3)).sample.epsilon_star.star  # type: ignore[union-attr]
    test = permutation_test(scores, delta=1e-3, n_resamples=19)
    text = permutation_test_sentence(test, star)
    larger = int((test.permuted >= test.observed).sum())
    reached = {0: "never reached", 1: "once reached"}.get(larger, f"{larger} times reached")
    assert f"In 19 random permutations of membership, Epsilon* {reached} " in text
    assert rounded(test.observed)[0] in numbers(text)
    assert f"p = {(larger + 1) / 20:.3g} (permutation test, counts, δ = 0.001, clip 0.001" in text
    spread = bootstrap(scores, delta=1e-3, n_resamples=19, confidence_level=0.9)
    text = bootstrap_text(spread, star)
    assert numbers(text)[:4] == [19, 90, *rounded(spread.low, spread.high)]
    assert "not a confidence interval" in text


def test_a_certified_value_says_how_far_above_it_a_threshold_can_be(gamma: Analysis) -> None:
    result = gamma.result(Spec.of(method="mixture", components=2))
    assert result.sample is not None
    gap = result.sample.epsilon_star.star.suprema.gap
    assert 0 < gap <= 1.1e-4
    found = re.search(
        r"exact Epsilon\* of these fits is at most (\S+) larger\.", result.sentences["epsilon_star"]
    )
    assert found is not None
    assert gap <= float(found[1]) <= 1.02 * gap
    assert "above it" not in gamma.result(Spec.of(method="normal")).sentences["epsilon_star"]


def test_a_finite_value_that_is_not_certain_is_not_called_infinite() -> None:
    star = epsilon_star_of_mixtures(
        nonmember=([1.0], [0.0], [1.0]), member=([0.5, 0.5], [0.0, -0.1], [1.0, 0.9999]), delta=0
    )
    assert math.isfinite(star.value)
    assert star.gap == math.inf
    assert star.reason == "larger ratios are possible in tails that were not searched"
