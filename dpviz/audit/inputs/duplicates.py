"""Records in both sets, and records that stand in one set several times."""

import numpy as np

from dpviz.audit.inputs.finding import Finding, Inputs, Vector
from dpviz.checks import FloatArray

NEAR = 0.01  # of the usual distance between neighbours: nearer ones are near copies
MOST_COLUMNS = 50  # in more dimensions a search for neighbours compares all pairs
MOST_RECORDS = 20_000  # of each class


def duplicates(inputs: Inputs) -> list[Finding]:
    """Compare ids, and rows of covariates."""
    found = []
    if inputs.ids is not None:
        found.append(_of_ids(*inputs.ids))
    if inputs.rows is not None and inputs.covariates is not None:
        found.append(_of_rows(inputs.rows, inputs.covariates))
    return found


def _of_ids(member: Vector, nonmember: Vector) -> Finding:
    both = int(np.isin(nonmember, member).sum())
    repeated = sum(ids.size - np.unique(ids).size for ids in (member, nonmember))
    return Finding(
        question="duplicates",
        is_notable=both + repeated > 0,
        sentence=(
            f"By their ids, {both} of {nonmember.size} non-members are members too, and {repeated} "
            "records repeat another one of their class."
        ),
        numbers=(("nonmembers_among_members", both), ("repeated", repeated)),
    )


def _of_rows(rows: tuple[Vector, Vector], covariates: tuple[FloatArray, FloatArray]) -> Finding:
    member, nonmember = rows
    both = int(np.isin(nonmember, member).sum())
    near = _near(*covariates)
    about = "" if near is None else f", {near} more nearly (an estimate)"
    return Finding(
        question="duplicates",
        is_notable=both + (near or 0) > 0,
        sentence=(
            f"{both} of {nonmember.size} non-members have exactly the covariates of a member"
            f"{about}."
        ),
        numbers=(("equal_rows", both), *([] if near is None else [("near_rows", near)])),
    )


def _near(member: FloatArray, nonmember: FloatArray) -> int | None:
    """Non-members whose nearest member is much nearer than members are to each other, not equal.

    Scaled up from the records that are looked at; None where a search would take too long, or
    where most members have an equal one.
    """
    from scipy.spatial import KDTree  # slow to import

    if member.shape[1] > MOST_COLUMNS or len(member) < 3:
        return None
    spread = np.concatenate([member, nonmember]).std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    rng = np.random.default_rng(0)
    looked_at = [
        rows[rng.permutation(len(rows))[:MOST_RECORDS]] / scale for rows in (member, nonmember)
    ]
    tree = KDTree(looked_at[0])
    usual = float(np.median(np.asarray(tree.query(looked_at[0], k=2)[0])[:, 1]))
    if usual == 0.0:
        return None
    nearest = np.asarray(tree.query(looked_at[1])[0])
    share = float(np.mean((nearest > 0) & (nearest < NEAR * usual)))
    return round(share * len(nonmember))
