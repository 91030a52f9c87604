"""Automatic checks of scores and records for the validity checklist: indications, not bounds.

They test whether covariates tell members from non-members (drift), whether scores depend on the
order of the records, how large the classes are, whether scores or records repeat, and whether the
scores were computed from the membership.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dpviz.audit.blind.classifier import fit_classifier
from dpviz.audit.roc.area_and_advantage import auc
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import IMBALANCE, Scores
from dpviz.checks import FloatArray
from dpviz.value_object import ValueObject

Vector = NDArray[Any]
TEST_LEVEL = 0.01  # p-value below which a test is notable
MOST_RECORDS = 20_000  # of each class, at most, that a check uses
FEWEST_FOR_DRIFT_TEST = 10  # records of a class that can be split for a test of drift
SORTED_CORRELATION = 0.999  # rank correlation beyond which records are in the order of their scores
TIED_SHARE = 0.05  # fraction of a class from which on repeated scores are notable
NEAR_COPY_DISTANCE = 0.01  # distance of near copies, as a fraction of that between usual neighbours
MOST_COLUMNS = 50  # in more dimensions a search for neighbours compares all pairs
DISTINCT_SCORES_OF_LABELS = 2  # distinct scores that a function of the label has
MOST_DECIMALS = 6  # of numbers that somebody rounded
ALL, HALF = 0.99, 0.5  # shares: a format fits >= ALL of one class, <= HALF of the other
N_FORMATS_READ = 10_000  # records of a class whose number format is looked at


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoresAndRecords:
    """Scores and data of their records; each pair is (members' array, non-members' array)."""

    scores: Scores
    covariates: tuple[FloatArray, FloatArray] | None = None  # (n, k), categories as 0/1 columns
    row_codes: tuple[Vector, Vector] | None = None  # equal integers for equal rows of covariates
    ids: tuple[Vector, Vector] | None = None
    order: tuple[FloatArray, FloatArray] | None = None  # times or positions of the records
    seed: int = 0


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Finding(ValueObject):
    """The result of one check: an indication, never a bound."""

    question: str  # the key of the checklist's question that it may help to answer
    is_notable: bool  # whether it is a reason to look at the data again
    sentence: str
    numbers: tuple[tuple[str, float], ...] = ()  # names and exact values of those in the sentence


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InputChecks(ValueObject):
    """The findings of all checks; `skipped` has a sentence for each check that lacks its input."""

    one_row_each = ("findings",)
    findings: tuple[Finding, ...]
    skipped: tuple[str, ...] = ()

    @property
    def notable(self) -> tuple[Finding, ...]:
        """The findings that are a reason to look at the data again."""
        return tuple(finding for finding in self.findings if finding.is_notable)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __str__(self) -> str:
        lines = [f"{'! ' if each.is_notable else '  '}{each.sentence}" for each in self]
        return "\n".join([*lines, *(f"  {each[0].upper()}{each[1:]}." for each in self.skipped)])


def _new_finding(question: str, is_notable: bool, sentence: str, **numbers: float) -> Finding:
    figures = tuple(numbers.items())
    return Finding(question=question, is_notable=is_notable, sentence=sentence, numbers=figures)


def check_for_unequal_sizes(inputs: ScoresAndRecords) -> list[Finding]:
    """Compare the numbers of members and non-members."""
    n, m = inputs.scores.n_members, inputs.scores.n_nonmembers
    differ = max(n, m) > IMBALANCE * min(n, m)
    how = "The classes differ much in size" if differ else "The sizes of the classes"
    text = f"{how}: {n} members, {m} non-members."
    return [_new_finding("record_choice", differ, text, n_members=n, n_nonmembers=m)]


def check_for_tied_scores(inputs: ScoresAndRecords) -> list[Finding]:
    """Count the records that repeat the score of another record of their class."""
    scores = inputs.scores
    if not isinstance(scores, AttackScores):
        return []
    members, nonmembers = (
        int(np.count_nonzero(values[1:] == values[:-1]))
        for values in (scores.sorted_member, scores.sorted_nonmember)
    )
    is_notable = max(members / scores.n_members, nonmembers / scores.n_nonmembers) >= TIED_SHARE
    text = (
        f"{members} of {scores.n_members} members and {nonmembers} of {scores.n_nonmembers} "
        "non-members share their score with a record of their class."
    )
    if is_notable:
        text += " Repeated records are not independent draws."
    counts = {"repeated_members": members, "repeated_nonmembers": nonmembers}
    return [_new_finding("records_per_person", is_notable, text, **counts)]


def check_for_copied_records(inputs: ScoresAndRecords) -> list[Finding]:
    """Count non-members that are also members, and repeated records, by ids and by covariates."""
    findings = []
    if inputs.ids is not None:
        findings.append(_detect_repeated_ids(*inputs.ids))
    if inputs.row_codes is not None and inputs.covariates is not None:
        findings.append(_detect_repeated_covariates(inputs.row_codes, inputs.covariates))
    return findings


def _detect_repeated_ids(member: Vector, nonmember: Vector) -> Finding:
    """Count the ids that occur in both classes, or several times in one class."""
    both = int(np.isin(nonmember, member).sum())
    repeated = sum(ids.size - np.unique(ids).size for ids in (member, nonmember))
    text = (
        f"By their ids, {both} of {nonmember.size} non-members are also members, and {repeated} "
        "records repeat another record of their class."
    )
    counts = {"nonmembers_among_members": both, "repeated": repeated}
    return _new_finding("duplicates", both + repeated > 0, text, **counts)


def _detect_repeated_covariates(
    row_codes: tuple[Vector, Vector], covariates: tuple[FloatArray, FloatArray]
) -> Finding:
    """Count the non-members whose covariates equal, or nearly equal, those of a member."""
    member, nonmember = row_codes
    both = int(np.isin(nonmember, member).sum())
    near = _estimate_near_copies(*covariates)
    text = f"{both} of {nonmember.size} non-members have exactly the covariates of a member"
    if near is None:
        return _new_finding("duplicates", both > 0, f"{text}.", equal_rows=both)
    text += f", and about {near} more have nearly the same (an estimate)."
    return _new_finding("duplicates", both + near > 0, text, equal_rows=both, near_rows=near)


def _estimate_near_copies(member: FloatArray, nonmember: FloatArray) -> int | None:
    """Estimate how many non-members nearly equal a member; None if that takes too long or fails."""
    from scipy.spatial import KDTree  # slow to import

    if member.shape[1] > MOST_COLUMNS or len(member) < 3:
        return None
    # Distances in standard deviations of each covariate.
    spread = np.concatenate([member, nonmember]).std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    rng = np.random.default_rng(0)
    members, others = [
        rows[rng.permutation(len(rows))[:MOST_RECORDS]] / scale for rows in (member, nonmember)
    ]
    tree = KDTree(members)
    usual = float(np.median(np.asarray(tree.query(members, k=2)[0])[:, 1]))  # 0: the member itself
    if usual == 0.0:  # most members equal another member
        return None
    # Exact copies are counted elsewhere.
    nearest = np.asarray(tree.query(others)[0])
    share = float(np.mean((nearest > 0) & (nearest < NEAR_COPY_DISTANCE * usual)))
    return round(share * len(nonmember))


def check_for_scores_made_of_labels(inputs: ScoresAndRecords) -> list[Finding]:
    """Look for scores that were computed from the membership itself."""
    scores = inputs.scores
    if not isinstance(scores, AttackScores):
        return []
    low, high = scores.sorted_member, scores.sorted_nonmember
    is_apart = low[0] > high[-1] or low[-1] < high[0]
    n_distinct = scores.n_distinct if is_apart else 0
    # A perfect attack is rare: rather, the membership was used.
    text = "The scores of members and non-members overlap."
    if is_apart and n_distinct <= DISTINCT_SCORES_OF_LABELS:
        text = "All members have one score, all non-members another: the score is the membership."
    elif is_apart:
        text = "The scores of members and non-members do not overlap: make sure that no score was "
        text += "computed from the membership."
    formats = _compare_precision(scores.member[:N_FORMATS_READ], scores.nonmember[:N_FORMATS_READ])
    return [_new_finding("attack", bool(is_apart), text), *formats]


def _compare_precision(member: FloatArray, nonmember: FloatArray) -> list[Finding]:
    """Look for a number format, such as few decimals, that only the scores of one class have."""
    # Nearly all numbers of one class have the format, and at most half of the other class do.
    for name, fits in FORMATS.items():
        shares = [float(np.mean(fits(values) == values)) for values in (member, nonmember)]
        if max(shares) >= ALL and min(shares) <= HALF:
            one, other = ("members", "non-members")[:: 1 if shares[0] > shares[1] else -1]
            text = f"The scores of {one} have {name}, those of {other} do not: they were processed"
            numbers = {"share_of_members": shares[0], "share_of_nonmembers": shares[1]}
            return [_new_finding("attack", True, f"{text} differently.", **numbers)]
    return []


def _round_to_float32(values: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)


FORMATS: dict[str, Callable[[FloatArray], Any]] = {
    **{f"at most {n} decimals": partial(np.round, decimals=n) for n in range(MOST_DECIMALS + 1)},
    "single precision": _round_to_float32,
}


def check_for_covariate_drift(inputs: ScoresAndRecords) -> list[Finding]:
    """Test whether a regression on covariates detects members (Lopez-Paz and Oquab, 2017)."""
    if inputs.covariates is None or min(map(len, inputs.covariates)) < FEWEST_FOR_DRIFT_TEST:
        return []
    rng = np.random.default_rng(inputs.seed)
    chosen = [rng.permutation(len(rows))[:MOST_RECORDS] for rows in inputs.covariates]
    member, nonmember = (rows[i] for rows, i in zip(inputs.covariates, chosen, strict=True))
    # Every other record is for fitting, the rest for the test of the AUC against 1/2.
    classifier = fit_classifier(member[::2], nonmember[::2])
    of_member, of_nonmember = (classifier.scores(rows[1::2]) for rows in (member, nonmember))
    # How well covariates alone detect members, beside how well the attack does.
    area = auc(AttackScores(member=of_member, nonmember=of_nonmember))
    of_attack = auc(inputs.scores)
    p_value = p_value_of_auc(area, of_member.size, of_nonmember.size)
    is_notable = p_value < TEST_LEVEL
    if is_notable:
        text = (
            "Covariates alone tell members from non-members: a classifier that never saw the "
            f"model reaches an AUC of {area:.3f} on fresh records (p = {p_value:.2g}); this attack "
            f"reaches {of_attack:.3f}. The two sets differ in more than membership. The "
            "attack measures that difference too, and a claim does not limit it."
        )
    else:
        text = (
            "A classifier does not tell members from non-members by their covariates (AUC "
            f"{area:.3f}, p = {p_value:.2g}). This does not show that both populations agree."
        )
    numbers = {"blind_auc": area, "p_value": p_value, "attack_auc": of_attack}
    return [_new_finding("population", is_notable, text, **numbers)]


def p_value_of_auc(measured: float, n: int, m: int) -> float:
    """Return the one-sided p-value of an AUC against 1/2 (normal approximation without ties)."""
    return float(ndtr(-(measured - 0.5) / np.sqrt((n + m + 1) / (12 * n * m))))


def check_for_order_dependence(inputs: ScoresAndRecords) -> list[Finding]:
    """Test whether scores depend on the order of records, and whether times differ by class."""
    scores = inputs.scores
    if not isinstance(scores, AttackScores):
        return []
    classes = (("members", scores.member), ("non-members", scores.nonmember))
    orders = inputs.order or tuple(np.arange(float(values.size)) for _, values in classes)
    trends = [_test_correlation(*each, at) for each, at in zip(classes, orders, strict=True)]
    return [*chain(*trends), *(_test_time_order(*inputs.order) if inputs.order is not None else [])]


def _test_correlation(class_name: str, values: FloatArray, positions: FloatArray) -> list[Finding]:
    """Test Spearman's correlation of the scores of one class with their `positions`."""
    step = -(-values.size // MOST_RECORDS)
    values, positions = values[::step], positions[::step]
    ranks, order = _ranks_with_ties(values), _ranks_with_ties(positions)
    if values.size < 3 or np.ptp(ranks) == 0 or np.ptp(order) == 0:
        return []
    rho = float(np.corrcoef(ranks, order)[0, 1])
    # Sorted records have lost their order of arrival: there is nothing to test.
    if abs(rho) >= SORTED_CORRELATION:
        text = f"The {class_name} are sorted by their scores: their order cannot be tested."
        return [_new_finding("attack", False, text)]
    p_value = float(2 * ndtr(-abs(rho) * np.sqrt(values.size - 1)))  # normal approximation
    if p_value >= TEST_LEVEL:
        return []
    text = (
        f"The scores of {class_name} change with their order (rank correlation {rho:.2f}, p = "
        f"{p_value:.2g}): they are not independent draws of one distribution."
    )
    return [_new_finding("attack", True, text, rank_correlation=rho, p_value=p_value)]


def _test_time_order(member_times: FloatArray, nonmember_times: FloatArray) -> list[Finding]:
    """Test whether members tend to come before or after non-members."""
    area = auc(AttackScores(member=member_times, nonmember=nonmember_times))
    apart = max(area, 1 - area)
    p_value = 2 * p_value_of_auc(apart, member_times.size, nonmember_times.size)
    text = f"Members and non-members do not differ in their order (p = {p_value:.2g})."
    if p_value < TEST_LEVEL:
        later = "later" if area > 0.5 else "earlier"
        text = (
            f"Members come {later} than non-members (AUC of the order {apart:.3f}, p = "
            f"{p_value:.2g}): time alone may tell them apart."
        )
    return [_new_finding("population", p_value < TEST_LEVEL, text, order_auc=area, p_value=p_value)]


def _ranks_with_ties(values: FloatArray) -> FloatArray:
    """Return ranks from 0; tied values share their mean rank."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count + 1) / 2)[place]


CHECKS: dict[str, Callable[[ScoresAndRecords], list[Finding]]] = {
    check.__name__: check
    for check in (
        *(check_for_unequal_sizes, check_for_tied_scores, check_for_copied_records),
        *(check_for_scores_made_of_labels, check_for_covariate_drift, check_for_order_dependence),
    )
}
