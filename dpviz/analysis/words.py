"""Texts that several topics share, and error messages for values that users type.

`WORDS` has the templates of sentences that the browser writes, too, while the kernel is busy or
gone. Topics and `sentences.ts` in the browser insert formatted numbers.
"""

import re

from dpviz.analysis.claims.menu import ENTRIES
from dpviz.analysis.claims.text_fields import is_number_too_large
from dpviz.analysis.spec import CONTROLS
from dpviz.checks import ConditionError
from dpviz.number_format import exact

# What the words on the screen mean, in the order in which a reader meets them.
TERMS = {
    "members": "the records of the training set; non-members are other records of the same kind.",
    "claimed": (
        "the ε of the claim: an attack catches at most the share e^ε FPR + δ of the members."
    ),
    "certified": (
        "a lower bound on ε at the stated confidence. The ε is that of this trained model, or that "
        "of the mechanism if membership was drawn at random."
    ),
    "Epsilon*": "an estimate, not a bound: the largest log ratio of two rates over all thresholds.",
    "chance": "the Epsilon* that 95 of 100 audits of this size do not exceed if nothing leaks.",
    "ceiling": "the largest ε that a perfect attack on this many records certifies.",
    "this attack ≤": "an upper limit of what this attack reaches; other attacks may reach more.",
    "FPR": "false positive rate: the share of non-members that the attack wrongly calls members.",
    "FNR": (
        "false negative rate: the share of members that the attack misses. The true positive rate, "
        "TPR = 1 - FNR, is the share caught."
    ),
    "PPV": (
        "positive predictive value: the share of members among the records that the attack flags; "
        "it depends on p."
    ),
    "prior p": "the share of members among all candidates before the attack.",
    "advantage": "TPR - FPR. Random guessing has advantage 0.",
}

MEASURED_TEMPLATE = (
    "This attack catches {detected} of 100 members%s and flags {flagged} of 100 non-members "
    "(estimates)."
)
WORTHLESS_TEMPLATE = "The attack of least cost calls {} a member: the output saves nothing."

WORDS = {
    "no_claim": "Nothing is claimed: every attack is allowed.",
    "answer.promise": "At FPR {fpr}, {claim} lets an attack catch at most {tpr} of the members.",
    "answer.nothing": "{claim} is no guarantee: every attack is allowed.",
    "answer.contradicted": "The {kind} contradict the claim {claim}.",
    "answer.not contradicted": "These {kind} do not contradict {claim}. That does not confirm it.",
    "answer.no claim": "No claim is tested. The pictures show only the {kind}.",
    "answer.untested": "No claim is tested yet. The pictures show the limits of {claim}.",
    "answer.cannot decide": "These {kind} cannot decide whether {claim} holds.",
    "answer.computing": "The test of these {kind} against {claim} is not computed yet.",
    "answer.alone": "The test of these {kind} against {claim} needs Python.",
    "title.no_claim": "Nothing is claimed: every attack is allowed",
    "region_title.promise": "What {claim} allows",
    "region_title.no claim": "Error rates of this attack",
    "region_title.contradicted": "The attack leaves the allowed region",
    "region_title.inside": "FPR {fpr}: estimate inside the region",
    "region_title.late": "At FPR {fpr}, the attack …",
    "region_title.not contradicted": "Outside the region, perhaps by chance",
    "region_title.cannot decide": "Estimate outside; too few records",
    "region_title.computing": "Outside the region? Not tested yet",
    "tradeoff_title.promise": "At FPR {fpr}, attacks miss at least {least}",
    "tradeoff_title.attack": "Attack misses {fnr}; claim: ≥ {least}",
    "tradeoff_title.estimate": "Estimate: {fnr} missed; claim: ≥ {least}",
    "tradeoff_title.measured": "The attack misses {fnr} at FPR {fpr}",
    "risk_title.promise": "At most {most} of flags are right",
    "risk_title.attack": "{right} of flags are right; limit {most}",
    "risk_title.estimate": "Estimated PPV {right}; limit {most}",
    "risk_title.measured": "{right} of flags are right",
    "risk_title.nobody": "The attack flags nobody at this FPR",
    "risk_subtitle": "PPV (prior {prior}) and advantage",
    "at_one_percent": "{measured}; the claim allows at most {tpr}{clearest}.",
    "at_one_percent.clearest": ". The contradiction is clearest at FPR {fpr}",
    "readout_at": "Rates (%) at FPR {fpr}",
    "region_lead.claim": "At FPR {fpr} the marked point lies on the limit of the claim.",
    "region_lead.chosen": (
        "The point (FPR {fpr}, FNR {fnr}) lies {place} the region of the claim: {allowing}."
    ),
    "region_lead.attack": (
        "At FPR {fpr} this attack misses {fnr} of members; under the claim, every attack "
        "misses at least {least}. Estimate: {place} the region (chance not considered)."
    ),
    "region_lead.above": (
        "At FPR {fpr} this attack misses {fnr} of the members, more than random guessing: the "
        "scores look reversed. Estimate: outside the region (chance not considered)."
    ),
    "region_lead.measured": "At FPR {fpr} this attack misses {fnr} of the members (an estimate).",
    "region_lead.point": "The point has FPR {fpr} and FNR {fnr}: {allowing}.",
    "at_fpr.no_claim": "Without a claim, nothing limits attacks at FPR {fpr}",
    "tradeoff_lead": "At FPR {fpr} every attack under the claim misses at least {least} of members",
    "tail_lead": "At FPR {fpr}, the claim lets an attack catch at most {tpr} of members",
    "risk_lead": (
        "If {prior} of candidates are members, at most {ppv} of the records flagged at FPR {fpr} "
        "are members under the claim (PPV)."
    ),
    "claim": "the claim {parameters}",
    "guarantee": "this guarantee",
    "conversion": "The guarantee {given} is for add/remove, and is converted to replace-one. ",
    "region.claim": (
        "An attack with FPR {fpr} misses at least {fnr} of the members under {claim}. The point "
        "lies on the edge of the region."
    ),
    "region.chosen": (
        "An attack with FPR {fpr} and FNR {fnr} lies {place} the region of {claim}: {allowing} "
        "at δ = {delta}."
    ),
    "region.attack": (
        "With the measured rates FPR {fpr} and FNR {fnr}, this attack lies {place} the region of "
        "{claim}. The measured rates imply ε = {epsilon} at δ = {delta}: an estimate, not a bound."
    ),
    "allowing.every": "every ε allows these rates",
    "allowing.none": "no finite ε allows these rates",
    "allowing.from": "these rates need ε ≥ {epsilon}",
    "implied": "At δ = {delta}, the smallest ε for these rates is {each}{measured}.",
    "implied.ratios": "TPR/FPR; TNR/FNR; FNR/TNR; FPR/TPR",
    "implied.any": "At δ = {delta}, (ε, δ)-DP allows these rates for every ε, even for ε = 0.",
    "implied.measured": " (estimates from the measured rates)",
    "tradeoff": (
        "Under {claim}, an attacker who flags at most {fpr} of the non-members catches at most "
        "{tpr} of the members."
    ),
    "risk": (
        "Suppose that {prior} of the candidates are members. Under {claim}, at most {ppv} of the "
        "records that an attack flags at FPR {fpr} are members (PPV). At this FPR, the advantage "
        "TPR - FPR is at most {advantage}."
    ),
    "risk.limit": " The PPV limit rises to 100 % as the FPR falls to 0: quote a PPV with its FPR.",
    "guessing": (
        "An attacker who flags {fpr} of all records without looking at them catches {fpr} of the "
        "members. Guessing always gives FPR + FNR = 100 %."
    ),
    "people.claim": (
        "On average, an attacker who flags {flagged} of 100 non-members catches at most {detected} "
        "of 100 members under the claim."
    ),
    "people.attack": MEASURED_TEMPLATE % " (the claim: at most {allowed})",
    "people.measured": MEASURED_TEMPLATE % "",
    "population.claim": (
        "Of 10 000 people, {members} are members. The best attack that the claim allows calls "
        "{called} “member” (members: {detected}, non-members: {flagged})."
    ),
    "population.attack": (
        "Of 10 000 people, {members} are members. This attack calls {called} “member” (members: "
        "{detected}, non-members: {flagged}; estimates)."
    ),
    "population.none": "Fewer than 1 of 10 000 people is called “member”.",
    "population.few": (
        "At prior {prior} fewer than 1 of 10 000 people is a member: too few to draw."
    ),
    "population.counts": (
        "Of 10 000 people, {members} are members (prior {prior}): {detected} are called “member”, "
        "{missed} are missed. Of the {nonmembers} non-members, {flagged} are called “member” and "
        "{cleared} are cleared."
    ),
    "guess_lead": (
        "Without the output, a guess is right with probability {kappa}. With the output, it is "
        "right with probability at most {bound}."
    ),
    "candidate_output": "Drag y. Where the dashed curve is higher, the output favours candidate 1.",
    "candidate_output.others": (
        "The output has one noisy number for each candidate; the number of the secret has a larger "
        "mean. The numbers of the other candidates are drawn at random. Every candidate has prior "
        "κ, but one may have a smaller prior. Any two candidates give neighbouring data sets."
    ),
    "candidate_output.named": (
        "The mechanism names the secret with probability (1 - δ) e^ε / (e^ε + k - 1). It names "
        "each of the k - 1 others with this probability divided by e^ε. With the remaining "
        "probability δ, it proves the secret. Any two candidates give neighbouring data sets."
    ),
    "posterior": (
        "After this output, candidate 1 has probability {first}. The best guess is candidate "
        "{guess}, which is right with probability {largest}."
    ),
    "posterior.bayes": (
        "Bayes' rule: the posterior of a candidate is its prior times its likelihood, divided by "
        "the sum of these products over all candidates. A single output may reveal much. The "
        "picture beside shows the probability of a right guess, averaged over all outputs."
    ),
    "guess.noise": (
        "If the output has a noisy number for each of {k} candidates, the guess with the largest "
        "posterior (MAP) is right with probability {best} (exact)."
    ),
    "guess.named": (
        "With randomized response at this ε among {k} candidates, the guess with the largest "
        "posterior (MAP) is right with probability {best} (exact)."
    ),
    "guess.unknown": "dpviz cannot compute the exact probability of a right guess for this claim.",
    "guess.loose": " From ε = {epsilon}, δ = {delta} alone, the limit is {loose}.",
    "guess.side": (
        " The limits hold for every secret, such as a whole record or one attribute. The "
        "guess without the output uses all other knowledge of the attacker."
    ),
    "no_outputs": "This guarantee has no outputs of its own: many mechanisms satisfy it.",
    "ratio_lead.any": "With ε = ∞ the band has no edge: every ratio is allowed.",
    "ratio_lead.inside": "At ε = {epsilon} every ratio is inside the band from e^-ε to e^ε.",
    "ratio_lead.beyond": (
        "At ε = {epsilon}, a member's output has a ratio outside the band from e^-ε to e^ε with "
        "probability at most {beyond}."
    ),
    "costs_lead.at": (
        "The attack of least cost wrongly accuses {fpr} of the non-members and misses {fnr} of the "
        "members."
    ),
    "costs_lead.none": WORTHLESS_TEMPLATE.format("nobody"),
    "costs_lead.all": WORTHLESS_TEMPLATE.format("everybody"),
    "costs": (
        "The prior is {prior}, a false alarm costs {alarm}, and a miss costs {miss}. So the "
        "weight of the FPR, relative to that of the FNR, is γ = {gamma}. The cost is the same "
        "along the dashed line (slope -γ). For an attacker without the output, the expected cost "
        "per record is at least {blind}. "
        "The output lowers this cost by at most {share}."
    ),
    "people.called": "called “member” by this attack",
    "people.allowed": "called “member”: best attack allowed",
    "people.others": "called “non-member”",
    "people.required": "missed under the claim: at least {required}",
    "people.detected": "{detected} members called “member”",
    "people.missed": "{missed} members missed",
    "people.flagged": "{flagged} non-members called “member”",
    "people.cleared": "{cleared} non-members cleared",
    "point": "{place}; needs ε ≥ {epsilon}",
    "point.chosen": "needs ε ≥ {epsilon}",
    "point.measured": "this attack (estimate)",
    "point.contradicted": "this attack (estimate): outside",
    "point.not contradicted": "estimate outside, not contradicted",
    "point.cannot decide": "estimate outside, undecided",
    "point.computing": "estimate outside, not tested",
    "waiting": " The attack's rates at this FPR are waiting for the kernel.",
    "alone": " The attack's rates at this FPR need Python, which is not connected.",
    "slow": "The JavaScript of dpviz did not load: Python redraws the pictures, more slowly.",
    "late": "waiting for the kernel",
    "late.alone": "needs the kernel",
}

RATIOS = tuple(WORDS["implied.ratios"].split("; "))  # in the order of `implied_epsilons`
NOT_LOADED = "Load a sample or your own file: scores of members and non-members."
NOT_COMPUTED = "Not computed yet for these scores and settings."
MOST_WORDS = 25  # of a lead, the first sentence below a picture


def counted(n: int, one: str, many: str = "") -> str:
    """Return a number with its noun, "1 model" or "3 models"; `many` is an irregular plural."""
    return f"{n} {one if n == 1 else many or f'{one}s'}"


def listed(texts: list[str]) -> str:
    """Return texts joined in a sentence: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def capitalised(text: str) -> str:
    """Return a text with a capital first letter, unless this letter is Greek: "Prior p"."""
    return text[:1].upper() + text[1:] if text[:1].isascii() else text


# ----- errors of numbers that a user typed
#
# The error "prior must be in (0, 1), got 0.0" reads beside an input box "Prior p must be more than
# 0 and less than 1 (you typed 0)."; the browser writes the same words (`js/src/state/scale.ts`).

INTERVAL = re.compile(r"in ([\[(])(\S+), (\S+)([\])])")
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+\s*%?\s*")

LABEL_BY_NAME = {  # by the name in an error: a parameter, or the label of its input box
    **{
        key: capitalised(typed.label)
        for entry in ENTRIES.values()
        for name, typed in entry.parameters.items()
        for key in (name, typed.label)
    },
    **{name: capitalised(control.label) for name, control in CONTROLS.items()},
    **{"confidence_level": "Confidence", "fnr": "FNR of the point", "clip": "Clip"},
    **{"threshold": "Threshold", "n": "Number of records"},
}


def range_condition_in_words(condition: str) -> str:
    """Return "in (0, 1)" as "more than 0 and less than 1", and other conditions unchanged."""
    interval = INTERVAL.fullmatch(condition)
    if interval is None:
        return condition
    opening, low, high, closing = interval.groups()
    if high == "inf":
        return f"{low} or more" if opening == "[" else f"more than {low}"
    if opening == "[" and closing == "]":
        return f"from {low} to {high}"
    at_least = f"at least {low}" if opening == "[" else f"more than {low}"
    return f"{at_least} and " + (f"at most {high}" if closing == "]" else f"less than {high}")


def typed_value_error_text(error: Exception) -> str:
    """Return the sentence shown beside an input box when a typed value is illegal."""
    # A `SpecError` has the `ConditionError` as its cause.
    broken = error if isinstance(error, ConditionError) else error.__cause__
    if not isinstance(broken, ConditionError) or broken.argument not in LABEL_BY_NAME:
        return str(error)
    value = broken.value
    if isinstance(value, str):
        if DECIMAL_COMMA.fullmatch(value):
            return f"Write {value.strip().replace(',', '.')} with a point."
        if is_number_too_large(value):
            return f"{value.strip()} is too large a number."
        typed = value.strip() or "nothing"
    elif isinstance(value, int | float):
        typed = exact(value)
    else:
        return str(error)
    name = LABEL_BY_NAME[broken.argument]
    return f"{name} must be {range_condition_in_words(broken.condition)} (you typed {typed})."
