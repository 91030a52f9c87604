"""Templates of the sentences that the browser writes too, while the kernel is busy or gone.

Slots are in braces; `rates.py` here and `sentences.ts` in the browser format the numbers in them.
"""

WORDS = {
    "region_lead.claim": (
        "At FPR {fpr} the claim lets an attack catch at most {tpr} of the members."
    ),
    "region_lead.chosen": (
        "The point at FPR {fpr} and FNR {fnr} lies {place} what the claim allows: {allowing}."
    ),
    "region_lead.attack": (
        "At FPR {fpr} this attack misses {fnr} of the members; the claim requires at least "
        "{least}: this estimate lies {place} the region."
    ),
    "region_lead.above": (
        "At FPR {fpr} this attack misses {fnr} of the members: the scores point the other way, and "
        "this estimate lies outside the region."
    ),
    "tradeoff_lead": (
        "At FPR {fpr} every attack that the claim allows misses at least {least} of the members"
    ),
    "risk_lead": (
        "If {prior} of the candidates are members, at most {ppv} of those flagged at FPR {fpr} are "
        "members (PPV)."
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
        "An attacker who flags {fpr} of all records without looking at them catches {fpr} of the "
        "members: guessing always gives FPR + FNR = 100 %."
    ),
    "people.claim": (
        "An attacker who flags {flagged} of 100 non-members catches at most {detected} of 100 "
        "members under the claim."
    ),
    "people.attack": (
        "This attack (estimates) catches {detected} of 100 members and flags {flagged} of 100 "
        "non-members; under the claim it would miss at least {required}."
    ),
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
    "people.called": "called “member” by this attack",
    "people.allowed": "called “member”: best attack allowed",
    "people.others": "called “non-member”",
    "people.required": "missed under the claim: at least {required}",
    "people.detected": "{detected} members called “member”",
    "people.missed": "{missed} members missed",
    "people.flagged": "{flagged} non-members called “member”",
    "people.cleared": "{cleared} non-members cleared",
    "point": "{place}; needs ε ≥ {epsilon}",
    "point.inside": "inside here (estimate)",
    "point.outside": "outside here (estimate)",
    "waiting": " What the attack did there: waiting for the kernel.",
    "alone": " What the attack did there needs Python, which is not connected.",
    "slow": "Pictures follow through Python: the browser's half did not load.",
    "late": "waiting for the kernel",
    "late.alone": "does not follow without the kernel",
}
