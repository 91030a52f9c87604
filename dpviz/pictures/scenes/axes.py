"""Axes that several pictures have."""

from dpviz.pictures.axes import AxisSpec

FPR = AxisSpec(label="non-members wrongly accused (FPR)", is_rate=True)
FNR = AxisSpec(label="members missed (FNR)", is_rate=True)
FPR_LOG_ODDS = AxisSpec(
    label="non-members wrongly accused (FPR, log-odds scale)",
    low=-3,
    high=3,
    scale="log-odds",
    is_rate=True,
)
EPSILON = AxisSpec(label="ε", high=4)
NAMES = AxisSpec(label="")
