"""The menu of claims, overlays and what is said about them, recounted."""

import re
from inspect import signature
from typing import Any

import numpy as np
import pytest

from dpviz import Analysis, Spec, analyze
from dpviz.analysis.claims.menu import (
    ENTRIES,
    fields_of_menu_choice,
    fields_with_parameters,
    menu_key,
)
from dpviz.analysis.claims.menu import EXAMPLES as EXAMPLES_OF_THE_MENU
from dpviz.analysis.claims.text_fields import TextField, shortest_period
from dpviz.analysis.topics.claim import short_name
from dpviz.number_format import short
from dpviz.theory import (
    MECHANISMS,
    ApproximateDP,
    Composed,
    DiscretePair,
    GaussianDP,
    LaplaceMechanism,
    OneWaySubsampled,
    PureDP,
    Subsampled,
    SubsampledGaussian,
    TotalVariation,
    TradeoffFunction,
    UniformMechanism,
)
from tests.laws.examples import EXAMPLES

NO_EPSILON = ("total_variation", "list_experiment", "uniform", "composed", "group")
"""What cannot imply the epsilon of (1, 1e-5) at 1e-5."""


def test_the_menu_has_every_guarantee() -> None:
    assert set(MECHANISMS) == set(ENTRIES)
    assert len({entry.title for entry in ENTRIES.values()}) == len(ENTRIES)


@pytest.mark.parametrize("key", list(ENTRIES))
def test_every_parameter_is_in_reach(key: str) -> None:
    made_of = {"base", "components", "epsilon", "delta", "error", "P", "Q", "epsilons"}
    takes = set(signature(MECHANISMS[key]).parameters) - {"adjacency"}
    assert takes - made_of == set(ENTRIES[key].parameters) - {"outputs"}


@pytest.mark.parametrize("adjacency", ["replace_one", "add_remove"])
@pytest.mark.parametrize("key", list(ENTRIES))
def test_a_new_claim_implies_about_the_same_epsilon(key: str, adjacency: Any) -> None:
    spec = Spec(claim=ApproximateDP(epsilon=1.0, delta=1e-5, adjacency=adjacency))
    if key == "one_way_subsampled" and adjacency == "add_remove":
        with pytest.raises(
            ValueError, match=r"got 'add_remove'; the claim bounds .* not \(D', D\)"
        ):
            fields_of_menu_choice(key, spec)
        return
    new = spec.changed(**fields_of_menu_choice(key, spec))
    assert menu_key(new.claim) == key
    assert new.claim.adjacency == adjacency
    if key not in (*NO_EPSILON, "subsampled", "one_way_subsampled", "subsampled_gaussian"):
        assert new.claim.epsilon(new.delta) == pytest.approx(1.0, rel=0.01)


def test_a_new_claim_begins_at_the_default_where_the_old_one_implies_nothing() -> None:
    spec = Spec(claim=TotalVariation(delta=0.5))
    assert spec.changed(**fields_of_menu_choice("approximate", spec)).claim == Spec().claim
    spec = Spec(claim=UniformMechanism(width=4.0), delta=1e-6)
    new = spec.changed(**fields_of_menu_choice("approximate", spec)).claim
    assert new == ApproximateDP(epsilon=1.0, delta=1e-6)
    spec = Spec(claim=PureDP(epsilon=1.0), delta=0.0)
    assert spec.changed(**fields_of_menu_choice("gaussian_dp", spec)).claim == GaussianDP(mu=0.268)


@pytest.mark.parametrize("key", [k for k in ENTRIES if ENTRIES[k].parameters])
def test_boxes_read_back_what_they_write(key: str) -> None:
    for arguments in EXAMPLES[key]:
        claim = MECHANISMS[key](**arguments)
        for how in ENTRIES[key].parameters.values():
            if isinstance(how, TextField):
                changes = how.read(claim, how.write(claim))
                assert claim.with_parameters(**changes) == claim


def test_one_order_of_a_pair_is_refused_for_adding_and_removing() -> None:
    spec = Spec(claim=OneWaySubsampled(base=PureDP(epsilon=2), sampling_rate=0.5))
    assert fields_with_parameters(spec, sampling_rate=0.25)["claim"] == OneWaySubsampled(
        base=PureDP(epsilon=2), sampling_rate=0.25
    )
    with pytest.raises(ValueError, match="adjacency must be replace_one for this claim"):
        fields_with_parameters(spec, adjacency="add_remove")


@pytest.mark.parametrize(("text", "length"), [("a", 1), ("aa", 1), ("abab", 2), ("aba", 3)])
def test_period(text: str, length: int) -> None:
    assert shortest_period(text) == length


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (ApproximateDP(epsilon=1, delta=1e-5), "DP ε = 1, δ = 1e-5"),
        (GaussianDP(mu=0.5, adjacency="add_remove"), "GDP μ = 0.5 (add/remove)"),
        (
            Subsampled(base=PureDP(epsilon=2), sampling_rate=0.25),
            "sampled rate = 0.25 of pure DP ε = 2",
        ),
        (
            SubsampledGaussian(noise_multiplier=1, sampling_rate=0.01, steps=4321),
            "DP-SGD σ = 1, rate = 0.01, steps = 4321",
        ),
        (Composed([PureDP(epsilon=1)] * 4), "4 × pure DP ε = 1"),
        (Composed([PureDP(epsilon=1), GaussianDP(mu=1)] * 2), "2 × 2 mechanisms"),
        (
            OneWaySubsampled(base=PureDP(epsilon=2), sampling_rate=0.5),
            "sampled one way rate = 0.5 of pure DP ε = 2",
        ),
    ],
)
def test_names(claim: TradeoffFunction, said: str) -> None:
    assert short_name(claim).startswith(said)


def up(value: float) -> str:
    digits = 2 - int(np.floor(np.log10(value)))
    return f"{np.ceil(value * 10**digits * (1 - 1e-12)) / 10**digits:g}"


@pytest.mark.parametrize("delta", [1e-5, 0.05])
@pytest.mark.parametrize("adjacency", ["replace_one", "add_remove"])
@pytest.mark.parametrize("kind", [GaussianDP(mu=1.3), LaplaceMechanism(epsilon=1.7)])
def test_what_a_claim_implies_is_a_recount(kind: Any, adjacency: Any, delta: float) -> None:
    claim = kind.with_parameters(adjacency=adjacency)
    as_claimed = analyze(claim=claim, delta=delta).sentences
    said = analyze(claim=claim, delta=delta, neighbours="replace_one").sentences
    before, after = claim.epsilon(delta), claim.to_replace_one().epsilon(delta)
    pairs = re.findall(r"\(ε, δ\) = \((\S+), (\S+)\)", said["implies"])
    shown = f"{delta:g}".replace("e-05", "e-5")
    expected = [(up(after), shown)]
    if adjacency == "add_remove":
        expected.insert(0, (up(before), shown))
    assert pairs == expected
    converted = " (converted to replace-one)" if adjacency == "add_remove" else ""
    assert said["profile"] == f"This guarantee{converted} gives ε = {up(after)} at δ = {shown}."
    assert as_claimed["profile"] == f"This guarantee gives ε = {up(before)} at δ = {shown}."


def test_an_order_that_differs_is_said() -> None:
    pair = DiscretePair([0.5, 0.3, 0.2], [0.2, 0.2, 0.6])
    there, back = pair.epsilon(0.05), pair.inverse().epsilon(0.05)
    assert there != back
    said = analyze(claim=pair, delta=0.05).sentences
    for sentence in (said["implies"], said["profile"]):
        assert up(there) in sentence
    for sentence in (said["implies"], said["other_order"]):
        assert sentence.endswith(f"the other order gives ε = {up(back)}.")
    assert analyze(claim=PureDP(epsilon=1)).sentences["other_order"] == ""
    assert "no finite ε" in analyze(claim=UniformMechanism(width=2)).sentences["implies"]


@pytest.mark.parametrize("swapped", [False, True])
def test_the_stronger_of_two_is_named(swapped: bool) -> None:
    pair = [LaplaceMechanism(epsilon=1.0), PureDP(epsilon=1.0)]
    claim, overlay = pair[::-1] if swapped else pair
    x = np.linspace(0, 1, 10_001)
    assert np.all(pair[0].beta(x) >= pair[1].beta(x) - 1e-12)
    said = analyze(claim=claim, overlays=[overlay]).sentences["comparison"]
    furthest = x[np.argmax(pair[0].beta(x) - pair[1].beta(x))]
    assert said.startswith("Laplace ε = 1 is at least as private as pure DP ε = 1 at every FPR")
    assert float(re.findall(r"FPR (\S+) %", said)[0]) == pytest.approx(100 * furthest, abs=0.1)


def test_crossings_are_a_recount() -> None:
    claim, overlay = GaussianDP(mu=0.5), LaplaceMechanism(epsilon=1.0)
    x = np.linspace(0, 1, 1_000_001)
    gap = np.sign(claim.beta(x) - overlay.beta(x))
    places = x[np.flatnonzero(np.diff(gap[gap != 0]))]
    said = analyze(claim=claim, overlays=[overlay]).sentences["comparison"]
    assert said.startswith("Neither guarantee is more private at every FPR")
    assert len(places) == 2
    inner = claim if claim.beta(places.mean()) > overlay.beta(places.mean()) else overlay
    outer = overlay if inner is claim else claim
    assert f"{short_name(inner)} is more private between FPR" in said
    assert said.endswith(f"{short_name(outer)} at other FPRs.")
    crossings = re.findall(r"(\S+) %", said)
    for crossing, place in zip(crossings, places, strict=True):
        assert float(crossing) == pytest.approx(100 * place, rel=0.01)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    ("at_smallest", "above"),
    [
        (PureDP(epsilon=1e4), ApproximateDP(epsilon=0.0, delta=0.5)),
        (PureDP(epsilon=1e-12), DiscretePair([0.0, 1e-13, 1 - 1e-13], [1e-13, 1e-13, 1 - 2e-13])),
    ],
)
def test_an_order_that_changes_below_the_floats_or_near_1_is_said(
    at_smallest: TradeoffFunction, above: TradeoffFunction, swapped: bool
) -> None:
    claim, overlay = (above, at_smallest) if swapped else (at_smallest, above)
    said = analyze(claim=claim, overlays=[overlay]).sentences["comparison"]
    said = re.sub(" is more private at (FPR|the)", r" at \1", said)
    assert f"{short_name(at_smallest)} at the smallest FPRs" in said
    assert re.search(rf"{re.escape(short_name(above))} at FPR (25|100) %", said)


def test_equal_and_no_overlay() -> None:
    assert analyze().sentences["comparison"] == ""
    said = analyze(overlays=[ApproximateDP(epsilon=1.0, delta=1e-5)]).sentences["comparison"]
    assert said.endswith("allow the same attacks.")


def test_an_overlay_equal_to_the_claim_leaves_it_unconverted() -> None:
    analysis, claim = Analysis(), LaplaceMechanism(epsilon=1.0)
    analysis.result(Spec(claim=claim))
    again = analysis.result(Spec(claim=LaplaceMechanism(epsilon=1.0), delta=0.1))
    assert not again.claim.converted


def test_parts_stay_the_same_objects() -> None:
    analysis = Analysis()
    spec = Spec.of(claim=GaussianDP(mu=1.0), overlays=[PureDP(epsilon=1.0)])
    first, second = analysis.result(spec), analysis.result(spec.changed(delta=1e-3, fpr=0.2))
    assert first.drawn is second.drawn
    assert first.overlays is second.overlays
    assert first.comparison is second.comparison
    assert first.claim.implied != second.claim.implied
    third = analysis.result(spec.changed(claim=GaussianDP(mu=2.0)))
    assert third.overlays is first.overlays


@pytest.mark.parametrize(
    "claim",
    [pytest.param(kind(**EXAMPLES[key][-1]), id=key) for key, kind in MECHANISMS.items()],
)
def test_profiles_lie_on_the_profile(claim: TradeoffFunction) -> None:
    part = analyze(claim=claim).drawn
    epsilon, delta = part.profile.T
    assert 1 <= len(epsilon) <= 511
    assert np.all(np.diff(epsilon) >= 0)
    assert np.all(np.diff(delta) < 0)
    np.testing.assert_array_less(part.claim.delta(epsilon), delta * (1 + 1e-6) + 1e-12)
    powers = [power for power in 10.0 ** -np.arange(1, 12) if delta[-1] < power < delta[0]]
    assert all(np.isclose(delta, power).any() for power in powers)


@pytest.mark.parametrize("times", [1, 3])
def test_a_composition_repeats_its_sequence_as_often_as_typed(times: int) -> None:
    once = (PureDP(epsilon=1.0), PureDP(epsilon=2.0))
    field = ENTRIES["composed"].parameters["mechanisms"]
    assert isinstance(field, TextField)
    read = field.read(Composed(once * 2), str(times))
    assert read == {"mechanisms": once * times}
    assert field.write(Composed(once * times)) == str(times)


@pytest.mark.parametrize("key", MECHANISMS)
def test_a_name_leaves_out_no_number(key: str) -> None:
    for arguments in EXAMPLES[key]:
        claim = MECHANISMS[key](**arguments)
        for parameter, value in claim.parameters.items():
            if isinstance(value, int | float):
                assert f"= {short(value)}" in short_name(claim), parameter


def test_a_parameter_that_is_not_known_is_named() -> None:
    class Shifted(GaussianDP):
        @property
        def parameters(self) -> dict[str, Any]:
            return {**super().parameters, "mean_shift": 0.25}

    assert short_name(Shifted(mu=1.0)) == "Shifted μ = 1, mean shift = 0.25"


def test_perfect_privacy_and_no_noise_have_names_and_a_sentence() -> None:
    constant, deterministic = (
        Analysis().result(Spec.of(claim=EXAMPLES_OF_THE_MENU[title])).sentences["implies"]
        for title in ("perfect privacy: a constant output", "no noise: a deterministic mechanism")
    )
    assert constant.startswith("Perfect privacy: the output is the same for both data sets")
    assert "A deterministic mechanism gives no guarantee" in deterministic
