"""Sentences about what a published number proves."""

from dpviz.audit.bounds.certify import Certificate
from dpviz.audit.bounds.number_law import Published
from dpviz.number_format import exact, lower, percent, short

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


def is_range(number: Certificate | Published) -> bool:
    """Whether a number stands for all that are printed like it, not for itself."""
    return number.most - number.least > 1e-6


def least(found: Certificate) -> str:
    """The smallest number that the published one stands for."""
    return _percent(found.least) if found.statistic in RATES else exact(found.least)


def _read(found: Certificate) -> str:
    """What the printed numbers stand for; the FPR is read as the largest one, which proves less."""
    read, fpr = [], found.law.fpr
    if is_range(found):
        read.append(f"{least(found)} or more")
    if fpr is not None and is_range(fpr):
        read.append(f"an FPR below {_percent(fpr.most)}")
    return f" (read as {', at '.join(read)})" if read else ""


def _percent(rate: float) -> str:
    return f"{exact(round(100 * rate, 7))} %"
