"""Every refused number: the message names the argument, the condition and the value."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpviz import checks
from dpviz.theory import (
    ApproximateDP,
    Composed,
    DiscreteLaplaceMechanism,
    DiscretePair,
    GaussianDP,
    GaussianMechanism,
    GroupPrivacy,
    LaplaceMechanism,
    ListExperiment,
    OneWaySubsampled,
    PiecewiseLinear,
    PrivacyLoss,
    PrivacyRegion,
    PublicMixture,
    PureDP,
    RandomizedResponse,
    Subsampled,
    SubsampledGaussian,
    TotalVariation,
    UniformMechanism,
    calibration,
    clt,
    delta_at,
    epsilon_at,
    implied_epsilons,
    risk,
)
from dpviz.theory.mechanisms.composed import kairouz_oh_viswanath
from dpviz.theory.statements import smallest_mu

AS_FLOAT = "; numpy.asarray(..., float) converts text"

F = ApproximateDP(epsilon=1.0, delta=0.1)
R = PrivacyRegion(epsilon=1.0, delta=0.1)
UNIT, POSITIVE, OPEN = "in [0, 1]", "in [0, inf]", "in (0, 1)"

# name, condition, call, illegal numbers
ARGUMENTS: list[tuple[str, str, Callable[[Any], object], tuple[float, ...]]] = [
    ("epsilon", POSITIVE, lambda v: ApproximateDP(epsilon=v, delta=0), (-1e-9, -np.inf)),
    ("delta", UNIT, lambda v: ApproximateDP(epsilon=1, delta=v), (-1e-300, 2.0)),
    ("epsilon", POSITIVE, lambda v: PureDP(epsilon=v), (-1.0,)),
    ("epsilon", POSITIVE, lambda v: PrivacyRegion(epsilon=v, delta=0), (-1.0,)),
    ("delta", UNIT, lambda v: PrivacyRegion(epsilon=1, delta=v), (2.0, np.inf)),
    ("delta", UNIT, lambda v: F.with_parameters(delta=v), (2.0,)),
    ("alpha", UNIT, F.beta, (-0.1, 1.1)),
    ("fpr", UNIT, F.tpr, (-0.1, 1.1)),
    ("fpr", UNIT, F.advantage, (-0.1, 1.1)),
    ("epsilon", "in [-inf, inf]", F.delta, ()),
    ("delta", UNIT, F.epsilon, (-0.1, 1.1)),
    ("fpr", UNIT, lambda v: F.admits(fpr=v, fnr=0.5), (-0.1, 1.1)),
    ("fnr", UNIT, lambda v: F.admits(fpr=0.5, fnr=v), (-0.1, 1.1)),
    ("fpr", UNIT, lambda v: R.contains(fpr=v, fnr=0.5), (-0.1, 1.1)),
    ("fnr", UNIT, lambda v: R.margins(fpr=0.5, fnr=v), (-0.1, 1.1)),
    ("fnr", UNIT, lambda v: R.distances(fpr=0.5, fnr=v), (-0.1, 1.1)),
    ("fpr", UNIT, lambda v: implied_epsilons(fpr=v, fnr=0.5, delta=0), (-0.1, 1.1)),
    ("tpr", UNIT, lambda v: implied_epsilons(fpr=0.1, fnr=0.5, tpr=v, delta=0), (1.1,)),
    ("tnr", UNIT, lambda v: implied_epsilons(fpr=0.1, fnr=0.5, tnr=v, delta=0), (1.1,)),
    ("delta", UNIT, lambda v: epsilon_at(fpr=0.1, fnr=0.5, delta=v), (-0.1, 1.1)),
    ("epsilon", POSITIVE, lambda v: delta_at(fpr=0.1, fnr=0.5, epsilon=v), (-0.1,)),
    ("fpr", UNIT, lambda v: risk.ppv(F, fpr=v, prior=0.5), (-0.1, 1.1)),
    ("prior", OPEN, lambda v: risk.ppv(F, fpr=0.1, prior=v), (0.0, 1.0, -0.1)),
    ("prior", OPEN, lambda v: risk.ppv_limit(F, prior=v), (0.0, 1.0)),
    ("fpr", UNIT, lambda v: risk.advantage(F, fpr=v), (-0.1, 1.1)),
    ("fpr", UNIT, lambda v: risk.npv(F, fpr=v, prior=0.5), (-0.1, 1.1)),
    ("prior", OPEN, lambda v: risk.accuracy(F, fpr=0.1, prior=v), (0.0, 1.0)),
    ("prior", OPEN, lambda v: risk.f1(F, fpr=0.1, prior=v), (0.0, 1.0)),
    ("prior", OPEN, lambda v: risk.posterior_odds(F, fpr=0.1, prior=v), (0.0, 1.0)),
    ("prior", OPEN, lambda v: risk.relative_risk(F, fpr=0.1, prior=v), (0.0, 1.0)),
    ("prior", OPEN, lambda v: risk.best_accuracy(F, prior=v), (0.0, 1.0)),
    ("prior", OPEN, lambda v: risk.expected_posterior(F, prior=v), (0.0, 1.0)),
    ("epsilon", POSITIVE, lambda v: risk.posterior_bounds(epsilon=v, prior=0.5), (-1.0,)),
    ("mu", POSITIVE, lambda v: GaussianDP(mu=v), (-1.0,)),
    ("log_alpha", "in [-inf, 0]", lambda v: GaussianDP(mu=1).log_beta(v), (0.1,)),
    ("log_fpr", "in [-inf, 0]", lambda v: GaussianDP(mu=1).log_tpr(v), (0.1,)),
    (
        "noise_multiplier",
        "in (0, inf]",
        lambda v: GaussianMechanism(noise_multiplier=v),
        (0.0, -1.0),
    ),
    ("epsilon", POSITIVE, lambda v: LaplaceMechanism(epsilon=v), (-1.0,)),
    ("scale", "in (0, inf]", lambda v: DiscreteLaplaceMechanism(scale=v), (0.0, -1.0)),
    ("epsilon", POSITIVE, lambda v: RandomizedResponse(epsilon=v), (-1.0,)),
    ("delta", UNIT, lambda v: TotalVariation(delta=v), (-0.1, 2.0)),
    ("width", "in (0, inf]", lambda v: UniformMechanism(width=v), (0.0,)),
    ("sensitivity", "in [0, inf)", lambda v: UniformMechanism(width=1, sensitivity=v), (-1.0,)),
    (
        "sampling_rate",
        "in (0, 1]",
        lambda v: Subsampled(base=F, sampling_rate=v),
        (0.0, 1.1, -0.1),
    ),
    (
        "sampling_rate",
        "in (0, 1]",
        lambda v: SubsampledGaussian(noise_multiplier=1, sampling_rate=v),
        (0.0, 1.1),
    ),
    (
        "noise_multiplier",
        "in (0, inf]",
        lambda v: SubsampledGaussian(noise_multiplier=v, sampling_rate=0.1),
        (0.0, -1.0),
    ),
    (
        "epsilon",
        "in [0, inf)",
        lambda v: kairouz_oh_viswanath(epsilon=v, delta=0, times=2),
        (-1.0, np.inf),
    ),
    ("epsilon", "in [-inf, inf]", PrivacyLoss(F).tail, ()),
]
IDS = [f"{i}-{name}" for i, (name, *_) in enumerate(ARGUMENTS)]


def message(call: Callable[[Any], object], value: object) -> str:
    with pytest.raises(ValueError, match="must be") as caught:
        call(value)
    return str(caught.value)


@pytest.mark.parametrize(("name", "condition", "call", "illegal"), ARGUMENTS, ids=IDS)
def test_a_number_out_of_range(
    name: str, condition: str, call: Callable[[Any], object], illegal: tuple[float, ...]
) -> None:
    for value in (*illegal, float("nan")):
        assert message(call, value) == f"{name} must be {condition}, got {value!r}"


@pytest.mark.parametrize(("name", "condition", "call", "illegal"), ARGUMENTS, ids=IDS)
@pytest.mark.parametrize("value", ["0.5", "abc", True, np.True_, b"1", 1 + 0j])
def test_what_is_no_number(
    name: str, condition: str, call: Callable[[Any], object], illegal: object, value: object
) -> None:
    shown = value.item() if isinstance(value, np.generic) else value
    way_out = AS_FLOAT if value == "0.5" else ""
    assert message(call, value) == f"{name} must be a number, got {shown!r}{way_out}"


def test_the_entry_at_fault_is_shown() -> None:
    assert message(F.beta, [0.1, 1.5, 0.2]) == "alpha must be in [0, 1], got 1.5"
    assert message(F.beta, ["0.1"]) == f"alpha must be numbers, got '0.1'{AS_FLOAT}"
    assert message(F.beta, [True, False]) == "alpha must be numbers, got True"
    assert (
        message(lambda v: PureDP(epsilon=v), [1.0]) == "epsilon must be a single number, got [1.0]"
    )


def test_an_unknown_choice_lists_the_choices() -> None:
    expected = "adjacency must be one of 'replace_one', 'add_remove', got 'swap'"
    assert message(lambda v: PureDP(epsilon=1, adjacency=v), "swap") == expected


def test_an_integer_beyond_the_largest_float_is_a_value_error() -> None:
    assert message(lambda v: checks.real("epsilon", v), 10**400).startswith("epsilon must be")


def test_rows_of_unequal_length_are_named() -> None:
    with pytest.raises(ValueError, match=re.escape("alpha must be")):
        F.beta([[0.1], [0.1, 0.2]])


# name, condition, refused value, call
WRONG: list[tuple[str, str, object, Callable[[Any], object]]] = [
    ("support", "in [0, 1]", 1.5, lambda v: ListExperiment(support=(0.5, v))),
    ("P", "in [0, 1]", -0.5, lambda v: DiscretePair([v, 1.0], [0.5, 0.5])),
    ("knots", "in [0, 1]", 1.5, lambda v: PiecewiseLinear([(0, v), (1, 0)])),
    ("weights", "in [0, 1]", -0.5, lambda v: PublicMixture([F, F], weights=[v, 1.0])),
    (
        "categories",
        "a whole number of at least 2",
        1,
        lambda v: RandomizedResponse(epsilon=1, categories=v),
    ),
    (
        "categories",
        "a whole number of at least 2",
        2.5,
        lambda v: RandomizedResponse(epsilon=1, categories=v),
    ),
    (
        "sensitivity",
        "a whole number from 0 to 1000000",
        1.5,
        lambda v: DiscreteLaplaceMechanism(scale=1, sensitivity=v),
    ),
    (
        "steps",
        "a whole number from 1 to 10000000",
        0,
        lambda v: SubsampledGaussian(noise_multiplier=1, sampling_rate=0.1, steps=v),
    ),
    ("size", "a whole number from 1 to 1000", 0, lambda v: GroupPrivacy(F, size=v)),
    ("times", "a whole number of at least 1", 0, lambda v: clt(PureDP(epsilon=1), times=v)),
    (
        "n",
        "a whole number of at least 2",
        1,
        GaussianDP(mu=1).draw,
    ),
    (
        "adjacency",
        "one of 'replace_one', 'add_remove'",
        "swap",
        lambda v: GaussianDP(mu=1, adjacency=v),
    ),
    (
        "norm",
        "one of 'l1', 'l2', 'linf'",
        "l0",
        lambda v: calibration.laplace_scale(epsilon=1, sensitivity=1, norm=v),
    ),
    ("P", "probabilities that sum to 1", 0.9, lambda v: DiscretePair([0.4, 0.5], [0.5, 0.5])),
    ("Q", "as long as P (2 outputs)", 1, lambda v: DiscretePair([0.5, 0.5], [1.0])),
    (
        "knots",
        "points that begin at FPR 0 and end at FPR 1",
        (0.0, 0.5),
        lambda v: PiecewiseLinear([(0, 1), (0.5, 0)]),
    ),
    (
        "knots",
        "in ascending order of FPR",
        [0.6, 0.5],
        lambda v: PiecewiseLinear([(0, 1), (0.6, 0.1), (0.5, 0.1), (1, 0)]),
    ),
    (
        "knots",
        "on or below the line FNR = 1 - FPR",
        [0.5, 0.6],
        lambda v: PiecewiseLinear([(0, 1), (0.5, 0.6), (1, 0)]),
    ),
    ("mechanisms", "at least one trade-off function", (), lambda v: Composed(v)),
    ("mechanisms", "a sequence of trade-off functions", None, lambda v: Composed(v)),
    ("mechanisms", "a sequence of trade-off functions", PureDP(epsilon=1.0), lambda v: Composed(v)),
    (
        "components",
        "a sequence of trade-off functions",
        None,
        lambda v: PublicMixture(v, weights=[1.0]),
    ),
    (
        "weights",
        "as long as components (1)",
        2,
        lambda v: PublicMixture([F], weights=[0.5, 0.5]),
    ),
    (
        "base",
        "symmetric, such as base.min_symmetrized()",
        OneWaySubsampled(base=GaussianDP(mu=1.0), sampling_rate=0.5),
        lambda v: Subsampled(base=v, sampling_rate=0.5),
    ),
    (
        "base",
        "a guarantee for replace_one adjacency",
        GaussianDP(mu=1.0, adjacency="add_remove"),
        lambda v: Subsampled(base=v, sampling_rate=0.5),
    ),
    ("f", "a guarantee with finite privacy losses", F, lambda v: clt(v, times=3)),
    *[
        (name, "a trade-off function such as dpviz.theory.PureDP", None, call)
        for name, call in [
            ("base", lambda v: Subsampled(base=v, sampling_rate=0.5)),
            ("base", GroupPrivacy),
            ("f", PrivacyLoss),
            ("f", smallest_mu),
            ("f", lambda v: clt(v, times=2)),
            ("other", F.dominates),
            ("claim", lambda v: risk.ppv(v, fpr=0.1, prior=0.5)),
            ("claim", risk.advantage),
            ("mechanisms", lambda v: Composed([v])),
        ]
    ],
]


@pytest.mark.parametrize(("name", "condition", "value", "call"), WRONG)
def test_refused_choices_say_what_is_legal(
    name: str, condition: str, value: object, call: Callable[[Any], object]
) -> None:
    assert message(call, value) == f"{name} must be {condition}, got {value!r}"


def test_mixed_adjacencies_are_refused() -> None:
    one, other = PureDP(epsilon=1.0), PureDP(epsilon=1.0, adjacency="add_remove")
    expected = "mechanisms must be guarantees for one adjacency, got ['add_remove', 'replace_one']"
    assert message(Composed, [one, other]) == expected
