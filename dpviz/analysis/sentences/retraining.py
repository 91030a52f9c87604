"""Sentences about retrained models: the worst canary, how tight the claim is, a table."""

from dpviz.analysis.number_format import lower, percent, short, upper
from dpviz.analysis.sentences.bounds import at_least
from dpviz.audit.models.retraining import CanaryAudit, RetrainingAudit

CAPTION = (
    "Each canary's bound holds together with all others'. A point without limits was chosen on "
    "these models: an estimate, raised by the search."
)
HEAD = ("canary", "models with it", "without it", "FPR", "FNR", "ε at least", "tightness")


def summary(found: RetrainingAudit) -> str:
    """What is certified of the mechanism beside what is claimed."""
    level = (
        f"at δ = {short(found.delta)} ({percent(found.confidence_level)} confidence"
        f"{_together(found)})"
    )
    worst = found.worst
    if worst is None:
        models = max(row.n_in + row.n_out for row in found.rows)
        return (
            f"No canary shows an ε of the training method above 0 {level}, from {models} models "
            f"for each; that does not show that ε is small. {_claimed(found)}"
        )
    return (
        f"Largest bound: {worst.canary}, {worst.n_in} models with it and {worst.n_out} without. "
        f"The ε of the training method is at least {at_least(worst.bound)} {level}. "
        f"{_claimed(found)}"
    )


def table(found: RetrainingAudit) -> list[tuple[str, ...]]:
    """One row for each canary, under `HEAD`."""
    return [_row(row, found) for row in found.rows]


def _together(found: RetrainingAudit) -> str:
    n = len(found.rows)
    return f" for all {n} canaries together, Bonferroni" if n > 1 else ""


def _claimed(found: RetrainingAudit) -> str:
    claimed = f"The claim has ε = {short(found.claimed_epsilon)} there"
    if found.tightness is None:
        return f"{claimed}: no tightness, {found.note}."
    if found.tightness > 1:
        return f"{claimed}, which is contradicted at this confidence."
    return (
        f"{claimed}: {percent(lower(found.tightness))} of it is certified (tightness); claim, "
        "attack or the number of models may account for the rest."
    )


def _row(row: CanaryAudit, found: RetrainingAudit) -> tuple[str, ...]:
    box, point = row.box, row.point
    fpr, fnr = short(point.fpr), short(point.fnr)
    if box is not None:
        fpr += f" ({short(lower(box.fpr_low))} to {short(upper(box.fpr_high))})"
        fnr += f" ({short(lower(box.fnr_low))} to {short(upper(box.fnr_high))})"
    is_defined = found.tightness is not None
    tightness = short(lower(row.bound.low / found.claimed_epsilon)) if is_defined else ""
    return (row.canary, str(row.n_in), str(row.n_out), fpr, fnr, at_least(row.bound), tightness)
