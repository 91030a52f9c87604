"""Templates of the sentences that the browser writes too, while the kernel is busy or gone.

Slots are in braces; `rates.py` here and `sentences.ts` in the browser format the numbers in them.
"""

WORDS = {
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
        "ε implied by each of the four inequalities at δ = {delta}{measured}: TPR/FPR: {e1}; "
        "TNR/FNR: {e2}; FNR/TNR: {e3}; FPR/TPR: {e4}."
    ),
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
    "risk.limit": " As the FPR goes to 0 this PPV bound goes to 100 %: quote it with its FPR.",
    "point": "{place}; implied ε {epsilon}{estimate}",
    "point.estimate": " (estimate)",
    "waiting": " What the attack did there: waiting for the kernel.",
    "alone": " What the attack did there needs Python, which is not connected.",
    "slow": "Pictures follow through Python: the browser's half did not load.",
    "late": "waiting for the kernel",
    "late.alone": "does not follow without the kernel",
}
