"""``dpviz plan``: an estimate of the number of records that an audit needs."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from textwrap import fill

from dpviz.analysis import Spec
from dpviz.analysis.topics.claim import compared_adjacency, converted_to
from dpviz.analysis.topics.plan import PlanQuestion, lead, plan_part, summary
from dpviz.audit.bounds.result import APPLIES_TO, SAMPLINGS
from dpviz.audit.scores.base import Scores
from dpviz.claims.readers.plain import TEXT_FORMS
from dpviz.cli.audit import add_reading_options, read_score_files
from dpviz.cli.exit_code import CANNOT_DECIDE, MIN_POWER, leak_and_name
from dpviz.cli.text import WIDTH
from dpviz.theory import ApproximateDP, TradeoffFunction
from dpviz.theory.tradeoff import ADJACENCIES

ABOUT = """\
Estimate how many records an audit needs to contradict a claim with a given
probability (the power). Without SCORES, the attack is the best attack on noise
with the epsilon of --must-detect; this many records then give dpviz audit
--must-detect enough power. The plan is an estimate.
"""
EXAMPLES = """\
examples:
  dpviz plan --claim 1,1e-5 --must-detect 4
  dpviz plan --claim 1,1e-5 --must-detect 4 --min-power 0.9 --ratio 0.5
  dpviz plan first.csv --claim 1,1e-5

exit codes: 0 planned, 2 bad input, 3 even a million records are not enough
"""


def add_plan(new_command: Callable[..., ArgumentParser]) -> None:
    """Call `new_command` to create the parser of ``dpviz plan``, and add its options."""
    summary = "estimate how many records an audit needs"
    command = new_command("plan", run_plan, summary, ABOUT, epilog=EXAMPLES)
    meaning = "scores of the attack, as for dpviz audit; not with --must-detect"
    command.add_argument("source", metavar="SCORES", nargs="*", help=meaning)
    add, default = command.add_argument_group("question").add_argument, Spec()
    add("--claim", metavar="CLAIM", required=True, help=f"{TEXT_FORMS}, or a file")
    meaning = "epsilon of the noise, above the claim's; Gaussian, or Laplace if delta is 0"
    add("--must-detect", metavar="EPS", type=float, help=meaning)
    meaning = "probability that the claim is contradicted, in (0, 1); default %(default)s"
    add("--min-power", metavar="P", type=float, default=MIN_POWER, help=meaning)
    add("--delta", type=float, help="delta of the lower bound; default the claim's, or 1e-5")
    meaning = "confidence of the audit, in [0.5, 1); default %(default)s"
    level = default.confidence_level
    add("--confidence-level", metavar="LEVEL", type=float, default=level, help=meaning)
    meaning = "members per non-member; default as in SCORES, or 1"
    add("--ratio", metavar="R", type=float, help=meaning)
    see = "see dpviz audit --help"
    add("--applies-to", choices=APPLIES_TO, help=see)
    add("--sampling", choices=SAMPLINGS, help=see)
    add("--neighbours", choices=ADJACENCIES, help=see)
    add_reading_options(command)


def run_plan(chosen: Namespace) -> int:
    """Print the plan of an audit; return 3 if even a million records are not enough."""
    names = ("claim", "delta", "confidence_level", "applies_to", "sampling", "neighbours")
    given = {name: getattr(chosen, name) for name in names if getattr(chosen, name) is not None}
    spec = Spec.of(**given)
    # The claim as the audit tests it.
    claim = converted_to(spec.claim, compared_adjacency(spec.claim, spec, with_scores=True))
    pair = claim if isinstance(claim, ApproximateDP) else None
    delta = pair.claimed_delta if pair else spec.delta
    attack: Scores | TradeoffFunction
    if bool(chosen.source) == (chosen.must_detect is not None):
        raise ValueError("dpviz plan must have either SCORES or --must-detect EPS")
    if chosen.source:
        columns = {"score": chosen.score, "kind": chosen.kind, "group": chosen.group}
        attack, assumed = read_score_files(chosen.source, chosen, **columns), ""
    else:
        attack, name = leak_and_name(chosen.must_detect, claim.epsilon(delta), delta)
        assumed = f"Assumed: the best attack on {name}."
    question = PlanQuestion(
        epsilon=claim.epsilon(delta),
        delta=delta,
        confidence_level=spec.confidence_level,
        power=chosen.min_power,
    )
    part = plan_part(attack, question, claim=None if pair else claim, ratio=chosen.ratio)
    if part.plan is None:
        raise ValueError(part.reason)
    texts = [fill(text, WIDTH) for text in (lead(part), assumed, summary(part)) if text]
    sys.stdout.write("\n".join(texts) + "\n")
    return CANNOT_DECIDE if part.plan.n_members is None else 0
