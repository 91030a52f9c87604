"""The parts of the mechanism's view and their sentences, against a recount from the laws."""

import math
import re

import numpy as np
import pytest
from scipy import integrate

from dpviz import Analysis, Result, Spec
from dpviz.analysis.claims.query_noise import QueryNoise, noise_sentence
from dpviz.analysis.result import ClaimPart
from dpviz.analysis.topics.mechanism import (
    MechanismPart,
    decision_sentence,
    mechanism_part,
    outputs_sentence,
    privacy_loss_sentence,
)
from dpviz.theory import (
    ApproximateDP,
    DiscreteLaplaceMechanism,
    DiscretePair,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    ListExperiment,
    OneWaySubsampled,
    PureDP,
    RandomizedResponse,
    Subsampled,
    TradeoffFunction,
    UniformMechanism,
)
from tests.analysis.topics.test_sentences import VERDICTS, numbers

TWO_SIDED = DiscretePair([0.2, 0.5, 0.1, 0.2], [0.4, 0.2, 0.05, 0.35])
WITH_OUTPUTS = [
    GaussianMechanism(noise_multiplier=0.8),
    LaplaceMechanism(epsilon=1.0),
    LaplaceMechanism(epsilon=3.0),
    UniformMechanism(width=4.0),
    RandomizedResponse(epsilon=1.0, categories=5),
    ListExperiment(support=[0.5, 0.5, 0.9]),
    DiscreteLaplaceMechanism(scale=1.7, sensitivity=3),
    PureDP(epsilon=1.0),
    ApproximateDP(epsilon=1.0, delta=0.1),
    TWO_SIDED,
]
WITHOUT = [
    Subsampled(base=GaussianDP(mu=1.0), sampling_rate=0.1),
    OneWaySubsampled(base=GaussianDP(mu=1.25), sampling_rate=0.4),
]
LIMITS = [GaussianDP(mu=0.0), GaussianDP(mu=math.inf), PureDP(epsilon=math.inf), PureDP(epsilon=0)]
EVERY = [*WITH_OUTPUTS, *WITHOUT, *LIMITS]
FPRS = (0.0, 1e-9, 0.01, 0.25, 0.5, 0.9, 1.0)


def result_of(claim: TradeoffFunction, delta: float = 1e-5) -> Result:
    return Analysis().result(Spec(claim=claim, delta=delta, neighbours="replace_one"))


def claim_of(claim: TradeoffFunction, delta: float = 1e-5) -> ClaimPart:
    return result_of(claim, delta).claim


def part_of(claim: TradeoffFunction, fpr: float = 0.1, **choices: object) -> MechanismPart:
    return mechanism_part(claim_of(claim), fpr=fpr, **choices)  # type: ignore[arg-type]


def size(outline: np.ndarray) -> float:
    """The area of an outline, which goes up and down to the axis from left to right."""
    return float(integrate.trapezoid(outline[:, 1], outline[:, 0])) if len(outline) else 0.0


def said(claim: TradeoffFunction, fpr: float = 0.1, **choices: object) -> str:
    return outputs_sentence(part_of(claim, fpr, **choices), result_of(claim))


@pytest.mark.slow
@pytest.mark.parametrize("claim", EVERY, ids=repr)
@pytest.mark.parametrize("rule", ["best", "threshold"])
def test_the_areas_are_the_rates(claim: TradeoffFunction, rule: str) -> None:
    for fpr in FPRS:
        at = part_of(claim, fpr, rule=rule).decision
        assert at.fpr == fpr
        if at.decision is None:
            assert at.fnr == claim.beta(fpr)
            continue
        assert size(at.fpr_area) == pytest.approx(fpr, abs=4e-3)
        assert size(at.fnr_area) == pytest.approx(at.fnr, abs=4e-3)
        assert at.excess_fnr == pytest.approx(max(0, at.fnr - claim.beta(fpr)), abs=1e-15)


@pytest.mark.slow
def test_only_a_two_sided_ratio_leaves_a_gap_and_no_best_test_does() -> None:
    for claim in WITH_OUTPUTS:
        assert max(part_of(claim, fpr).decision.excess_fnr for fpr in FPRS) < 1e-9
        gap = max(part_of(claim, fpr, rule="threshold").decision.excess_fnr for fpr in FPRS)
        assert (gap > 1e-3) == (claim is TWO_SIDED)


@pytest.mark.parametrize("claim", EVERY, ids=repr)
def test_at_most_512_vertices_leave(claim: TradeoffFunction) -> None:
    part = part_of(claim, 0.3)
    at, loss = part.decision, part.loss
    curves = (part.laws.nonmember, part.laws.member, at.fpr_area, at.fnr_area)
    curves += (loss.deltas, loss.member_tails, loss.nonmember_tails)
    for curve in curves:
        assert len(curve) <= 512
        assert np.all(np.isfinite(curve))
        assert not curve.flags.writeable
    for member, drawn in ((True, loss.member_tails), (False, loss.nonmember_tails)):
        assert np.all(np.diff(drawn[:, 0]) >= 0), member
        assert np.all(np.diff(drawn[:, 1]) <= 1e-15), member


@pytest.mark.parametrize("f", [GaussianDP(mu=1.25), GaussianDP(mu=0.1)], ids=repr)
def test_the_loss_of_gaussian_noise_is_normal(f: GaussianDP) -> None:
    from scipy import stats

    loss = part_of(f).loss
    assert loss.span[0] == -loss.span[1] <= -loss.epsilon
    for sign, drawn in ((1, loss.member_tails), (-1, loss.nonmember_tails)):
        law = stats.norm(sign * f.mu**2 / 2, f.mu)
        inside = drawn[drawn[:, 1] > loss.floor]
        np.testing.assert_allclose(inside[:, 1], law.sf(inside[:, 0]), rtol=1e-9)
    assert loss.floor < loss.delta < loss.member_tail


def test_the_jump_of_a_loss_is_drawn_upright() -> None:
    loss = part_of(LaplaceMechanism(epsilon=1.0)).loss
    at = loss.member_tails[loss.member_tails[:, 0] == 1.0]
    assert at.tolist() == [[1.0, 0.5], [1.0, loss.floor]]
    at = loss.nonmember_tails[loss.nonmember_tails[:, 0] == -1.0]
    assert at[:, 1] == pytest.approx([1.0, 0.5])
    assert (loss.member_tail, loss.delta) == (0.5, 0.0)
    assert loss.nonmember_tail == pytest.approx(math.exp(-1) / 2)


@pytest.mark.parametrize("guarantee", WITH_OUTPUTS, ids=repr)
def test_parts_that_a_change_does_not_touch_are_the_same(guarantee: TradeoffFunction) -> None:
    claim = claim_of(guarantee)
    first, second = (mechanism_part(claim, fpr=fpr) for fpr in (0.1, 0.2))
    assert first.laws is second.laws
    assert first.loss is second.loss
    assert first.decision is not second.decision
    assert mechanism_part(claim, fpr=0.1) is first


def test_the_sentence_of_noise_says_threshold_and_rates() -> None:
    assert said(GaussianDP(mu=1.0), 0.1) == (
        "The threshold is t = 1.28. The attack flags FPR = 10 % of the non-members and "
        "misses FNR = 61.1 % of the members; no test with that FPR misses fewer."
    )
    text = said(GaussianMechanism(noise_multiplier=1.0, adjacency="add_remove"), 0.1)
    assert text.startswith(
        "The claim is for add/remove adjacency and is converted to replace-one. The threshold is "
        "t = 1.28."
    )
    assert "misses FNR = 23.6 % of" in text


def test_the_sentence_of_bars_names_outputs_and_coins() -> None:
    f = ListExperiment(support=[0.5] * 3)  # P = 1/8, 3/8, 3/8, 1/8, 0
    assert said(f, 0.3125).startswith(
        "The attack says “member” when the number of items supported is 3 or 4, and with "
        "probability 50 % when it is 2. The attack flags FPR = 31.2 %"
    )
    assert "supported is 2 or more. The attack" in said(f, 0.5)
    assert "supported is 4. The attack flags FPR = 0 %" in said(f, 0.0)
    assert "supported is 0 or more. The attack" in said(f, 1.0)
    answer = RandomizedResponse(epsilon=math.log(3), categories=4)  # P = 1/2, 2/6, 1/6
    assert "is “in”, and with probability 50 % when it is 2 others." in said(answer, 1 / 3)
    assert said(answer, 1 / 24).startswith(
        "The attack says “member” with probability 25 % when the answer is “in”. The attack"
    )
    assert said(answer, 0.0).startswith(
        "The attack never says “member”. The attack flags FPR = 0 %"
    )


def test_a_point_above_the_curve_is_said_to_be_and_by_how_much() -> None:
    assert "output number is 0, and with probability 50 % when it is 3." in said(TWO_SIDED, 0.3)
    text = said(TWO_SIDED, 0.3, rule="threshold")
    assert text == (
        "The attack says “member” when the output number is 2 or 3. The attack flags FPR = 30 % of "
        "the non-members and misses FNR = 60 % of the members; the best test with that FPR misses "
        "42.5 %: the point lies 17.5 percentage points above the curve."
    )
    above = decision_sentence(part_of(TWO_SIDED, 0.3, rule="threshold"))
    assert "FPR 30 %, FNR 60 %, 17.5 percentage points above the curve" in above
    assert "FPR 30 %, FNR 42.5 %, on the curve" in decision_sentence(part_of(TWO_SIDED, 0.3))


def test_a_guarantee_without_outputs_is_said_to_have_none() -> None:
    text = said(WITHOUT[0], 0.1)
    assert text.startswith("This guarantee has no outputs of its own")
    assert numbers(text)[-1] == pytest.approx(100 * WITHOUT[0].beta(0.1), rel=5e-3)


def test_the_loss_is_said_beside_its_delta() -> None:
    text = privacy_loss_sentence(part_of(LaplaceMechanism(epsilon=1.0)))
    assert text.startswith(
        "The privacy loss of a member's output is at least ε = 1 with probability 0.5 (for a "
        "non-member's output: 0.184). At this ε, δ is 0, which is smaller: "
    )
    assert text.endswith("is sufficient for (ε, δ)-DP, but not necessary.")
    infinite = privacy_loss_sentence(part_of(UniformMechanism(width=4.0)))
    assert "at least ε = ∞ with probability 0.25 (for a non-member's output: 0)" in infinite
    assert infinite.endswith("At this ε, δ is 0.25: here δ equals the probability.")


@pytest.mark.slow
@pytest.mark.parametrize("claim", EVERY, ids=repr)
def test_sentences_are_recounts_without_verdicts(claim: TradeoffFunction) -> None:
    compared = claim_of(claim).claim  # where a record is replaced
    for fpr in FPRS[2:-1]:
        part = part_of(claim, fpr)
        text = outputs_sentence(part, result_of(claim))
        rates = [float(x) for x in re.findall(r"F[PN]R = ([\d.e-]+) %", text)]
        assert rates == pytest.approx([100 * fpr, 100 * compared.beta(fpr)], rel=5e-3)
        for sentence in (text, decision_sentence(part), privacy_loss_sentence(part)):
            assert not re.search(VERDICTS, sentence, flags=re.IGNORECASE)
            assert "nan" not in sentence


def test_noise_and_sensitivity_make_the_claim() -> None:
    query = QueryNoise(sensitivity=2.0, norm="linf", dimension=9, noise=4.0)
    assert query.claim_in_class_of(GaussianDP(mu=1.0)) == GaussianDP(mu=6 / 4)
    like = GaussianMechanism(noise_multiplier=1.0, adjacency="add_remove")
    assert query.claim_in_class_of(like) == like.with_parameters(noise_multiplier=4 / 6)
    # The sensitivity is that of the claim's adjacency: the same mu, from twice the multiplier.
    replaced = query.claim_in_class_of(like.with_parameters(adjacency="replace_one"))
    assert replaced.parameters == {"noise_multiplier": 8 / 6}
    assert query.with_noise_of(replaced) == query
    assert query.claim_in_class_of(LaplaceMechanism(epsilon=1.0)) == LaplaceMechanism(
        epsilon=18 / 4
    )
    query = QueryNoise(sensitivity=2.0, norm="l2", dimension=9, noise=4.0)
    assert query.claim_in_class_of(LaplaceMechanism(epsilon=1.0)) == LaplaceMechanism(epsilon=6 / 4)
    query = QueryNoise(sensitivity=2.0, norm="l1", dimension=9, noise=4.0)
    assert query.claim_in_class_of(GaussianDP(mu=1.0)) == GaussianDP(mu=0.5)
    with pytest.raises(ValueError, match="like must be a claim of Gaussian or Laplace noise"):
        query.claim_in_class_of(PureDP(epsilon=1.0))


@pytest.mark.parametrize("claim", [GaussianDP(mu=0.3), LaplaceMechanism(epsilon=7.0)], ids=repr)
def test_noise_follows_a_claim_made_elsewhere(claim: TradeoffFunction) -> None:
    query = QueryNoise(sensitivity=2.0, norm="linf", dimension=4)
    followed = query.with_noise_of(claim)
    assert (followed.sensitivity, followed.norm, followed.dimension) == (2.0, "linf", 4)
    (value,) = followed.claim_in_class_of(claim).parameters.values()
    assert value == pytest.approx(next(iter(claim.parameters.values())), rel=1e-15)
    assert followed.claim_in_class_of(
        followed.claim_in_class_of(claim)
    ) == followed.claim_in_class_of(claim)
    for other in (PureDP(epsilon=3.0), GaussianDP(mu=math.inf)):
        assert query.with_noise_of(other) == query
    assert query.with_noise_of(GaussianDP(mu=0.0)).noise == math.inf


def test_norms_are_said_with_what_is_exact() -> None:
    gaussian, laplace = GaussianDP(mu=1.0), LaplaceMechanism(epsilon=1.0)
    query = QueryNoise(sensitivity=2.0, norm="linf", dimension=9, noise=4.0)
    assert noise_sentence(query, gaussian) == (
        "Noise with standard deviation 4 in each coordinate and a query with L∞ sensitivity 2 in 9 "
        "dimensions give a sensitivity of at most √d · 2 = 6 in L2, so μ = 6 / 4 = 1.5. For "
        "Gaussian noise this curve is exact in any dimension."
    )
    bound = noise_sentence(query, laplace)
    assert "Noise with scale 4" in bound
    assert "at most d · 2 = 18 in L1, so ε = 18 / 4 = 4.5. " in bound
    assert "only a bound: a query with this L∞ sensitivity is more private than drawn" in bound
    assert "√d · 2 = 6 in L1" in noise_sentence(
        QueryNoise(sensitivity=2.0, dimension=9, noise=4.0), laplace
    )
    exact = "this curve is exact in any dimension."
    for query in (QueryNoise(norm="l1", dimension=9), QueryNoise(norm="linf")):
        assert noise_sentence(query, laplace).endswith(exact)
    assert "at most" not in noise_sentence(QueryNoise(norm="l1", dimension=9), gaussian)
    assert noise_sentence(query, PureDP(epsilon=1.0)) == ""
    assert "added or removed" in noise_sentence(query, GaussianDP(mu=1.0, adjacency="add_remove"))


def test_a_claim_without_noise_is_said_to_have_none() -> None:
    for claim in (GaussianDP(mu=math.inf), LaplaceMechanism(epsilon=math.inf)):
        assert noise_sentence(QueryNoise(), claim).startswith("No noise is added")


def test_noise_beyond_the_floats_is_not_followed() -> None:
    query = QueryNoise(sensitivity=1e-100)
    assert query.with_noise_of(GaussianDP(mu=1e300)) is query
    with np.errstate(all="raise", under="ignore"):
        assert QueryNoise().with_noise_of(GaussianDP(mu=1e-310)).noise == math.inf


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("sensitivity", 0, r"sensitivity must be in \(0, inf\), got 0"),
        ("sensitivity", None, "sensitivity must be a number, got None"),
        ("noise", -1, r"noise must be in \(0, inf\], got -1"),
        ("norm", "l3", "norm must be one of 'l1', 'l2', 'linf', got 'l3'"),
        ("dimension", 1.5, "dimension must be a whole number of at least 1, got 1.5"),
    ],
)
def test_an_impossible_query_is_refused(name: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        QueryNoise(**{name: value})  # type: ignore[arg-type]
