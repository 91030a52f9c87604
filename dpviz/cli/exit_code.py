"""Exit codes of the commands, and the gate by which an audit passes or fails in a pipeline."""

import math
from dataclasses import dataclass

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.topics.answer import AnswerState
from dpviz.analysis.topics.at_most import ONE_RUN
from dpviz.audit.evidence.plan import (
    RUNS_FACTOR_AT_PLAN,
    RUNS_PER_SIZE,
    noise_mechanism_with_epsilon,
    power_of_claim_test,
)
from dpviz.audit.upper_limits import LimitTest, limit_test
from dpviz.number_format import percent, percent_with_error, short
from dpviz.theory import TradeoffFunction

CONTRADICTED, CANNOT_DECIDE, NOT_AS_REGISTERED, NOT_SHOWN = 1, 3, 4, 5  # exit codes
EXIT_BAD_INPUT = 2  # 1 is an answer: a claim is contradicted
EXIT_INTERNAL_ERROR = 70  # an error of dpviz itself, with its traceback (EX_SOFTWARE of BSD)
EXIT_INTERRUPTED = 130  # as shells say it: 128 and the number of the signal, here SIGINT
EXIT_BROKEN_PIPE = 141  # SIGPIPE
EXIT_CODES: dict[AnswerState, int] = {"contradicted": CONTRADICTED, "cannot decide": CANNOT_DECIDE}
LIMIT_CODES = {"shown": 0, "cannot decide": CANNOT_DECIDE}  # of others: NOT_SHOWN
EXIT_CODES_HELP = """\
exit codes:
  0    no claim was given, or the records do not contradict it
       (that does not confirm it)
  1    the records contradict the claim
  2    bad input: an option, a file, a claim that cannot be tested, or scores
       that look reversed; one line on standard error gives the reason
  3    the data cannot decide: the records are too few to contradict the claim,
       or their power is below --min-power, or too few to show --at-most
  4    the records do not contradict the claim, but the audit differs from
       --protocol
  5    the limit of --at-most is not shown, or is contradicted
  70   an error in dpviz: there is no answer
  130  interrupted
"""
RUNS = RUNS_FACTOR_AT_PLAN * RUNS_PER_SIZE  # as at the planned size, which so passes the gate
MIN_POWER = 0.8  # where --must-detect is given without --min-power
ADVICE = "dpviz plan estimates how many records are enough"


@dataclass(frozen=True, kw_only=True)
class Gate:
    """The decision about an audit in a pipeline: outcome, exit code, and any simulated power."""

    outcome: AnswerState  # "cannot decide", too, where the power is less than required
    exit_code: int
    must_detect: float | None = None
    min_power: float | None = None
    power: tuple[float, float] | None = None  # simulated probability, standard error; if required
    sentence: str = ""


def leak_and_name(must_detect: float, claimed: float, delta: float) -> tuple[TradeoffFunction, str]:
    """Return a noise mechanism with epsilon `must_detect` at `delta`, and the mechanism's name."""
    # ValueError unless this is above `claimed`, the epsilon that the claim allows at `delta`.
    at_delta = f"at δ = {short(delta)}"
    if not claimed < must_detect < math.inf:
        limit = f"{short(claimed, digits=6)} {at_delta}"
        raise checks.fail("must_detect", f"above the ε of the claim ({limit})", must_detect)
    noise = f"{'Gaussian' if delta else 'Laplace'} noise"
    name = f"{noise} with ε = {short(must_detect, digits=6)} {at_delta}"
    return noise_mechanism_with_epsilon(must_detect, delta), name


def limit_test_of(result: Result, target: dict[str, float]) -> LimitTest | None:
    """Return the test that the attack reaches at most a number; None without such a target."""
    if not target or result.sample is None:
        return None
    if result.spec.is_one_run:
        sampling = result.spec.sampling
        raise ValueError(f"at_most must be left out with --sampling {sampling}: {ONE_RUN}")
    spec, fpr = result.spec, 0.01 if result.spec.fpr is None else result.spec.fpr
    question = {"prior": spec.prior, "fpr": fpr, "confidence_level": spec.confidence_level}
    return limit_test(result.sample.scores, **target, **question)


def gate_of(result: Result, *, must_detect: float | None, min_power: float | None) -> Gate:
    """Decide by the result of a finished audit whether the audit passes in a pipeline."""
    outcome, claim, power, said = result.answer.state, result.claim, None, ""
    if must_detect is None and min_power is not None:
        raise checks.fail("min_power", "given only with --must-detect EPS", min_power)
    if must_detect is not None:
        wanted = MIN_POWER if min_power is None else min_power
        min_power = checks.between_0_and_1("min_power", wanted)
        if not result.is_claimed:
            raise checks.fail("must_detect", "given only with --claim", must_detect)
        leak, leak_text = leak_and_name(must_detect, claim.epsilon, claim.delta)
        if outcome == "not contradicted" and result.sample is not None:
            scores, level = result.sample.scores, result.spec.confidence_level
            # Not contradicted: would a leak of this size have been noticed?
            power_at = power_of_claim_test(claim.claim, leak, level)
            power = power_at(scores.n_members, scores.n_nonmembers, RUNS)
            said = (
                f"The best attack on {leak_text} contradicts the claim in "
                f"{percent_with_error(*power)} of audits with this many records (simulated); at "
                f"least {percent(min_power)} is required."
            )
            outcome = outcome if power[0] >= min_power else "cannot decide"
    if outcome == "cannot decide":
        said = f"{said} The gate cannot decide: {ADVICE}.".strip()
    compared = result.answers.get("protocol")
    otherwise = NOT_AS_REGISTERED if compared is not None and compared.differences else 0
    limit = result.answers.get("limit_test")
    not_shown = 0 if limit is None else LIMIT_CODES.get(limit.outcome, NOT_SHOWN)
    return Gate(
        outcome=outcome,
        exit_code=EXIT_CODES.get(outcome) or not_shown or otherwise,
        must_detect=must_detect,
        min_power=min_power,
        power=power,
        sentence=said,
    )
