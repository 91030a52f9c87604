"""The table of counts at the selected threshold: what holds, against what the attack says."""

from dpviz.analysis.naming import Naming
from dpviz.analysis.number_format import percent
from dpviz.analysis.parts.parts import ResultParts

CAPTION = "Records at the selected threshold."


def head(naming: Naming) -> tuple[str, ...]:
    """The columns: what the attack says."""
    return ("", *naming.guess)


def table(result: ResultParts) -> list[tuple[str, ...]]:
    """One row for the members and one for the non-members; counts, and shares of the row."""
    if result.sample is None:
        return []
    at = result.sample.at_fpr
    members, nonmembers = result.naming.truth
    missed, cleared = at.n_members - at.true_positives, at.n_nonmembers - at.false_positives
    return [
        (
            members,
            f"{at.true_positives} (TPR {percent(at.tpr)})",
            f"{missed} (FNR {percent(at.fnr)})",
        ),
        (
            nonmembers,
            f"{at.false_positives} (FPR {percent(at.fpr)})",
            f"{cleared} (TNR {percent(at.tnr)})",
        ),
    ]
