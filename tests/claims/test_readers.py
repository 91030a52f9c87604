"""Every accountant, relation and mechanism: dpviz's epsilon beside the library's own.

The library's are recorded by `epsilons`; the slow tests compute them again.
"""

import json
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from dpviz import AttackScores, analyze
from dpviz.claims import Claim, read_claim
from dpviz.theory import GaussianDP, GaussianMechanism, SubsampledGaussian, TradeoffFunction
from tests.claims import epsilons
from tests.claims.epsilons import DELTA, MECHANISMS, OPACUS, PATH

ROWS: dict[str, dict[str, float]] = json.loads(PATH.read_text("utf-8"))["epsilons"]
OF_DP_ACCOUNTING = [name for name in ROWS if not name.startswith("Opacus")]
# "truncated" takes dp-accounting seconds, "as many sampled" is there for a limit of "fixed size".
QUICK = [n for n in OF_DP_ACCOUNTING if n.split("/")[2] not in ("truncated", "as many sampled")]
# The accountant's own curve is read where dpviz has no formula: tangents, from below.
COMPUTED = {"repeat and select": 1e-3, "truncated": 0.1}
ABOVE = 2e-4  # share by which dpviz's epsilon may be above that of a grid of losses


def of_class(name: str, /, **attributes: Any) -> Any:
    return type(name, (), attributes)()


def claim_of(name: str, *, is_composed: bool) -> Claim:
    """The claim of an accountant; unless `is_composed`, it has only a ledger."""
    accountant, relation, mechanism = name.split("/")
    if is_composed or mechanism in COMPUTED:
        return read_claim(epsilons.composed(accountant, relation, mechanism))
    kind = of_class("NeighboringRelation", name=relation)
    losses = {"_pld": None} if accountant == "PLD" else {}
    return read_claim(
        of_class("A", ledger=MECHANISMS[mechanism], neighboring_relation=kind, **losses)
    )


def least_known(name: str) -> float:
    """An epsilon that is at most the true one; 0 where none is known."""
    accountant, relation, mechanism = name.split("/")
    # A blank record adds 0; RDP's noise under replacement is PLD's where a record is added.
    if mechanism != "randomized response" and (accountant == "RDP" or "SPECIAL" in relation):
        relation = "ADD_OR_REMOVE_ONE"
    # Where all others are equal, to replace a record of a sample is to add one to as many.
    mechanism = {"fixed size": "as many sampled"}.get(mechanism, mechanism)
    return ROWS.get(f"PLD/{relation}/{mechanism}", {}).get("at_least", 0.0)


@cache  # many accountants give the same guarantee
def epsilon_of(guarantee: TradeoffFunction) -> float:
    return guarantee.epsilon(DELTA)


def check(name: str, claim: Claim, at_most: float) -> None:
    accountant, relation, mechanism = name.split("/")
    expected = "replace_one" if relation == "REPLACE_ONE" else "add_remove"
    assert (claim.guarantee.adjacency, claim.states_adjacency) == (expected, True)
    epsilon = epsilon_of(claim.guarantee)
    assert least_known(name) <= epsilon <= at_most * (1 + COMPUTED.get(mechanism, ABOVE))
    if accountant == "PLD" and mechanism not in COMPUTED:  # RDP's is above by an unknown amount
        assert epsilon == pytest.approx(at_most, rel=ABOVE)


@pytest.mark.parametrize("name", QUICK)
def test_dp_accountings_recorded_epsilon(name: str) -> None:
    check(name, claim_of(name, is_composed=False), ROWS[name]["at_most"])


@pytest.mark.slow
@pytest.mark.parametrize("accountant", epsilons.ACCOUNTANTS)
@pytest.mark.parametrize("relation", epsilons.RELATIONS)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_dp_accountings_epsilon(accountant: str, relation: str, mechanism: str) -> None:
    name = f"{accountant}/{relation}/{mechanism}"
    made = epsilons.composed(accountant, relation, mechanism)
    assert (made is None) == (name not in ROWS)
    if made is not None:
        assert made.get_epsilon(DELTA) == pytest.approx(ROWS[name]["at_most"], rel=1e-6)
        check(name, read_claim(made), made.get_epsilon(DELTA))


@pytest.mark.parametrize("name", ["RDPAccountant", "PRVAccountant", "GaussianAccountant"])
def test_opacus_recorded_epsilon(name: str) -> None:
    run = tuple(OPACUS[key] for key in ("noise_multiplier", "sample_rate", "steps"))
    made = of_class(name, history=[run], mechanism=lambda _: name.removesuffix("Accountant"))
    claim, stated = read_claim(made), ROWS[f"Opacus/{name}"]
    assert (claim.guarantee.adjacency, claim.states_adjacency) == ("add_remove", True)
    epsilon = epsilon_of(claim.guarantee)
    assert ROWS["PLD/ADD_OR_REMOVE_ONE/DP-SGD"]["at_least"] <= epsilon
    if "at_most" in stated:
        assert epsilon <= stated["at_most"]
    else:  # a central limit theorem, which promises too much
        assert stated["about"] < epsilon


def test_the_sampler_that_is_assumed_is_named_with_the_epsilon_of_the_other() -> None:
    engine = of_class("PRVAccountant", history=[(1.0, 0.01, 1000)], mechanism=lambda _: "prv")
    (note,) = read_claim(engine).notes
    assert "Poisson samples are assumed" in note
    # Ten epochs, each record once in each: a Gaussian mechanism with mu = sqrt(10).
    mu, stated = math.sqrt(10), float(note.split("epsilon ")[1].split()[0])
    delta, below = (
        ndtr(mu / 2 - e / mu) - math.exp(e) * ndtr(-mu / 2 - e / mu) for e in (stated, stated - 0.1)
    )
    assert delta <= 1e-5 < below
    engine.history.append((2.0, 0.01, 10))  # one of several runs, perhaps in one epoch
    (note,) = read_claim(engine).notes
    assert "Poisson samples are assumed" in note
    assert "epsilon" not in note


def handed_over() -> dict[str, Any]:
    """DP-SGD with sigma = 1, q = 0.01 and T = 1000 in every form that says it."""
    import dp_accounting as dpa

    event, builder = MECHANISMS["DP-SGD"], dpa.DpEventBuilder()
    builder.compose(event)
    run = {"noise_multiplier": 1.0, "sample_rate": 0.01, "steps": 1000}
    opacus = of_class("RDPAccountant", history=[(1.0, 0.01, 1000)], mechanism=lambda _: "rdp")
    relation = of_class("NeighboringRelation", name="ADD_OR_REMOVE_ONE")
    return {
        "event": event,
        "builder": builder,
        "accountant": of_class("A", ledger=event, neighboring_relation=relation, _pld=None),
        "Opacus": opacus,
        "Opacus' engine": of_class("PrivacyEngine", accountant=opacus),
        "dict": run,
        "dict of dp-accounting's names": {
            "noise_multiplier": 1.0,
            "sampling_probability": 0.01,
            "count": 1000,
        },
        "text": "dpsgd:sigma=1,sample_rate=0.01,steps=1000",
        "guarantee": SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.01, steps=1000),
    }


def test_one_mechanism_is_one_claim_however_it_is_handed_over() -> None:
    claims = {name: read_claim(source) for name, source in handed_over().items()}
    expected = claims["guarantee"].guarantee
    assert {name: claim.guarantee for name, claim in claims.items()} == dict.fromkeys(
        claims, expected
    )
    replaced = ROWS["PLD/REPLACE_ONE/DP-SGD"]["at_most"]
    assert epsilon_of(expected.to_replace_one()) == pytest.approx(replaced, rel=ABOVE)
    for name in ("event", "dict", "text"):  # they state no adjacency
        assert claims[name].other_reading == expected.to_replace_one()


@pytest.mark.parametrize(
    "source",
    [
        "gaussian:sigma=1",
        "dpsgd:sigma=1,sample_rate=1,steps=1",
        {"noise_multiplier": 1.0},
        MECHANISMS["Gaussian"],
        MECHANISMS["all sampled"],
        GaussianMechanism(noise_multiplier=1.0),
    ],
    ids=str,
)
def test_sampling_everybody_is_no_sampling(source: Any) -> None:
    claim = read_claim(source)
    replaced = claim.guarantee.to_replace_one()
    for guarantee, relation in ((claim.guarantee, "ADD_OR_REMOVE_ONE"), (replaced, "REPLACE_ONE")):
        stated = ROWS[f"PLD/{relation}/Gaussian"]["at_most"]  # 4.377 and 9.997
        assert guarantee.epsilon(DELTA) == pytest.approx(stated, rel=1e-6)
    assert claim.other_reading in (None, replaced)


def test_samples_of_a_fixed_size_are_requested_by_name() -> None:
    stated = "dpsgd:sigma=2,sample_rate=0.1,steps=3,adjacency=replace_one"
    assert read_claim(stated).guarantee.sampling == "poisson"
    fixed = read_claim(f"{stated},sampling=fixed_size")
    assert fixed.guarantee.sampling == "fixed_size"
    with pytest.raises(ValueError, match="adjacency must be 'replace_one' for samples of a fixed"):
        read_claim("dpsgd:sigma=2,sample_rate=0.1,steps=3,sampling=fixed_size")
    # An event of such samples is one of RdpAccountant, whose noise is relative to a replacement.
    event = read_claim(MECHANISMS["fixed size"])
    assert event.guarantee == claim_of("RDP/REPLACE_ONE/fixed size", is_composed=False).guarantee
    assert event.guarantee.noise_multiplier == 2.0
    assert "noise is relative to a replaced record" in str(event)


@pytest.mark.parametrize(
    ("source", "here", "there"),
    [("zcdp:rho=0.5", "ρ = 0.5", "ρ = 2"), ("gdp:mu=1", "μ = 1", "μ = 2")],
)
def test_numbers_are_shown_in_both_readings(source: str, here: str, there: str) -> None:
    scores = AttackScores(member=np.arange(5.0, 55.0), nonmember=np.arange(50.0))
    said = analyze(scores, claim=source).sentences["reading"]
    assert said.startswith(
        f"The claim is read as replace-one. Read as add/remove, it allows {there}"
    )
    said = analyze(scores, claim=f"{source},adjacency=add_remove").sentences["reading"]
    assert f"so it allows {there} if a record is replaced" in said
    assert f"Read as replace-one, it allows {here}" in said


def test_losses_and_intervals_are_of_added_and_removed_records() -> None:
    from dp_accounting.pld import privacy_loss_distribution as distributions

    either = read_claim(distributions.from_gaussian_mechanism(1.0))
    assert (either.guarantee.adjacency, either.states_adjacency) == ("add_remove", False)
    assert either.other_reading == either.guarantee.with_parameters(adjacency="replace_one")


def test_what_an_accountant_computed_is_read_where_there_is_no_formula() -> None:
    from dp_accounting.pld import privacy_loss_distribution as distributions

    made = of_class(
        "PLDAccountant",
        ledger=of_class("NewDpEvent"),
        neighboring_relation=of_class("NeighboringRelation", name="REPLACE_ONE"),
        _pld=distributions.from_laplace_mechanism(1.0),
    )
    claim = read_claim(made)
    assert (claim.guarantee.adjacency, claim.states_adjacency) == ("replace_one", True)
    assert claim.guarantee.epsilon(1e-3) == pytest.approx(0.998, abs=1e-3)  # 1 + 2 log(1 - delta)
    assert "computed by the accountant: dpviz has no formula for NewDpEvent" in str(claim)


def test_where_no_library_has_a_sharp_number_events_have_a_closed_form() -> None:
    """A replacement moves a sum by 2; a record is in one sum of each of a tree's five levels."""
    tree = read_claim(MECHANISMS["tree"]).guarantee
    assert epsilon_of(tree) == pytest.approx(epsilon_of(GaussianDP(mu=np.sqrt(3 * 5) / 6)))
    epsilons_when_replaced = {"Laplace": 2 / 1.5, "discrete Laplace": 3 * 0.25 * 2 * 2}
    for mechanism, epsilon in epsilons_when_replaced.items():
        replaced = read_claim(MECHANISMS[mechanism]).other_reading
        assert replaced is not None
        assert replaced.epsilon(0.0) == pytest.approx(epsilon)
    # Of a Poisson sample: densities where all noise is beyond both sums; one out and one in.
    least = np.log((0.9 + 0.1 * np.e) / (0.9 + 0.1 / np.e))
    both = 2 * np.log(0.9 + 0.1 * np.e)
    sampled = read_claim(MECHANISMS["Poisson Laplace"]).other_reading
    assert sampled is not None
    assert least <= sampled.epsilon(0.0) <= both * (1 + 1e-9)


@pytest.mark.parametrize("mechanism", ["truncated", "repeat and select"])
def test_an_event_without_a_formula_says_what_to_do(mechanism: str) -> None:
    with pytest.raises(ValueError, match="compose it into an accountant"):
        read_claim(MECHANISMS[mechanism])
