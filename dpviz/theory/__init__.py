"""What a privacy guarantee permits: pure functions and frozen objects, population side."""

from dpviz.theory import calibration, profile, risk
from dpviz.theory.central_limit import CentralLimit, clt
from dpviz.theory.dominance import Dominance
from dpviz.theory.gdp_level import smallest_mu
from dpviz.theory.group import GroupPrivacy
from dpviz.theory.mechanisms import (
    MECHANISMS,
    ApproximateDP,
    Composed,
    DiscreteLaplaceMechanism,
    DiscretePair,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    ListExperiment,
    OneWaySubsampled,
    PiecewiseLinear,
    PublicMixture,
    PureDP,
    RandomizedResponse,
    Subsampled,
    SubsampledGaussian,
    TotalVariation,
    UniformMechanism,
    kairouz_oh_viswanath,
)
from dpviz.theory.outputs import output_laws
from dpviz.theory.privacy_loss import PrivacyLoss
from dpviz.theory.region import PrivacyRegion, delta_at, epsilon_at, implied_epsilons
from dpviz.theory.tradeoff import TradeoffFunction

__all__ = [
    "MECHANISMS",
    "ApproximateDP",
    "CentralLimit",
    "Composed",
    "DiscreteLaplaceMechanism",
    "DiscretePair",
    "Dominance",
    "GaussianDP",
    "GaussianMechanism",
    "GroupPrivacy",
    "LaplaceMechanism",
    "ListExperiment",
    "OneWaySubsampled",
    "PiecewiseLinear",
    "PrivacyLoss",
    "PrivacyRegion",
    "PublicMixture",
    "PureDP",
    "RandomizedResponse",
    "Subsampled",
    "SubsampledGaussian",
    "TotalVariation",
    "TradeoffFunction",
    "UniformMechanism",
    "calibration",
    "clt",
    "delta_at",
    "epsilon_at",
    "implied_epsilons",
    "kairouz_oh_viswanath",
    "output_laws",
    "profile",
    "risk",
    "smallest_mu",
]
