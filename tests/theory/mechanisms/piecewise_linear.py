"""Any curve through corners."""

from dpviz.theory import PiecewiseLinear
from tests.theory.mechanisms.experiment import table

KNOTS = ((0.0, 0.875), (0.125, 0.5), (0.5, 0.125), (0.75, 0.0), (1.0, 0.0))
EXAMPLES = [
    {"knots": knots}
    for knots in [
        ((0.0, 1.0), (1.0, 0.0)),
        ((0.0, 0.0), (1.0, 0.0)),
        KNOTS,
        ((0.0, 1.0), (0.01, 0.6), (1.0, 0.0)),
    ]
]
P, Q = [0, 0.125, 0.375, 0.25, 0.25], [0.125, 0.375, 0.375, 0.125, 0]
EXPERIMENTS = [table("knots", PiecewiseLinear(KNOTS), P, Q)]
