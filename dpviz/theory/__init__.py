"""What a privacy guarantee permits: pure functions and frozen objects, population side."""

from dpviz.theory import risk
from dpviz.theory.mechanisms import MECHANISMS, ApproximateDP, PureDP
from dpviz.theory.region import PrivacyRegion, delta_at, epsilon_at, implied_epsilons
from dpviz.theory.tradeoff import TradeoffFunction

__all__ = [
    "MECHANISMS",
    "ApproximateDP",
    "PrivacyRegion",
    "PureDP",
    "TradeoffFunction",
    "delta_at",
    "epsilon_at",
    "implied_epsilons",
    "risk",
]
