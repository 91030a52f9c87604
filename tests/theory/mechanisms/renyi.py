"""RDP at some orders."""

import math

from dpviz.theory import RenyiDP
from tests.theory.mechanisms.experiment import table

ORDERS = (1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 32.0, 64.0)
EXAMPLES = [
    {"orders": ORDERS, "epsilons": tuple(order / 2 for order in ORDERS)},
    {"orders": (1.0, 2.0), "epsilons": (0.1, 5.0)},
    {"orders": (2.0, 3.0), "epsilons": (1.0, math.inf)},
]
# As for zCDP, only the pair that reveals all attains a whole curve.
ALL = RenyiDP(orders=[2.0], epsilons=[math.inf])
EXPERIMENTS = [table("all told, RDP", ALL, [1, 0], [0, 1])]
