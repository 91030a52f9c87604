"""Blind baselines: how well features tell members from non-members without the model.

No module here reads a score of the audited model except `above`, which compares an attack on it
with the blind classifier on the same records.
"""

from dpviz.audit.blind.above import AboveBlind, above_blind
from dpviz.audit.blind.baseline import BlindBaseline, MeanOfHalves, blind_baseline

__all__ = ["AboveBlind", "BlindBaseline", "MeanOfHalves", "above_blind", "blind_baseline"]
