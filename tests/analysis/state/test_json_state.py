"""States and code: what is written comes back equal, and nothing else is read."""

import copy
import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpviz
from dpviz import AttackScores, Spec, theory
from dpviz.analysis.state.code import python_code
from dpviz.analysis.state.json_state import fingerprint, from_state, packaged_sample_key, state_of
from dpviz.claims.guarantee_state import guarantee_from_dict, guarantee_to_dict
from dpviz.data.samples import SAMPLES
from dpviz.theory import (
    MECHANISMS,
    ApproximateDP,
    Composed,
    DiscretePair,
    GaussianDP,
    GroupPrivacy,
    PiecewiseLinear,
    PublicMixture,
    PureDP,
    Subsampled,
    SubsampledGaussian,
    TradeoffFunction,
)
from dpviz.theory.tradeoff import ADJACENCIES
from tests.analysis.specs import parameters_of, specs
from tests.laws.examples import EXAMPLES
from tests.slow import examples

RICH = Spec(
    claim=Composed(
        [Subsampled(base=GaussianDP(mu=1.0), sampling_rate=0.5), DiscretePair([0, 1], [0.5, 0.5])]
    ),
    overlays=[
        PublicMixture([PureDP(epsilon=math.inf), GaussianDP(mu=2)], weights=[0.25, 0.75]),
        PiecewiseLinear([(0, 0.5), (1, 0)]),
    ],
    fnr=0.25,
    clip=None,
    components=3,
    facts={"population": "same", "tuning": {"answer": "counted", "note": "12 runs"}},
    about={"subject": {"model_name": "net “7”"}, "sampling": {"models": 3}},
    compare={"a sample": dpviz.read_sample("null")},
    same_records=False,
    pinned_point=(0.1, 0.2),
)


def spec_of(code: str) -> Spec:
    """What the code shows: `dpviz.explore` makes its spec by `Spec.of`, without the widgets."""
    assert code.count("dpviz.explore(") == 1
    namespace: dict[str, Any] = {}
    exec(code.replace("dpviz.explore(", "dpviz.Spec.of("), namespace)
    shown: Spec = namespace["explorer"]
    return shown


@pytest.mark.slow
@examples(2)
@given(specs)
def test_random_states_come_back_equal(spec: Spec) -> None:
    state = state_of(spec)
    assert state["dpviz"] == 1
    assert from_state(state) == (spec, None)
    text = json.dumps(state, allow_nan=False)
    again, _ = from_state(text)
    assert again == spec
    assert hash(again) == hash(spec)
    assert state_of(again) == state


@pytest.mark.slow
@examples(2)
@given(specs)
def test_the_code_of_random_states_shows_them(spec: Spec) -> None:
    assert spec_of(python_code(spec)) == spec


@pytest.mark.parametrize("adjacency", ADJACENCIES)
@pytest.mark.parametrize(
    ("key", "example"),
    [(key, example) for key in MECHANISMS for example in EXAMPLES[key]],
)
def test_every_registered_guarantee_comes_back(
    key: str, example: dict[str, Any], adjacency: str
) -> None:
    guarantee = MECHANISMS[key](**example).with_parameters(adjacency=adjacency)
    state = guarantee_to_dict(guarantee)
    assert (state["type"], state["adjacency"]) == (key, adjacency)
    back = guarantee_from_dict(json.loads(json.dumps(state, allow_nan=False)))
    assert type(back) is MECHANISMS[key]
    assert back == guarantee
    assert repr(back) == repr(guarantee)
    spec = Spec(claim=guarantee)
    assert spec_of(python_code(spec)) == spec


def test_random_guarantees_are_of_every_class() -> None:
    assert set(parameters_of(st.nothing())) == set(MECHANISMS)


def test_a_state_is_readable() -> None:
    spec = Spec(claim=GaussianDP(mu=math.inf), overlays=[PureDP(epsilon=2.0)], fnr=0.1)
    spec = spec.changed(pinned_point=(0.25, 0.5))
    assert state_of(spec) == {
        "dpviz": 1,
        "spec": {
            "claim": {
                "type": "gaussian_dp",
                "parameters": {"mu": "inf"},
                "adjacency": "replace_one",
            },
            "delta": 1e-5,
            "tested": True,
            "prior": 0.5,
            "fpr": None,
            "fnr": 0.1,
            "method": "empirical",
            "clip": "paper",
            "transform": "paper",
            "components": "bic",
            "overlays": [
                {"type": "pure", "parameters": {"epsilon": 2.0}, "adjacency": "replace_one"}
            ],
            "confidence_level": 0.95,
            "applies_to": "instance",
            "sampling": None,
            "neighbours": None,
            "facts": {},
            "about": {},
            "naming": "words",
            "compare": {},
            "same_records": None,
            "pinned_point": [0.25, 0.5],
            "kappa": 0.1,
            "cost_false_alarm": 1.0,
            "cost_miss": 1.0,
        },
        "scores": None,
    }


def test_numpy_values_become_plain_ones() -> None:
    spec = Spec(
        claim=Composed([GaussianDP(mu=np.float32(0.5), adjacency=np.str_("add_remove"))]),
        method=np.str_("normal"),
        components=np.int64(4),
        clip=np.float64(0.25),
    )
    values = list(leaves(state_of(spec)))
    assert {type(value) for value in values} == {int, float, str, bool, type(None)}
    assert spec_of(python_code(spec)) == spec


@pytest.mark.parametrize(
    ("spec", "call"),
    [
        (Spec(), "explorer = dpviz.explore(epsilon=1.0)"),
        (Spec(tested=False), "explorer = dpviz.explore()"),
        (Spec.of(epsilon=2.0), "explorer = dpviz.explore(epsilon=2.0)"),
        (
            Spec.of(delta=0.0, prior=0.1),
            "explorer = dpviz.explore(epsilon=1.0, delta=0.0, prior=0.1)",
        ),
        (
            Spec.of(epsilon=math.inf, method="normal"),
            'explorer = dpviz.explore(epsilon=math.inf, method="normal")',
        ),
        (
            Spec.of(claim=GaussianDP(mu=1.0), delta=1e-6),
            "explorer = dpviz.explore(claim=theory.GaussianDP(mu=1.0), delta=1e-06)",
        ),
        (
            Spec.of(claim=ApproximateDP(epsilon=1, delta=0.1, adjacency="add_remove")),
            "explorer = dpviz.explore(\n"
            '    claim=theory.ApproximateDP(epsilon=1.0, delta=0.1, adjacency="add_remove"),\n)',
        ),
        (
            Spec.of(overlays=[Composed([PureDP(epsilon=0.5)] * 30)]),
            "explorer = dpviz.explore(\n"
            "    epsilon=1.0,\n"
            "    overlays=[theory.Composed(mechanisms=[theory.PureDP(epsilon=0.5)] * 30)],\n)",
        ),
    ],
)
def test_code_names_only_what_is_not_the_default(spec: Spec, call: str) -> None:
    code = python_code(spec)
    assert code.endswith(f"\n\n{call}\nexplorer\n")
    assert ("import math" in code) == ("math." in call)
    assert ("import theory" in code) == ("theory." in call)


def test_an_adjacency_that_is_not_the_usual_one_of_a_class_is_written() -> None:
    """DP-SGD is add/remove unless it says otherwise; others are replace-one."""
    claim = SubsampledGaussian(
        noise_multiplier=1.0, sampling_rate=0.01, steps=10, adjacency="replace_one"
    )
    assert 'adjacency="replace_one"' in python_code(Spec(claim=claim))
    usual = claim.with_parameters(adjacency="add_remove")
    assert "adjacency" not in python_code(Spec(claim=usual))


class HandMade(PureDP):
    """Of no registered class, though of a registered parent."""


@pytest.mark.parametrize(
    ("guarantee", "name"),
    [
        (HandMade(epsilon=1.0), "HandMade"),
        (GroupPrivacy(HandMade(epsilon=1.0), size=3), "HandMade"),
        (Composed([HandMade(epsilon=1.0)]), "HandMade"),
    ],
)
def test_classes_that_are_not_registered_are_refused_by_name(
    guarantee: TradeoffFunction, name: str
) -> None:
    for spec, field in [
        (Spec(claim=guarantee), "claim"),
        (Spec(overlays=[guarantee]), "overlays"),
    ]:
        message = f"{field} must be of a class in dpviz.theory.MECHANISMS, got '{name}'"
        with pytest.raises(ValueError, match=message):
            state_of(spec)
        with pytest.raises(ValueError, match=message):
            python_code(spec)


def changed(*path: str | int, to: Any) -> dict[str, Any]:
    """The state of RICH with one value changed."""
    state = copy.deepcopy(state_of(RICH))
    place: Any = state
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return state


CLAIM = ("spec", "claim")


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("{", r"state must be JSON \(.*\), got '{'"),
        ('{"dpviz": NaN}', r"state must be JSON \(NaN is no JSON\), got"),
        ("[1]", r"state must be a dict, or its JSON text, got '\[1\]'"),
        ("audit.json", r"got 'audit.json'; pathlib.Path\(...\).read_text\(\) returns the text of"),
        (None, "state must be a dict, or its JSON text, got None"),
        ({"dpviz": {1, 2}}, "state must be JSON .* not JSON serializable"),
        ({}, "state.dpviz must be 1, the only version that this release reads, got None"),
        (
            changed("dpviz", to=6),
            "state.dpviz must be 1, the only version that .* got 6",
        ),
        (changed("dpviz", to=True), "state.dpviz must be 1, the only version .* got True"),
        (changed("more", to=1), "state must be an object with the fields dpviz, spec, scores, got"),
        ({"dpviz": 1, "spec": {}}, r"with the fields dpviz, spec, scores, got \['dpviz', 'spec'\]"),
        (changed("spec", to=[]), r"state.spec must be an object with the fields .*, got \[\]"),
        (changed("spec", "eps", to=1), "state.spec must be an object with the fields claim, delta"),
        (changed("spec", "prior", to=1.5), r"state.spec.prior must be in \(0, 1\), got 1.5"),
        (changed("spec", "prior", to="0.5"), "state.spec.prior must be a number, got '0.5'"),
        (changed("spec", "fpr", to=math.nan), r"state must be JSON \(Out of range float"),
        (changed("spec", "method", to=[]), r"state.spec.method must be one of .*, got \[\]"),
        (changed("spec", "overlays", to="no"), "state.spec.overlays must be a list, got 'no'"),
        (
            changed(*CLAIM, "type", to="os.system"),
            "state.spec.claim.type must be one of 'pure', .*, got 'os.system'",
        ),
        (
            changed(*CLAIM, "parameters", "mechanisms", 0, "parameters", "base", to=1),
            r"state.spec.claim.mechanisms\[0\].base must be a trade-off function such as",
        ),
        (
            changed(*CLAIM, "parameters", "mechanisms", 1, "parameters", "P", to=[0, True]),
            r"state.spec.claim.mechanisms\[1\].P\[1\] must be a number, \"inf\", a list",
        ),
        (
            changed("spec", "overlays", 1, "parameters", to={"knots": [[0, 1], [1, 0]], "x": 1}),
            r"state.spec.overlays\[1\].parameters must be the parameters of .*'x'",
        ),
        (
            changed("spec", "overlays", 1, "parameters", to={}),
            r"state.spec.overlays\[1\].parameters must be the parameters of .*missing",
        ),
        (
            changed("spec", "overlays", 1, "adjacency", to="none"),
            r"state.spec.overlays\[1\].adjacency must be one of 'replace_one', 'add_remove', got",
        ),
        (
            changed(*CLAIM, "adjacency", to="add_remove"),  # its parts say otherwise
            "state.spec.claim must be .*, the form that dpviz writes, got",
        ),
        (
            changed(
                "spec",
                "overlays",
                to=[
                    {
                        "type": "randomized_response",
                        "parameters": {"epsilon": 1},
                        "adjacency": "replace_one",
                    }
                ],
            ),
            r"state.spec.overlays\[0\] must be .*'categories': 2",
        ),
        (
            changed(
                "spec",
                "claim",
                to={"type": "pure", "parameters": {"epsilon": -1}, "adjacency": "replace_one"},
            ),
            r"state.spec.claim.epsilon must be in \[0, inf\], got -1",
        ),
        (
            changed(
                "spec",
                "claim",
                to={
                    "type": "total_variation",
                    "parameters": {"delta": 0.5},
                    "adjacency": "replace_one",
                },
            ),
            "state.spec.delta must be 0.5, the delta of the claim, got 1e-05",
        ),
        (changed("scores", to={"sample": "secret"}), "state.scores.sample must be one of"),
        (changed("scores", to={"sample": "gamma", "n": 1}), "state.scores must be an object with"),
        (changed("scores", to=5), "state.scores must be an object with the fields n_members"),
        (
            changed("scores", to={"n_members": 0, "n_nonmembers": 1, "sha256": "0" * 64}),
            "state.scores.n_members must be a whole number of at least 1, got 0",
        ),
        (
            changed("scores", to={"n_members": 1, "n_nonmembers": 1, "sha256": "0" * 63}),
            "state.scores.sha256 must be 64 hexadecimal digits, got",
        ),
        (
            changed("scores", to={"n_members": 1, "n_nonmembers": 1, "sha256": "0" * 65}),
            "state.scores.sha256 must be 64 hexadecimal digits, got",
        ),
    ],
)
def test_anything_else_is_refused(state: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_state(state)


def bottomless(depth: int) -> str:
    """A state whose claim is a composition of compositions of ..."""
    opening = '{"type": "composed", "adjacency": "replace_one", "parameters": {"mechanisms": ['
    claim = json.dumps(guarantee_to_dict(Spec().claim))
    text = json.dumps(state_of(Spec()))
    assert text.count(claim) == 1
    return text.replace(claim, opening * depth + claim + "]}}" * depth)


@pytest.mark.slow
def test_a_bottomless_state_is_refused() -> None:
    spec, _ = from_state(bottomless(5))
    assert repr(spec.claim).count("Composed") == 5
    for depth in range(100, 400, 10):  # where the text is read but perhaps not the claim
        with suppress(ValueError):
            from_state(bottomless(depth))
    for depth in (2_000, 100_000):
        with pytest.raises(ValueError, match=r"state must be (JSON|nested less deeply)"):
            from_state(bottomless(depth))


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from leaves(part)
    else:
        yield value


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in parts:
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from places(part, (*path, key))


ODD = (None, True, "x", "inf", -1, 0.5, 10**400, [], {}, [0.5, 0.5], {"type": "pure"})


@pytest.mark.slow
@pytest.mark.parametrize("path", list(places(state_of(RICH))), ids=str)
def test_a_changed_state_is_refused_or_read_as_it_stands(path: tuple[str | int, ...]) -> None:
    for odd in ODD:
        state = changed(*path, to=odd)
        with suppress(ValueError):  # and nothing else is raised
            spec, _ = from_state(state)
            assert state_of(spec) == state


def test_packaged_samples_are_known_by_their_numbers() -> None:
    for key in SAMPLES:
        scores = dpviz.read_sample(key)
        state = state_of(Spec(), scores)
        assert state["scores"] == {"sample": key}
        _, again = from_state(state)
        assert again is not None
        np.testing.assert_array_equal(again.member, scores.member)
        assert from_state(state, scores)[1] is scores
        assert f'scores = dpviz.read_sample("{key}")\n' in python_code(Spec(), scores)


def test_compared_attacks_come_back_and_what_is_not_in_the_state_is_said(
    scores: AttackScores,
) -> None:
    spec = Spec(compare={"null": dpviz.read_sample("null"), "own": scores})
    state = json.loads(json.dumps(state_of(spec)))
    assert state["spec"]["compare"]["null"] == {"sample": "null"}
    assert state["spec"]["compare"]["own"]["sha256"] == fingerprint(scores)
    again, _ = from_state(state, compare={"own": scores})
    assert again.compare["own"] is scores
    assert list(again.compare) == ["null", "own"]
    with pytest.raises(ValueError, match=r"compare\['own'\] must be 700 members .*, got none"):
        from_state(state)
    with pytest.raises(
        ValueError, match=r"names in state\.spec\.compare, \['null', 'own'\], got 'x'"
    ):
        from_state(state, compare={"own": scores, "x": scores})
    code = python_code(spec, dpviz.read_sample("gamma"))
    assert '    "own": ...,  # your scores: 700 members, 900 non-members\n}' in code
    assert (
        spec_of(code.replace("...", "([1.0], [2.0])").replace("(scores, ", "("))
        .compare["own"]
        .n_members
        == 1
    )


def test_own_scores_are_told_apart(scores: AttackScores) -> None:
    state = state_of(Spec(), scores)
    assert state["scores"].keys() == {"n_members", "n_nonmembers", "sha256"}
    assert from_state(json.dumps(state), scores) == (Spec(), scores)
    twin = AttackScores.from_losses(-scores.member, -scores.nonmember)
    assert from_state(state, twin)[1] is twin
    moved = scores.member.copy()
    moved[0] = np.nextafter(moved[0], np.inf)
    rows = {"member": scores.member, "nonmember": scores.nonmember}
    labels = {"member_groups": ["a"] * 700, "nonmember_groups": ["a"] * 900}
    others = [
        AttackScores(**{**rows, "member": moved}).shown_as("loss"),
        AttackScores(**rows),
        AttackScores(**rows, **labels).shown_as("loss"),
    ]
    for other in others:
        with pytest.raises(
            ValueError,
            match=(
                rf"scores must be 700 members and 900 non-members with SHA-256 "
                rf"{fingerprint(scores)[:16]}\.\.\., got 700 members and 900 non-members with "
                rf"SHA-256 {fingerprint(other)[:16]}"
            ),
        ):
            from_state(state, other)
    with pytest.raises(ValueError, match=r"scores must be 700 members .*, got none"):
        from_state(state)
    with pytest.raises(ValueError, match="scores must be none, got 700 members"):
        from_state(state_of(Spec()), scores)
    with pytest.raises(ValueError, match="scores must be the packaged sample 'null', got 700"):
        from_state(state_of(Spec(), dpviz.read_sample("null")), scores)


def test_a_sample_with_labels_or_in_another_unit_is_no_packaged_one() -> None:
    gamma = dpviz.read_sample("gamma")
    rows = {"member": gamma.member, "nonmember": gamma.nonmember}
    sizes = gamma.n_members, gamma.n_nonmembers
    labels = dict(
        zip(("member_groups", "nonmember_groups"), (["a"] * n for n in sizes), strict=True)
    )
    assert packaged_sample_key(AttackScores(**rows).shown_as("loss")) == "gamma"
    assert packaged_sample_key(AttackScores(**rows)) is None
    assert packaged_sample_key(AttackScores(**rows, **labels).shown_as("loss")) is None


def test_the_fingerprint_is_the_documented_one() -> None:
    """Unit, then each class as little-endian doubles; checked against one worked out by hand."""
    from hashlib import sha256
    from struct import pack

    scores = AttackScores.from_losses(member=[0.0, 1.5], nonmember=[-2.0])
    expected = sha256(b"loss" + pack("<3d", 0.0, -1.5, 2.0)).hexdigest()
    assert fingerprint(scores) == expected


def test_own_scores_in_code_are_to_fill_in_or_named(scores: AttackScores) -> None:
    assert "scores = ...  # your scores: 700 members, 900 non-members\n" in python_code(
        Spec(), scores
    )
    code = python_code(Spec.of(prior=0.1), scores, source="mine")
    assert code == (
        "import dpviz\n\nscores = mine\n"
        "explorer = dpviz.explore(scores, epsilon=1.0, prior=0.1)\nexplorer\n"
    )
    with pytest.raises(ValueError, match="source must be left out if there are no scores"):
        python_code(Spec(), source="mine")


def test_theory_has_every_class_the_code_names() -> None:
    assert all(getattr(theory, kind.__name__) is kind for kind in MECHANISMS.values())


def test_a_state_of_another_version_is_rejected_whole() -> None:
    explorer = dpviz.explore(epsilon=3.0)
    for version in (0, 2, 5, "1", 1.0, None, [1]):
        state = {**state_of(Spec()), "dpviz": version}
        message = "state.dpviz must be 1, the only version that this release reads, got"
        with pytest.raises(ValueError, match=f"^{message} {re.escape(repr(version))}$"):
            from_state(state)
        with pytest.raises(ValueError, match=message):
            dpviz.widgets.Explorer.from_state(state)
    assert explorer.epsilon == 3.0
    part = state_of(Spec())
    del part["spec"]["kappa"]
    with pytest.raises(ValueError, match=r"state\.spec must be an object with the fields"):
        from_state(part)
