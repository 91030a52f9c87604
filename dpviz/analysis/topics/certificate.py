"""Sentences on the lower bound on epsilon that a published number, such as an AUC, proves."""

from dpviz.audit.bounds.certify import Certificate
from dpviz.audit.bounds.worst_case_distribution import PublishedRate
from dpviz.number_format import exact, lower, percent, short

NAMES = {name: name for name in ("advantage", "accuracy", "precision")}
NAMES |= {"auc": "AUC", "tpr": "TPR"}
CONDITIONS = {  # of the number itself
    "tpr": "the TPR is that of a threshold, not interpolated between two thresholds",
    "precision": "records with equal scores were ordered without regard to membership",
}
RATES = ("accuracy", "tpr", "precision")  # written in percent


def certificate_sentence(proof: Certificate) -> str:
    """Say which lower bound on epsilon a published number, such as an AUC, proves, or why none."""
    name = NAMES[proof.statistic]
    at = f" at {proof.place}" if proof.place else ""
    what = f"{name[0].upper()}{name[1:]} {proof.published}{at}{_rounding_clause(proof)}"
    records = f"on {proof.n_members} members and {proof.n_nonmembers} non-members"
    how = f"at δ = {short(proof.delta)} ({percent(proof.confidence_level)} confidence)"
    if proof.low > 0:
        return f"{what} {records} certifies ε ≥ {short(lower(proof.low))} {how}."
    return f"{what} {records} certifies nothing {how}: {proof.note}."


def _rounding_clause(proof: Certificate) -> str:
    """Say how rounded numbers are read, such as "0.595 or more"; "" if no number is rounded."""
    numbers, fpr = [], proof.law.fpr
    if is_rounded(proof):
        numbers.append(f"{smallest_unrounded_text(proof)} or more")
    if fpr is not None and is_rounded(fpr):
        numbers.append(f"an FPR below {_percent_text(fpr.most)}")
    return f" (read as {', at '.join(numbers)})" if numbers else ""


def assumptions_sentence(proof: Certificate) -> str:
    """Say what the certificate assumes, and that a certificate cannot show a small epsilon."""
    condition = CONDITIONS.get(proof.statistic, "")
    own = f"; {condition}" if condition and not proof.law.interpolated else ""
    return f"Assumed: {proof.sampling}{own}. A lower bound cannot show that ε is small."


def is_rounded(number: Certificate | PublishedRate) -> bool:
    """Return whether a published number was rounded, so that it stands for a range of numbers."""
    return number.most - number.least > 1e-6


def smallest_unrounded_text(proof: Certificate) -> str:
    """Return as text the smallest number that would be rounded to the published number."""
    return _percent_text(proof.least) if proof.statistic in RATES else exact(proof.least)


def _percent_text(rate: float) -> str:
    return f"{exact(round(100 * rate, 7))} %"
