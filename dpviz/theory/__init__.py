"""What attacks can achieve under a privacy guarantee, computed from distributions, not data."""

from typing import TYPE_CHECKING

from dpviz.theory import calibration, profile, risk
from dpviz.theory.calibration import for_risk
from dpviz.theory.central_limit import CentralLimit, clt
from dpviz.theory.derived import GroupPrivacy
from dpviz.theory.dominance import Dominance
from dpviz.theory.guessing import best_guess
from dpviz.theory.mechanisms.claims import ApproximateDP, PureDP, Stated, TotalVariation
from dpviz.theory.mechanisms.composed import Composed, kairouz_oh_viswanath
from dpviz.theory.mechanisms.discrete import (
    DiscreteGaussianMechanism,
    DiscreteLaplaceMechanism,
    ListExperiment,
    RandomizedResponse,
)
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.mechanisms.gaussian import GaussianDP, GaussianMechanism
from dpviz.theory.mechanisms.laplace import LaplaceMechanism, UniformMechanism
from dpviz.theory.mechanisms.piecewise_linear import PiecewiseLinear
from dpviz.theory.mechanisms.public_mixture import PublicMixture
from dpviz.theory.mechanisms.registry import MECHANISMS
from dpviz.theory.mechanisms.renyi import RenyiDP, ZeroConcentratedDP
from dpviz.theory.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from dpviz.theory.mechanisms.subsampled import OneWaySubsampled, Subsampled
from dpviz.theory.mechanisms.subsampled_gaussian import SubsampledGaussian
from dpviz.theory.outputs import output_laws
from dpviz.theory.post_processing import post_processed
from dpviz.theory.privacy_loss import PrivacyLoss
from dpviz.theory.region import PrivacyRegion, delta_at, epsilon_at, implied_epsilons
from dpviz.theory.renyi_divergence import renyi_divergence, smallest_rho
from dpviz.theory.risk import BestAttack, best_attack
from dpviz.theory.statements import (
    GdpStatement,
    Statement,
    gdp_statement,
    smallest_mu,
    ways_of_stating,
)
from dpviz.theory.tradeoff import TradeoffFunction
from dpviz.theory.zoom_levels import ZoomLevels

__all__ = ["MECHANISMS", "ApproximateDP", "BestAttack", "CentralLimit", "Composed"]
__all__ += ["DiscreteGaussianMechanism", "DiscreteLaplaceMechanism", "DiscretePair", "Dominance"]
__all__ += ["ExponentialMechanism", "GaussianDP", "GaussianMechanism", "GdpStatement"]
__all__ += ["GroupPrivacy", "LaplaceMechanism", "ListExperiment", "OneWaySubsampled"]
__all__ += ["PermuteAndFlip", "PiecewiseLinear", "PrivacyLoss", "PrivacyRegion", "PublicMixture"]
__all__ += ["PureDP", "RandomizedResponse", "RenyiDP", "Stated", "Statement", "Subsampled"]
__all__ += ["SubsampledGaussian", "TotalVariation", "TradeoffFunction", "UniformMechanism"]
__all__ += ["ZeroConcentratedDP", "ZoomLevels", "best_attack", "best_guess", "calibration", "clt"]
__all__ += ["delta_at", "epsilon_at", "for_risk", "gdp_statement", "implied_epsilons"]
__all__ += ["kairouz_oh_viswanath", "output_laws", "post_processed", "profile", "renyi_divergence"]
__all__ += ["risk", "smallest_mu", "smallest_rho", "ways_of_stating"]

if not TYPE_CHECKING:  # guarantees registered later are attributes of this module, too

    def __getattr__(name: str) -> type[TradeoffFunction]:
        for kind in MECHANISMS.values():
            if kind.__name__ == name:
                return kind
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
