"""zCDP: the curve of all that the bounds on Rényi divergences allow."""

import math

from dpviz.theory import ZeroConcentratedDP
from tests.theory.mechanisms.experiment import table

EXAMPLES = [{"rho": rho} for rho in (0.0, 0.5, 30.0, math.inf)]
# Two Bernoullis attain one point of the curve, no pair all of them unless all is revealed.
EXPERIMENTS = [table("all told, zCDP", ZeroConcentratedDP(rho=math.inf), [1, 0], [0, 1])]
