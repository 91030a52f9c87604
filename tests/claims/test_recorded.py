"""Objects of other tools, as `record` saw them: conversions within the error and on the safe side.

What is dp-accounting's is tried on its own objects, too: it is installed where tests run.
"""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from dpviz import AttackScores, analyze, read_claim
from dpviz.theory import GaussianDP, Subsampled, ZeroConcentratedDP
from tests.slow import parametrize

RECORDED = json.loads((Path(__file__).parent / "recorded" / "objects.json").read_text("utf-8"))
OBJECTS: list[dict[str, Any]] = RECORDED["objects"]
SLACK = (
    2e-3  # of an epsilon: grids of losses here and there, tangents, tables that are interpolated
)


def of_class(name: str, /, **attributes: Any) -> Any:
    """An object of a class with this name."""
    made = type(name, (), {})()
    for key, value in attributes.items():
        setattr(made, key, value)
    return made


def event(state: dict[str, Any]) -> Any:
    def value(given: Any) -> Any:
        if isinstance(given, list):
            return [value(each) for each in given]
        return event(given) if isinstance(given, dict) else given

    return of_class(state["class"], **{k: value(v) for k, v in state.items() if k != "class"})


def between(table: Any, column: int, epsilon: float) -> float:
    """A profile between the epsilons of its table: on chords in e^epsilon, so from above."""
    rows = np.array(table)
    return float(np.interp(np.exp(epsilon), np.exp(rows[:, 0]), rows[:, column], right=0.0))


def accountant(state: dict[str, Any]) -> Any:
    relation = of_class("NeighboringRelation", name=state["relation"])
    ledger = event(state["ledger"])
    return of_class("PLDAccountant", ledger=ledger, neighboring_relation=relation)


def distribution(state: dict[str, Any]) -> Any:
    from dp_accounting.pld import privacy_loss_distribution as pld

    return eval(f"pld.{state['name']}", {"pld": pld})


def measurement(state: dict[str, Any]) -> Any:
    loss: Any = state.get("map")
    if "profile" in state:
        loss = of_class(
            "PrivacyProfile",
            delta=lambda epsilon: between(state["profile"], 1, epsilon),
            epsilon=lambda delta: None,
        )
    elif isinstance(loss, list):
        loss = tuple(loss)
    return of_class(
        "Measurement",
        input_metric=state["input_metric"],
        output_measure=state["output_measure"],
        map=lambda distance: loss,
    )


def interval(state: dict[str, Any]) -> Any:
    def limits(epsilon: float, steps: list[int]) -> tuple[float, ...]:
        assert steps == [1000]
        return tuple(between(state["table"], k, epsilon) for k in (1, 2, 3))

    return of_class("PRVAccountant", prvs=[], max_self_compositions=[1000], compute_delta=limits)


def budget(state: dict[str, Any]) -> Any:
    spent = [tuple(each) for each in state["spent_budget"]]
    return of_class("BudgetAccountant", spent_budget=spent, total=lambda: None)


BUILDERS = {
    "accountant": accountant,
    "distribution": distribution,
    "measurement": measurement,
    "interval": interval,
    "budget": budget,
    "rho": lambda state: ZeroConcentratedDP(rho=state["rho"]),
}


@pytest.mark.parametrize("state", OBJECTS, ids=lambda s: f"{s['tool']}-{s['shape']}")
def test_recorded_conversions(state: dict[str, Any]) -> None:
    claim = read_claim(BUILDERS[state["shape"]](state))
    f, room = claim.guarantee, 1e-5
    for delta, epsilon in state["epsilons"].items():
        found = f.epsilon(float(delta))
        assert found == pytest.approx(epsilon, rel=SLACK, abs=1e-4)
    for delta, epsilon in state.get("at_most", {}).items():  # from looser accounting
        assert f.epsilon(float(delta)) <= epsilon * (1 + SLACK)
    for fpr, fnr in state["fnrs"].items():
        # Their grids are coarser or finer than ours; no curve of ours lies above the exact one.
        assert f.beta(float(fpr)) == pytest.approx(fnr, abs=f.error + room)
    stated = state.get("relation") or "SymmetricDistance" in state.get("input_metric", "")
    stated = stated or "sampling_prob" in state.get("name", "")
    assert claim.states_adjacency == bool(stated or state["shape"] == "rho")


def test_more_than_sixty_conversions_are_recorded() -> None:
    counts = [len(s["epsilons"]) + len(s.get("at_most", {})) + len(s["fnrs"]) for s in OBJECTS]
    assert sum(counts) > 60
    assert set(RECORDED["versions"]) >= {"dp-accounting", "opendp", "riskcal", "prv-accountant"}


# FNR that rho-zCDP allows at an FPR: the largest over all orders of the least one whose Bernoullis
# keep the bound at that order in both directions; bisection and golden section in 30 digits.
OF_ZCDP = {
    0.05: {0.001: 0.9969190357286, 0.01: 0.97520323279322, 0.1: 0.81528007960107},
    0.5: {0.001: 0.97508971438972, 0.01: 0.87541085072186, 0.1: 0.51627171184328},
    2.63: {0.001: 0.64672832159113, 0.01: 0.30184015857312, 0.1: 0.037659867733399},
}


def test_where_a_tool_is_safer_than_we_are_it_is_coarser() -> None:
    """A tool's epsilon is on its grid of losses, or a root from above: these have a formula."""
    gaussians = {i: read_claim(accountant(OBJECTS[i])).guarantee for i in (2, 3)}
    for i, f in gaussians.items():
        mu = 1 / mpmath.mpf(f.parameters["noise_multiplier"])
        for delta, theirs in OBJECTS[i]["epsilons"].items():
            with mpmath.workdps(40):
                epsilon = mpmath.mpf(f.epsilon(float(delta)))
                tail = mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
                exact = mpmath.ncdf(mu / 2 - epsilon / mu) - tail
            assert float(exact) == pytest.approx(float(delta), rel=1e-12)
            assert float(epsilon) == pytest.approx(theirs, abs=2e-8)
    response = read_claim(accountant(OBJECTS[7])).guarantee
    for delta, theirs in OBJECTS[7]["epsilons"].items():
        # The truth has probability 0.625, each of three others 0.125.
        exact = math.log((0.625 - float(delta)) / 0.125)
        assert response.epsilon(float(delta)) == pytest.approx(exact, rel=1e-12)
        assert exact < theirs <= exact + 1e-4
    for rho, fnrs in OF_ZCDP.items():
        f = ZeroConcentratedDP(rho=rho)
        for fpr, fnr in fnrs.items():
            assert f.beta(fpr) <= fnr <= f.beta(fpr) + f.error


def test_an_interval_is_a_band() -> None:
    state = next(s for s in OBJECTS if s["shape"] == "interval")
    claim = read_claim(interval(state))
    assert claim.upper is not None
    x = np.linspace(0, 1, 201)
    low, high = claim.guarantee.beta(x), claim.upper.beta(x)
    assert np.all(low <= high + 1e-12)
    assert np.max(high - low) <= claim.error
    for delta, (below, _, above) in state["ends"].items():
        # The tool widens epsilon as well as delta; the band is that of delta.
        ends = claim.upper.epsilon(float(delta)), claim.guarantee.epsilon(float(delta))
        assert below - 0.01 <= ends[0] <= ends[1] <= above + 0.01
    assert "interval: this curve is the lower end" in str(claim)


@pytest.mark.parametrize(
    "name",
    [
        "from_gaussian_mechanism(1.5, sampling_prob=0.1)",
        "from_laplace_mechanism(1.0).self_compose(3)",
        "from_randomized_response(0.5, 3)",
    ],
)
def test_a_distribution_has_the_deltas_that_it_states(name: str) -> None:
    made = distribution({"name": name})
    epsilon, delta = np.array(read_claim(made).guarantee.statements).T
    assert len(epsilon) > 50
    theirs = made.get_delta_for_epsilon(epsilon.tolist())
    assert delta == pytest.approx(np.array(theirs), rel=1e-11, abs=1e-20)


def test_dp_accountings_own_objects() -> None:
    import dp_accounting as dpa
    from dp_accounting import pld, rdp

    sampled = dpa.PoissonSampledDpEvent(0.01, dpa.GaussianDpEvent(1.0))
    steps = dpa.SelfComposedDpEvent(sampled, 1000)
    for kind in (pld.PLDAccountant, rdp.RdpAccountant):
        made = kind(neighboring_relation=dpa.NeighboringRelation.ADD_OR_REMOVE_ONE)
        made.compose(steps)
        claim = read_claim(made)
        assert claim.guarantee == read_claim(steps).guarantee
        assert claim.guarantee.adjacency == "add_remove"
        assert claim.states_adjacency
    assert not read_claim(steps).states_adjacency
    special = pld.PLDAccountant(dpa.NeighboringRelation.REPLACE_SPECIAL)
    special.compose(steps)
    assert "replaced by a blank record" in str(read_claim(special))
    fixed = dpa.SampledWithoutReplacementDpEvent(1000, 10, dpa.GaussianDpEvent(1.0))
    assert read_claim(fixed).guarantee.adjacency == "replace_one"
    rho = read_claim(dpa.SelfComposedDpEvent(dpa.ZCDpEvent(0.1), 5)).guarantee
    assert rho == ZeroConcentratedDP(rho=0.5, adjacency="add_remove")
    once = dpa.PoissonSampledDpEvent(0.1, dpa.LaplaceDpEvent(1.0))
    assert isinstance(read_claim(once).guarantee, Subsampled)
    two = dpa.ComposedDpEvent([dpa.GaussianDpEvent(4.0), dpa.GaussianDpEvent(2.0)])
    twice = read_claim(dpa.SelfComposedDpEvent(two, 2)).guarantee
    same = GaussianDP(mu=math.sqrt(2 * (1 / 4**2 + 1 / 2**2)))
    assert twice.epsilon(1e-5) == pytest.approx(same.epsilon(1e-5), rel=1e-4)
    assert math.isinf(read_claim(dpa.NonPrivateDpEvent()).guarantee.epsilon(0.1))


DELTA = 1e-5
REPLACEMENTS: dict[str, Callable[[Any], Any]] = {
    "Gaussian": lambda d: d.GaussianDpEvent(1.0),
    "ten Gaussians": lambda d: d.SelfComposedDpEvent(d.GaussianDpEvent(4.0), 10),
    "nearly all sampled": lambda d: d.PoissonSampledDpEvent(0.999, d.GaussianDpEvent(1.0)),
    "all sampled": lambda d: d.PoissonSampledDpEvent(1.0, d.GaussianDpEvent(1.0)),
    "DP-SGD": lambda d: d.SelfComposedDpEvent(
        d.PoissonSampledDpEvent(0.01, d.GaussianDpEvent(1.0)), 1000
    ),
    "randomized response": lambda d: d.RandomizedResponseDpEvent(0.5, 3),
    "both": lambda d: d.ComposedDpEvent(
        [d.GaussianDpEvent(1.0), d.RandomizedResponseDpEvent(0.5, 3)]
    ),
}


@pytest.mark.slow
@parametrize("name", REPLACEMENTS, slow_but=["ten Gaussians", "DP-SGD", "both"])
def test_a_replaced_record_is_that_of_the_accountant(name: str) -> None:
    """PLDAccountant: both records at the opposite ends of the sum, which moves by 2."""
    import dp_accounting as dpa
    from dp_accounting import pld

    made = pld.PLDAccountant(dpa.NeighboringRelation.REPLACE_ONE)
    made.compose(REPLACEMENTS[name](dpa))
    claim = read_claim(made)
    assert claim.guarantee.adjacency == "replace_one"
    assert claim.guarantee.epsilon(DELTA) == pytest.approx(made.get_epsilon(DELTA), rel=1e-4)
    # The event alone, for the same adjacency, is the same claim.
    event = REPLACEMENTS[name](dpa)
    assert read_claim(event, adjacency="replace_one").guarantee == claim.guarantee


def test_the_rdp_accountants_noise_is_relative_to_the_replacement() -> None:
    import dp_accounting as dpa
    from dp_accounting import rdp

    made = rdp.RdpAccountant(neighboring_relation=dpa.NeighboringRelation.REPLACE_ONE)
    made.compose(dpa.GaussianDpEvent(1.0))
    exact = read_claim(made).guarantee.epsilon(DELTA)
    assert 0.9 * made.get_epsilon(DELTA) < exact < made.get_epsilon(DELTA)  # 4.377 < 4.729


@pytest.mark.slow
def test_scores_that_keep_a_claim_of_replacement_do_not_contradict_it() -> None:
    import dp_accounting as dpa
    from dp_accounting import pld

    made = pld.PLDAccountant(dpa.NeighboringRelation.REPLACE_ONE)
    made.compose(dpa.GaussianDpEvent(1.0))
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.normal(2, 1, 1000), nonmember=rng.normal(0, 1, 1000))
    said = analyze(scores, claim=made).sentences["answer"]
    assert "do not contradict" in said


def test_a_loss_distribution_of_sampled_data_is_of_adding_and_removing() -> None:
    from dp_accounting.pld import privacy_loss_distribution as distributions

    sampled = distributions.from_gaussian_mechanism(1.0, sampling_prob=0.01).self_compose(1000)
    claim = read_claim(sampled)
    assert (claim.guarantee.adjacency, claim.states_adjacency) == ("add_remove", True)
    expected = sampled.get_epsilon_for_delta(DELTA)
    assert claim.guarantee.epsilon(DELTA) == pytest.approx(expected, rel=1e-3)
    either = read_claim(distributions.from_gaussian_mechanism(1.0))
    assert not either.states_adjacency


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda d: d.NoOpDpEvent(), "must have an event with a mechanism"),
        (
            lambda d: d.UnsupportedDpEvent(),
            "an event must be of a class .* got 'UnsupportedDpEvent'; compose",
        ),
        (lambda d: d.ZCDpEvent(0.1, 0.5), "xi of a ZCDpEvent must be 0, got 0.5"),
        (
            lambda d: d.ComposedDpEvent(
                [
                    d.PoissonSampledDpEvent(0.1, d.GaussianDpEvent(1.0)),
                    d.SampledWithoutReplacementDpEvent(10, 1, d.GaussianDpEvent(1.0)),
                ]
            ),
            r"in the ledger must be for one adjacency, got \['add_remove', 'replace_one'\]",
        ),
        (
            lambda d: d.SelfComposedDpEvent(d.LaplaceDpEvent(1.0), 10**6),
            "without a formula must be a whole number from 1 to 10000",
        ),
    ],
)
def test_events_that_cannot_be_read(make: Any, message: str) -> None:
    import dp_accounting as dpa

    with pytest.raises(ValueError, match=message):
        read_claim(make(dpa))


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"class": "GaussianDpEvent"}, "that dpviz can read .* no attribute 'noise_multiplier'"),
        (
            {"class": "PoissonSampledDpEvent", "sampling_probability": 0.1},
            "event or accountant that dpviz can read .* no attribute 'event'",
        ),
        (
            {"class": "LaplaceDpEvent", "noise_multiplier": -1},
            r"noise_multiplier of a LaplaceDpEvent must be in \[0, inf\], got -1.0",
        ),
        (
            {"class": "RandomizedResponseDpEvent", "noise_parameter": 2, "num_buckets": 3},
            r"noise_parameter of an event must be in \[0, 1\], got 2.0",
        ),
        (
            {
                "class": "SampledWithoutReplacementDpEvent",
                "source_dataset_size": 0,
                "sample_size": 1,
                "event": {"class": "GaussianDpEvent", "noise_multiplier": 1.0},
            },
            "source_dataset_size of an event must be a whole number of at least 1, got 0",
        ),
    ],
)
def test_events_that_lack_something(state: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_claim(event(state))


@pytest.mark.parametrize(
    ("steps", "delta", "message"),
    [
        (
            [],
            (0.0, 0.0, 0.0),
            r"max_self_compositions must have an entry above 0, got \[\]",
        ),
        (
            [0],
            (0.0, 0.0, 0.0),
            r"max_self_compositions must have an entry above 0, got \[0\]",
        ),
        ([10], (0.3, 0.2, 0.1), r"interval of delta must be in ascending order, got \[0.3, 0.1\]"),
        ([10], (math.nan,) * 3, r"interval of delta must be in ascending order, got \[nan, nan\]"),
        ([10], 0.1, "must be a prv_accountant accountant that dpviz can read"),
    ],
)
def test_intervals_that_are_none(steps: list[int], delta: Any, message: str) -> None:
    source = of_class(
        "PRVAccountant",
        prvs=[],
        max_self_compositions=steps,
        compute_delta=lambda epsilon, steps: delta,
    )
    with pytest.raises(ValueError, match=message):
        read_claim(source)


def test_an_interval_is_composed_once() -> None:
    """From one composition come the same ends as from `compute_delta`, which composes each time."""
    composed: list[list[int]] = []

    def estimate(epsilon: float) -> float:
        return max(0.0, -math.expm1(epsilon - 2))

    def compose(steps: list[int]) -> Any:
        composed.append(steps)
        return of_class("DiscretePrivacyRandomVariable", compute_delta_estimate=estimate)

    def limits(epsilon: float, _: list[int]) -> tuple[float, float, float]:
        return estimate(epsilon + 0.1) - 1e-6, estimate(epsilon), estimate(epsilon - 0.1) + 1e-6

    whole = {"prvs": [], "max_self_compositions": [7], "compute_delta": limits}
    parts = {"compute_composition": compose, "eps_error": 0.1, "delta_error": 1e-6}
    asked = read_claim(of_class("PRVAccountant", **whole))
    once = read_claim(of_class("PRVAccountant", **whole, **parts))
    assert composed == [[7]]
    assert once == asked
    for epsilon, delta in once.guarantee.parameters["statements"]:
        assert delta == pytest.approx(max(0.0, 1 - math.exp(epsilon - 2.1)) + 1e-6, rel=1e-9)


def test_a_ledger_of_another_adjacency_than_its_accountant() -> None:
    state = {**OBJECTS[0], "relation": "REPLACE_ONE"}
    with pytest.raises(
        ValueError, match="sampling must be 'replace_one', the accountant's adjacency, got"
    ):
        read_claim(accountant(state))


def accountant_of(history: Any, mechanism: str = "prv") -> Any:
    return of_class("PRVAccountant", history=history, mechanism=lambda: mechanism)


def test_opacus_accountants_and_engines() -> None:
    expected = read_claim({"noise_multiplier": 1.0, "sampling_rate": 0.01, "steps": 1000}).guarantee
    made = accountant_of([(1.0, 0.01, 1000)], "gdp")
    engine = of_class("PrivacyEngine", accountant=made)
    for source in (made, engine):
        claim = read_claim(source)
        assert claim.guarantee == expected
        assert claim.states_adjacency
        assert "central limit theorem" in str(claim)
    several = read_claim(accountant_of([(1.0, 0.01, 10), (2.0, 0.02, 20)]))
    assert len(several.guarantee.parameters["mechanisms"]) == 2
    with pytest.raises(
        ValueError, match="accountant must have at least one step, got an empty history"
    ):
        read_claim(accountant_of([]))
    for history, message in [
        ([1.0], "must be a list of runs"),
        ([(1.0, 0.01)], "must be a list of runs"),
        ([(1.0, 0.01, 0)], "steps must be a whole number from 1"),
        ([("a", 0.01, 10)], "noise_multiplier must be a number, got 'a'"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_claim(accountant_of(history))


def test_budgets() -> None:
    assert read_claim(of_class("RhoZCDPBudget", rho=0.5)).guarantee == ZeroConcentratedDP(rho=0.5)
    pure = read_claim(of_class("PureDPBudget", epsilon=1)).guarantee
    assert pure.parameters == {"epsilon": 1.0}
    approximate = read_claim(of_class("ApproxDPBudget", epsilon=1, delta="1e-6")).guarantee
    assert approximate.parameters == {"epsilon": 1.0, "delta": 1e-6}
    with pytest.raises(ValueError, match="rho of the budget must be a number"):
        read_claim(of_class("RhoZCDPBudget", rho="?"))
    for spent, message in [
        ([], "got an empty spent_budget"),
        ([1.0], r"spent_budget must be pairs \(epsilon, delta\), got \[1.0\]"),
        ([(1.0, 0.0, 1)], "must be pairs"),
        (None, "must be a diffprivlib accountant .* that dpviz can read .'NoneType' object is not"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_claim(of_class("BudgetAccountant", spent_budget=spent, total=lambda: None))


@pytest.mark.parametrize(
    ("delta", "message"),
    [
        (
            lambda e: min(1.0, 0.1 + e / 100),
            r"nonincreasing in epsilon, got 'an increase over epsilon in \[0\.0, [^,]+\]",
        ),
        (
            lambda e: max(0.0, 0.5 - e**4 / 16),
            r"convex in e\^epsilon, got 'a value above its chord at epsilon = 0\.2'",
        ),
        (lambda e: 1.5, r"must be in \[0, 1\], got 1.5"),
        (lambda e: math.nan, r"must be in \[0, 1\], got nan"),
        (lambda e: "a", "delta of a privacy profile must be numbers, got 'a'"),
        (lambda e: None, "delta of a privacy profile must be numbers, got None"),
        (lambda: 0.0, r"profile that dpviz can read \(.* positional argument"),
    ],
)
def test_profiles_that_are_none(delta: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_claim(of_class("Profile", delta=delta, epsilon=None))


def test_an_unknown_measure_lists_the_known_ones() -> None:
    unknown = of_class("Measurement", input_metric="L2", output_measure="Other", map=lambda d: d)
    with pytest.raises(ValueError, match="output_measure must be one of 'MaxDivergence'"):
        read_claim(unknown)
