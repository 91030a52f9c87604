"""The measured ROC curve, its intervals and bands, and the classes of their results."""

from dpviz.audit.roc import bands, intervals
from dpviz.audit.roc.area_and_advantage import Advantage, AucInterval
from dpviz.audit.roc.bands import CurveBand
from dpviz.audit.roc.curve import OperatingPoint
from dpviz.audit.roc.intervals import ratio_interval
from dpviz.audit.roc.tpr_at_fpr import CONVENTIONS, TprAtFpr, tpr_interval

__all__ = ["CONVENTIONS", "Advantage", "AucInterval", "CurveBand", "OperatingPoint", "TprAtFpr"]
__all__ += ["bands", "intervals", "ratio_interval", "tpr_interval"]
