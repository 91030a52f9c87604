"""Planted faults are found, data without any are left alone, and nothing is called a bound."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import dpviz
from dpviz import AttackScores, check_inputs
from dpviz.audit.inputs import p_value_of_auc

RNG = np.random.default_rng(26)
MEMBER, NONMEMBER = RNG.normal(1, 1, 400), RNG.normal(0, 1, 600)
SCORES = AttackScores(member=MEMBER, nonmember=NONMEMBER)


def rows(n: int, shift: float = 0.0, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([n, seed]).normal(shift, 1, (n, 4))


def notable(scores: Any = SCORES, **known: Any) -> dict[str, str]:
    found = check_inputs(scores, **known)
    return {finding.question: finding.sentence for finding in found.notable}


@pytest.mark.parametrize("sample", ["overfitted", "regularised", "null", "gamma"])
def test_nothing_is_notable_in_the_samples(sample: str) -> None:
    assert notable(dpviz.read_sample(sample)) == {}


def test_sizes_that_differ_more_than_tenfold() -> None:
    small = AttackScores(member=MEMBER[:59], nonmember=NONMEMBER)
    assert notable(small) == {
        "record_choice": "The classes differ much in size: 59 members, 600 non-members."
    }
    assert notable(AttackScores(member=MEMBER[:60], nonmember=NONMEMBER)) == {}


def test_scores_that_were_up_sampled() -> None:
    said = notable(AttackScores(member=np.tile(MEMBER[:100], 4), nonmember=NONMEMBER))
    assert said.keys() == {"records_per_person"}
    assert said["records_per_person"].startswith(
        "300 of 400 members and 0 of 600 non-members share"
    )
    assert said["records_per_person"].endswith("are not independent draws.")


def test_scores_that_are_the_label() -> None:
    assert (
        "the score is the membership" in notable(([1.0] * 30, [0.0] * 30), kind="score")["attack"]
    )
    apart = AttackScores(member=MEMBER + 20, nonmember=NONMEMBER)
    assert "members and non-members do not overlap" in notable(apart)["attack"]


def test_one_record_among_those_of_the_other_class_is_an_overlap() -> None:
    low, high = np.arange(10.0), np.arange(20.0, 30.0)
    for member, nonmember in ((high, np.append(low, 25)), (np.append(low, 25), high)):
        assert "attack" not in notable(AttackScores(member=member, nonmember=nonmember))


@pytest.mark.parametrize(
    ("member", "format_"),
    [
        (np.round(MEMBER, 4), "scores of members have at most 4 decimals"),
        (MEMBER.astype(np.float32), "scores of members have single precision"),
    ],
)
def test_classes_of_another_number_format(member: np.ndarray, format_: str) -> None:
    assert format_ in notable(AttackScores(member=member, nonmember=NONMEMBER))["attack"]


def test_records_in_both_sets() -> None:
    ids = ([f"r{i}" for i in range(400)], [f"r{i}" for i in range(390, 990)])
    assert notable(ids=ids)["duplicates"] == (
        "By their ids, 10 of 600 non-members are also members, and 0 records repeat another record "
        "of their class."
    )
    member, nonmember = rows(400), rows(600)
    nonmember[:7] = member[:7]
    nonmember[7:12] = member[7:12] + 1e-6
    said = notable(covariates=(member, nonmember))["duplicates"]
    assert said == (
        "7 of 600 non-members have exactly the covariates of a member, and about 5 more have "
        "nearly the same (an estimate)."
    )
    assert notable(covariates=(rows(400), rows(600))) == {}


def test_drift_is_found_in_means_spreads_and_categories() -> None:
    wider = rows(600)
    wider[:, 2] *= 3
    hospital = [
        pd.DataFrame({"age": rows(n)[:, 0], "place": np.where(np.arange(n) % 10 < share, "a", "b")})
        for n, share in ((400, 9), (600, 4))
    ]
    for covariates in ((rows(400), rows(600, 0.7)), (rows(400), wider), tuple(hospital)):
        said = notable(covariates=covariates)
        assert "The two sets differ in more than membership" in said["population"]
        assert "bound" not in said["population"]


def test_the_level_of_the_classifier_s_test() -> None:
    """Of 60 data sets without drift, at most 4 are notable (binomial: P < 0.001 at 1 %)."""
    scores = AttackScores(member=MEMBER[:60], nonmember=NONMEMBER[:60])
    alarms = sum(
        "population" in notable(scores, covariates=(rows(60, seed=seed), rows(61, seed=seed)[:60]))
        for seed in range(60)
    )
    assert alarms <= 4


def test_the_p_value_is_that_of_the_mann_whitney_test() -> None:
    for n, m, shift in ((30, 50, 0.3), (200, 100, 0.1)):
        x, y = MEMBER[:n] - 1 + shift, NONMEMBER[:m]
        test = stats.mannwhitneyu(
            x, y, alternative="greater", method="asymptotic", use_continuity=False
        )
        assert p_value_of_auc(test.statistic / (n * m), n, m) == pytest.approx(
            test.pvalue, rel=1e-9
        )


def test_order_effects() -> None:
    drifting = AttackScores(member=MEMBER + np.linspace(0, 2, 400), nonmember=NONMEMBER)
    assert "scores of members change with their order" in notable(drifting)["attack"]
    (found,) = (x for x in check_inputs(drifting).notable if "change with" in x.sentence)
    rho = stats.spearmanr(drifting.member, np.arange(400)).statistic
    # Under independence rho has variance 1 / (n - 1), exactly.
    expected = (rho, 2 * stats.norm.sf(rho * math.sqrt(399)))
    assert [number for _, number in found.numbers] == pytest.approx(expected, rel=1e-9, abs=0)
    text = str(check_inputs(AttackScores(member=np.sort(MEMBER), nonmember=NONMEMBER)))
    assert "The members are sorted by their scores: their order cannot be tested." in text
    days = np.datetime64("2024-01-01") + np.arange(1000)
    said = notable(order=(days[:400], days[400:]))
    assert "Members come earlier than non-members (AUC of the order 1.000" in said["population"]
    mixed = np.random.default_rng(0).permutation(days)
    assert notable(order=(mixed[:400], mixed[400:])) == {}


def test_binned_scores_have_sizes_at_least() -> None:
    binned = dpviz.BinnedScores(
        thresholds=[0.0, 1.0], member_counts=[5, 5], nonmember_counts=[100, 1], kind="score"
    )
    assert notable(binned).keys() == {"record_choice"}


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"ids": [1, 2]}, "ids of members must be 400 values, one for each score, got 0"),
        ({"ids": "ab"}, "ids must be a pair .members, non-members., got 'str'"),
        ({"ids": (["a"], ["b"])}, "ids of members must be 400 values, one for each score, got 1"),
        ({"order": (MEMBER * np.nan, NONMEMBER)}, "order must be finite, got nan"),
        ({"order": (["x"] * 400, ["y"] * 600)}, "order must be numbers, got 'x'"),
        (
            {"covariates": (rows(400), rows(600)[:, :2])},
            "covariates must be tables with the same columns",
        ),
        ({"covariates": (rows(400), rows(600) * np.inf)}, "covariate 0 must be finite, got "),
        (
            {"covariates": (np.zeros((400, 2, 2)), rows(600))},
            "covariates must be a table of shape .rows, columns.",
        ),
        ({"rng": -1}, "rng must be a whole number of at least 0"),
    ],
)
def test_what_is_no_input_is_refused(known: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_inputs(SCORES, **known)


@pytest.mark.parametrize("unit", [1.0, 0.001])
def test_drift_between_covariates_that_go_together(unit: float) -> None:
    def covariates(seed: int, n: int, shift: float) -> np.ndarray:
        shared, own = np.random.default_rng(seed).normal(size=(2, n))
        return unit * np.column_stack([shared, shared + 0.4 * (own + shift)])

    both = covariates(1, 400, 0.6), covariates(2, 600, 0.0)
    (found,) = (x for x in check_inputs(SCORES, covariates=both).notable if "Cov" in x.sentence)
    # The best classifier looks at the difference: its AUC is Phi(0.6 / sqrt(2)) = 0.664.
    assert dict(found.numbers)["blind_auc"] == pytest.approx(0.664, abs=0.03)
