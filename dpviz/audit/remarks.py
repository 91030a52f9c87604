"""What about scores everybody has to know who reads what is made of them."""

from dpviz.audit.auc import auc, largest_standard_error
from dpviz.audit.binned_scores import BinnedScores, Scores
from dpviz.audit.scores import AttackScores

IMBALANCE = 10
LOOKED_AT = 2**13
"""Records of a class; sorting all of many would take longer than reading them."""
BEYOND_DOUBT = 5
"""Standard errors."""


def remarks_about(scores: Scores) -> tuple[str, ...]:
    """Classes of very different sizes, tied records, and a direction that looks reversed."""
    found = []
    n, m = scores.n_members, scores.n_nonmembers
    if max(n, m) > IMBALANCE * min(n, m):
        found.append(f"the classes differ much in size: {n} members, {m} non-members")
    distinct = scores.distinct().size
    if isinstance(scores, BinnedScores) and scores.hides.any():
        found.append(f"scores are rounded down to {distinct} thresholds: those of a cell are tied")
    elif distinct < n + m:
        found.append(f"{n + m - distinct} of {n + m} scores repeat another one")
    direction = reversed_remark(scores)
    return (*found, direction) if direction else tuple(found)


def reversed_remark(scores: Scores) -> str:
    """What to say where the AUC is below 1/2 by more than chance; else nothing."""
    if isinstance(scores, AttackScores) and _some_look_right(scores):
        return ""
    area = auc(scores)
    # Where nothing leaks: at an area of 0 or 1 the sample's own would be 0, of two records too.
    error = largest_standard_error(
        0.5, n_members=scores.n_members, n_nonmembers=scores.n_nonmembers
    )
    if area + 2 * error >= 0.5:
        return ""
    unit, end, other = (
        ("losses", "high", "score") if scores.kind == "loss" else ("scores", "low", "loss")
    )
    return (
        f"the {unit} look reversed: AUC {area:.3f}; if a {end} number means member, read them with "
        f"kind={other!r}; if members and non-members are swapped, swap them back"
    )


def _some_look_right(scores: AttackScores) -> bool:
    """Whether a part of many records rules out that all of them look reversed, beyond doubt."""
    if max(scores.n_members, scores.n_nonmembers) <= LOOKED_AT:
        return False
    member, nonmember = (
        values[:: -(-values.size // LOOKED_AT)] for values in (scores.member, scores.nonmember)
    )
    area = auc(AttackScores(member=member, nonmember=nonmember))
    error = largest_standard_error(area, n_members=member.size, n_nonmembers=nonmember.size)
    return area - BEYOND_DOUBT * error > 0.5
