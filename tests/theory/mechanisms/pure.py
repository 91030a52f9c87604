"""Pure DP: randomized response with two answers attains it."""

import math

from dpviz.theory import PureDP
from tests.theory.mechanisms.experiment import response

EXAMPLES = [{"epsilon": e} for e in (0.0, 1e-9, 0.5, 3.0, 20.0, 40.0, 800.0, math.inf)]
EXPERIMENTS = [response(PureDP(epsilon=1.0), 1.0, 2)]
COUNTED = [PureDP(epsilon=1.0), PureDP(epsilon=0.0), PureDP(epsilon=math.inf)]
