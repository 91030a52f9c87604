"""The registry of guarantees: one import and one entry make a mechanism known everywhere."""

from dpviz.theory.group import GroupPrivacy
from dpviz.theory.mechanisms.claims import ApproximateDP, PureDP, TotalVariation
from dpviz.theory.mechanisms.composed import Composed
from dpviz.theory.mechanisms.discrete_gaussian import DiscreteGaussianMechanism
from dpviz.theory.mechanisms.discrete_laplace import DiscreteLaplaceMechanism
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.mechanisms.exponential import ExponentialMechanism
from dpviz.theory.mechanisms.gaussian import GaussianDP, GaussianMechanism
from dpviz.theory.mechanisms.laplace import LaplaceMechanism
from dpviz.theory.mechanisms.list_experiment import ListExperiment
from dpviz.theory.mechanisms.permute_and_flip import PermuteAndFlip
from dpviz.theory.mechanisms.public_mixture import PublicMixture
from dpviz.theory.mechanisms.randomized_response import RandomizedResponse
from dpviz.theory.mechanisms.renyi_dp import RenyiDP
from dpviz.theory.mechanisms.stated import Stated
from dpviz.theory.mechanisms.subsampled import OneWaySubsampled, Subsampled
from dpviz.theory.mechanisms.subsampled_gaussian import SubsampledGaussian
from dpviz.theory.mechanisms.uniform import UniformMechanism
from dpviz.theory.mechanisms.zero_concentrated import ZeroConcentratedDP
from dpviz.theory.piecewise_linear import PiecewiseLinear
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
    "discrete_gaussian": DiscreteGaussianMechanism,
    "laplace": LaplaceMechanism,
    "discrete_laplace": DiscreteLaplaceMechanism,
    "exponential": ExponentialMechanism,
    "permute_and_flip": PermuteAndFlip,
    "randomized_response": RandomizedResponse,
    "list_experiment": ListExperiment,
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
