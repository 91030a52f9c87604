"""The spec: what a change edits, and what is refused."""

import math

import pytest

from dpviz import Spec
from dpviz.analysis.spec import CONTROLS
from dpviz.theory import ApproximateDP, GaussianDP, PureDP


def test_epsilon_edits_the_claim_alone() -> None:
    spec = Spec().changed(epsilon=2.5)
    assert spec.claim == ApproximateDP(epsilon=2.5, delta=1e-5)
    assert (spec.epsilon, spec.delta) == (2.5, 1e-5)
    kept = Spec.of(claim=PureDP(epsilon=1, adjacency="add_remove")).changed(epsilon=3)
    assert kept.claim == PureDP(epsilon=3, adjacency="add_remove")


def test_delta_edits_the_claim_and_epsilon_star() -> None:
    spec = Spec().changed(delta=1e-3)
    assert spec.claim == ApproximateDP(epsilon=1, delta=1e-3)
    assert spec.delta == 1e-3


def test_a_pure_claim_has_no_delta_to_edit() -> None:
    spec = Spec(claim=PureDP(epsilon=2)).changed(delta=1e-3)
    assert spec.claim == PureDP(epsilon=2)
    assert (spec.delta, spec.epsilon) == (1e-3, 2)


def test_a_new_claim_brings_its_own_delta() -> None:
    assert Spec(claim=ApproximateDP(epsilon=1, delta=0.2)).delta == 0.2
    changed = Spec().changed(claim=ApproximateDP(epsilon=1, delta=0.2))
    assert changed.delta == 0.2
    both = Spec().changed(claim=ApproximateDP(epsilon=1, delta=0.2), epsilon=4, delta=0.1)
    assert both.claim == ApproximateDP(epsilon=4, delta=0.1)


def test_specs_are_values() -> None:
    assert Spec() == Spec.of(epsilon=1.0, delta=1e-5, prior=0.5, fpr=None)
    assert hash(Spec()) == hash(Spec.of())
    assert Spec() != Spec.of(prior=0.4)
    assert Spec().changed() == Spec()
    with pytest.raises(AttributeError):
        Spec().prior = 0.1


def test_an_unknown_field_is_refused_with_the_one_that_was_meant() -> None:
    message = "argument must be a field of dpviz.Spec, got 'confidence'; did you mean"
    with pytest.raises(ValueError, match=f"^{message} 'confidence_level'\\?$"):
        Spec().changed(confidence=0.95)
    with pytest.raises(ValueError, match=r"got 'qqq'; help\(dpviz\.Spec\) lists them$"):
        Spec().changed(qqq=0.95)
    for name, way_out in (
        ("alpha", "confidence_level is 1 - alpha"),
        ("members", "the scores are"),
        ("kind", "pass dpviz.read_scores"),
    ):
        with pytest.raises(ValueError, match=f"got {name!r}; {way_out}"):
            Spec().changed(**{name: 0.05})


AS_FLOAT = r"numpy.asarray\(..., float\) converts text"
BAD = [
    ({"epsilon": -1}, r"epsilon must be in \[0, inf\], got -1.0"),
    ({"epsilon": math.nan}, r"epsilon must be in \[0, inf\], got nan"),
    ({"delta": 2.0}, r"delta must be in \[0, 1\], got 2.0"),
    ({"fpr": 5}, r"fpr must be in \[0, 1\], got 5.0; give 0.05 for 5 %"),
    (
        {"confidence_level": 95},
        r"confidence_level must be in \[0.5, 1\), got 95.0; give 0.95 for 95 %",
    ),
    ({"prior": 101}, r"prior must be in \(0, 1\), got 101.0"),
    ({"epsilon": "1.0"}, f"epsilon must be a number, got '1.0'; {AS_FLOAT}"),
    ({"epsilon": "1,0"}, "epsilon must be a number, got '1,0'"),
    ({"epsilon": 10**400}, r"epsilon must be a number up to 1.8e308, got 1000+\.\.\."),
    ({"prior": 0.0}, r"prior must be in \(0, 1\), got 0.0"),
    ({"prior": 1.0}, r"prior must be in \(0, 1\), got 1.0"),
    ({"fpr": -0.1}, r"fpr must be in \[0, 1\], got -0.1"),
    ({"fnr": 1.1}, r"fnr must be in \[0, 1\], got 1.1"),
    ({"fpr": "0.1"}, f"fpr must be a number, got '0.1'; {AS_FLOAT}"),
    ({"prior": True}, "prior must be a number, got True"),
    ({"fpr": [0.1]}, r"fpr must be a single number, got \[0.1\]"),
    ({"method": "gmm"}, "method must be one of 'empirical', 'normal', 'mixture', got 'gmm'"),
    ({"clip": 0.5}, r"clip must be in \[0, 0.5\), got 0.5"),
    ({"clip": "none"}, "clip must be .* got 'none'"),
    ({"claim": "pure"}, "claim must be EPSILON,DELTA or NAME:.* got 'pure'"),
    ({"claim": True}, "claim must be a claim, such as 1.0, .* got True; .* lists all sources"),
]


@pytest.mark.parametrize(("changes", "message"), BAD)
def test_bad_values_are_named_and_change_nothing(changes: dict[str, object], message: str) -> None:
    spec = Spec()
    with pytest.raises(ValueError, match=f"^{message}$"):
        spec.changed(**changes)
    assert spec == Spec()


def test_every_control_moves_a_legal_spec() -> None:
    for name, control in CONTROLS.items():
        for value in (control.low, control.high):
            assert getattr(Spec().changed(**{name: value}), name) == value


def test_a_claim_that_is_set_is_tested_even_if_it_is_the_same() -> None:
    drawn = Spec(tested=False)
    assert not drawn.changed(prior=0.1).tested
    same = ({"epsilon": 1.0}, {"delta": 1e-5}, {"claim": drawn.claim})
    for change in (*same, {"epsilon": 2.0}, {"delta": 1e-3}, {"claim": GaussianDP(mu=1.0)}):
        assert drawn.changed(**change).tested
        assert not drawn.changed(**change, tested=False).tested
    with pytest.raises(ValueError, match="tested must be True or False, got 1"):
        Spec(tested=1)
