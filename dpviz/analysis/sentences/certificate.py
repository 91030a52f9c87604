"""Sentences about what a published number proves."""

from dpviz.analysis.number_format import exact, lower, percent, short
from dpviz.audit.bounds.certify import Certificate

NAMES = {
    "auc": "AUC",
    "advantage": "advantage",
    "accuracy": "accuracy",
    "tpr": "TPR",
    "precision": "precision",
}
RATES = ("accuracy", "tpr", "precision")  # in percent


def certificate(found: Certificate) -> str:
    """The lower bound, or why there is none."""
    name = NAMES[found.statistic]
    at = f" at {found.place}" if found.place else ""
    what = f"{name[0].upper()}{name[1:]} {found.published}{at}{_read(found)}"
    records = f"on {found.n_members} members and {found.n_nonmembers} non-members"
    how = f"at δ = {short(found.delta)} ({percent(found.confidence_level)} confidence)"
    if found.low > 0:
        return f"{what} {records} certifies ε ≥ {short(lower(found.low))} {how}."
    return f"{what} {records} certifies nothing {how}: {found.note}."


def conditions(found: Certificate) -> str:
    """What is assumed, and what no lower bound shows."""
    return (
        "It holds if the number was computed on records that no part of the attack was fitted to: "
        f"{found.sampling}. A lower bound cannot show that ε is small."
    )


def is_range(found: Certificate) -> bool:
    """Whether the number stands for all that are printed like it, not for itself."""
    return found.most - found.least > 1e-6


def least(found: Certificate) -> str:
    """The smallest number that the published one stands for."""
    if found.statistic in RATES:
        return f"{exact(round(100 * found.least, 7))} %"
    return exact(found.least)


def _read(found: Certificate) -> str:
    """What the printed numbers stand for; the FPR is read as the largest one, which proves less."""
    if not is_range(found):
        return ""
    fpr = found.law.fpr
    below = "" if fpr is None else f", at an FPR below {exact(round(100 * fpr.most, 7))} %"
    return f" (read as {least(found)} or more{below})"
