"""Claims from numbers, text and files, and what printing them says."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import audit, read_claim, theory
from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    GaussianMechanism,
    PureDP,
    RenyiDP,
    SubsampledGaussian,
    ZeroConcentratedDP,
)

SAMPLED = {"noise_multiplier": 1.0, "sampling_rate": 0.01, "steps": 10}
READ: list[tuple[Any, theory.TradeoffFunction, bool]] = [
    ((1.0, 1e-5), ApproximateDP(epsilon=1.0, delta=1e-5), False),
    ([np.float64(1.0), 0], ApproximateDP(epsilon=1.0, delta=0.0), False),
    ({"epsilon": 2}, PureDP(epsilon=2.0), False),
    ({"epsilon": 2, "delta": 0.1}, ApproximateDP(epsilon=2.0, delta=0.1), False),
    ({"mu": 1.2}, GaussianDP(mu=1.2), False),
    ({"noise_multiplier": 2}, GaussianMechanism(noise_multiplier=2.0), False),
    (1.0, PureDP(epsilon=1.0), False),
    (np.float32(1), PureDP(epsilon=1.0), False),
    (1, PureDP(epsilon=1.0), False),
    ({"Epsilon": 2}, PureDP(epsilon=2.0), False),
    ({"EPS": 1, "delta": 1e-5}, ApproximateDP(epsilon=1.0, delta=1e-5), False),
    (
        {"noise_multiplier": 1, "sample_rate": 0.01, "steps": 10},
        SubsampledGaussian(**SAMPLED),
        False,
    ),
    (
        {"sigma": 1, "sampling_probability": 0.01, "count": 10},
        SubsampledGaussian(**SAMPLED),
        False,
    ),
    ("1.0", PureDP(epsilon=1.0), False),
    ("epsilon=1, delta=1e-5", ApproximateDP(epsilon=1.0, delta=1e-5), False),
    ("8,1e-5,add-remove", ApproximateDP(epsilon=8.0, delta=1e-5, adjacency="add_remove"), True),
    ("rho=0.5", ZeroConcentratedDP(rho=0.5), False),
    ("zcdp:rho=0.5,adjacency=replace", ZeroConcentratedDP(rho=0.5), True),
    ("zCDP:0.5", ZeroConcentratedDP(rho=0.5), False),
    ("gdp:mu=1", GaussianDP(mu=1.0), False),
    ("rdp:alpha=8,eps=2", RenyiDP(orders=(8,), epsilons=(2,)), False),
    ("gaussian:sigma=2", GaussianMechanism(noise_multiplier=2.0), False),
    ("DP-SGD:sigma=1,sample_rate=0.01,steps=10", SubsampledGaussian(**SAMPLED), False),
    ("pure:eps=2,adjacency=add/remove", PureDP(epsilon=2.0, adjacency="add_remove"), True),
    (SAMPLED, SubsampledGaussian(**SAMPLED), False),
    ({"mu": 1, "adjacency": "add_remove"}, GaussianDP(mu=1.0, adjacency="add_remove"), True),
    ("1.0,1e-5", ApproximateDP(epsilon=1.0, delta=1e-5), False),
    ("gaussian_dp:mu=1.2", GaussianDP(mu=1.2), False),
    (
        "pure:epsilon=2,adjacency=add_remove",
        PureDP(epsilon=2.0, adjacency="add_remove"),
        True,
    ),
    (
        "subsampled_gaussian:noise_multiplier=1,sampling_rate=0.01,steps=10",
        SubsampledGaussian(**SAMPLED),
        False,
    ),
    (GaussianDP(mu=1.0), GaussianDP(mu=1.0), True),
    (read_claim((1.0, 0.0)), ApproximateDP(epsilon=1.0, delta=0.0), False),
]


@pytest.mark.parametrize(("source", "expected", "states_adjacency"), READ)
def test_numbers_and_text(
    source: Any, expected: theory.TradeoffFunction, states_adjacency: bool
) -> None:
    claim = read_claim(source)
    assert claim.guarantee == expected
    assert claim.states_adjacency == states_adjacency
    assert str(claim).splitlines()[0] == repr(expected)
    assert ("not stated" in str(claim)) == (not states_adjacency)
    assert dpviz.Spec(claim=source, overlays=[source]) == dpviz.Spec(
        claim=expected, overlays=[expected]
    )


def test_the_printed_line_settles_the_adjacency() -> None:
    printed = str(read_claim((1.0, 1e-5)))
    assert printed.endswith(
        "not stated, read as one record replaced; if the claim is about one record added or "
        'removed: read_claim(..., adjacency="add_remove")'
    )
    settled = read_claim((1.0, 1e-5), adjacency="add_remove")
    assert settled.guarantee == ApproximateDP(epsilon=1.0, delta=1e-5, adjacency="add_remove")
    assert str(settled).endswith("adjacency: one record added or removed")
    with pytest.raises(ValueError, match="adjacency must be 'add_remove', as the source states"):
        read_claim(settled, adjacency="replace_one")


def test_delta_may_follow_epsilon() -> None:
    assert read_claim(1.0, 1e-5).guarantee == ApproximateDP(epsilon=1.0, delta=1e-5)
    added = read_claim(1.0, 1e-5, adjacency="add/remove").guarantee
    assert added == ApproximateDP(epsilon=1.0, delta=1e-5, adjacency="add_remove")
    with pytest.raises(ValueError, match="epsilon must be a single number"):
        read_claim((1.0, 1e-5), 1e-5)


@pytest.mark.parametrize(("source", "expected", "states_adjacency"), READ)
def test_a_claim_without_an_adjacency_has_the_other_reading(
    source: Any, expected: theory.TradeoffFunction, states_adjacency: bool
) -> None:
    other = read_claim(source).other_reading
    if states_adjacency:
        assert other is None
    else:
        assert other is not None
        assert other.adjacency != expected.adjacency
        assert other == read_claim(source, adjacency=other.adjacency).guarantee


def test_what_dpviz_wrote_is_read_back(tmp_path: Path) -> None:
    expected = GaussianDP(mu=1.0, adjacency="add_remove")
    state = dpviz.explore(claim=expected).state()
    guarantee = state["spec"]["claim"]
    report = {"schema": "dpviz/audit/1", "spec": {"claim": guarantee}}
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    for source in (state, json.dumps(state), guarantee, report, path, str(path)):
        claim = read_claim(source)
        assert claim.guarantee == expected
        assert claim.states_adjacency


def test_everything_that_takes_a_claim_takes_what_is_read() -> None:
    scores = dpviz.AttackScores(member=[0.9, 0.8, 0.7], nonmember=[0.1, 0.2, 0.3])
    assert dpviz.explore(claim="gaussian_dp:mu=1.2").claim == GaussianDP(mu=1.2)
    assert dpviz.explore(claim=(2.0, 0.1), epsilon=3.0).claim == ApproximateDP(
        epsilon=3.0, delta=0.1
    )
    assert dpviz.analyze(scores, claim={"epsilon": 1.5}).spec.claim == PureDP(epsilon=1.5)
    assert audit.claim_test(scores, (1.0, 1e-5)).claim == ApproximateDP(epsilon=1.0, delta=1e-5)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (True, "source must be a claim, such as 1.0, .* got True; help.dpviz.read_claim. lists"),
        (None, "source must be a claim, such as"),
        (object(), "source must be a claim, such as"),
        (-1.0, r"epsilon must be in \[0, inf\], got -1.0"),
        ((1e-5, 1.0), r"delta must be below 1, got 1.0; give \(1.0, 1e-05\) if epsilon is 1.0"),
        ((1e-5, 8.0), r"delta must be below 1, got 8.0; give \(8.0, 1e-05\) if epsilon is 8.0"),
        ((1.0, 1.0), "delta must be below 1, got 1.0$"),
        ("1,0", "unambiguous, got '1,0'; write 1.0 if the comma is a decimal point, or 1.0,0 if"),
        ("1,5", "unambiguous, got '1,5'; write 1.5 if the comma is a decimal point$"),
        ("1,2e-1,3", "claim must be EPSILON,DELTA or NAME:"),
        ("gdp:1,mu=2", "with each parameter once, got 'gdp:1,mu=2'"),
        ("gaussian:sigma=1,noise=2", "noise_multiplier of the claim must be stated once"),
        ("zdcp:rho=1", "got 'zdcp'; did you mean 'zcdp'?"),
        ("gdp:mue=1", "parameter of gdp must be one of 'mu', 'adjacency', got 'mue'; did you mean"),
        ("laplace:noise=1", "parameter of laplace must be one of .* got 'noise'"),
        ("pure:epsilon=few", "epsilon of the claim must be a number, got 'pure:epsilon=few'"),
        ("dpsgd:sigma=1", "claim must be complete .dpsgd takes noise_multiplier, sampling_rate"),
        ((1.0, 2.0), r"delta must be in \[0, 1\], got 2.0"),
        ((1.0, 1e-5, 3), "source must be a claim, such as"),
        ({"delta": 0.1}, r"must be one of: epsilon; .* got \['delta'\]"),
        ({"mu": 1, "rate": 2}, r"names of the claim's numbers must be .* got \['mu', 'rate'\]"),
        ({"epsilonn": 1}, r"got \['epsilonn'\]; did you mean 'epsilon'\?"),
        (
            {"noise_multiplier": 1, "q": 0.1},
            "noise_multiplier, sampling_rate, steps, sampling, averaging, got",
        ),
        ([(1.0, 1e-5), (2.0, 1e-6)], r"epsilon must be a single number, got \(1.0, 1e-05\)"),
        ((math.nan, 1e-5), r"epsilon must be in \[0, inf\], got nan"),
        ((1.0, None), "delta must be a number, got None"),
        ({"mu": 1, "adjacency": "swap"}, "adjacency must be one of"),
        ("hello", "claim must be EPSILON,DELTA or NAME:.* got 'hello'"),
        ("nowhere.json", "claim must be a file that can be read, got 'nowhere.json'"),
        (Path("scores.npy"), r"must be one of \.json"),
        ('{"mu": 1', "claim must be JSON"),
        (
            {"schema": "dpviz/audit/1", "spec": {"claim": None}},
            "must state a claim, got a document without a claim",
        ),
        ({"schema": "dpviz/audit/1"}, "must be a document with the field spec.claim"),
        ({"schema": "dpviz/audit/2", "spec": {}}, "claim.schema must be 'dpviz/audit/1', the only"),
        ({"dpviz": 2, "spec": {}}, "claim.dpviz must be 1, the only version that .*, got 2"),
        ({"type": "pure", "parameters": {}, "adjacency": "replace_one"}, "claim.parameters"),
    ],
)
def test_what_is_missing_is_named(source: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_claim(source)


def test_text_says_how_dp_sgd_samples() -> None:
    steps = "subsampled_gaussian:noise_multiplier=1,sampling_rate=0.1,steps=10"
    for sampling in ("poisson", "fixed_size"):
        text = f"{steps},adjacency=replace_one,sampling={sampling}"
        assert read_claim(text).guarantee == SubsampledGaussian(
            noise_multiplier=1.0,
            sampling_rate=0.1,
            steps=10,
            adjacency="replace_one",
            sampling=sampling,
        )
    with pytest.raises(ValueError, match="sampling must be one of"):
        read_claim(f"{steps},sampling=sorted")
    with pytest.raises(ValueError, match="parameter of pure must be one of"):
        read_claim("pure:epsilon=1,sampling=poisson")
