"""The answers to the lessons' own questions, as Python, and the rubrics of what is graded by hand.

The code runs in the lesson's notebook, where `lesson`, `teach` and the explorers are. These
questions are practice and have no marks; the graded ones are in `pool.py`.
"""

# The right letter is the one that the check takes.
LETTER = """\
{name} = next(
    letter
    for letter in lesson["{name}"].kind.options
    if teach.check(letter, lesson["{name}"]).is_right
)"""

# A student's numbers, read from the question as students do.
MAPS = """\
import re

people, high, streets = (
    float(re.search(pattern, lesson["together"].text)[1])
    for pattern in (r"of (\\d+) people", r"0 to (\\d+) thousand", r"and (\\d+) streets")
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
    2: {
        "touch": """\
point = lesson["touch"].kind.start
explorer.delta = theory.delta_at(fpr=point.fpr, fnr=point.fnr, epsilon=0.0)
touch = explorer.answer()""",
        **letters("zone", "both", "record"),
    },
    3: {
        **letters("finest", "clamp"),
        "together": f"""\
{MAPS}
from dpviz.theory.zoom_levels import ZoomLevels

together = ZoomLevels(records=people, high=high, regions=[1, 50, streets]).epsilon""",
        "noise": f"""\
{MAPS}
scale = float(re.search(r"scale (\\d+)", lesson["noise"].text)[1])
explorer.epsilon = high / (people // streets) / scale
noise = explorer.answer()""",
        "count": """\
import re

count = 1 + int(re.search(r"has (\\d+) harmless", lesson["count"].text)[1])""",
    },
    4: {
        "flag": """\
import re

prior = float(re.search(r"non-members. ([\\d.]+) %", lesson["flag"].text)[1]) / 100
flag = 0.9 * prior / (0.9 * prior + 0.05 * (1 - prior))""",
        "half": """\
claim, fpr = theory.ApproximateDP(epsilon=1.0, delta=1e-5), explorer.fpr
odds = claim.tpr(fpr) / fpr  # of a flagged record, where half of all are members
explorer.prior = 1 / (1 + float(odds))
half = explorer.answer()""",
        "pays": """\
import re

cost = int(re.search(r"costs (\\d+)", lesson["pays"].text)[1])
pays = 0.05 * cost / (0.05 * cost + 0.9)""",
        **letters("limit"),
    },
    5: {
        **letters("more", "chance", "kind"),
        "larger": """\
explorer.method, explorer.clip = "normal", None
larger = explorer.answer()""",
        "cap": """\
import math
import re

clip = float(re.search(r"from ([\\d.]+) %", lesson["cap"].text)[1]) / 100
cap = math.log((1 - clip - 1e-5) / clip)""",
    },
    6: {
        "threshold": """\
explorer.fpr = 0.05
threshold = explorer.answer()""",
        "bound": "bound = dpviz.audit.lower_bound(data.scores, delta=data.delta).low",
        **letters("answer", "best", "whose"),
        "report": "report = file.read_text()",
    },
    7: {
        "votes": """\
import re

scale = float(re.search(r"scale ([\\d.]+\\d)", lesson["votes"].text)[1])
explorer.epsilon = 2 / scale
votes = explorer.answer()""",
        "runs": """\
import math
import re

rare = int(re.search(r"one of (\\d+) runs", lesson["runs"].text)[1])
runs = math.ceil(math.log(0.05) / math.log(1 - 1 / rare))""",
        **letters("which", "why", "means"),
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
    2: {
        "colleague": (
            "says that a claim with this δ allows a mechanism that fails with probability δ",
            "says that other mechanisms with the same δ never fail so, Gaussian noise for instance",
            "says what δ bounds in every case, such as TPR - FPR at ε = 0",
        )
    },
    3: {
        "office": (
            "says that one person moves a street's average more than a country's",
            "gives a remedy: more noise on streets, wider regions, or a narrower clip",
            "says that the published maps add up",
        )
    },
    4: {
        "official": (
            "asks how many members there are among the candidates",
            "asks for the share of non-members that are flagged",
            "says that 90 % is about members, not about the flagged",
        )
    },
    5: {
        "authors": (
            "asks for form, clip and δ of the number",
            "asks what chance gives for as many records",
            "says that it is an estimate for one model, and asks for a lower bound",
        )
    },
    6: {
        "summary": (
            "names claim, records and attack that was fixed before",
            "states the lower bound with its confidence, and compares it with the claim",
            "says what was not found: nothing is confirmed, one model, one attack",
        )
    },
    7: {
        "passed": (
            "says that a claim that is not contradicted is not confirmed",
            "names what a test may miss: other neighbours, rare outputs, small leaks",
            "says what would show it: a proof from the code, of how far one record moves the sum",
        )
    },
}
