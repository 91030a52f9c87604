"""The registry of guarantees; a new mechanism needs one import and one entry here."""

from dpviz.theory.derived import GroupPrivacy
from dpviz.theory.mechanisms import discrete
from dpviz.theory.mechanisms.claims import ApproximateDP, PureDP, Stated, TotalVariation
from dpviz.theory.mechanisms.composed import Composed
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.mechanisms.gaussian import GaussianDP, GaussianMechanism
from dpviz.theory.mechanisms.laplace import LaplaceMechanism, UniformMechanism
from dpviz.theory.mechanisms.piecewise_linear import PiecewiseLinear
from dpviz.theory.mechanisms.public_mixture import PublicMixture
from dpviz.theory.mechanisms.renyi import RenyiDP, ZeroConcentratedDP
from dpviz.theory.mechanisms.selection import ExponentialMechanism, PermuteAndFlip
from dpviz.theory.mechanisms.subsampled import OneWaySubsampled, Subsampled
from dpviz.theory.mechanisms.subsampled_gaussian import SubsampledGaussian
from dpviz.theory.tradeoff import TradeoffFunction

MECHANISMS: dict[str, type[TradeoffFunction]] = {
    "pure": PureDP,
    "approximate": ApproximateDP,
    "total_variation": TotalVariation,
    "gaussian_dp": GaussianDP,
    "zero_concentrated": ZeroConcentratedDP,
    "renyi": RenyiDP,
    "stated": Stated,
    "gaussian": GaussianMechanism,
    "discrete_gaussian": discrete.DiscreteGaussianMechanism,
    "laplace": LaplaceMechanism,
    "discrete_laplace": discrete.DiscreteLaplaceMechanism,
    "exponential": ExponentialMechanism,
    "permute_and_flip": PermuteAndFlip,
    "randomized_response": discrete.RandomizedResponse,
    "list_experiment": discrete.ListExperiment,
    "uniform": UniformMechanism,
    "discrete_pair": DiscretePair,
    "subsampled": Subsampled,
    "one_way_subsampled": OneWaySubsampled,
    "subsampled_gaussian": SubsampledGaussian,
    "composed": Composed,
    "group": GroupPrivacy,
    "public_mixture": PublicMixture,
    "piecewise_linear": PiecewiseLinear,
}
