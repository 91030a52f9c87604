"""A guarantee followed over several records."""

from dpviz.theory import ApproximateDP, GaussianDP, GroupPrivacy, LaplaceMechanism
from tests.theory.mechanisms.experiment import sometimes_in_the_open

NUMERIC = True
EXAMPLES = [
    {"base": GaussianDP(mu=0.5), "size": 3},
    {"base": LaplaceMechanism(epsilon=0.4), "size": 2},
    {"base": ApproximateDP(epsilon=0.2, delta=0.01), "size": 5},
]
ONE = GroupPrivacy(ApproximateDP(epsilon=1.0, delta=0.1), size=1)
EXPERIMENTS = [sometimes_in_the_open(ONE, 1.0, 0.1)]
