"""What a change leaves alone: parts are the same objects, and the records are not touched again."""

import copy
import dataclasses
import pickle
import re
import tracemalloc
from typing import Any

import numpy as np
import pytest

from dpviz import Analysis, AttackScores, Result, Spec, analyze
from dpviz.audit import AttackCurve
from dpviz.theory import ApproximateDP, DiscreteLaplaceMechanism, GaussianDP, PureDP

PARTS = (
    "claim",
    "point",
    "risk",
    "risk_point",
    "sample.attack",
    "sample.at_fpr",
    "sample.risk",
    "sample.histogram",
    "sample.epsilon_star",
)


def part(result: Result, path: str) -> Any:
    found: Any = result
    for name in path.split("."):
        found = getattr(found, name)
    return found


def test_the_same_spec_gives_the_same_parts(analysis: Analysis) -> None:
    first = analysis.result(Spec())
    for spec in (
        Spec(),
        Spec.of(epsilon=1, delta=1e-5, prior=0.5),
        Spec.of(epsilon=2).changed(epsilon=1),
    ):
        again = analysis.result(spec)
        assert all(part(again, path) is part(first, path) for path in PARTS)


@pytest.mark.parametrize(
    ("changes", "changed"),
    [
        ({"epsilon": 2.0}, {"claim", "point", "risk", "risk_point"}),
        ({"prior": 0.2}, {"risk", "risk_point", "sample.risk"}),
        ({"fpr": 0.2}, {"point", "risk_point", "sample.at_fpr"}),
        ({"fnr": 0.5}, {"point"}),
        ({"method": "normal"}, {"sample.epsilon_star"}),
        ({"clip": 0.01}, {"sample.epsilon_star"}),
    ],
)
def test_a_change_makes_only_the_parts_that_depend_on_it(
    analysis: Analysis, changes: dict[str, Any], changed: set[str]
) -> None:
    before = analysis.result(Spec())
    after = analysis.result(Spec().changed(**changes))
    assert {path for path in PARTS if part(after, path) is not part(before, path)} == changed


def test_epsilon_leaves_the_sample_and_fpr_leaves_the_risk_curves(analysis: Analysis) -> None:
    before, after = analysis.result(Spec()), analysis.result(Spec.of(epsilon=2.0, fpr=0.3))
    assert before.sample is not None
    assert after.sample is not None
    assert after.sample.attack is before.sample.attack
    assert after.sample.epsilon_star is before.sample.epsilon_star
    moved = analysis.result(Spec.of(fpr=0.3))
    assert moved.risk is before.risk


def test_two_data_sets_share_nothing(scores: AttackScores) -> None:
    other = AttackScores(member=scores.member + 1, nonmember=scores.nonmember)
    first, second = Analysis(scores).result(Spec()), Analysis(other).result(Spec())
    for path in PARTS:
        if path.startswith("sample"):
            assert part(first, path) is not part(second, path)


class Gone:
    """Scores that may be there but not be read."""

    def __getattribute__(self, name: str) -> object:
        raise AssertionError(f"the records were read again: {name}")


@pytest.mark.parametrize(
    "changes", [{"epsilon": 2.0}, {"prior": 0.2}, {"fpr": 0.3}, {"delta": 1e-4}]
)
def test_after_loading_the_records_are_not_read_again(
    analysis: Analysis, monkeypatch: pytest.MonkeyPatch, changes: dict[str, float]
) -> None:
    expected = Analysis(analysis.scores).result(Spec.of(**changes)).sentences
    analysis.result(Spec())
    analysis.scores = Gone()
    forbidden = pytest.fail
    monkeypatch.setattr(AttackCurve, "from_scores", lambda scores: forbidden("counted again"))
    monkeypatch.setattr(np, "sort", lambda *a, **k: forbidden("sorted again"))
    assert analysis.result(Spec.of(**changes)).sentences == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "changes"),
    [
        *(({}, change) for change in ({"epsilon": 2.0}, {"prior": 0.2}, {"fpr": 0.3})),
        ({}, {"delta": 1e-4}),
        ({"method": "normal"}, {"delta": 1e-4}),
        ({"method": "normal"}, {"clip": 0.01}),
    ],
)
def test_a_change_makes_no_array_as_long_as_the_sample(
    form: dict[str, str], changes: dict[str, float]
) -> None:
    # One byte per record is an eighth of the smallest such array.
    n = 1_000_000
    rng = np.random.default_rng(0)
    losses = {"member": rng.normal(0, 1, n), "nonmember": rng.normal(1, 1, n)}
    analysis = Analysis(AttackScores.from_losses(**losses))
    analysis.result(Spec.of(**form))
    tracemalloc.start()
    try:
        analysis.result(Spec.of(**form, **changes))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < n


def test_what_are_no_scores_is_refused_in_one_line() -> None:
    losses = np.arange(50.0), np.arange(50.0)
    assert Analysis(losses).scores == AttackScores.from_losses(*losses)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^scores must be .*, got array\(") as e:
        Analysis(losses[0])  # type: ignore[arg-type]
    assert "\n" not in str(e.value)


def test_without_scores_only_the_claim_is_there() -> None:
    result = analyze()
    assert result.sample is None
    assert result.point.source == "claim"
    assert result.point.admitted
    assert result.point.fnr == pytest.approx(1 - 1e-5 - np.e * 0.01, rel=1e-14)
    with pytest.raises(ValueError, match="scores must be loaded"):
        Analysis().at_threshold(0.0)


def test_parts_cannot_be_changed(analysis: Analysis) -> None:
    result = analysis.result(Spec())
    for path in PARTS:
        found = part(result, path)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(found, dataclasses.fields(found)[0].name, None)
        for field in dataclasses.fields(found):
            value = getattr(found, field.name)
            if isinstance(value, np.ndarray):
                assert not value.flags.writeable


@pytest.mark.parametrize("claim", [ApproximateDP(epsilon=1.0, delta=0.01), PureDP(epsilon=2.0)])
def test_add_remove_is_converted_before_anything_is_drawn(
    analysis: Analysis, claim: ApproximateDP
) -> None:
    loose = type(claim)(**claim.parameters, adjacency="add_remove")
    result, direct = (analysis.result(Spec(claim=c)) for c in (loose, loose.to_replace_one()))
    assert result.claim.converted
    assert not direct.claim.converted
    np.testing.assert_array_equal(result.claim.curve, direct.claim.curve)
    np.testing.assert_array_equal(result.risk.ppv, direct.risk.ppv)


def test_histogram_is_a_recount(analysis: Analysis, scores: AttackScores) -> None:
    sample = analysis.result(Spec()).sample
    assert sample is not None
    drawn = sample.histogram
    low, high = drawn.edges[[0, -1]]
    beyond = 0
    for shares, own in ((drawn.member, scores.member), (drawn.nonmember, scores.nonmember)):
        losses = -own
        counts, _ = np.histogram(np.clip(losses, low, high), bins=drawn.edges)
        np.testing.assert_allclose(shares, counts / losses.size, rtol=0, atol=1e-15)
        beyond += int(np.sum((losses < low) | (losses > high)))
    assert drawn.n_beyond == beyond
    assert beyond <= 0.002 * (scores.n_members + scores.n_nonmembers) + 2


@pytest.mark.parametrize("fpr", [0.999999, 1 - 1e-12])
def test_rates_that_round_stay_rates(fpr: float) -> None:
    claim = DiscreteLaplaceMechanism(scale=3.0, sensitivity=1000)
    assert analyze(claim=claim, fpr=fpr).point.fnr == pytest.approx(0, abs=1e-5)
    assert claim.tpr(np.linspace(0, 1, 1001)).max() <= 1


def test_bounds_of_risk_have_few_vertices() -> None:
    risk = analyze(claim=GaussianDP(mu=1.0)).risk
    assert max(len(risk.advantage), len(risk.ppv)) <= 512


def test_what_is_prepared_has_its_profile() -> None:
    analysis, spec = Analysis(), Spec(claim=GaussianDP(mu=1.0), overlays=(GaussianDP(mu=2.0),))
    analysis.prepare(spec)
    result = analysis.result(spec)
    assert all("profile" in vars(part) for part in (result.drawn, *result.overlays))


def test_a_result_can_be_copied_and_pickled(analysis: Analysis) -> None:
    result = analysis.result(Spec()).with_answer("own", (1, 2))
    for again in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert again.answers == {"own": (1, 2)}
        assert again.sentences["region"] == result.sentences["region"]


@pytest.mark.parametrize("method", ["empirical", "normal"])
def test_infinite_losses_leave_all_but_the_fits(method: Any) -> None:
    """Sentences and pictures that use ranks are there; the fit says what it needs."""
    rng = np.random.default_rng(3)
    member, nonmember = rng.exponential(0.3, 200), rng.exponential(1.0, 200)
    member[:30], nonmember[:4], nonmember[4:20] = -np.inf, -np.inf, np.inf
    infinite = analyze(AttackScores.from_losses(member, nonmember), epsilon=1.0, method=method)
    member, nonmember = np.clip(member, -9, 9), np.clip(nonmember, -9, 9)
    finite = analyze(AttackScores.from_losses(member, nonmember), epsilon=1.0)
    assert infinite.sample is not None
    assert infinite.sample.histogram.n_infinite == 50
    assert np.isfinite(infinite.sample.histogram.edges).all()
    assert infinite.sample.histogram.edges[-1] < 9
    for name in ("answer", "answer_detail", "region"):
        assert infinite.sentences[name] == finite.sentences[name]
    assert (
        "also contain 50 records beyond the ends of the axis, 50 of them infinite."
        in infinite.sentences["scores"]
    )
    assert infinite.sentences["fit"] == (
        "No fit: 50 losses are infinite (a logit_clip makes them finite): counted, not fitted."
    )
    for name in ("scores", "fit", "quantiles", "epsilon_star", "region", "tradeoff"):
        numbers = re.findall(r' (?:d|x|y|points)="([^"]*)"', infinite.svg(name))
        assert numbers
        assert not any("nan" in text or "inf" in text for text in numbers)
    assert analyze(AttackScores([np.inf], [-np.inf]), epsilon=1.0).sentences["scores"]
