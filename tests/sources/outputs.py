"""A mechanism with four outputs, and every test of its output."""

from itertools import product

import numpy as np

from dpviz import theory

NONMEMBER, MEMBER = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.1, 0.1, 0.3, 0.5])
FOUR_OUTPUTS = theory.DiscretePair(NONMEMBER, MEMBER)
REJECTED = np.array([*product((0, 1), repeat=4)])  # each rejection region S
ALL_TESTS = np.column_stack([REJECTED @ NONMEMBER, 1 - REJECTED @ MEMBER])  # FPR and FNR
