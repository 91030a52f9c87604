"""Texts that several topics share, and error messages for typed values.

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
    "members": (
        "the records that the model was trained on; non-members are others of the same kind."
    ),
    "claimed": (
        "the ε of the claim: with it, an attack catches at most a share e^ε FPR + δ of members."
    ),
    "certified": (
        "a lower bound: at the stated confidence, the ε of this trained model, or of the mechanism "
        "if membership was drawn, is no smaller."
    ),
    "Epsilon*": (
        "an estimate, no bound: the largest log ratio of the two classes over all thresholds."
    ),
    "chance": "the Epsilon* that 95 of 100 sets of so many records stay below if nothing leaks.",
    "ceiling": "the ε that even a perfect attack on so many records could certify.",
    "FPR": "the share of non-members that the attack wrongly calls members.",
    "FNR": "the share of members that the attack misses; TPR = 1 - FNR is the share it catches.",
    "PPV": "the share of members among all whom the attack calls members; it depends on p.",
    "prior p": "the share of members among all candidates before the attack.",
    "advantage": "TPR - FPR; random guessing has 0.",
}

MEASURED_TEMPLATE = (
    "This attack (estimates) catches {detected} of 100 members and flags {flagged} of 100 "
    "non-members"
)
WORTHLESS_TEMPLATE = "The attack of least cost calls {} a member: the output is worth nothing."

WORDS = {
    "no_claim": "Nothing is claimed: every attack is allowed.",
    "answer.promise": "At FPR {fpr}, {claim} lets an attack catch at most {tpr} of the members.",
    "answer.nothing": "{claim} is no guarantee: every attack is allowed.",
    "answer.contradicted": "The {kind} contradict the claim {claim}.",
    "answer.not contradicted": (
        "These {kind} do not contradict {claim}. That does not confirm it."
    ),
    "answer.no claim": "No claim is tested: this is what the {kind} show.",
    "answer.untested": "No claim is tested yet: the limits drawn are those of {claim}.",
    "answer.cannot decide": "These {kind} cannot decide about {claim}.",
    "answer.computing": "Not computed yet: whether these {kind} contradict {claim}.",
    "answer.alone": "It needs Python to say whether these {kind} contradict {claim}.",
    "title.no_claim": "Nothing is claimed: every attack is allowed",
    "region_title.promise": "What {claim} allows",
    "region_title.no claim": "Error rates of this attack",
    "region_title.contradicted": "The attack leaves the allowed region",
    "region_title.inside": "At FPR {fpr}, the attack stays inside",
    "region_title.late": "At FPR {fpr}, the attack …",
    "region_title.not contradicted": "Outside by estimate; perhaps by chance",
    "region_title.cannot decide": "Outside by estimate; too few records",
    "region_title.computing": "Does the attack leave the region? Not tested",
    "tradeoff_title.promise": "At FPR {fpr}, attacks miss at least {least}",
    "tradeoff_title.attack": "Misses {fnr}; allowed: ≥ {least}",
    "tradeoff_title.estimate": "Estimate: misses {fnr}; allowed: ≥ {least}",
    "tradeoff_title.measured": "Misses {fnr} at FPR {fpr}",
    "risk_title.promise": "At most {most} of flags are right",
    "risk_title.attack": "{right} of flags are right; limit {most}",
    "risk_title.estimate": "Estimate: {right} right; limit {most}",
    "risk_title.measured": "{right} of flags are right",
    "risk_title.nobody": "The attack flags nobody at this FPR",
    "risk_subtitle": "PPV, p = {prior}; dashed: advantage",
    "at_one_percent": "{measured}; the claim allows at most {tpr}{clearest}.",
    "at_one_percent.clearest": " there. The contradiction is clearest at FPR {fpr}",
    "readout_at": "Of 100, at FPR {fpr}",
    "region_lead.claim": "At FPR {fpr} the point misses as few members as the claim allows.",
    "region_lead.chosen": (
        "The point at FPR {fpr} and FNR {fnr} lies {place} what the claim allows: {allowing}."
    ),
    "region_lead.attack": (
        "At FPR {fpr} this attack misses {fnr} of the members; under the claim, at least {least}. "
        "Estimate: {place} the region, before allowing for chance."
    ),
    "region_lead.above": (
        "At FPR {fpr} this attack misses {fnr} of the members: the scores point the other way. "
        "Estimate: outside the region, before allowing for chance."
    ),
    "region_lead.measured": "At FPR {fpr} this attack misses {fnr} of the members: an estimate.",
    "region_lead.point": "At FPR {fpr} and FNR {fnr}: {allowing}.",
    "at_fpr.no_claim": "Nothing is claimed about attacks with FPR {fpr}",
    "tradeoff_lead": (
        "At FPR {fpr} every attack that the claim allows misses at least {least} of members"
    ),
    "tail_lead": "At FPR {fpr} the claim lets an attack catch at most {tpr} of members",
    "risk_lead": (
        "If {prior} of candidates are members, under the claim at most {ppv} of those flagged "
        "at FPR {fpr} are members (PPV)."
    ),
    "claim": "the claim {parameters}",
    "guarantee": "this guarantee",
    "conversion": "Claimed for add/remove adjacency ({given}), converted to replace-one. ",
    "region.claim": (
        "An attack with FPR {fpr} misses at least {fnr} of the members under {claim}: the point "
        "lies on the edge of the region."
    ),
    "region.chosen": (
        "An attack with FPR {fpr} and FNR {fnr} lies {place} the region of {claim}: {allowing} "
        "at δ = {delta}."
    ),
    "region.attack": (
        "With FPR {fpr} and FNR {fnr}, measured on this sample, this model's attack lies {place} "
        "the region of {claim}. The measured rates imply ε = {epsilon} at δ = {delta}: an "
        "estimate, not a bound."
    ),
    "allowing.every": "any ε allows it",
    "allowing.none": "no finite ε allows it",
    "allowing.from": "it needs ε ≥ {epsilon}",
    "implied": (
        "Smallest ε allowed by each of the four inequalities at δ = {delta}{measured}: {each}."
    ),
    "implied.ratios": "TPR/FPR; TNR/FNR; FNR/TNR; FPR/TPR",
    "implied.any": "The four inequalities allow any ε at δ = {delta}{measured}.",
    "implied.measured": " (measured rates, an estimate)",
    "tradeoff": (
        "Under {claim} an attacker who flags at most {fpr} of the non-members catches at most "
        "{tpr} of the members."
    ),
    "risk": (
        "If {prior} of the candidates are members, under {claim} an attacker with FPR {fpr} is "
        "right about at most {ppv} of the records it flags (PPV), and its advantage TPR - FPR is "
        "at most {advantage}."
    ),
    "risk.limit": (
        " The bound rises to 100 % as the FPR goes to 0: always quote PPV with its FPR."
    ),
    "guessing": (
        "An attacker who flags {fpr} of all records without looking at them catches {fpr} of "
        "members: guessing always gives FPR + FNR = 100 %."
    ),
    "people.claim": (
        "An attacker who flags {flagged} of 100 non-members catches at most {detected} of 100 "
        "members under the claim."
    ),
    "people.attack": f"{MEASURED_TEMPLATE}; the claim lets it catch at most {{allowed}}.",
    "people.measured": f"{MEASURED_TEMPLATE}.",
    "population.claim": (
        "Of {called} called “member”, {detected} are members: the best attack that the claim "
        "allows, with {members} members among 10 000 people."
    ),
    "population.attack": (
        "Of {called} called “member” by this attack, {detected} are members (estimates), with "
        "{members} members among 10 000 people."
    ),
    "population.none": "Fewer than 1 of 10 000 people is called “member”.",
    "population.few": (
        "At a prior of {prior} fewer than 1 of 10 000 people is a member: too few to draw."
    ),
    "population.counts": (
        "Of 10 000 people, {members} are members (prior {prior}): {detected} are called “member”, "
        "{missed} are missed. Of the {nonmembers} non-members, {flagged} are called “member” and "
        "{cleared} are cleared."
    ),
    "guess_lead": (
        "A guess that is right with probability {kappa} without the output is right with "
        "probability at most {bound} with it."
    ),
    "candidate_output": (
        "Drag y: where the dashed curve is above the other, the output speaks for candidate 1."
    ),
    "candidate_output.others": (
        "Each candidate has one noisy number like this, and that of the secret is larger. Those of "
        "the others are drawn at random. Priors are κ, for as many candidates as fit, and one has "
        "the rest; any two candidates give neighbouring data sets."
    ),
    "candidate_output.named": (
        "The mechanism names the secret with probability (1 - δ) e^ε / (e^ε + k - 1), each other "
        "of the k candidates e^ε times less often, and with probability δ the secret with proof. "
        "Any two candidates give neighbouring data sets."
    ),
    "posterior": (
        "After this output candidate 1 has probability {first}; the best guess is candidate "
        "{guess}, right with probability {largest}."
    ),
    "posterior.bayes": (
        "Bayes: the probability of a candidate is its prior times its likelihood, over the sum of "
        "both for all. One output may say much; over all outputs the guess is right as often as "
        "the picture beside says."
    ),
    "guess.noise": (
        "Where each of {k} candidates has one noisy number, the guess of the largest posterior "
        "(MAP) is right with probability {best}, exactly."
    ),
    "guess.named": (
        "Where the output names one of {k} candidates by randomized response, the guess of the "
        "largest posterior (MAP) is right with probability {best}, exactly."
    ),
    "guess.unknown": "For this claim only the bound is known here, not an attack that comes near.",
    "guess.loose": " From ε = {epsilon} and δ = {delta} alone the bound is {loose}, never less.",
    "guess.side": (
        " It holds for every secret, the whole record or one attribute; what is known from "
        "elsewhere is part of the chance without the output."
    ),
    "no_outputs": (
        "This guarantee names no outputs that could be drawn on a line: it says what any mechanism "
        "behind it allows."
    ),
    "ratio_lead.any": "With ε = ∞ the band has no edge: every ratio is allowed.",
    "ratio_lead.inside": (
        "No output has a ratio outside the band from e^-ε to e^ε, with ε = {epsilon}."
    ),
    "ratio_lead.beyond": (
        "A member's output has a ratio outside the band from e^-ε to e^ε, with ε = {epsilon}, with "
        "probability at most {beyond}."
    ),
    "costs_lead.at": (
        "The attack of least cost wrongly accuses {fpr} of the non-members and misses {fnr} of the "
        "members."
    ),
    "costs_lead.none": WORTHLESS_TEMPLATE.format("nobody"),
    "costs_lead.all": WORTHLESS_TEMPLATE.format("everybody"),
    "costs": (
        "With a prior of {prior}, a false alarm of cost {alarm} and a miss of cost {miss}, the FPR "
        "weighs γ = {gamma} times as much as the FNR: that is the slope of the line. The expected "
        "cost per record is at least {cost} with the output and {blind} without it: the output "
        "saves at most {share}."
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
    "point.not contradicted": "outside by estimate, not contradicted",
    "point.cannot decide": "outside by estimate, undecided",
    "point.computing": "outside by estimate, not tested",
    "waiting": " What the attack did there: waiting for the kernel.",
    "alone": " What the attack did there needs Python, which is not connected.",
    "slow": "Pictures follow through Python: the browser's half did not load.",
    "late": "waiting for the kernel",
    "late.alone": "needs the kernel",
}

RATIOS = tuple(WORDS["implied.ratios"].split("; "))  # in the order of `implied_epsilons`
NOT_LOADED = "Load a sample or your own file: scores of members and non-members."
NOT_COMPUTED = "Not computed yet for these scores and choices."
MOST_WORDS = 25  # of a lead, the first sentence below a picture


def counted(n: int, one: str, many: str = "") -> str:
    """Return a number with its noun, "1 model" or "3 models"; `many` is an irregular plural."""
    return f"{n} {one if n == 1 else many or f'{one}s'}"


def listed(texts: list[str]) -> str:
    """Return texts joined in a sentence: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def capitalised(text: str) -> str:
    """Return a text with a capital first letter, except a Greek one: "Prior p"."""
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
    """Return "in (0, 1)" as "more than 0 and less than 1"; other conditions unchanged."""
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
