"""The table beside the pictures: counts of 100 people under the claim, and under the attack.

A row is a text: the claim's limit, and after it the attack's estimate if there are scores.
"""

from collections.abc import Callable

from dpviz.analysis.result import ClaimRiskAtFpr, Result, SamplePart, allows_every_attack
from dpviz.analysis.spec import DEFAULT_FPR
from dpviz.analysis.topic import ON_SLIDE, TextWriter, Topic
from dpviz.analysis.words import WORDS
from dpviz.number_format import percent, short, upper

CELLS = " | "  # between two cells of a row
NO_LIMIT = "–"  # the limit where nothing is claimed


def caption(result: Result) -> str:
    """Return the table's caption, with the FPR of all rows except the last."""
    return WORDS["readout_at"].format(fpr=percent(_claim_risk(result).fpr))


def claim_column_heading(result: Result) -> str:
    """Return the heading of the limits: "claim", or the chosen ε where no claim is tested."""
    return result.naming.unclaimed or "claim"


def detected_members_row(result: Result) -> str:
    """Return the row with the largest allowed and the measured TPR, in %, at the caption's FPR."""
    most = result.claim.claim.tpr(_claim_risk(result).fpr)
    return _row_text(result, most, lambda sample: sample.at_fpr.tpr)


def members_among_flagged_row(result: Result) -> str:
    """Return the row with the largest allowed and the measured PPV, in %."""
    prior = result.spec.prior
    return _row_text(result, _claim_risk(result).ppv, lambda sample: sample.at_fpr.ppv(prior=prior))


def advantage_row(result: Result) -> str:
    """Return the row with the largest allowed and the measured advantage TPR - FPR, in %."""
    most = _claim_risk(result).advantage
    return _row_text(result, most, lambda sample: sample.at_fpr.tpr - sample.at_fpr.fpr)


def detected_at_one_percent_row(result: Result) -> str:
    """Return the row with the largest allowed and the measured TPR, in %, at FPR 1 %."""
    most = result.claim.claim.tpr(DEFAULT_FPR)
    return _row_text(result, most, lambda sample: sample.at_one_percent.tpr)


def _claim_risk(result: Result) -> ClaimRiskAtFpr:
    return result.risk_point if result.sample is None else result.sample.bounds


def _row_text(result: Result, most: float, measured: Callable[[SamplePart], float]) -> str:
    has_limit = not allows_every_attack(result.claim.claim)
    limit = f"≤ {short(upper(100 * most))}" if has_limit else NO_LIMIT
    if result.sample is None:
        return limit
    return f"{limit}{CELLS}{short(100 * measured(result.sample))}"


TOPIC = Topic(
    sentences={
        "readout_at": TextWriter(caption, ON_SLIDE),
        "readout_claim": TextWriter(claim_column_heading, ON_SLIDE),
        "readout_caught": TextWriter(detected_members_row, ON_SLIDE),
        "readout_right": TextWriter(members_among_flagged_row, ON_SLIDE),
        "readout_advantage": TextWriter(advantage_row, ON_SLIDE),
        "readout_one_percent": TextWriter(detected_at_one_percent_row, ON_SLIDE),
    }
)
