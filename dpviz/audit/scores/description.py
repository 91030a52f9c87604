"""The description that ``print(scores)`` shows: source, class sizes, and data warnings."""

from dpviz.audit.scores.base import Scores, auc, largest_standard_error

IMBALANCE = 10  # ratio of class sizes beyond which it is worth a warning
LOOKED_AT = 2**13  # records of a class; sorting all of many takes longer than reading them
BEYOND_DOUBT = 5  # standard errors


def understood(scores: Scores) -> tuple[str, str, str]:
    """The description of scores in three lines: source, class sizes, and data warnings.

    What a source calls itself and its columns is data: it is given as it was read.
    """
    read = scores.provenance
    source = f"{read.source} ({read.loader}): {read.understood}" if read else "given as arrays"
    dropped = read.dropped if read else ""
    return source, _counts(scores), "; ".join([dropped or "no row dropped", *remarks_about(scores)])


def remarks_about(scores: Scores, *, least_tied: float = 0.0) -> tuple[str, ...]:
    """Data warnings: class imbalance, tied scores, scores whose direction looks reversed.

    Ties of less than a share `least_tied` of all scores are left out.
    """
    found = []
    n, m = scores.n_members, scores.n_nonmembers
    if max(n, m) > IMBALANCE * min(n, m):
        found.append(f"the classes differ much in size: {n} members, {m} non-members")
    distinct = scores.distinct().size
    if scores.is_rounded:
        found.append(f"scores are rounded down to {distinct} thresholds: those of a cell are tied")
    elif distinct < n + m and n + m - distinct >= least_tied * (n + m):
        found.append(f"{n + m - distinct} of {n + m} scores repeat another one")
    direction = reversed_remark(scores)
    return (*found, direction) if direction else tuple(found)


def reversed_remark(scores: Scores) -> str:
    """A warning where the AUC is below 1/2 by more than chance; empty otherwise."""
    part = scores.thinned(LOOKED_AT)
    # A part of many records may rule out, beyond doubt, that all of them look reversed.
    if part is not scores and auc(part) - BEYOND_DOUBT * _error(part, auc(part)) > 0.5:
        return ""
    area = auc(scores)
    # At an area of 1/2: the sample's own error is 0 at an area of 0 or 1, of two records too.
    if area + 2 * _error(scores, 0.5) >= 0.5:
        return ""
    unit, end, other = (
        ("losses", "high", "score") if scores.kind == "loss" else ("scores", "low", "loss")
    )
    return (
        f"the {unit} look reversed: AUC {area:.3f}; if a {end} number means member, read them with "
        f"kind={other!r}; if members and non-members are swapped, swap them back"
    )


def _error(scores: Scores, area: float) -> float:
    return largest_standard_error(
        area, n_members=scores.n_members, n_nonmembers=scores.n_nonmembers
    )


def _counts(scores: Scores) -> str:
    direction = "low = member (losses)" if scores.kind == "loss" else "high = member (scores)"
    text = f"{direction}: {scores.n_members} members, {scores.n_nonmembers} non-members"
    if not scores.is_binned:
        return text
    n = scores.distinct().size
    if scores.is_rounded:
        return f"{text}; rounded down to {n} thresholds of a float32 grid, at which rates are exact"
    return f"{text}; counted at {n} thresholds, none rounded"
