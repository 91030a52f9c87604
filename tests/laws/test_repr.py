"""What a guarantee prints is Python that makes it again, whatever its adjacency."""

import pytest

from dpviz import theory
from dpviz.theory import SubsampledGaussian, TradeoffFunction


@pytest.mark.parametrize("adjacency", ["replace_one", "add_remove"])
def test_printed_dp_sgd_is_itself(adjacency: theory.tradeoff.Adjacency) -> None:
    """Its adjacency is not the usual one when it is left out."""
    given = SubsampledGaussian(
        noise_multiplier=2.0, sampling_rate=0.1, steps=3, adjacency=adjacency
    )
    assert eval(repr(given), vars(theory)) == given


@pytest.mark.parametrize("adjacency", ["replace_one", "add_remove"])
@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("PureDP", {"epsilon": float("inf")}),
        ("ApproximateDP", {"epsilon": 1.0, "delta": 1e-5}),
        ("TotalVariation", {"delta": 0.1}),
        ("GaussianDP", {"mu": 1.0}),
        ("GaussianMechanism", {"noise_multiplier": 0.5}),
        ("LaplaceMechanism", {"epsilon": 0.0}),
    ],
)
def test_printed_claims_are_themselves(
    kind: str, parameters: dict[str, float], adjacency: theory.tradeoff.Adjacency
) -> None:
    given: TradeoffFunction = getattr(theory, kind)(**parameters, adjacency=adjacency)
    names = {each.__name__: each for each in theory.MECHANISMS.values()}
    assert eval(repr(given), names | {"inf": float("inf")}) == given
