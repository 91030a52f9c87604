"""Limits of attacks under a privacy guarantee, computed from distributions without data."""

from typing import TYPE_CHECKING

from dpviz.theory import calibration, profile, risk
from dpviz.theory.calibration import for_risk
from dpviz.theory.central_limit import clt
from dpviz.theory.derived import GroupPrivacy
from dpviz.theory.guessing import best_guess
from dpviz.theory.mechanisms.claims import ApproximateDP, PureDP, Stated
from dpviz.theory.mechanisms.composed import Composed
from dpviz.theory.mechanisms.discrete import (
    DiscreteGaussianMechanism,
    DiscreteLaplaceMechanism,
    RandomizedResponse,
)
from dpviz.theory.mechanisms.gaussian import GaussianDP, GaussianMechanism
from dpviz.theory.mechanisms.laplace import LaplaceMechanism
from dpviz.theory.mechanisms.registry import MECHANISMS
from dpviz.theory.mechanisms.renyi import RenyiDP, ZeroConcentratedDP
from dpviz.theory.mechanisms.selection import ExponentialMechanism
from dpviz.theory.mechanisms.subsampled import Subsampled
from dpviz.theory.mechanisms.subsampled_gaussian import SubsampledGaussian
from dpviz.theory.privacy_loss import PrivacyLoss
from dpviz.theory.region import PrivacyRegion, delta_at, epsilon_at, implied_epsilons
from dpviz.theory.risk import best_attack
from dpviz.theory.tradeoff import TradeoffFunction

__all__ = ["MECHANISMS", "ApproximateDP", "Composed", "DiscreteGaussianMechanism"]
__all__ += ["DiscreteLaplaceMechanism", "ExponentialMechanism", "GaussianDP", "GaussianMechanism"]
__all__ += ["GroupPrivacy", "LaplaceMechanism", "PrivacyLoss", "PrivacyRegion", "PureDP"]
__all__ += ["RandomizedResponse", "RenyiDP", "Stated", "Subsampled", "SubsampledGaussian"]
__all__ += ["TradeoffFunction", "ZeroConcentratedDP", "best_attack", "best_guess", "calibration"]
__all__ += ["clt", "delta_at", "epsilon_at", "for_risk", "implied_epsilons", "profile", "risk"]

if not TYPE_CHECKING:  # guarantees registered later are attributes of this module, too

    def __getattr__(name: str) -> type[TradeoffFunction]:
        for kind in MECHANISMS.values():
            if kind.__name__ == name:
                return kind
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
