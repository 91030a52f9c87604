"""The instructor's key: for each lesson, Python that sets each answer.

It runs in the lesson's notebook, where `lesson`, `teach` and the explorers are. No number is stored
here either: the key of each login is computed.
"""

# The right letter is the one that the check takes.
LETTER = """\
{name} = next(
    letter
    for letter in lesson["{name}"].kind.options
    if teach.check(letter, lesson["{name}"]).is_right
)"""


def letters(*names: str) -> dict[str, str]:
    """Return the code of questions that are answered with a letter."""
    return {name: LETTER.format(name=name) for name in names}


KEYS: dict[int, dict[str, str]] = {
    1: {
        "edge": """\
claim = theory.ApproximateDP(epsilon=2.5, delta=1e-4)
low = next(
    low / 100
    for low in range(100)
    if f"between {low} % and {low + 10} %" in lesson["edge"].text
)
explorer.fpr, explorer.fnr = low + 0.05, float(claim.beta(low + 0.05))
edge = explorer.answer()""",
        **letters("names", "inside"),
        "trials": """\
def shown(n):
    return audit.lower_bound_from_counts(
        false_positives=n // 10,
        n_nonmembers=n,
        false_negatives=n // 10,
        n_members=n,
        delta=1e-4,
    ).low


trials = next(n for n in (10, 100, 1000, 10_000) if shown(n) > 1)""",
    },
    6: {
        "threshold": """\
explorer.fpr = 0.05
threshold = explorer.answer()""",
        "bound": "bound = dpviz.audit.lower_bound(data.scores, delta=data.delta).low",
        **letters("answer", "best", "whose"),
        "report": "report = file.read_text()",
    },
}
# The two or three sentences that are graded by hand: what they should have, one point each.
RUBRICS: dict[int, dict[str, tuple[str, ...]]] = {
    1: {
        "friend": (
            "says that an attack inside the region contradicts nothing",
            "says that it confirms nothing: another attack, or more trials, may be outside",
            "says what ten trials are worth: the bound they give is far below the claim",
        )
    },
    6: {
        "summary": (
            "names claim, records and attack that was fixed before",
            "states the lower bound with its confidence, and compares it with the claim",
            "says what was not found: nothing is confirmed, one model, one attack",
        )
    },
}
