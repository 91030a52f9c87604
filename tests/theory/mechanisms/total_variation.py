"""(0, delta): a coin that sometimes answers in the open."""

from dpviz.theory import TotalVariation
from tests.theory.mechanisms.experiment import sometimes_in_the_open

EXAMPLES = [{"delta": d} for d in (0.0, 1e-9, 0.25, 1.0)]
EXPERIMENTS = [sometimes_in_the_open(TotalVariation(delta=0.25), 0.0, 0.25)]
COUNTED = [TotalVariation(delta=0.25)]
