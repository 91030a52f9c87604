"""The table beside the pictures: limits of the claim, and measured rates of the attack."""

from collections.abc import Callable

from dpviz.analysis.result import ClaimRiskAtFpr, Result, SamplePart
from dpviz.analysis.spec import DEFAULT_FPR
from dpviz.analysis.topic import ON_SLIDE, TextWriter, Topic
from dpviz.analysis.words import WORDS
from dpviz.number_format import percent, short, upper

CELLS = " | "  # between two cells of a row
NO_LIMIT = "–"  # the limit where nothing is claimed


def caption(result: Result) -> str:
    """Return the caption that states the FPR of the rows above the last row, whose FPR is 1 %."""
    return WORDS["readout_at"].format(fpr=percent(_claim_risk(result).fpr))


def _claim_risk(result: Result) -> ClaimRiskAtFpr:
    return result.risk_point if result.sample is None else result.sample.bounds


def _row_writer(
    most: Callable[[Result], float], measured: Callable[[SamplePart, Result], float]
) -> TextWriter[str]:
    """Return the writer of a row with the largest allowed and the measured rate, in percent."""

    def row_text(result: Result) -> str:
        limit = f"≤ {short(upper(100 * most(result)))}" if result.is_claimed else NO_LIMIT
        if result.sample is None:
            return limit
        return f"{limit}{CELLS}{short(100 * measured(result.sample, result))}"

    return TextWriter(row_text, ON_SLIDE)


TOPIC = Topic(
    sentences={
        "readout_at": TextWriter(caption, ON_SLIDE),
        # The heading of the limits; where no claim is tested, the chosen ε.
        "readout_claim": TextWriter(lambda result: result.naming.unclaimed or "claim", ON_SLIDE),
        "readout_caught": _row_writer(
            lambda result: result.claim.claim.tpr(_claim_risk(result).fpr),
            lambda sample, _: sample.at_fpr.tpr,
        ),
        "readout_right": _row_writer(
            lambda result: _claim_risk(result).ppv,
            lambda sample, result: sample.at_fpr.ppv(prior=result.spec.prior),
        ),
        "readout_advantage": _row_writer(
            lambda result: _claim_risk(result).advantage,
            lambda sample, _: sample.at_fpr.tpr - sample.at_fpr.fpr,
        ),
        "readout_one_percent": _row_writer(
            lambda result: result.claim.claim.tpr(DEFAULT_FPR),
            lambda sample, _: sample.at_one_percent.tpr,
        ),
    }
)
